import Disk
import Model
import OutboxStore
import Quire
import Sync
import SystemPackage
import Testing

@Suite("People share a device: each sees their own tests only, and all are sent")
struct PeopleTests {
    private static let names = ["Ada", "Boris", "李"]

    /// A draft of each of three people, in their order, and one without a person.
    private func shared(
        _ kind: StoreKind = .simulated
    ) async throws -> (ground: StoreFixture, people: [Person], drafts: [TestID], unclaimed: TestID) {
        let ground = try await StoreFixture(on: kind)
        let opened = try await ground.opened()
        func draft(_ text: String) throws -> TestID {
            ground.disk.clock.advance(by: .seconds(60))
            return try ground.store.take(opened, answers: ["q2": .one(text)], isFinished: false).record.id
        }
        let unclaimed = try draft("before there were people")
        var people: [Person] = []
        var drafts: [TestID] = []
        for name in Self.names {
            people.append(try ground.store.people.set(name: name, group: "7b"))
            drafts.append(try draft("by \(name)"))
        }
        return (ground, people, drafts, unclaimed)
    }

    private func shown(_ store: QuireStore) throws -> Set<TestID> {
        let shown = try store.people.shown()
        return Set(try store.tests().filter { shown.includes($0.record) }.map(\.item.id))
    }

    @Test("without people nothing is different: no test has a person, and all are shown", arguments: StoreKind.allCases)
    func without(_ kind: StoreKind) async throws {
        let ground = try await StoreFixture(on: kind)
        let id = try await ground.finished()
        let stored = try ground.store.outbox.read(OutboxItem(id: id, status: .done))
        #expect(!String(decoding: stored.bytes, as: UTF8.self).contains("person"))
        #expect(try ground.store.people.state() == People.State())
        #expect(try shown(ground.store) == [id])
        #expect(throws: PersonError.noneCurrent) { try ground.store.people.claim(id) }
    }

    @Test("each sees their own drafts and those without a person", arguments: StoreKind.allCases)
    func own(_ kind: StoreKind) async throws {
        let (ground, people, drafts, unclaimed) = try await shared(kind)
        let store = ground.store
        for (person, own) in zip(people, drafts) {
            try store.people.use(named: person.id)
            #expect(try shown(store) == [own, unclaimed])
            #expect(try store.draft(ofQuestionnaire: "capitals")?.record.id == own)
            #expect(Set(try store.library()[0].drafts) == [own, unclaimed])
            #expect(try store.draft(named: own.description)?.record.person == person)
            for other in drafts where other != own {
                #expect(throws: OtherPersonsTest.self) { try store.draft(named: other.description) }
                #expect(throws: OtherPersonsTest.self) { try store.people.item(prefix: other.description) }
                #expect(throws: OtherPersonsTest.self) { try store.people.claim(other) }
            }
        }
        try store.people.use(nil)
        #expect(try shown(store) == [unclaimed])
        #expect(try store.draft(ofQuestionnaire: "capitals")?.record.id == unclaimed)
    }

    @Test("a list says that there is a draft only where the current person has one")
    func listed() async throws {
        let ground = try await StoreFixture()
        let store = ground.store
        func hasDraft() throws -> Bool {
            var found = false
            try store.localLibrary.each(in: .english) { found = $0.hasDraft }
            return found
        }
        try store.people.set(name: "Ada")
        _ = try store.begin(try await ground.opened())
        #expect(try hasDraft())
        try store.people.set(name: "Boris")
        #expect(try !hasDraft())
        ground.publish("Which town?")
        _ = try await store.puller(ground.remote).pull()
        #expect(try store.outdatedDrafts().isEmpty)
        try store.people.use(named: "Ada")
        #expect(try hasDraft())
        #expect(try store.outdatedDrafts().count == 1)
    }

    @Test("the person is frozen with the test, kept by a correction and a newer version, and sent by any sync")
    func kept() async throws {
        let (ground, people, drafts, unclaimed) = try await shared()
        let store = ground.store
        try store.people.use(named: people[0].id)
        let opened = try await ground.opened()
        _ = try store.answer(drafts[0], ["q1": .one("Paris")], opened.questionnaire)
        let bytes = try store.finish(drafts[0]).bytes
        // A later name is not that of the test.
        try store.people.set(name: "Ada King", id: people[0].id)
        #expect(try store.outbox.edits.reopen(drafts[0], deviceID: "tablet").record.person == people[0])
        #expect(try store.finish(drafts[0]).record.person == people[0])
        // Boris's draft moves to a newer version while Ada is there: it stays his.
        ground.publish("Which town is the capital of France?")
        _ = try await store.puller(ground.remote).pull()
        let moved = try store.carryOver(
            try store.outbox.read(OutboxItem(id: drafts[1], status: .inProgress)), to: try await ground.opened())
        #expect(moved.record.person == people[1])
        try store.people.set(name: "李")
        _ = try await ground.sweep()
        let sent = try #require(ground.remote.tests[drafts[0]])
        #expect(try DocumentCoding.decode(TestRecord.self, from: sent).person == people[0])
        #expect(try DocumentCoding.decode(TestRecord.self, from: bytes).person == people[0])
        #expect(try shown(store) == [drafts[2], unclaimed])
        #expect(try store.outbox.edits.reopen(drafts[0], deviceID: "tablet").record.person == people[0])
    }

    @Test("a test without a person can be claimed as long as it is a draft")
    func claimed() async throws {
        let (ground, people, _, unclaimed) = try await shared()
        let store = ground.store
        try store.people.use(named: "Boris")
        #expect(try store.people.claim(unclaimed).record.person == people[1])
        #expect(try store.people.claim(unclaimed).record.person == people[1])
        try store.people.use(named: "Ada")
        #expect(throws: OtherPersonsTest.self) { try store.people.claim(unclaimed) }
        try store.people.use(nil)
        let finished = try await ground.finished()
        try store.people.use(named: "Ada")
        #expect(throws: OutboxError.frozen(finished, .done)) { try store.people.claim(finished) }
    }

    @Test("names, ids and groups that can be none are refused; a name that two people have must be made clear")
    func names() async throws {
        let ground = try await StoreFixture()
        let store = ground.store
        for name in ["", " ", "A\nB", String(repeating: "я", count: 201)] {
            #expect(throws: PersonError.self) { try store.people.set(name: name) }
            #expect(throws: PersonError.self) { try store.people.set(name: "Ada", id: name) }
        }
        #expect(throws: PersonError.self) { try store.people.set(name: "Ada", group: "7\tb") }
        #expect(try store.people.state() == People.State())
        let ada = try store.people.set(name: "  Ada ", id: "s/17", group: "7b")
        #expect(try store.people.set(name: "Ada") == ada)
        #expect(try store.people.set(name: "Ada", group: "") != ada)
        #expect(throws: PersonError.self) { try store.people.set(name: "Ada") }
        #expect(throws: PersonError.self) { try store.people.use(named: "Ada") }
        #expect(throws: PersonError.unknown("Eve")) { try store.people.use(named: "Eve") }
        #expect(try store.people.set(name: "Ada L.", id: "s/17").group == "7b")
        #expect(try store.people.set(name: "Ada L.", id: "s/17", group: "").group == nil)
        #expect(try store.people.state().people.count == 2)
        #expect(try ground.reopened().people.state().current?.id == "s/17")
    }

    @Test("changes by hand are noticed: a person's file that moves away, another current one, a damaged file")
    func byHand() async throws {
        let (ground, people, drafts, unclaimed) = try await shared()
        let store = ground.store
        let files = ground.files
        func path(_ id: String) throws -> FilePath {
            let name = try #require(try files.list("people").map(\.name).first { $0.hasPrefix(id) })
            return FilePath("people").appending(name)
        }
        try files.writeDurably(
            Array("{\"id\": \"\(people[0].id)\"}".utf8), to: "people/current.json", temporaryFolder: "people")
        #expect(try store.people.state().current == people[0])
        try files.move(try path(people[0].id), to: "outbox/tmp/x", replacing: false)
        #expect(try store.people.state().current == nil)
        #expect(try shown(store) == [unclaimed])
        // Still known by the tests.
        #expect(try store.people.known().count == 3)
        #expect(try store.people.use(named: people[0].id) == people[0])
        #expect(try shown(store) == [drafts[0], unclaimed])
        try files.writeDurably(Array("{".utf8), to: try path(people[1].id), temporaryFolder: "people")
        #expect(try store.people.state().faults.count == 1)
        #expect(try store.people.state().people == [people[0], people[2]])
        for entry in try files.list("people") { try files.removeIfPresent(FilePath("people").appending(entry.name)) }
        #expect(try shown(store).count == 4)
    }
}

import Disk
import Model
import OutboxStore
import Quire
import Simulation
import Sync
import SystemPackage
import Testing

/// The explanation of waiting items, and of others.
@Suite("The output of `why` and `sync --dry-run`")
struct ExplanationTests {
    private static let quiz = """
        {"title": "Quiz", "questions": [{"id": "q1", "text": "Is it so?", "options": ["A", "B"]}]}
        """

    private func isUpload(_ request: RemoteRequest) -> Bool {
        if case .upload = request.kind { true } else { false }
    }

    @Test("a change that is not due is shown with its time and the last failure, and is not taken for a test")
    func changesThatWait() async throws {
        let ground = try await StoreFixture()
        let change = try await ground.edit("Towns")
        try ground.store.setFavorite("capitals", title: "Capitals", true)
        ground.remote.respond { $0.change == nil ? nil : .status(500, detail: "no room") }
        try await ground.sweep()
        let held = try ground.blockedItems()
        #expect(Set(held.map(\.kind)) == [.questionnaire, .favorite])
        #expect(held.allSatisfy { $0.notBefore != nil && $0.reason == "no room" }, "\(held)")
        #expect(try ground.explain(change).nextAttempt == held.first { $0.id == change }?.notBefore)
    }

    @Test("of two versions under one id both are shown, each by its own receipt, and what a person can do")
    func versions() async throws {
        let ground = try await StoreFixture()
        let id = try await ground.finished()
        let item = OutboxItem(id: id, status: .done)
        var record = try ground.store.outbox.read(item).record
        record.answers = []
        try ground.disk.put(OutboxLayout.testPath(id, .inProgress), try DocumentCoding.encode(record))
        #expect(try ground.store.examine(repairing: true).filter { $0.kind == .duplicate }.map(\.isRepaired) == [true])
        #expect(try ground.store.examine(repairing: false).allSatisfy { $0.kind != .duplicate && $0.kind != .changed })
        // Nothing was tried yet, and what lies in conflict holds nothing up.
        #expect(try ground.store.outbox.receipt(item) == nil)
        #expect(try ground.store.sweeper(ground.remote).dueNow().due == [item])
        #expect(try await ground.sweep().sent == [id])
        for language in Language.allCases {
            let told = try ground.explain(id, language)
            let other = try #require(told.otherVersions.first)
            #expect(told.status == .sent && other.status == .conflict && other.file.contains("/conflict/"))
            #expect(told.facts.contains { $0.contains("conflict") } && other.next.contains("outbox reopen"))
            #expect(!other.next.contains("outbox retry") && !other.state.contains("lies in done"))
        }
        #expect(throws: OutboxError.otherVersion(id, .sent)) { try ground.store.outbox.edits.retry(id) }
        try ground.store.outbox.discard(id)
        #expect(try ground.explain(id).otherVersions.isEmpty)
    }

    @Test("a test of a questionnaire that was made here waits for it, and says so, with a folder as with a server")
    func creation() async throws {
        for isFolder in [false, true] {
            let ground = try await StoreFixture(address: isFolder ? "file:///stick" : FaultyRemote.origin)
            let id = try ground.store.create(Array(Self.quiz.utf8)).id
            let opened = try await ground.store.open(id: id, remote: nil, isOffline: true)
            let test = try ground.store.take(opened, answers: ["q1": .one("A")], isFinished: true).record.id
            for language in Language.allCases {
                let told = try ground.explain(test, language)
                #expect(
                    told.next.contains(language == .russian ? "свою анкету" : "waits for its questionnaire"), "\(told)")
                #expect(!told.next.contains("quire remote set"))
                #expect(told.nextAttempt == nil)
                #expect(try ground.blockedItems(language).first { $0.id == test }?.reason == told.next)
            }
        }
    }

    @Test("a delivered test is not done while an attachment waits, was refused, or has lost its bytes")
    func attachmentsThatWait() async throws {
        let ground = try await StoreFixture()
        let (test, file) = try await ground.drafted()
        _ = try ground.store.finish(test)
        ground.remote.setStatusOnArrival(.rated)
        ground.remote.respond { isUpload($0) ? .status(500) : nil }
        try await ground.sweep()
        var told = try ground.explain(test)
        #expect(told.status == .rated && told.next.contains("photo.jpg: Tried again after"), "\(told)")
        #expect(told.nextAttempt.map { $0 > ground.disk.clock.now } == true)

        ground.remote.respond { isUpload($0) ? .status(403, detail: "No room.") : nil }
        try ground.store.outbox.edits.retry(file.id)
        try await ground.sweep()
        told = try ground.explain(test)
        #expect(told.next.contains("photo.jpg: You decide: “quire outbox retry \(file.id)”"), "\(told)")
        #expect(told.nextAttempt == nil && !told.facts.contains { $0.contains("..") }, "\(told)")

        try ground.store.outbox.edits.retry(file.id)
        let bytes = OutboxLayout.mediaPath(file.digest)
        let kept = try #require(ground.disk.contents(bytes))
        try ground.disk.remove(bytes)
        told = try ground.explain(test)
        #expect(told.next.contains("photo.jpg") && told.next.contains(bytes.string), "\(told)")
        #expect(told.nextAttempt == nil)
        #expect(try ground.blockedItems().first?.reason?.contains(bytes.string) == true)

        try ground.disk.put(bytes, kept)
        ground.remote.respond { _ in nil }
        try await ground.sweep()
        #expect(try ground.explain(test).next == "Nothing more to do.")
    }

    @Test("what lies among the delivered without a receipt is not said to be done")
    func withoutReceipt() async throws {
        let ground = try await StoreFixture()
        let test = try await ground.finished()
        let bytes = try #require(ground.disk.contents(OutboxLayout.testPath(test, .done)))
        try ground.disk.put(OutboxLayout.testPath(test, .rated), bytes)
        try ground.disk.remove(OutboxLayout.testPath(test, .done))
        #expect(try ground.explain(test).next.contains("no receipt"))
        #expect(try ground.explain(test, .russian).next.contains("Квитанции нет"))
        ground.remote.setStatusOnArrival(.rated)
        for _ in 0..<2 { try await ground.sweep() }
        #expect(ground.remote.arrivals == [test])
        #expect(try ground.explain(test).next == "Nothing more to do.")
    }

    @Test("a sentence of the server's keeps its own full stop or question mark, and gets no second one")
    func punctuation() async throws {
        let ground = try await StoreFixture()
        let test = try await ground.finished()
        for detail in ["It is taken: send yours under a new id.", "Is a login page in between?", "no room"] {
            ground.remote.respond { $0.test == nil ? nil : .status(500, detail: detail) }
            try ground.store.outbox.edits.retry(test)
            try await ground.sweep()
            let tried = try #require(try ground.explain(test).facts.first { $0.contains("Tried") })
            #expect(tried.hasSuffix(detail.hasSuffix("m") ? detail + "." : detail), "\(tried)")
        }
    }

    @Test("a change behind one that the person has to decide about says which, and what to do, however long the row is")
    func behindDecision() async throws {
        for isConflict in [false, true] {
            let ground = try await StoreFixture()
            let first = try await ground.edit("One")
            if isConflict {
                ground.publish("And of Italy?")
            } else {
                ground.remote.respond { $0.change == nil ? nil : .status(422) }
            }
            try await ground.sweep()
            ground.remote.respond { _ in nil }
            let second = try await ground.edit("Two")
            let third = try await ground.edit("Three")
            let report = try await ground.sweep()
            #expect(report.sent.isEmpty && report.waiting == 2)
            let command = isConflict ? "quire resolve" : "quire outbox discard"
            for id in [second, third] {
                for language in Language.allCases {
                    let told = try ground.explain(id, language)
                    #expect(told.next.contains("\(command) \(first.description.prefix(8))"), "\(told)")
                    #expect(told.nextAttempt == nil)
                    #expect(try ground.blockedItems(language).first { $0.id == id }?.reason == told.next)
                }
            }
            // Decided, they go.
            if isConflict { continue }
            _ = try ground.store.outbox.discard(first)
            #expect(try ground.explain(second).next.contains("quire sync"))
            #expect(try ground.explain(third).next.contains(second.description.prefix(8)))
            try await ground.sweep()
            #expect(ground.remote.carriedOut == [second, third])
        }
    }
}

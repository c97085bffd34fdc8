import Disk
import InMemory
import Model
import Testing
import WireFormat

@testable import Host

@Suite("What hosts keep together, in a folder and in a bucket")
struct SharedArchiveTests {
    private static let clock = ManualClock()

    @Test("a key of one host is known to the other, and so is its end", arguments: HostFilesKind.allCases)
    func keys(_ kind: HostFilesKind) async throws {
        try await kind.run { one, other in
            let (made, asked) = (KeyStore(files: one, clock: Self.clock), KeyStore(files: other, clock: Self.clock))
            #expect(try !asked.read().asksForKeys)
            let (key, _) = try made.add(.taker, person: "ada")
            let found = try #require(try asked.read().entries[key.id])
            #expect(try asked.read().asksForKeys)
            #expect(found.key == key && found.isValid(at: Self.clock.now))
            try asked.revoke(key.id)
            let ended = try #require(try made.read().entries[key.id])
            #expect(!ended.isValid(at: Self.clock.now))
            #expect(throws: HostError.self) { try made.revoke("unknown") }
        }
    }

    @Test("comments that markers save at once are all kept", arguments: HostFilesKind.allCases)
    func comments(_ kind: HostFilesKind) async throws {
        try await kind.run { one, other in
            let stores = [CommentStore(files: one), CommentStore(files: other)]
            let marker = SavedComment.Owner.marker(key: nil)
            let comments = (0..<130).map {
                SavedComment(id: .random(), text: "Comment \($0)", question: nil, points: nil, isForEveryone: true)
            }
            let saved = try Array(comments.enumerated()).concurrentMap { place, comment in
                try stores[place % 2].save(comment, by: marker, questionnaire: "spring")
            }
            #expect(!saved.contains(false))
            let kept = try stores[0].shown(to: marker, questionnaire: "spring")
            #expect(Set(kept.map(\.id)) == Set(comments.map(\.id)))
            try stores[1].remove(comments[0].id, by: marker, questionnaire: "spring")
            #expect(try stores[0].shown(to: marker, questionnaire: "spring").count == 129)
        }
    }

    @Test("a test is of the person who showed it first, whichever host was asked", arguments: HostFilesKind.allCases)
    func owners(_ kind: HostFilesKind) async throws {
        try await kind.run { try Self.claim(TestOwners(files: $0), TestOwners(files: $1)) }
    }

    private static func claim(_ one: TestOwners, _ other: TestOwners) throws {
        let test = TestID.random()
        let people = ["ada", "eve", "bob"].map { Caller(role: .taker, person: $0) }
        let (ada, eve, bob) = (people[0], people[1], people[2])
        #expect(try one.claim(test, naming: nil, ada))
        #expect(try !other.claim(test, naming: nil, eve))
        #expect(try other.mayRead(test, ada))
        #expect(try !other.mayRead(test, eve))
        // The person whom it names counts beside them.
        #expect(try other.claim(test, naming: "bob", bob))
        #expect(try one.mayRead(test, bob))
        #expect(try one.mayRead(test, ada))
    }

    @Test("favourites are set once and unset on either host", arguments: HostFilesKind.allCases)
    func favorites(_ kind: HostFilesKind) async throws {
        try await kind.run { one, other in
            let stores = [one, other].map { FavoriteStore(files: $0, clock: Self.clock) }
            for store in stores { try store.set("spring", of: "ada") }
            try stores[1].set("a/b ü", of: "ada")
            #expect(try stores[0].all(of: "ada").map(\.id) == ["a/b ü", "spring"])
            try stores[0].unset("spring", of: "ada")
            #expect(try stores[1].all(of: "ada").map(\.id) == ["a/b ü"])
            #expect(try stores[1].all(of: "eve").isEmpty)
        }
    }

    @Test("a class list that another host has changed meanwhile is not overwritten", arguments: HostFilesKind.allCases)
    func people(_ kind: HostFilesKind) async throws {
        try await kind.run { one, other in
            let stores = [one, other].map { PeopleStore(keys: KeyStore(files: $0, clock: Self.clock)) }
            func plan(_ store: PeopleStore, _ text: String) throws -> ClassListPlan {
                try store.plan(ClassListFile(Array(text.utf8), named: "class.csv"), keepsMissing: true)
            }
            let (first, second) = (try plan(stores[0], "id,name\nada,Ada\n"), try plan(stores[1], "id,name\nbob,Bob\n"))
            try stores[0].apply(first)
            #expect(throws: HostError.self) { try stores[1].apply(second) }
            #expect(try stores[1].list().people.map(\.id) == ["ada"])
            try stores[1].setTypedNames(false)
            #expect(try stores[0].list().typedNames == false)
            try stores[0].remove("ada")
            #expect(try stores[1].list().people.isEmpty)
        }
    }

    @Test(
        "a removal that came too late revokes no key, and one that was cut off is completed",
        arguments: HostFilesKind.allCases)
    func leaving(_ kind: HostFilesKind) async throws {
        try await kind.run { one, other in
            let stores = [one, other].map { PeopleStore(keys: KeyStore(files: $0, clock: Self.clock)) }
            func plan(_ store: PeopleStore, _ text: String) throws -> ClassListPlan {
                try store.plan(ClassListFile(Array(text.utf8), named: "class.csv"), keepsMissing: false)
            }
            func hasKey(_ person: String) throws -> Bool {
                try stores[0].keys.all().entries.contains { $0.key.person == person && $0.isValid(at: Self.clock.now) }
            }
            try stores[0].apply(plan(stores[0], "id,name,group\nada,Ada,7\nbob,Bob,7\n"))
            for person in ["ada", "bob"] { _ = try stores[0].keys.add(.make(), of: person) }
            let late = try plan(stores[0], "id,name,group\nbob,Bob,7\n")
            #expect(late.removed.map(\.id) == ["ada"])
            try stores[1].setTypedNames(false)
            #expect(throws: HostError.peopleChanged) { try stores[0].apply(late) }
            #expect(try hasKey("ada") && hasKey("bob"))

            // What a host leaves that is killed after the list, before the keys.
            let left = PeopleList(try stores[0].list().people.filter { $0.id != "bob" }, typedNames: false)
            let file = PeopleStore.File(left, leaving: ["bob"])
            let former = try one.current(HostLayout.peopleList, maximumBytes: 1 << 20)
            #expect(try one.replace(HostLayout.peopleList, DocumentCoding.encode(file), former: former))
            #expect(try hasKey("bob"))
            #expect(try stores[1].list() == PeopleList([Person(id: "ada", name: "Ada", group: "7")], typedNames: false))
            // As each host does at its start.
            try stores[1].settle()
            #expect(try !hasKey("bob") && hasKey("ada"))
            let now = try one.current(HostLayout.peopleList, maximumBytes: 1 << 20)
            #expect(try DocumentCoding.decode(PeopleStore.File.self, from: now?.bytes ?? []).leaving == nil)
        }
    }
}

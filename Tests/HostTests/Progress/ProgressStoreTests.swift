import Disk
import InMemory
import Model
import SystemPackage
import Testing
import WireFormat

@testable import Host

@Suite("What a host keeps of reports of open tests")
struct ProgressStoreTests {
    static func test(
        _ person: String = "ada", _ state: OpenTest.State = .started, hub: String? = nil, id: TestID = .random(),
        of questionnaire: String = "exam", since: Timestamp = .epoch
    ) -> OpenTest {
        OpenTest(
            test: id, questionnaire: .init(id: questionnaire, digest: Digest(sha256Of: [])),
            person: Person(id: person, name: person.capitalized), state: state, hub: hub, since: since)
    }

    @Test("a report replaces what its sender said before, an empty one removes it", arguments: HostFilesKind.allCases)
    func replaced(_ kind: HostFilesKind) async throws {
        try await kind.run { one, other in
            let clock = ManualClock()
            let (first, second) = (ProgressStore(files: one, clock: clock), ProgressStore(files: other, clock: clock))
            #expect(try first.tests().isEmpty)
            let (ada, boris) = (Self.test(), Self.test("boris"))
            try first.put(ProgressReport([ada]), from: "device", by: nil)
            try second.put(ProgressReport([boris]), from: "../other\n", by: nil)
            #expect(Set(try second.tests().map(\.test)) == [ada, boris])
            // At the same time by the clock, and with one that was set back.
            for _ in 0..<3 {
                let again = Self.test("ada")
                try second.put(ProgressReport([again]), from: "device", by: nil)
                #expect(Set(try first.tests().map(\.test)) == [again, boris])
                clock.advance(by: .seconds(-100))
            }
            #expect(try one.names(in: "progress").count == 2)
            #expect(try first.tests().allSatisfy { $0.heard <= clock.now })
            // Another process has it, too.
            #expect(try ProgressStore(files: one, clock: clock).tests() == first.tests())
            try first.put(ProgressReport(), from: "device", by: nil)
            try first.put(ProgressReport(), from: "never", by: nil)
            #expect(try second.tests().map(\.test) == [boris])
            #expect(try one.names(in: "progress").count == 1)
        }
    }

    @Test("of one test the hub's word counts before the device's, then the later", arguments: HostFilesKind.allCases)
    func best(_ kind: HostFilesKind) async throws {
        try await kind.run { one, _ in
            let clock = ManualClock()
            let store = ProgressStore(files: one, clock: clock)
            let id = TestID.random()
            let started = Self.test(id: id, since: clock.now.adding(seconds: 5000))
            try store.put(ProgressReport([started]), from: "device", by: nil)
            #expect(try store.tests().first?.since == clock.now)
            try store.put(ProgressReport([Self.test("ada", .waiting, hub: "room 12", id: id)]), from: "hub", by: nil)
            clock.advance(by: .seconds(1))
            try store.put(ProgressReport([started]), from: "device", by: nil)
            let found = try store.tests()
            #expect(found.map(\.test.hub) == ["room 12"] && found.map(\.test.state) == [.waiting])
        }
    }

    @Test("the number of reports, that of a person's key, and their age are bounded", arguments: HostFilesKind.allCases)
    func bounds(_ kind: HostFilesKind) async throws {
        try await kind.run { one, _ in
            let clock = ManualClock()
            let store = ProgressStore(files: one, clock: clock)
            let kept = Self.test("cleo")
            try store.put(ProgressReport([kept]), from: "cleo's", by: nil)
            for number in 0..<20 {
                clock.advance(by: .seconds(1))
                try store.put(ProgressReport([Self.test("ada")]), from: "\(number)", by: "ada")
            }
            #expect(try one.names(in: "progress").count == ProgressBounds.mostReportsOfPerson + 1)
            #expect(try store.tests().contains { $0.test == kept })
            clock.advance(by: .seconds(ProgressBounds.ageDays * 86_400 - 10))
            #expect(try !store.tests().contains { $0.test == kept })
            #expect(try store.tests().count == ProgressBounds.mostReportsOfPerson)
            try store.put(ProgressReport([Self.test("dan")]), from: "dan's", by: nil)
            #expect(try one.names(in: "progress").count == ProgressBounds.mostReportsOfPerson + 1)
        }
    }

    @Test("damaged and foreign files say nothing, and stop nothing", arguments: HostFilesKind.allCases)
    func damaged(_ kind: HostFilesKind) async throws {
        try await kind.run { one, _ in
            let clock = ManualClock()
            let good = Self.test()
            let store = ProgressStore(files: one, clock: clock)
            try store.put(ProgressReport([good]), from: "device", by: nil)
            let now = clock.now.millisecondsSinceEpoch
            let stem = String(repeating: "0", count: 32)
            for name in [
                "\(stem).all.\(now).5.json", "notes.txt", "\(stem).all.-1.5.json",
                "\(stem).all.99999999999999999999.5.json",
                "a.all.\(now).5.json", "\(stem).all.\(now).5.json.tmp",
            ] {
                #expect(try one.putIfAbsent(Array("{\"tests\"".utf8), as: FilePath("progress").appending(name)))
            }
            #expect(try ProgressStore(files: one, clock: clock).tests().map(\.test) == [good])
            try store.put(ProgressReport([good]), from: "device", by: nil)
            #expect(try store.tests().map(\.test) == [good])
        }
    }
}

import Disk
import Hummingbird
import HummingbirdTesting
import InMemory
import Model
import ObjectStores
import Synchronization
import Testing

@testable import Host

/// What hosts ask a store for: each request costs a journey, and money.
@Suite("Requests of hosts that share a bucket")
struct SharedCostTests {
    /// Counts what is asked for.
    private final class Counting: ObjectStore {
        struct Requests: Hashable {
            var gets: [String] = []
            var lists = 0
            var others = 0
        }

        let store = MemoryObjectStore()
        private let counted = Mutex(Requests())
        var place: String { store.place }

        /// What was asked for since the last call.
        func take() -> Requests {
            counted.withLock { counted in
                defer { counted = Requests() }
                return counted
            }
        }

        func putIfAbsent(_ name: ObjectName, _ content: ObjectContent) async throws(ObjectStoreError) -> PutOutcome {
            counted.withLock { $0.others += 1 }
            return try await store.putIfAbsent(name, content)
        }
        func get(_ name: ObjectName, range: Range<Int64>?) async throws(ObjectStoreError) -> ObjectBody? {
            counted.withLock { $0.gets.append(name.text) }
            return try await store.get(name, range: range)
        }
        func head(_ name: ObjectName) async throws(ObjectStoreError) -> ObjectStatus? {
            counted.withLock { $0.others += 1 }
            return try await store.head(name)
        }
        func list(prefix: String, after: ObjectName?, limit: Int) async throws(ObjectStoreError) -> [ObjectStatus] {
            counted.withLock { $0.lists += 1 }
            return try await store.list(prefix: prefix, after: after, limit: limit)
        }
        func delete(_ name: ObjectName) async throws(ObjectStoreError) {
            counted.withLock { $0.others += 1 }
            try await store.delete(name)
        }
    }

    private let fixture: HostFixture
    private let store = Counting()

    init() throws {
        fixture = try HostFixture()
        try fixture.publish("colours.json", coloursJSON)
    }

    private var configuration: HostConfiguration {
        var configuration = fixture.configuration()
        configuration.bucket = store
        return configuration
    }

    private func archive() throws -> TestArchive {
        try ReferenceHost.openArchive(configuration, clock: fixture.clock, logger: HostFixture.silence)
    }

    private func host<Value: Sendable>(
        _ body: @Sendable (any TestClientProtocol) async throws -> Value
    ) async throws -> Value {
        let host = ReferenceHost(configuration, clock: fixture.clock, logger: HostFixture.silence)
        let responder = try await offload { try host.open().responder }
        return try await host.application(responder).test(.router, body)
    }

    @Test("a list reads each test and its receipt once, and later those that have changed")
    func lists() async throws {
        let tests = try (0..<300).map { _ in try TestFile(answers: [Answer(questionId: "sky", value: .one("Blue"))]) }
        try await host { host in for test in tests { _ = try await host.deliver(test) } }
        try await offload {
            let archive = try archive()
            _ = store.take()
            #expect(try archive.list().tests.map(\.id) == tests.map(\.id).sorted())
            let first = store.take()
            #expect(Set(first.gets).count == 600 && first.gets.count == 600)
            #expect(first.lists == 2 && first.others == 0)

            let verdict = TeacherRating.Verdict.points(question: "essay", 1, maximum: 1)
            _ = try self.archive().rate(tests[7].id, TeacherRating(verdict: verdict, ratedBy: "teacher"))
            _ = store.take()
            let listed = try archive.list().tests.first { $0.id == tests[7].id }
            #expect(listed?.score == 2)
            let second = store.take()
            #expect(
                second.gets.sorted() == [
                    "receipts/\(tests[7].id).receipt.json/0000000002", "tests/\(tests[7].id).test.json",
                ])
        }
    }

    @Test("a test that is too long, or damaged, is left out of a list, and the others are in it")
    func damaged() async throws {
        let test = try TestFile()
        try await host { host in _ = try await host.deliver(test) }
        for bytes in [Array("{}".utf8), [UInt8](repeating: 0x20, count: TestSubmission.maximumBytes + 1)] {
            let name = try #require(ObjectName("tests/\(TestID.random()).test.json"))
            _ = try await store.store.putIfAbsent(name, bytes)
        }
        let listed = try await offload { try archive().list().tests.map(\.id) }
        #expect(listed == [test.id])
    }

    @Test("keys are read once, by one request at a time, and what is new is seen")
    func keys() async throws {
        let keys = KeyStore(sharedIn: store, clock: fixture.clock)
        let made = try await offload { try (0..<40).map { _ in try keys.add(.taker) } }
        let ring = KeyRing(store: keys, logger: HostFixture.silence)
        _ = store.take()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { try await ring.current().entries.count } }
            for try await count in group { #expect(count == 40) }
        }
        let first = store.take()
        #expect(first.lists == 1 && first.gets.count == 40)

        let (late, _) = try await offload {
            try keys.revoke(made[3].key.id)
            return try keys.add(.admin)
        }
        _ = store.take()
        let content = try await offload { try ring.read() }
        #expect(content.entries.count == 41 && content.entries[late.id] != nil)
        #expect(content.entries[made[3].key.id]?.isValid(at: fixture.clock.now) == false)
        let second = store.take()
        #expect(second.lists == 1)
        #expect(second.gets.sorted() == ["access/\(late.id).json", "access/\(made[3].key.id).revoked.json"].sorted())
    }
}

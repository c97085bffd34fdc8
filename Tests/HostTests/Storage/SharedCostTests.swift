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
            var prefixes: [String] = []
            var heads: [String] = []
            var others = 0
            /// So many are answered.
            var getsLeft = Int.max
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

        func failAfter(gets: Int) { counted.withLock { $0.getsLeft = gets } }

        /// The first HEADs wait for each other: so many of them.
        func gather(heads: Int) { gate.withLock { $0 = ([], heads) } }

        private let gate = Mutex<(waiting: [CheckedContinuation<Void, Never>], count: Int)>(([], 0))

        private func waitForOthers() async {
            await withCheckedContinuation { continuation in
                let open = gate.withLock { gate -> [CheckedContinuation<Void, Never>] in
                    gate.waiting.append(continuation)
                    guard gate.waiting.count >= gate.count else { return [] }
                    defer { gate = ([], 0) }
                    return gate.waiting
                }
                for waiting in open { waiting.resume() }
            }
        }

        func putIfAbsent(_ name: ObjectName, _ content: ObjectContent) async throws(ObjectStoreError) -> PutOutcome {
            counted.withLock { $0.others += 1 }
            return try await store.putIfAbsent(name, content)
        }
        func get(_ name: ObjectName, range: Range<Int64>?) async throws(ObjectStoreError) -> ObjectBody? {
            let isLeft = counted.withLock { counted in
                counted.gets.append(name.text)
                counted.getsLeft -= 1
                return counted.getsLeft >= 0
            }
            if !isLeft { throw ObjectStoreError(.unavailable, "not now") }
            return try await store.get(name, range: range)
        }
        func head(_ name: ObjectName) async throws(ObjectStoreError) -> ObjectStatus? {
            counted.withLock { $0.heads.append(name.text) }
            await waitForOthers()
            return try await store.head(name)
        }
        func list(prefix: String, after: ObjectName?, limit: Int) async throws(ObjectStoreError) -> [ObjectStatus] {
            counted.withLock { counted in
                counted.lists += 1
                counted.prefixes.append(prefix)
            }
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

    private var configuration: HostConfiguration { fixture.configuration(on: store) }

    private func archive() throws -> TestArchive {
        try ReferenceHost.openArchive(configuration, clock: fixture.clock, logger: HostFixture.silence)
    }

    private func host<Value: Sendable>(
        _ body: @Sendable (any TestClientProtocol) async throws -> Value
    ) async throws -> Value { try await fixture.serve(configuration, .memory, body) }

    @Test("a delivery writes the test and its receipt, and asks for no more than it has to know")
    func delivery() async throws {
        let tests = try (0..<2).map { _ in try TestFile(answers: [Answer(questionId: "sky", value: .one("Blue"))]) }
        try await host { host in
            _ = try await host.deliver(tests[0])
            _ = store.take()
            #expect(try await host.deliver(tests[1]).status == .created)
            let file = "tests/\(tests[1].id).test.json"
            let first = store.take()
            // The HEAD says when it arrived, by the store's clock. Changes and keys are listed by time, whatever is delivered.
            #expect(first.gets == [file] && first.heads == [file] && first.others == 2)
            #expect(first.prefixes.count { !["changes/", "access/"].contains($0) } == 1, "\(first.prefixes)")
            #expect(try await host.deliver(tests[1]).status == .ok)
            let second = store.take()
            #expect(second.gets == [file, "receipts/\(tests[1].id).receipt.json/0000000001"])
            #expect(second.heads == [] && second.others == 0)
            #expect(second.prefixes.count { !["changes/", "access/"].contains($0) } == 1, "\(second.prefixes)")
        }
    }

    @Test("a list reads each test and its receipt once, and later those that have changed")
    func lists() async throws {
        let tests = try (0..<300).map { _ in try TestFile(answers: [Answer(questionId: "sky", value: .one("Blue"))]) }
        try await host { host in for test in tests { _ = try await host.deliver(test) } }
        try await offload {
            let archive = try archive()
            _ = store.take()
            #expect(try archive.lists.list().tests.map(\.id) == tests.map(\.id).sorted())
            let first = store.take()
            #expect(Set(first.gets).count == 600 && first.gets.count == 600)
            #expect(first.lists == 2 && first.others == 0 && first.heads == [])

            let verdict = TeacherRating.Verdict.points(question: "essay", 1, maximum: 1)
            _ = try self.archive().ratings.rate(tests[7].id, TeacherRating(verdict: verdict, ratedBy: "teacher"))
            _ = store.take()
            let listed = try archive.lists.list().tests.first { $0.id == tests[7].id }
            #expect(listed?.score == 2)
            let second = store.take()
            #expect(
                second.gets.sorted() == [
                    "receipts/\(tests[7].id).receipt.json/0000000002", "tests/\(tests[7].id).test.json",
                ])
        }
    }

    @Test("a list that breaks off reads only the rest when it is asked for again")
    func brokenList() async throws {
        let tests = try (0..<300).map { _ in try TestFile() }
        try await host { host in for test in tests { _ = try await host.deliver(test) } }
        try await offload {
            let archive = try archive()
            _ = store.take()
            store.failAfter(gets: 550)
            #expect(throws: FileError.self) { try archive.lists.list() }
            let first = store.take()
            #expect(try archive.lists.list().tests.map(\.id) == tests.map(\.id).sorted())
            // Those of the part that broke off are asked for twice.
            let second = store.take()
            #expect((550..<570).contains(first.gets.count), "\(first.gets.count)")
            #expect(Set(first.gets + second.gets).count == 600 && second.gets.count == 88, "\(second.gets.count)")
        }
    }

    @Test("of long tests only some are in memory together")
    func longTests() async throws {
        let ids = (0..<40).map { _ in TestID.random() }
        for id in ids {
            let name = try #require(ObjectName(HostLayout.test(id).string))
            _ = try await store.store.putIfAbsent(name, [UInt8](repeating: 0x20, count: 2 << 20))
        }
        let read = try await offload {
            try TestBucket(HostBucket(store)).read(ids.map { (id: $0, receipt: nil) })?.count ?? 0
        }
        // Those that were asked for when enough had come are finished.
        let enough = TestBucket.bytesAtOnce / (2 << 20)
        #expect((enough..<enough + 16).contains(read), "\(read)")
        let gets = store.take().gets
        #expect(gets.count == 2 * read)
    }

    @Test("files of tests are asked for many at a time, and once", .timeLimit(.minutes(30)))
    func files() async throws {
        let content: [[UInt8]] = (0..<40).map { [1, 2, 3, $0] }
        let tests = content.map { content in
            TestRecord(
                id: .random(), questionnaire: QuestionnaireReference(id: "a", title: "A", digest: Digest(sha256Of: [])),
                dateStarted: ManualClock.start, answers: [],
                attachments: [
                    Model.Attachment(
                        id: .random(), questionId: "q", name: "1.png", mediaType: "image/png", sizeBytes: 4,
                        digest: Digest(sha256Of: content))
                ], deviceId: "d", sequence: 1)
        }
        try await host { host in
            for (test, content) in zip(tests, content) {
                _ = try await host.put("/v1/tests/\(test.id)", DocumentCoding.encode(test))
                if content[3] == 7 { continue }
                _ = try await host.put("/v1/tests/\(test.id)/media/\(test.attachments[0].id)", content)
            }
        }
        try await offload {
            let archive = try archive()
            _ = store.take()
            store.gather(heads: 16)
            func missing() throws -> [TestID] {
                try archive.lists.list().tests.filter { $0.media?.missing != 0 }.map(\.id)
            }
            #expect(try missing() == [tests[7].id])
            #expect(store.take().heads.count == 40)
            #expect(try missing() == [tests[7].id])
            #expect(store.take().heads == ["media/\(tests[7].attachments[0].digest.hex)"])
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
        let listed = try await offload { try archive().lists.list().tests.map(\.id) }
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

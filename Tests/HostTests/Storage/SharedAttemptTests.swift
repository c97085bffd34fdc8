import Disk
import Hummingbird
import HummingbirdTesting
import InMemory
import Model
import ObjectStores
import Testing

@testable import Host

/// The number of a person's tests is limited over all hosts of a bucket.
@Suite("Attempts at hosts that share a bucket")
struct SharedAttemptTests {
    private let fixture: HostFixture
    private let store: MemoryObjectStore

    init() throws {
        fixture = try HostFixture()
        // The store's clock stands still, too: all tests arrive in the same second.
        store = MemoryObjectStore(clock: fixture.clock)
        try publish(attempts: 2)
    }

    private func publish(attempts: Int) throws {
        try fixture.publish(
            "a.json", #"{"id": "a", "title": "A", "availability": {"attempts": \#(attempts)}, "questions": []}"#)
    }

    private func test(of person: String = "ada", parent: TestID? = nil) throws -> TestFile {
        var record = TestRecord(
            id: .random(), questionnaire: QuestionnaireReference(id: "a", title: "A", digest: Digest(sha256Of: [])),
            dateStarted: ManualClock.start, dateFinished: ManualClock.start, deviceId: "device", sequence: 1)
        record.person = Person(id: person, name: person)
        record.parent = parent
        return TestFile(id: record.id, bytes: try DocumentCoding.encode(record))
    }

    private var configuration: HostConfiguration { fixture.configuration(on: store) }

    private func host<Value: Sendable>(
        _ body: @Sendable (any TestClientProtocol) async throws -> Value
    ) async throws -> Value { try await fixture.serve(configuration, .memory, body) }

    private func hosts(
        _ body: @escaping @Sendable (any TestClientProtocol, any TestClientProtocol) async throws -> Void
    ) async throws { try await fixture.serve(configuration, and: configuration, body) }

    private func attempt(_ reply: TestResponse) throws -> Int? {
        try DocumentCoding.decode(Receipt.self, from: reply.bytes).attempt
    }

    @Test("of tests that arrive at two hosts in the same second as many are taken as may be, each with its own number")
    func race() async throws {
        try await hosts { one, other in
            for round in 0..<10 {
                let tests = try (0..<6).map { _ in try test(of: "person \(round)") }
                let replies = try await withThrowingTaskGroup(of: TestResponse.self) { group in
                    for (place, test) in tests.enumerated() {
                        group.addTask { try await (place % 2 == 0 ? one : other).deliver(test) }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                let taken = replies.filter { $0.status == .created }
                #expect(try taken.compactMap { try attempt($0) }.sorted() == [1, 2])
                let refused = replies.filter { $0.text.contains("no-attempt-left") }
                #expect(refused.count == 4 && refused.allSatisfy { $0.status == .unprocessableContent })
            }
            let stored = try await store.list(prefix: "tests/", after: nil, limit: 100)
            #expect(stored.count == 20)
        }
    }

    @Test("the same test at both hosts at once is one attempt")
    func same() async throws {
        try await hosts { one, other in
            for round in 0..<10 {
                let test = try test(of: "person \(round)")
                async let first = one.deliver(test)
                async let second = other.deliver(test)
                let replies = try await [first, second]
                #expect(replies[0].bytes == replies[1].bytes)
                #expect(try attempt(replies[0]) == 1)
                #expect(try attempt(try await other.deliver(self.test(of: "person \(round)"))) == 2)
            }
        }
    }

    /// What a host leaves that is killed between the attempt and the test.
    private func takeWithoutTest(_ test: TestFile) async throws {
        let files = TestBucket(HostBucket(store))
        let attempt = TakenAttempt(test: test.id, attempt: 1, isProven: false, parent: nil, takenAt: fixture.clock.now)
        let isTaken = try await offload { try files.take(attempt, of: "ada", in: "a", after: 0) }
        #expect(isTaken)
    }

    @Test("a test whose host was killed before it was stored keeps its attempt, and gets it from any host")
    func killed() async throws {
        try await hosts { one, other in
            let (lost, later, last) = (try test(), try test(), try test())
            try await takeWithoutTest(lost)
            #expect(try attempt(try await one.deliver(later)) == 2)
            #expect(try await other.deliver(last).status == .unprocessableContent)
            #expect(try attempt(try await other.deliver(lost)) == 1)
            #expect(try await one.get("/v1/tests/\(last.id)").status == .notFound)
        }
    }

    @Test("an attempt whose test never comes is free again after a day")
    func abandoned() async throws {
        try await hosts { one, other in
            try await takeWithoutTest(try test())
            fixture.clock.advance(by: .seconds(AttemptLog.secondsAnAttemptWaits - 60))
            #expect(try attempt(try await one.deliver(try test())) == 2)
            #expect(try await other.deliver(try test()).status == .unprocessableContent)
            fixture.clock.advance(by: .seconds(120))
            #expect(try attempt(try await other.deliver(try test())) == 2)
            #expect(try await one.deliver(try test()).status == .unprocessableContent)
        }
    }

    @Test("an attempt whose test never came is as old in a copy of the bucket as it was")
    func copied() async throws {
        try await host { _ in }
        try await takeWithoutTest(try test())
        fixture.clock.advance(by: .seconds(AttemptLog.secondsAnAttemptWaits + 60))
        let other = MemoryObjectStore(clock: fixture.clock)
        let target = fixture.configuration(on: WatchedStore(other, place: "elsewhere"))
        _ = try await HostCopy(
            from: configuration, to: target, clock: fixture.clock, logger: HostFixture.silence
        ).run()
        try await fixture.serve(target) { host in
            for number in 1...2 {
                let reply = try await host.deliver(try test())
                #expect(try attempt(reply) == number)
            }
            let reply = try await host.deliver(try test())
            #expect(reply.status == .unprocessableContent)
        }
    }

    @Test("an entry of an earlier version, which does not say when it was taken, is as old as its object")
    func earlier() async throws {
        try await host { _ in }
        let entry = #"{"attempt": 1, "proven": false, "test": "\#(TestID.random())"}"#
        let name = HostBucket.versionName(1, of: HostLayout.attemptLog(of: "ada", in: "a"))
        _ = try await store.putIfAbsent(try #require(ObjectName(name)), Array(entry.utf8))
        fixture.clock.advance(by: .seconds(AttemptLog.secondsAnAttemptWaits - 60))
        try await host { host in
            let pending = try await host.deliver(try test())
            #expect(try attempt(pending) == 2)
            fixture.clock.advance(by: .seconds(120))
            let free = try await host.deliver(try test())
            #expect(try attempt(free) == 2)
        }
    }

    @Test("a receipt that a killed host did not make has the attempt that was taken, however late it is made")
    func receipt() async throws {
        let (first, second) = (try test(), try test())
        try await host { host in _ = try await host.deliver(second) }
        try await host { host in
            let files = TestBucket(HostBucket(store))
            let isTaken = try await offload {
                try files.note(first.id, of: "ada", in: "a")
                return try files.take(
                    TakenAttempt(test: first.id, attempt: 2, isProven: false, parent: nil, takenAt: fixture.clock.now),
                    of: "ada", in: "a",
                    after: 1)
            }
            #expect(isTaken)
            _ = try await store.putIfAbsent(try #require(ObjectName("tests/\(first.id).test.json")), first.bytes)
            fixture.clock.advance(by: .seconds(3 * AttemptLog.secondsAnAttemptWaits))
            #expect(try attempt(try await host.get("/v1/tests/\(first.id)")) == 2)
        }
    }

    @Test("a correction that a teacher asked for is taken once, also when two arrive at once")
    func corrections() async throws {
        try publish(attempts: 1)
        try await hosts { one, other in
            for round in 0..<5 {
                let person = "person \(round)"
                let test = try test(of: person)
                _ = try await one.deliver(test)
                try await offload {
                    let archive = try ReferenceHost.openArchive(
                        configuration, clock: fixture.clock, logger: HostFixture.silence)
                    _ = try archive.ratings.rate(
                        test.id, TeacherRating(verdict: .returned, ratedBy: "teacher", comment: "Again, please."))
                }
                async let first = one.deliver(try self.test(of: person, parent: test.id))
                async let second = other.deliver(try self.test(of: person, parent: test.id))
                let replies = try await [first, second]
                #expect(replies.count { $0.status == .created } == 1)
                #expect(replies.count { $0.status == .unprocessableContent } == 1)
            }
        }
    }

    @Test(
        "a correction is counted by the store's clock, however wrong the clock of the teacher's host is",
        arguments: [-600.0, 600])
    func otherClock(_ seconds: Double) async throws {
        try publish(attempts: 2)
        let teacher = ManualClock(now: fixture.clock.now.adding(seconds: seconds))
        try await hosts { one, other in
            let test = try test()
            _ = try await one.deliver(test)
            // One that came before the teacher asked for any.
            #expect(try await other.deliver(self.test(parent: test.id)).status == .created)
            fixture.clock.advance(by: .seconds(60))
            try await offload {
                let archive = try ReferenceHost.openArchive(configuration, clock: teacher, logger: HostFixture.silence)
                _ = try archive.ratings.rate(
                    test.id, TeacherRating(verdict: .returned, ratedBy: "teacher", comment: "Again, please."))
            }
            fixture.clock.advance(by: .seconds(60))
            let replies = [
                try await one.deliver(self.test(parent: test.id)), try await other.deliver(self.test(parent: test.id)),
            ]
            #expect(replies.map(\.status) == [.created, .unprocessableContent])
        }
    }
}

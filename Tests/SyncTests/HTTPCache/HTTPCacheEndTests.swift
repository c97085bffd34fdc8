import CacheStore
import HTTPCaching
import HTTPTypes
import Simulation
import Sync
import Synchronization
import Testing

@Suite("Work of the HTTP cache ends with those who want it")
struct HTTPCacheEndTests {
    private static let pieceBytes = 32 << 10
    private static let whole = (0..<20).flatMap { PieceSource.piece($0, pieceBytes) }

    /// Waits for something that does not come, and notes that it was called off.
    private final class Silence: Sendable {
        private let state = Mutex((begun: false, ended: false))
        var hasBegun: Bool { state.withLock { $0.begun } }
        var hasEnded: Bool { state.withLock { $0.ended } }

        func last() async throws {
            state.withLock { $0.begun = true }
            defer { state.withLock { $0.ended = true } }
            let (stream, continuation) = AsyncStream<Void>.makeStream()
            for await _ in stream {}
            withExtendedLifetime(continuation) {}
            try Task.checkCancellation()
        }
    }

    private static func head(_ fields: [HTTPField.Name: String] = [:]) -> HTTPResponse {
        var head = HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=60"])
        for (name, value) in fields { head.headerFields[name] = value }
        return head
    }

    @Test("a body without end is let go of when its last reader leaves, and nothing stays of it")
    func endless() async throws {
        let pieces = PieceSource(count: 2000) { PieceSource.piece($0, Self.pieceBytes) }
        let ground = try CachingFixture { _ in HTTPReply(head: Self.head(), body: pieces.body(length: nil)) }
        do {
            let reply = try await ground.send()
            for _ in 0..<5 { _ = try await reply.body.next() }
        }
        await ground.http.finishBackgroundWork()
        #expect(pieces.asked < 2000)
        #expect(ground.temporaryFiles.isEmpty)
        #expect(try ground.cache.space.statistics().entries == 0)
    }

    @Test("so is one that is silent: what makes it is cancelled", arguments: [true, false])
    func silent(isRead: Bool) async throws {
        let silence = Silence()
        let pieces = PieceSource(count: .max) { number in
            if number == 2 { try await silence.last() }
            return PieceSource.piece(number, Self.pieceBytes)
        }
        let ground = try CachingFixture { _ in HTTPReply(head: Self.head(), body: pieces.body(length: nil)) }
        do {
            let reply = try await ground.send()
            if isRead { _ = try await reply.body.next() }
            if isRead { await waitUntil("it is silent") { silence.hasBegun } }
        }
        await ground.http.finishBackgroundWork()
        #expect(silence.hasEnded == silence.hasBegun)
    }

    @Test("a joined reader continues reading it, and it is kept")
    func joined() async throws {
        let gate = Gate()
        let pieces = PieceSource(count: 20) { number in
            if number == 10 { await gate.pass() }
            return PieceSource.piece(number, Self.pieceBytes)
        }
        let ground = try CachingFixture { _ in HTTPReply(head: Self.head(), body: pieces.body(length: nil)) }
        let second: HTTPReply
        do {
            let first = try await ground.send()
            second = try await ground.send()
            _ = try await first.body.next()
        }
        gate.open()
        #expect(try await second.body.collect(maximumBytes: 1 << 30) == Self.whole)
        #expect(ground.origin.count == 1)
        #expect(try await ground.get().cacheStatus.contains("hit"))
    }

    @Test("when the cache is released, bodies without readers are released; others continue", arguments: [true, false])
    func released(isRead: Bool) async throws {
        let silence = Silence()
        let gate = Gate()
        let pieces = PieceSource(count: 20) { number in
            if number == 3, !isRead { try await silence.last() }
            if number == 3 { await gate.pass() }
            return PieceSource.piece(number, Self.pieceBytes)
        }
        let ground = try CachingFixture { _ in reply() }
        weak var released: HTTPCache?
        var read: HTTPReply?
        do {
            let cache = HTTPCache(cache: ground.cache, clock: ground.clock, policy: .device, name: "own")
            released = cache
            let request = HTTPRequest(method: .get, scheme: "https", authority: "origin.example", path: "/film")
            let reply = try await cache.fetch(request) { _, _, _ in
                HTTPReply(head: Self.head(), body: pieces.body(length: Int64(Self.whole.count)))
            }
            if isRead { read = reply }
            await waitUntil("some of it came") { pieces.asked == 4 }
        }
        #expect(released == nil)
        gate.open()
        if let read {
            #expect(try await read.body.collect(maximumBytes: 1 << 30) == Self.whole)
        } else {
            await waitUntil("what made it was cancelled") { silence.hasEnded }
        }
    }

    @Test("what the cache asks for itself is kept although it has no reader (RFC 5861 section 3)")
    func background() async throws {
        let count = Mutex(0)
        let ground = try CachingFixture { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            let pieces = PieceSource(count: 3) { _ in PieceSource.piece(number, 10_000) }
            return HTTPReply(
                head: Self.head([
                    .cacheControl: "max-age=10, stale-while-revalidate=100", .eTag: "\"\(number)\"",
                ]), body: pieces.body(length: nil))
        }
        _ = try await ground.get()
        ground.pass(seconds: 20)
        _ = try await ground.get()
        await ground.http.finishBackgroundWork()
        #expect(ground.origin.count == 2)
        #expect(try await ground.get().cacheStatus.contains("hit; ttl=10"))
        // Content that the client already has is fetched for the cache alone, too.
        ground.pass(seconds: 1000)
        #expect(try await ground.get("/a", [.ifNoneMatch: "\"3\""]).status == 304)
        await ground.http.finishBackgroundWork()
        #expect(ground.origin.count == 3)
        #expect(try await ground.get().cacheStatus.contains("hit; ttl=10"))
    }

    @Test("a body of another length than stated is broken, even if no other length is known (RFC 9112 section 8)")
    func stated() async throws {
        for (length, isLong) in [("10", false), ("2", true)] {
            let isWell = Mutex(false)
            let ground = try CachingFixture { _ in
                if isWell.withLock({ $0 }) { return reply(200, [.cacheControl: "max-age=60"], "well") }
                let pieces = PieceSource(count: 1) { _ in Array("abc".utf8) }
                return HTTPReply(head: Self.head([.contentLength: length]), body: pieces.body(length: nil))
            }
            let error = await #expect(throws: RemoteFailure.self) { try await ground.get() }
            #expect(error?.kind == (isLong ? .invalidReply : .interrupted))
            await ground.http.finishBackgroundWork()
            #expect(try ground.cache.space.statistics().entries == 0)
            isWell.withLock { $0 = true }
            #expect(try await ground.get().body == "well")
        }
        // A client that unpacks bodies may leave the field as it was; HEAD has none.
        let ground = try CachingFixture { request in
            let pieces = PieceSource(count: 1) { _ in Array("unpacked".utf8) }
            let body = request.method == .head ? HTTPBody(length: nil) { nil } : pieces.body(length: nil)
            return HTTPReply(head: Self.head([.contentLength: "4", .contentEncoding: "gzip"]), body: body)
        }
        #expect(try await ground.get("/a", [.acceptEncoding: "gzip"]).body == "unpacked")
        #expect(try await ground.get("/b", method: .head).status == 200)
    }

    @Test("who asks first and is cancelled leaves at once, and the origin is cancelled")
    func cancelled() async throws {
        let silence = Silence()
        let ground = try CachingFixture { _ in
            try await silence.last()
            return reply()
        }
        let first = Task { try await ground.get() }
        await waitUntil("the origin is asked") { silence.hasBegun }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        await ground.http.finishBackgroundWork()
        #expect(silence.hasEnded)
    }

    @Test("who has an answer that is not kept and asks again asks the origin again")
    func anew() async throws {
        let ground = try CachingFixture { _ in reply(502, [.cacheControl: "no-store"], "failed") }
        for _ in 0..<100 { #expect(try await ground.get().body == "failed") }
        #expect(ground.origin.count == 100)
    }

    @Test("others who wait for the same get the answer all the same")
    func cancelledAmongOthers() async throws {
        let gate = Gate()
        let ground = try CachingFixture { _ in
            await gate.pass()
            return reply(200, [.cacheControl: "max-age=60"], Task.isCancelled ? "cancelled" : "kept")
        }
        let first = Task { try await ground.get() }
        await waitUntil("the origin is asked") { ground.origin.count == 1 }
        let second = Task { try await ground.get() }
        await waitUntil("the second one waits") { ground.http.statistics.collapsed == 1 }
        // It is counted a moment before it waits.
        for _ in 0..<10_000 { await Task.yield() }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        gate.open()
        #expect(try await second.value.body == "kept")
    }
}

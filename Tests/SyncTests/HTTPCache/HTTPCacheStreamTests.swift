import CacheStore
import HTTPCaching
import HTTPTypes
import Model
import Simulation
import Sync
import Synchronization
import Testing

@Suite("Long bodies through the HTTP cache")
struct HTTPCacheStreamTests {
    private static let pieceBytes = 32 << 10

    private func head(_ count: Int?, _ more: [HTTPField.Name: String] = [:]) -> HTTPResponse {
        var fields = HTTPFields()
        fields[.cacheControl] = "max-age=60"
        fields[.contentType] = "video/mp4"
        if let count { fields[.contentLength] = String(count * Self.pieceBytes) }
        for (name, value) in more { fields[name] = value }
        return HTTPResponse(status: .ok, headerFields: fields)
    }

    private func whole(_ count: Int) -> [UInt8] {
        (0..<count).flatMap { PieceSource.piece($0, Self.pieceBytes) }
    }

    private func ground(
        _ count: Int, isLengthKnown: Bool = true, quotaBytes: Int64? = nil, fields: [HTTPField.Name: String] = [:],
        _ make: @escaping @Sendable (Int) async throws -> [UInt8]? = { PieceSource.piece($0, pieceBytes) }
    ) throws -> (CachingFixture, PieceSource) {
        let pieces = PieceSource(count: count, make)
        let head = head(isLengthKnown ? count : nil, fields)
        let ground = try CachingFixture(quotaBytes: quotaBytes) { _ in
            HTTPReply(head: head, body: pieces.body(length: isLengthKnown ? Int64(count * Self.pieceBytes) : nil))
        }
        return (ground, pieces)
    }

    @Test("a long body is read while it comes and kept meanwhile", arguments: [true, false])
    func streamed(isLengthKnown: Bool) async throws {
        let (ground, _) = try ground(40, isLengthKnown: isLengthKnown)
        let bytes = try await ground.send().body.collect(maximumBytes: 1 << 30)
        #expect(bytes == whole(40))
        let hit = try await ground.send()
        #expect(hit.head.headerFields[.cacheStatus] == "hub; hit; ttl=60")
        #expect(try await hit.body.collect(maximumBytes: 1 << 30) == whole(40))
        let range = try await ground.send(.get, "/a", [.range: "bytes=100000-900000"])
        #expect(try await range.body.collect(maximumBytes: 1 << 30) == Array(whole(40)[100_000...900_000]))
        let entry = try #require(try ground.cache.entry(url: ground.url).value)
        #expect(entry.blob.fileExtension == "mp4" && entry.sizeBytes == 40 * Self.pieceBytes)
        #expect(ground.disk.contents(entry.blob.path).map { Digest(sha256Of: $0) } == entry.digest)
        #expect(ground.temporaryFiles.isEmpty && ground.origin.count == 1)
        #expect(try ground.cache.survey.verify().isClean)
        #expect(try ground.cache.space.briefStatistics().bytes == ground.cache.space.statistics().bytes)
    }

    @Test("who joins while a body comes reads it from its beginning; who leaves neither stops nor spoils it")
    func followers() async throws {
        let gate = Gate()
        let (ground, pieces) = try ground(30) { number in
            if number == 15 { await gate.pass() }
            return PieceSource.piece(number, Self.pieceBytes)
        }
        // The first one reads one part and leaves.
        do {
            let first = try await ground.send()
            guard case .bytes? = try await first.body.next() else {
                Issue.record("no body")
                return
            }
        }
        await waitUntil("half of it came") { pieces.asked == 16 }
        // In a scope of its own: a retained reply keeps its file open.
        do {
            let second = try await ground.send()
            #expect(second.head.headerFields[.cacheStatus]?.contains("collapsed") == true)
            let third = Task { try await ground.send().body.collect(maximumBytes: 1 << 30) }
            gate.open()
            #expect(try await second.body.collect(maximumBytes: 1 << 30) == whole(30))
            #expect(try await third.value == whole(30))
        }
        await ground.http.finishBackgroundWork()
        #expect(ground.origin.count == 1)
        await waitUntil("no file is open") { ground.files.openFileCount == 0 }
        #expect(try await ground.get().cacheStatus.contains("hit"))
    }

    @Test("a body without a reader that may not be kept is not asked for")
    func unwanted() async throws {
        let (ground, pieces) = try ground(100, fields: [.cacheControl: "no-store"])
        do {
            let reply = try await ground.send()
            _ = try await reply.body.next()
        }
        #expect(pieces.asked <= 2)
        #expect(ground.temporaryFiles.isEmpty)
    }

    @Test(
        "a body that ends too early is an error for who reads it, and never a whole one (RFC 9112 section 6.3)",
        arguments: [true, false])
    func broken(hasTag: Bool) async throws {
        let isWell = Mutex(false)
        let head = head(20, hasTag ? [.eTag: "\"1\""] : [:])
        let ground = try CachingFixture { request in
            let isWell = isWell.withLock { $0 }
            if isWell, let specs = RangeSpec.parse(request.headerFields), case .from(let first, _) = specs[0] {
                var partial = head
                partial.status = .partialContent
                let length = 20 * Self.pieceBytes
                partial.headerFields[.contentRange] = "bytes \(first)-\(length - 1)/\(length)"
                partial.headerFields[.contentLength] = String(length - Int(first))
                return HTTPReply(head: partial, body: HTTPBody(bytes: Array(whole(20)[Int(first)...])))
            }
            let pieces = PieceSource(count: isWell ? 20 : 7) { PieceSource.piece($0, Self.pieceBytes) }
            return HTTPReply(head: head, body: pieces.body(length: Int64(20 * Self.pieceBytes)))
        }
        await #expect(throws: RemoteFailure.self) {
            _ = try await ground.send().body.collect(maximumBytes: 1 << 30)
        }
        await ground.http.finishBackgroundWork()
        #expect(ground.temporaryFiles.isEmpty)
        await waitUntil("no file is open") { ground.files.openFileCount == 0 }
        let held = try ground.cache.entry(url: ground.url).value
        #expect(held?.primary.isPartial == (hasTag ? true : nil))
        isWell.withLock { $0 = true }
        let reply = try await ground.send()
        #expect(reply.head.status == .ok)
        #expect(try await reply.body.collect(maximumBytes: 1 << 30) == whole(20))
        // With a strong validator only what was missing is asked for (RFC 9111 section 3.3).
        let asked = ground.origin.requests[1].headerFields[.range]
        #expect(asked == (hasTag ? "bytes=\(7 * Self.pieceBytes)-\(20 * Self.pieceBytes - 1)" : nil))
        let hit = try await ground.send()
        #expect(hit.head.headerFields[.cacheStatus]?.contains("hit") == true && hit.head.status == .ok)
        #expect(try await hit.body.collect(maximumBytes: 1 << 30) == whole(20))
    }

    @Test("a body longer than the quota, or than what is left, goes through and is not kept", arguments: [true, false])
    func overQuota(isLengthKnown: Bool) async throws {
        let (ground, _) = try ground(100, isLengthKnown: isLengthKnown, quotaBytes: 2 << 20)
        let bytes = try await ground.send().body.collect(maximumBytes: 1 << 30)
        #expect(bytes == whole(100))
        await ground.http.finishBackgroundWork()
        #expect(try ground.cache.space.statistics().entries == 0 && ground.temporaryFiles.isEmpty)
        #expect(try ground.cache.space.briefStatistics().bytes == ground.cache.space.statistics().bytes)
    }

    @Test("where the cache has no more room, the origin waits for the slowest reader")
    func backPressure() async throws {
        let (ground, pieces) = try ground(300, isLengthKnown: false, quotaBytes: 2 << 20)
        let reply = try await ground.send()
        var bytes: [UInt8] = []
        for _ in 0..<10 {
            if case .bytes(let more)? = try await reply.body.next() { bytes += more }
        }
        // The quota's worth, what may wait in memory, and little more.
        for _ in 0..<10_000 { await Task.yield() }
        #expect(pieces.asked * Self.pieceBytes < (2 << 20) + (1 << 20))
        bytes += try await reply.body.collect(maximumBytes: 1 << 30)
        #expect(bytes == whole(300))
    }

    @Test("a disk that is full keeps nothing, and the body goes through")
    func fullDisk() async throws {
        let (ground, _) = try ground(40)
        ground.disk.capacityBytes = ground.disk.usedBytes + (200 << 10)
        #expect(try await ground.send().body.collect(maximumBytes: 1 << 30) == whole(40))
        await ground.http.finishBackgroundWork()
        #expect(ground.temporaryFiles.isEmpty)
        await waitUntil("no file is open") { ground.files.openFileCount == 0 }
    }

    @Test("stored content that was damaged is never served as whole, and is asked for again", arguments: [3, 40])
    func damaged(count: Int) async throws {
        let (ground, _) = try ground(count)
        _ = try await ground.send().body.collect(maximumBytes: 1 << 30)
        let entry = try #require(try ground.cache.entry(url: ground.url).value)
        var bytes = try #require(ground.disk.contents(entry.blob.path))
        bytes[bytes.count / 2] ^= 1
        // Another process, which has not read it yet.
        let fresh = PieceSource(count: count) { PieceSource.piece($0, Self.pieceBytes) }
        let head = head(count)
        let after = try CachingFixture(disk: ground.disk) { _ in
            HTTPReply(head: head, body: fresh.body(length: Int64(count * Self.pieceBytes)))
        }
        try after.files.writeUnsynced(bytes, to: entry.blob.path, temporaryFolder: "cache/tmp")
        do {
            let served = try await after.send().body.collect(maximumBytes: 1 << 30)
            #expect(served == whole(count), "whatever is served as whole is right")
        } catch {
            #expect(error is ContentFault)
        }
        #expect(try await after.send().body.collect(maximumBytes: 1 << 30) == whole(count))
        #expect(after.origin.count == 1)
        #expect(try after.files.list("quarantine").count == 2)
    }

    @Test(
        "lengths beyond all measure end no program, and nothing of them is kept",
        arguments: [.max, .max - 1, .max - 4095, 1 << 60] as [Int64])
    func lengths(_ length: Int64) async throws {
        let head = head(nil, [.eTag: "\"1\""])
        let places = [
            "/a": "0-5/\(length)", "/b": "\(length - 7)-\(length - 2)/\(length)", "/c": "0-\(length - 2)/\(length)",
        ]
        let ground = try CachingFixture { request in
            var head = head
            guard request.headerFields.contains(.range), let place = request.path.flatMap({ places[$0] }) else {
                head.headerFields[.contentLength] = String(length)
                let pieces = PieceSource(count: 7) { PieceSource.piece($0, Self.pieceBytes) }
                return HTTPReply(head: head, body: pieces.body(length: length))
            }
            head.status = .partialContent
            head.headerFields[.contentRange] = "bytes \(place)"
            return HTTPReply(head: head, body: HTTPBody(bytes: Array("012345".utf8)))
        }
        for path in places.keys.sorted() {
            let url = "http://origin.example\(path)"
            // What came is passed on.
            #expect(try await ground.send(.get, path).body.collect(maximumBytes: 1 << 30) == whole(7))
            let part = try await ground.get(path, [.range: "bytes=0-5"])
            #expect(part.status == 206 && part.body == "012345")
            await ground.http.finishBackgroundWork()
            #expect(try ground.cache.parts.take(url: url) == nil)
            #expect(try ground.cache.entry(url: url).value == nil)
            #expect(try await ground.get(path, [.range: "bytes=0-5"]).body == "012345")
        }
        await ground.http.finishBackgroundWork()
        #expect(ground.temporaryFiles.isEmpty)
        #expect(try ground.cache.survey.verify().isClean)
    }

    @Test("trailers come at the end, to all who read while the body comes (RFC 9110 section 6.5)")
    func trailers() async throws {
        let parts = Mutex<[HTTPBody.Part]>([.bytes([1, 2]), .trailers([.xTest: "end"])])
        let body = HTTPBody(length: nil) { parts.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
        let once = body
        let head = head(nil)
        let ground = try CachingFixture { _ in HTTPReply(head: head, body: once) }
        let reply = try await ground.send()
        guard case .bytes([1, 2])? = try await reply.body.next(),
            case .trailers(let fields)? = try await reply.body.next()
        else {
            Issue.record("no trailers")
            return
        }
        #expect(fields[.xTest] == "end")
        #expect(try await reply.body.next() == nil)
    }
}

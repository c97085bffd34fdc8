import CacheStore
import HTTPTypes
import Model
import Quire
import Simulation
import Sync
import Testing

@Suite("What an HTTP cache may take of a store's quota")
struct HTTPCacheSpaceTests {
    private static let pieceBytes = 32 << 10
    private static let quotaBytes: Int64 = 2 << 20

    private func device() async throws -> Device {
        let device = try Device(quotaBytes: Self.quotaBytes)
        for number in 0..<20 { device.remote.publish("q\(number)", document("q\(number)", padding: 30_000)) }
        #expect(try await device.pull().new.count == 20)
        return device
    }

    private func present(_ device: Device) throws -> Int { try device.store.library().count { $0.record.isPresent } }

    private func fetch(_ device: Device, _ cache: HTTPCache, _ fields: HTTPFields, count: Int) async throws -> HTTPReply
    {
        let pieces = PieceSource(count: count) { PieceSource.piece($0, Self.pieceBytes) }
        let request = HTTPRequest(method: .get, scheme: "https", authority: "origin.example", path: "/film")
        return try await cache.fetch(request) { _, _, _ in
            HTTPReply(head: HTTPResponse(status: .ok, headerFields: fields), body: pieces.body(length: nil))
        }
    }

    @Test("a body without a stated length, or whose head alone states it, costs no questionnaire its place")
    func unknown() async throws {
        let count = 100
        let length = String(count * Self.pieceBytes)
        for fields: HTTPFields in [[.cacheControl: "max-age=60"], [.contentLength: length]] {
            let device = try await device()
            let cache = device.store.httpCache(named: "app")
            let reply = try await fetch(device, cache, fields, count: count)
            #expect(try await reply.body.collect(maximumBytes: 1 << 30).count == count * Self.pieceBytes)
            await cache.finishBackgroundWork()
            #expect(try present(device) == 20)
            #expect(try device.store.cache.space.statistics().bytes <= Self.quotaBytes)
        }
    }

    @Test("nor does an event stream without end, read or left", arguments: [true, false])
    func endless(isLeft: Bool) async throws {
        let device = try await device()
        let cache = device.store.httpCache(named: "app")
        do {
            let reply = try await fetch(device, cache, [.contentType: "text/event-stream"], count: .max)
            for _ in 0..<(isLeft ? 3 : 200) { _ = try await reply.body.next() }
        }
        await cache.finishBackgroundWork()
        #expect(try present(device) == 20)
        #expect(!device.disk.dump().contains { $0.path.hasPrefix("cache/tmp/") })
    }

    @Test("what fits into what is free is kept without anybody's place")
    func fits() async throws {
        let device = try await device()
        let cache = device.store.httpCache(named: "app")
        _ = try await fetch(device, cache, [.cacheControl: "max-age=60"], count: 20).body.collect(maximumBytes: 1 << 30)
        let again = try await fetch(device, cache, [:], count: 0)
        #expect(again.head.headerFields[.cacheStatus]?.contains("hit") == true)
        #expect(try present(device) == 20)
    }
}

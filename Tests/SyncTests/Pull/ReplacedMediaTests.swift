import CacheStore
import Disk
import HTTPTypes
import Model
import Quire
import Simulation
import Sync
import Testing

@Suite("A picture that was replaced on the server under its name")
struct ReplacedMediaTests {
    private static let url = FaultyRemote.origin + "/v1/questionnaires/media/p.png"
    private static let json =
        #"{"id": "a", "title": "T", "questions": [{"id": "q1", "text": "?", "media": [{"path": "media/p.png"}]}]}"#

    private func device(digests: Bool = true, mediaDigests: Bool) async throws -> Device {
        let device = try Device()
        device.remote.publish("a", Self.json, media: [Self.url])
        device.remote.publish(url: Self.url, bytes: [1, 1, 1])
        device.remote.setList(digests: digests, mediaDigests: mediaDigests)
        try await device.pull()
        #expect(try content(device) == [1, 1, 1])
        device.remote.forgetRequests()
        return device
    }

    private func content(_ device: Device) throws -> [UInt8]? {
        guard let entry = try device.store.cache.entry(url: Self.url).value else { return nil }
        return try device.store.cache.content(of: entry).value?.bytes
    }

    private func asked(_ device: Device) -> Int { device.remote.requests.count { $0.url == Self.url } }

    @Test("comes with the next pull where the list has its digest, and nothing is asked for where it is the same")
    func byDigest() async throws {
        let device = try await device(mediaDigests: true)
        device.clock.advance(by: .seconds(86_400))
        #expect(try await device.pull().unchanged == 1)
        #expect(asked(device) == 0)
        device.remote.publish(url: Self.url, bytes: [2, 2, 2])
        let report = try await device.pull()
        #expect(report.unchanged == 1 && report.failed.isEmpty)
        #expect(asked(device) == 1)
        #expect(try content(device) == [2, 2, 2])
    }

    @Test(
        "comes when it is stale where the list has no digests, and costs one conditional request where it is the same")
    func byFreshness() async throws {
        let device = try await device(mediaDigests: false)
        device.clock.advance(by: .seconds(30))
        try await device.pull()
        #expect(asked(device) == 0)
        device.clock.advance(by: .seconds(31))
        #expect(try await device.pull().transferredBytes == 0)
        #expect(device.remote.requests.last { $0.url == Self.url }?.fields[.ifNoneMatch] != nil)
        #expect(asked(device) == 1)
        try await device.pull()
        #expect(asked(device) == 1)
        device.remote.publish(url: Self.url, bytes: [2, 2, 2])
        device.clock.advance(by: .seconds(61))
        try await device.pull()
        #expect(try content(device) == [2, 2, 2])
    }

    @Test("comes, and so does one that is missing, where a list without any digests makes the document a 304")
    func plainServer() async throws {
        let device = try await device(digests: false, mediaDigests: false)
        try device.store.cache.remove(url: Self.url)
        #expect(try await device.pull().unchanged == 1)
        #expect(try content(device) == [1, 1, 1])
        device.remote.publish(url: Self.url, bytes: [2, 2, 2])
        device.clock.advance(by: .seconds(61))
        try await device.pull()
        #expect(try content(device) == [2, 2, 2])
    }

    @Test("is asked for past a cache on the way that gives the former one")
    func staleCacheBetween() async throws {
        let device = try await device(mediaDigests: true)
        device.remote.publish(url: Self.url, bytes: [2, 2, 2])
        device.remote.respond { request in
            guard request.url == Self.url, request.fields[.cacheControl] != "no-cache" else { return nil }
            return .reply(200, mediaType: "image/png", body: [1, 1, 1], fields: HTTPFields())
        }
        try await device.pull()
        #expect(asked(device) == 2)
        #expect(try content(device) == [2, 2, 2])
    }

    @Test("is not asked for when its questionnaire changes and it does not")
    func sameWithNewDocument() async throws {
        let device = try await device(mediaDigests: true)
        device.remote.publish("a", Self.json.replacing("\"T\"", with: "\"New\""), media: [Self.url])
        #expect(try await device.pull().updated == ["a"])
        #expect(asked(device) == 0)
    }
}

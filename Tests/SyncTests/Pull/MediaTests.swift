import CacheStore
import Disk
import Foundation
import HTTPTypes
import Model
import Simulation
import Sync
import Testing

@Suite("Pictures, sounds and films of a pull")
struct MediaTests {
    private static let address = FaultyRemote.origin + "/v1/media/film.mp4"
    /// Longer than what is held in memory, and nothing that packs well.
    private static let film: [UInt8] = {
        var noise = SeededGenerator(seed: 5)
        return (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &noise) }
    }()

    private func questionnaire(_ id: String) -> String {
        """
        {"id": "\(id)", "title": "Title",
         "questions": [{"id": "q1", "text": "?", "media": [{"path": "\(Self.address)"}]}]}
        """
    }

    private func device(quotaBytes: Int64? = nil) throws -> Device {
        let device = try Device(quotaBytes: quotaBytes)
        device.remote.publish("a", questionnaire("a"), media: [Self.address])
        device.remote.publish(url: Self.address, bytes: Self.film, mediaType: "video/mp4")
        return device
    }

    /// The server sends these bytes in the film's place.
    private func answer(_ device: Device, _ body: [UInt8], _ fields: HTTPFields) {
        device.remote.respond { request in
            request.url == Self.address ? .reply(200, mediaType: "video/mp4", body: body, fields: fields) : nil
        }
    }

    private func kept(_ device: Device) throws -> [UInt8]? {
        guard let entry = try device.store.cache.entry(url: Self.address).value else { return nil }
        return device.disk.contents(entry.blob.path)
    }

    private func hasLeftovers(_ device: Device) -> Bool {
        device.disk.dump().contains { $0.path.hasPrefix("cache/tmp/") }
    }

    private static let stated: HTTPFields = {
        let digest = Data(Digest(sha256Of: film).bytes).base64EncodedString()
        var fields = HTTPFields()
        if let name = HTTPField.Name("Content-Digest") { fields[name] = "sha-256=:\(digest):" }
        return fields
    }()

    @Test("a film is kept as it came, and asked for no more")
    func film() async throws {
        let device = try device()
        answer(device, Self.film, Self.stated)
        let report = try await device.pull()
        #expect(report.failed.isEmpty && report.transferredBytes > Self.film.count)
        #expect(try kept(device) == Self.film)
        #expect(!hasLeftovers(device))
        device.remote.forgetRequests()
        #expect(try await device.pull().unchanged == 1)
        #expect(!device.remote.requests.contains { $0.url == Self.address })
        #expect(try device.store.cache.survey.verify().isClean)
    }

    @Test("a film that does not match its Content-Digest is refused, and leaves nothing behind")
    func digest() async throws {
        let device = try device()
        answer(device, Self.film.dropLast() + [0], Self.stated)
        let report = try await device.pull()
        #expect(report.failed["a"]?.contains("Content-Digest") == true, "\(report)")
        #expect(try kept(device) == nil && !hasLeftovers(device))
        // The next pull fetches it.
        device.remote.respond { _ in nil }
        #expect(try await device.pull().failed.isEmpty)
        #expect(try kept(device) == Self.film)
    }

    @Test("gzip is undone as it comes; cut short, followed by something, or a bomb, it is refused")
    func packed() async throws {
        let device = try device()
        let packed = try Gzip.compress(Self.film)
        answer(device, packed, [.contentEncoding: "gzip"])
        #expect(try await device.pull().failed.isEmpty)
        #expect(try kept(device) == Self.film)

        let bomb = try Gzip.compress([UInt8](repeating: 0, count: 12 << 20))
        for (body, words) in [
            (Array(packed.dropLast(9)), "ends too early"), (packed + [1, 2, 3], "cannot be unpacked"),
            (bomb, "100 times its length"), ([], "it is not gzip"),
        ] {
            let device = try self.device()
            answer(device, body, [.contentEncoding: "gzip"])
            let report = try await device.pull()
            #expect(report.failed["a"]?.contains(words) == true, "\(words): \(report)")
            #expect(try kept(device) == nil && !hasLeftovers(device))
        }
    }

    @Test("a film that does not fit is named, and the documents after it come all the same")
    func noRoom() async throws {
        let device = try device(quotaBytes: 150_000)
        for number in 0..<5 { device.remote.publish("z-\(number)", document("z-\(number)")) }
        let report = try await device.pull()
        #expect(report.noRoom == ["a"] && report.noRoomReason?.contains(Self.address) == true, "\(report)")
        #expect(report.new.count == 6)
        #expect(try kept(device) == nil && !hasLeftovers(device))
        #expect(try device.store.cache.space.statistics().bytes <= 150_000)
    }

    @Test("what the server forbids to keep is not even fetched, and what it does not have is said")
    func refused() async throws {
        let device = try device()
        answer(device, Self.film, [.cacheControl: "no-store"])
        let report = try await device.pull()
        #expect(report.failed.isEmpty && report.transferredBytes < 10_000)
        #expect(try kept(device) == nil)
        device.remote.respond { $0.url == Self.address ? .status(404, detail: "gone") : nil }
        #expect(try await device.pull().failed["a"]?.contains("does not have") == true)
    }
}

import CacheStore
import HTTPTypes
import Model
import Quire
import Simulation
import Sync
import Synchronization
import Testing

/// A remote whose films come as a test says; all else is another remote's.
private final class FilmRemote: Remote {
    struct Film: Sendable {
        var bytes: [UInt8]
        var tag = "\"v1\""
        /// The connection breaks after so many bytes.
        var cut: Int?
        /// So many bytes of a rest come at once.
        var most: Int?
        /// There is no reply at all.
        var failure: RemoteFailure.Kind?
    }

    private let base: FaultyRemote
    /// By the URL, and the number of the request for a film, from 1.
    private let film: @Sendable (String, Int) -> Film?
    private let asked = Mutex<[(url: String, from: Int)]>([])

    init(_ base: FaultyRemote, _ film: @escaping @Sendable (String, Int) -> Film?) {
        self.base = base
        self.film = film
    }

    /// The first byte that each request for a film asked for.
    var starts: [Int] { asked.withLock { $0.map(\.from) } }

    var listURL: String { base.listURL }
    func documentURL(id: String) -> String { base.documentURL(id: id) }
    func presence() -> Presence { .likely }

    func stream(
        _ url: String, fields: HTTPFields, maximumBytes: Int64
    ) async throws(RemoteFailure) -> StreamedReply {
        let from = fields[.range].flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
        let number = asked.withLock { asked in
            asked.append((url, from))
            return asked.count
        }
        guard let film = film(url, number) else { throw RemoteFailure(.invalidReply, "no such film") }
        if let failure = film.failure { throw RemoteFailure(failure, "the film broke") }
        let isPart = from > 0 && fields[.ifRange] == film.tag
        let start = isPart ? from : 0
        let end = isPart ? min(film.bytes.count, start + (film.most ?? .max / 2)) : film.bytes.count
        var head = RemoteReply(
            status: isPart ? 206 : 200,
            fields: [.contentType: "video/mp4", .eTag: film.tag, .cacheControl: "max-age=60"], body: [],
            requestTime: base.clock.now, responseTime: base.clock.now)
        if isPart { head.fields[.contentRange] = "bytes \(start)-\(end - 1)/\(film.bytes.count)" }
        if !isPart, fields[.ifNoneMatch] == film.tag {
            head.status = 304
            return StreamedReply(head: head, body: .empty)
        }
        guard Int64(end - start) <= maximumBytes else { throw RemoteFailure(.invalidReply, "it is too long") }
        let place = Mutex(start)
        let body = HTTPBody(length: Int64(end - start)) {
            let (first, last) = place.withLock { place in
                defer { place = min(end, place + 20_000) }
                return (place, min(end, place + 20_000))
            }
            if let cut = film.cut, first - start >= cut { throw RemoteFailure(.interrupted, "the connection broke") }
            return first == last ? nil : .bytes(Array(film.bytes[first..<last]))
        }
        return StreamedReply(head: head, body: body)
    }

    func get(_ url: String, fields: HTTPFields, maximumBytes: Int) async throws(RemoteFailure) -> RemoteReply {
        try await base.get(url, fields: fields, maximumBytes: maximumBytes)
    }
    func put(_ test: TestID, bytes: [UInt8], digest: Digest) async throws(RemoteFailure) -> RemoteReply {
        try await base.put(test, bytes: bytes, digest: digest)
    }
    func send(_ delivery: ChangeDelivery) async throws(RemoteFailure) -> RemoteReply { try await base.send(delivery) }
    func upload(_ upload: MediaUpload) async throws(RemoteFailure) -> RemoteReply { try await base.upload(upload) }
    func current(of change: OutgoingChange, maximumBytes: Int) async throws(RemoteFailure) -> RemoteReply {
        try await base.current(of: change, maximumBytes: maximumBytes)
    }
    func receipts(of tests: [TestID]) async throws(RemoteFailure) -> RemoteReply {
        try await base.receipts(of: tests)
    }
}

@Suite("Films of a pull that break, change and are shared")
struct BrokenMediaTests {
    private typealias Film = FilmRemote.Film

    private static func noise(_ count: Int, seed: UInt64 = 5) -> [UInt8] {
        var noise = SeededGenerator(seed: seed)
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &noise) }
    }

    private static let film = noise(400_000)
    private static func address(_ name: String = "film") -> String { FaultyRemote.origin + "/v1/media/\(name).mp4" }

    private func publish(_ device: Device, _ id: String, _ films: [String] = ["film"], title: String = "Title") {
        let media = films.map { #"{"path": "\#(Self.address($0))"}"# }.joined(separator: ",")
        device.remote.publish(
            id,
            #"{"id": "\#(id)", "title": "\#(title)", "questions": [{"id": "q", "text": "?", "media": [\#(media)]}]}"#,
            media: films.map { Self.address($0) })
    }

    @discardableResult
    private func pull(_ device: Device, _ remote: FilmRemote) async throws -> Puller.Report {
        try await device.store.puller(remote).pull()
    }

    private func kept(_ device: Device, _ name: String = "film") throws -> [UInt8]? {
        guard let entry = try device.store.cache.entry(url: Self.address(name)).value, entry.isPlainContent else {
            return nil
        }
        return device.disk.contents(entry.blob.path)
    }

    private func held(_ device: Device) throws -> Int64? {
        try device.store.cache.parts.arrivedBytes(url: Self.address())?.held
    }

    private func toldAsNew(_ device: Device) throws -> [String?] {
        try device.store.journal.events().filter { $0.event == "new-questionnaire" }.map(\.questionnaire)
    }

    @Test("after an interrupted newer version the next pull fetches the rest, though the older one is here")
    func newer() async throws {
        let device = try Device()
        publish(device, "a")
        let other = Self.noise(400_000, seed: 6)
        let remote = FilmRemote(device.remote) { _, number in
            switch number {
            case 1: Film(bytes: Self.film)
            case 2: Film(bytes: other, tag: "\"v2\"", cut: 200_000)
            case 3: Film(bytes: other, failure: .interrupted)
            default: Film(bytes: other, tag: "\"v2\"")
            }
        }
        #expect(try await pull(device, remote).failed.isEmpty)
        publish(device, "a", title: "Newer")
        #expect(try await pull(device, remote).failed.keys.sorted() == ["a"])
        #expect(try kept(device) == Self.film && held(device) == 200_000)
        #expect(try await pull(device, remote).failed.isEmpty)
        #expect(try kept(device) == other && held(device) == nil)
        #expect(remote.starts == [0, 0, 200_000, 200_000])
        #expect(try await pull(device, remote).unchanged == 1)
        #expect(remote.starts.count == 4)
    }

    @Test("one that breaks holds up no other of its questionnaire, which is reported as new, with all received bytes")
    func others() async throws {
        let device = try Device()
        device.remote.publish("first", document("first"))
        let remote = FilmRemote(device.remote) { url, _ in
            url == Self.address("b")
                ? Film(bytes: Self.film, tag: "weak", cut: 100_000) : Film(bytes: Self.film)
        }
        try await pull(device, remote)
        publish(device, "a", ["a", "b", "c"])
        let report = try await pull(device, remote)
        #expect(report.new == ["a"] && report.failedForNow == ["a"], "\(report)")
        #expect(report.transferredBytes > 900_000)
        #expect(try kept(device, "a") == Self.film && kept(device, "c") == Self.film)
        #expect(try kept(device, "b") == nil)
        #expect(try toldAsNew(device) == ["a"])
    }

    @Test("where the server goes away meanwhile, the others are not asked for, and received ones are reported as new")
    func away() async throws {
        let device = try Device()
        device.remote.publish("first", document("first"))
        let remote = FilmRemote(device.remote) { _, _ in Film(bytes: [], failure: .unreachable) }
        try await pull(device, remote)
        publish(device, "a", ["a", "b", "c"])
        await #expect(throws: RemoteFailure.self) { try await pull(device, remote) }
        #expect(remote.starts.count == 1)
        #expect(try toldAsNew(device) == ["a"])
    }

    @Test("one of two questionnaires is transferred and booked once")
    func shared() async throws {
        let device = try Device(quotaBytes: 600_000)
        publish(device, "a")
        publish(device, "b")
        let remote = FilmRemote(device.remote) { _, _ in Film(bytes: Self.film) }
        let report = try await pull(device, remote)
        #expect(report.noRoom.isEmpty && report.new.count == 2, "\(report)")
        #expect(remote.starts == [0] && report.transferredBytes < 500_000)
        #expect(try kept(device) == Self.film)
    }

    @Test("a bad reply in between throws nothing of it away")
    func badReply() async throws {
        let device = try Device()
        publish(device, "a")
        let remote = FilmRemote(device.remote) { _, number in
            switch number {
            case 1: Film(bytes: Self.film, cut: 200_000)
            case 2, 3: Film(bytes: [], failure: .invalidReply)
            default: Film(bytes: Self.film)
            }
        }
        for _ in 0..<2 {
            #expect(try await pull(device, remote).failed.keys.sorted() == ["a"])
            #expect(try held(device) == 200_000)
        }
        #expect(try await pull(device, remote).failed.isEmpty)
        #expect(try kept(device) == Self.film && remote.starts == [0, 200_000, 200_000, 200_000])
    }

    @Test("a server that gives less at a time than it is asked for is asked for more", arguments: [false, true])
    func capped(isAcrossPulls: Bool) async throws {
        let device = try Device()
        publish(device, "a")
        let remote = FilmRemote(device.remote) { _, number in
            number == 1
                ? Film(bytes: Self.film, cut: 200_000)
                : Film(bytes: Self.film, most: 80_000, failure: number == 2 && isAcrossPulls ? .interrupted : nil)
        }
        if isAcrossPulls { #expect(try await !pull(device, remote).failed.isEmpty) }
        #expect(try await pull(device, remote).failed.isEmpty)
        #expect(try kept(device) == Self.film)
        #expect(Array(remote.starts.suffix(3)) == [200_000, 280_000, 360_000])
    }

    @Test("one that is longer by the time it is resumed is not rejected: the next pull fetches it")
    func longer() async throws {
        let device = try Device()
        publish(device, "a")
        let other = Self.noise(600_000, seed: 6)
        let remote = FilmRemote(device.remote) { _, number in
            number == 1 ? Film(bytes: Self.film, cut: 200_000) : Film(bytes: other, tag: "\"v2\"")
        }
        let report = try await pull(device, remote)
        #expect(report.failedForNow == ["a"], "\(report)")
        #expect(try held(device) == nil)
        #expect(try await pull(device, remote).failed.isEmpty)
        #expect(try kept(device) == other)
    }

    @Test("a part whose whole has no room any more makes room for what fits, and the whole is not asked for")
    func noRoom() async throws {
        let device = try Device()
        publish(device, "a")
        let remote = FilmRemote(device.remote) { _, number in
            number == 1 ? Film(bytes: Self.film, cut: 200_000) : Film(bytes: [], failure: .interrupted)
        }
        _ = try await pull(device, remote)
        #expect(try held(device) == 200_000)
        let small = try device.reopened(quotaBytes: 350_000)
        let report = try await small.puller(remote).pull()
        #expect(report.noRoom == ["a"] && remote.starts.count == 2, "\(report)")
        #expect(try held(device) == nil)
        #expect(try small.cache.space.statistics().bytes < 100_000)
    }
}

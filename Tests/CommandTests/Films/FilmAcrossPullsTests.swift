import Foundation
import Testing

@Suite("A video that one pull does not complete")
struct FilmAcrossPullsTests {
    private static let piece = 6_000_000
    private let folder: TemporaryFolder
    private let film: [UInt8]
    private let sum: String
    private let device: Device

    init() throws {
        folder = try TemporaryFolder()
        (film, sum) = try Files.filmBytes(4 * Self.piece, in: folder)
        device = Device(folder.path)
    }

    /// Each pull gets a piece, a cut and a refusal.
    private func server(_ fields: [String] = ["ETag: \"v1\""], isKept: Bool = true) throws -> FilmServer {
        let (film, path) = (film, folder.path)
        return try FilmServer { number in
            if number.isMultiple(of: 2) { return .busy }
            // What lies in the client's own buffers when a connection ends is lost with it: on a loopback, that is much.
            return .cut(after: Self.piece) { place in
                if isKept { Device(path).waitForNote(of: place) }
            }
        } version: { _ in
            .init(bytes: film, fields: fields)
        }
    }

    private var usage: Int64 {
        get throws {
            let folders = ["blobs", "entries", "tmp"].map { "\(device.store)/cache/\($0)" }
            let usage = try Files.usage(folders)
            return max(usage.apparent, usage.allocated)
        }
    }

    private var isTidy: Bool { Files.names(in: device.store + "/cache/tmp", suffix: "").isEmpty }

    /// Pulls until it succeeds.
    ///
    /// - Returns: how often.
    private func pullAll(atMost most: Int = 8, between: () throws -> Void = {}) throws -> Int {
        for number in 1...most {
            let pull = try device.quire("pull")
            #expect(isTidy, "\(pull)")
            if pull.exitCode == 0 { return number }
            #expect(pull.errors.contains("the next pull resumes there"), "\(pull)")
            #expect(!device.hasBlob(sum))
            try between()
        }
        return .max
    }

    @Test("the next one resumes where it stopped; until it is whole it is not shown, and no byte comes twice")
    func acrossPulls() throws {
        let server = try server()
        try device.done("init", "--remote", server.address, "--quota", "25MB")
        let pulls = try pullAll { () throws in
            #expect(try usage <= 25_000_000)
            #expect(try device.done("show", "q").output.contains("of 24 MB came"))
            #expect(try device.done("cache", "ls").output.contains("part\t"))
            #expect(try device.done("cache", "verify").exitCode == 0)
            #expect(try device.quire("doctor").exitCode == 0)
        }
        #expect(pulls <= 6)
        #expect(device.hasBlob(sum))
        #expect(server.sentBytes < film.count * 11 / 10, "\(server.starts)")
        #expect(try usage <= 25_000_000)
        #expect(try !device.done("show", "q").output.contains("came"))
        #expect(try device.done("cache", "verify").exitCode == 0)
        // One blob of it is left.
        #expect(Files.regularFiles(below: device.store + "/cache/blobs").count { $0.hasSuffix(".mp4") } == 1)
    }

    @Test("goes on by its date too, where that is a strong validator")
    func byDate() throws {
        let server = try server([
            "Last-Modified: Mon, 05 Jan 2026 10:00:00 GMT", "Date: Mon, 05 Jan 2026 11:00:00 GMT",
        ])
        try device.done("init", "--remote", server.address)
        #expect(try pullAll() <= 6)
        #expect(device.hasBlob(sum))
        #expect(server.sentBytes < film.count * 11 / 10, "\(server.starts)")
    }

    @Test(
        "is not kept in part where nothing says strongly what it is a part of",
        arguments: [
            ["", "Date: Mon, 05 Jan 2026 11:00:00 GMT"], ["ETag: W/\"v1\""],
            ["Last-Modified: Mon, 05 Jan 2026 11:00:00 GMT", "Date: Mon, 05 Jan 2026 11:00:00 GMT"],
            ["ETag: \"v1\"", "Accept-Ranges: none"],
        ])
    func weak(_ fields: [String]) throws {
        let server = try server(fields, isKept: false)
        try device.done("init", "--remote", server.address)
        for _ in 0..<2 {
            let pull = try device.quire("pull")
            #expect(pull.exitCode != 0 && !pull.errors.contains("goes on there"), "\(pull)")
            #expect(Files.regularFiles(below: device.store + "/cache/blobs").allSatisfy { $0.hasSuffix(".json.gz") })
            #expect(isTidy)
        }
        #expect(server.starts.allSatisfy { $0 == 0 })
    }

    @Test("restarts if it has changed by the next pull, and nothing of the former one stays")
    func changed() throws {
        let film = film
        let other = Array(film.reversed())
        let server = try FilmServer { number in
            number == 1 ? .cut(after: Self.piece) : number == 2 ? .busy : .all
        } version: { number in
            number < 3 ? .init(bytes: film) : .init(bytes: other, fields: ["ETag: \"v2\""])
        }
        try device.done("init", "--remote", server.address)
        #expect(try device.quire("pull").errors.contains("the next pull resumes there"))
        try device.done("pull")
        #expect(server.starts.last.map { $0 > 0 } == true && server.starts.count == 3)
        let films = Files.regularFiles(below: device.store + "/cache/blobs").filter { $0.hasSuffix(".mp4") }
        #expect(try films.map { Array(try Files.read($0)) } == [other])
        #expect(try device.done("cache", "verify").exitCode == 0)
    }

    @Test("with the wrong digest after several pulls is discarded, and not resumed for ever")
    func wrong() throws {
        let film = film
        let digest = "Content-Digest: sha-256=:\(Data(repeating: 7, count: 32).base64EncodedString()):"
        let server = try FilmServer { number in
            number == 1 ? .cut(after: Self.piece) : number == 2 ? .busy : .all
        } version: { number in
            // Of a part the digest is another: only that of the whole is wrong.
            .init(bytes: film, fields: number > 2 && number < 4 ? ["ETag: \"v1\""] : ["ETag: \"v1\"", digest])
        }
        try device.done("init", "--remote", server.address)
        #expect(try device.quire("pull").errors.contains("the next pull resumes there"))
        let second = try device.quire("pull")
        #expect(second.exitCode != 0 && second.errors.contains("Content-Digest"), "\(second)")
        #expect(Files.regularFiles(below: device.store + "/cache/blobs").allSatisfy { $0.hasSuffix(".json.gz") })
        #expect(isTidy)
        _ = try device.quire("pull")
        #expect(server.starts.last == 0)
    }

    @Test("goes on after kill -9, from hardly before where it was")
    func killed() throws {
        let film = film
        let server = try FilmServer {
            $0 == 1 ? .stall(after: 2 * Self.piece) : .all
        } version: { _ in
            .init(bytes: film)
        }
        try device.done("init", "--remote", server.address, "--quota", "25MB")
        let pull = try device.begin(["pull"])
        device.waitForNote(of: 2 * Self.piece)
        pull.send(SIGKILL)
        #expect(try pull.end().exitCode == 128 + SIGKILL)
        #expect(!isTidy && !device.hasBlob(sum))
        let second = try device.quire("pull")
        #expect(second.exitCode == 0, "\(second)")
        #expect(server.starts.count == 2 && server.starts[1] > 2 * Self.piece - 300_000)
        #expect(server.sentBytes < film.count * 11 / 10)
        #expect(device.hasBlob(sum) && isTidy)
        #expect(try usage <= 25_000_000)
        #expect(try device.done("cache", "verify").exitCode == 0)
        #expect(try device.quire("doctor").exitCode == 0)
    }

    @Test("is trimmed like anything else, and doctor makes a part of what a killed pull left")
    func tidied() throws {
        let film = film
        let server = try FilmServer {
            $0 == 1 ? .stall(after: Self.piece) : .all
        } version: { _ in
            .init(bytes: film)
        }
        try device.done("init", "--remote", server.address)
        let pull = try device.begin(["pull"])
        device.waitForNote(of: Self.piece)
        pull.send(SIGKILL)
        _ = try pull.end()
        #expect(try device.quire("doctor").exitCode != 0)
        _ = try device.quire("doctor", "--repair")
        #expect(try device.quire("doctor").exitCode == 0 && isTidy)
        #expect(try device.done("show", "q").output.contains("of 24 MB came"))
        try device.done("cache", "trim", "--quota", "100kB")
        #expect(try !device.done("show", "q").output.contains("came"))
        #expect(try usage <= 100_000)
        try device.done("pull")
        #expect(server.starts == [0, 0] && device.hasBlob(sum))
    }
}

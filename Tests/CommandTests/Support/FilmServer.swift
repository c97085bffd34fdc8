import Foundation
import Synchronization

/// A server of one questionnaire, `q`, with one film, whose connections end in the middle.
final class FilmServer: Sendable {
    /// What it does with one request for the film.
    enum Deed: Sendable {
        /// Sends so many bytes at most, then ends the connection: once `taken` is done, which gets the place in the film.
        case cut(after: Int, taken: @Sendable (Int) -> Void = { _ in })
        /// Sends so many bytes, then nothing more, and does not end.
        case stall(after: Int)
        /// Sends all that is asked for.
        case all
        /// Has too much to do.
        case busy
    }

    /// One version of the film.
    struct Version: Sendable {
        var bytes: [UInt8]
        /// Field lines; the first one is the validator.
        var fields: [String] = ["ETag: \"v1\""]

        /// As If-Range names it; `nil` for what it may not name.
        var validator: String? {
            let value = fields[0].split(separator: ": ", maxSplits: 1).last.map(String.init) ?? ""
            return fields[0].isEmpty || value.hasPrefix("W/") ? nil : value
        }
    }

    private struct State {
        var starts: [Int] = []
        var sentBytes = 0
    }

    private let raw: RawServer
    private let state: Log

    private final class Log: Sendable {
        let state = Mutex(State())
    }

    /// - Parameters:
    ///   - deed: by the number of the request for the film, from 1.
    ///   - version: the same.
    init(
        _ deed: @escaping @Sendable (Int) -> Deed, version: @escaping @Sendable (Int) -> Version
    ) throws {
        let document =
            #"{"id": "q", "title": "Q", "questions": [{"id": "1", "text": "?", "media": [{"path": "/film"}]}]}"#
        let rest = RawServer.answerOfOne(.ok(document))
        let log = Log()
        state = log
        raw = try RawServer { request in
            guard request.target == "/film" else { return rest(request) }
            return Self.answer(request, log, deed, version)
        }
    }

    private static func answer(
        _ request: RawServer.Request, _ log: Log, _ deed: (Int) -> Deed, _ version: (Int) -> Version
    ) -> RawReply {
        let fields = request.head.components(separatedBy: "\r\n")
        func value(_ name: String) -> String? {
            fields.first { $0.lowercased().hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
        }
        let from = value("range").flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
        let number = log.state.withLock { state in
            state.starts.append(from)
            return state.starts.count
        }
        let version = version(number)
        let isPart = from > 0 && from < version.bytes.count && value("if-range") == version.validator
        let start = isPart ? from : 0
        let rest = version.bytes.count - start
        var (count, closes) = (rest, true)
        var beforeClosing: @Sendable () -> Void = {}
        switch deed(number) {
        case .busy: return .status("503 Busy")
        case .all: break
        case .cut(let most, let taken):
            count = min(rest, most)
            let end = start + count
            if count < rest { beforeClosing = { taken(end) } }
        case .stall(let most): (count, closes) = (min(rest, most), false)
        }
        var head = isPart ? "HTTP/1.1 206 Partial Content\r\n" : "HTTP/1.1 200 OK\r\n"
        if isPart { head += "Content-Range: bytes \(start)-\(version.bytes.count - 1)/\(version.bytes.count)\r\n" }
        for line in version.fields where !line.isEmpty { head += line + "\r\n" }
        head += "Cache-Control: max-age=60\r\nContent-Type: video/mp4\r\nContent-Length: \(rest)\r\n\r\n"
        log.state.withLock { $0.sentBytes += count }
        var reply = RawReply(Array(head.utf8) + version.bytes[start..<start + count], closes: closes)
        reply.beforeClosing = beforeClosing
        return reply
    }

    var address: String { raw.address }
    /// The first byte that each request for the film asked for.
    var starts: [Int] { state.state.withLock { $0.starts } }
    /// How many bytes of the film were sent in all.
    var sentBytes: Int { state.state.withLock { $0.sentBytes } }
}

extension Files {
    /// The bytes of a film, and their SHA-256.
    static func filmBytes(_ count: Int, in folder: TemporaryFolder) throws -> (bytes: [UInt8], sum: String) {
        let path = try film(folder.path + "/film", bytes: count)
        let sum = String(try Command.run("sha256sum", path, in: folder.path).prefix(64))
        return (Array(try read(path)), sum)
    }
}

extension Device {
    /// How many bytes of a film that is on its way are noted in its file: all but 256 KiB of what came.
    var notedBytes: Int? {
        guard let name = Files.names(in: store + "/cache/tmp", suffix: ".tmp").first,
            let file = FileHandle(forReadingAtPath: "\(store)/cache/tmp/\(name)"), let end = try? file.seekToEnd(),
            end > 4096, (try? file.seek(toOffset: end - 4096)) != nil, let note = try? file.readToEnd(),
            let entry = try? JSON(parsing: String(decoding: note, as: UTF8.self))
        else { return nil }
        return entry["sizeBytes"].whole
    }

    /// Waits until all but what need not be noted of so many bytes is.
    func waitForNote(of place: Int) {
        _ = try? wait(for: "\(place) bytes of the film") { (notedBytes ?? 0) + 300_000 > place ? true : nil }
    }

    /// Whether the cache has a blob of this digest.
    func hasBlob(_ sum: String) -> Bool {
        Files.regularFiles(below: store + "/cache/blobs").contains { $0.contains(sum) }
    }
}

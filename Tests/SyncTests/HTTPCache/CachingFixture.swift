import CacheStore
import Disk
import HTTPCaching
import HTTPTypes
import Model
import Simulation
import Sync
import Synchronization
import Testing

/// An HTTP cache on a simulated disk, in front of an origin that a test writes.
struct CachingFixture: Sendable {
    let disk: SimulatedDisk
    let files: SimulatedFileSystem
    let cache: Cache
    let http: HTTPCache
    let origin: ScriptedOrigin
    var clock: ManualClock { disk.clock }

    init(
        disk: SimulatedDisk = SimulatedDisk(), quotaBytes: Int64? = nil, policy: CachePolicy = .hub,
        overrides: [CacheControlOverride] = [], memoryTierBytes: Int = 1 << 20,
        _ respond: @escaping @Sendable (HTTPRequest) async throws -> HTTPReply
    ) throws {
        self.disk = disk
        files = disk.process()
        cache = Cache(
            fileSystem: files, quarantine: Quarantine(fileSystem: files, folder: "quarantine", clock: disk.clock),
            clock: disk.clock, quotaBytes: quotaBytes, memoryTierBytes: memoryTierBytes, bootIdentity: "boot-1")
        try cache.makeFolders()
        http = HTTPCache(cache: cache, clock: disk.clock, policy: policy, overrides: overrides, name: "hub")
        origin = ScriptedOrigin(respond)
    }

    struct Answer: Sendable {
        var status: Int
        var fields: HTTPFields
        var body: String
        var cacheStatus: String { fields[.cacheStatus] ?? "" }
        var age: Int? { fields[.age].flatMap { Int($0) } }
    }

    func send(
        _ method: HTTPRequest.Method = .get, _ path: String = "/a", _ fields: [HTTPField.Name: String] = [:],
        body: HTTPBody = .empty
    ) async throws -> HTTPReply {
        var headers = HTTPFields()
        for (name, value) in fields { headers[name] = value }
        let request = HTTPRequest(
            method: method, scheme: "http", authority: "origin.example", path: path, headerFields: headers)
        return try await http.fetch(request, body: body, origin: origin.ask)
    }

    /// The whole answer.
    func get(
        _ path: String = "/a", _ fields: [HTTPField.Name: String] = [:], method: HTTPRequest.Method = .get
    ) async throws -> Answer {
        let reply = try await send(method, path, fields)
        let bytes = try await reply.body.collect(maximumBytes: 64 << 20)
        return Answer(
            status: reply.head.status.code, fields: reply.head.headerFields,
            body: String(decoding: bytes, as: UTF8.self))
    }

    func pass(seconds: Int) { clock.advance(by: .seconds(seconds)) }

    var url: String { "http://origin.example/a" }

    /// Temporary files that are there.
    var temporaryFiles: [String] { disk.dump().map(\.path).filter { $0.hasPrefix("cache/tmp/") } }
}

/// What a test's origin was asked, and what it answers.
final class ScriptedOrigin: Sendable {
    private let log = Mutex<[HTTPRequest]>([])
    private let respond: @Sendable (HTTPRequest) async throws -> HTTPReply

    init(_ respond: @escaping @Sendable (HTTPRequest) async throws -> HTTPReply) { self.respond = respond }

    var requests: [HTTPRequest] { log.withLock { $0 } }
    var count: Int { requests.count }

    var ask: Origin {
        { request, body, _ in
            self.log.withLock { $0.append(request) }
            while try await body.next() != nil {}
            return try await self.respond(request)
        }
    }
}

/// A reply of an origin; it has a Date where none is given.
func reply(
    _ status: Int = 200, _ fields: [HTTPField.Name: String] = [:], _ body: String = "", at time: Timestamp? = nil
) -> HTTPReply {
    var headers = HTTPFields()
    for (name, value) in fields { headers[name] = value }
    if let time { headers[.date] = HTTPDate.format(time) }
    if status != 304, status != 204 { headers[.contentLength] = String(body.utf8.count) }
    return HTTPReply(
        head: HTTPResponse(status: .init(code: status), headerFields: headers), body: HTTPBody(bytes: Array(body.utf8)))
}

/// A door that stays shut until a test opens it.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if state.isOpen { return true }
                state.waiting.append(continuation)
                return false
            }
            if isOpen { continuation.resume() }
        }
    }
}

/// Waits for a condition that other tasks fulfil, with a limit.
func waitUntil(_ what: String, _ condition: () -> Bool) async {
    for _ in 0..<10_000 {
        if condition() { return }
        await Task.yield()
    }
    // On a busy machine the other tasks may not have had their turn yet.
    for _ in 0..<24_000 {
        if condition() { return }
        try? await Task.sleep(for: .milliseconds(5))
    }
    Issue.record("it did not come to pass: \(what)")
}

/// A body of pieces, each made on request; it counts them.
final class PieceSource: Sendable {
    private let next = Mutex(0)
    let count: Int
    let make: @Sendable (Int) async throws -> [UInt8]?

    init(count: Int, _ make: @escaping @Sendable (Int) async throws -> [UInt8]?) {
        self.count = count
        self.make = make
    }

    var asked: Int { next.withLock { $0 } }

    func body(length: Int64?) -> HTTPBody {
        HTTPBody(length: length) {
            let number = self.next.withLock { next in
                defer { next += 1 }
                return next
            }
            guard number < self.count else { return nil }
            return try await self.make(number).map { .bytes($0) }
        }
    }

    /// Bytes that differ from piece to piece.
    static func piece(_ number: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: ($0 &* 31) ^ (number &* 131) ^ ($0 >> 8)) }
    }
}

extension HTTPField.Name {
    // Proof: it is a valid field name.
    // swift-format-ignore: NeverForceUnwrap
    static let xTest = HTTPField.Name("X-Test")!
}

import CacheStore
import HTTPCaching
import HTTPTypes
import Model
import Synchronization

/// The content of a reply, resumed after a broken connection: the rest is requested with Range and If-Range (RFC 9110
/// sections 13.1.5 and 14.2). The result is one version, or an error: different versions are never joined. For one
/// reader.
final class ResumedContent: Sendable {
    private struct State {
        var body: HTTPBody
        /// The offset in the complete content, including bytes that the reply need not have.
        var place: Int64
        /// The offset of the last break.
        var brokenAt: Int64
        var fruitless = 0
        var isOther = false
        var hasFailed = false
    }

    /// The version of the content, for resuming it.
    struct Version: Sendable {
        /// A strong validator, for If-Range: an entity tag, or a date.
        var validator: String
        /// The complete length.
        var length: Int64
        /// Content-Encoding.
        var coding: String?
    }

    private let remote: any Remote
    private let url: String
    private let request: HTTPFields
    private let start: Int64
    /// Without one it cannot be resumed.
    private let version: Version?
    private let state: Mutex<State>

    /// After this many consecutive breaks with hardly any progress the error is reported.
    private static let fruitlessAttempts = 3
    private static let progressBytes: Int64 = 64 << 10
    /// So long the whole may take, as one exchange may: a server that trickles is not waited for again and again.
    private static let patienceSeconds: Int64 = 600
    private static let slowestBytesPerSecond: Int64 = 16 << 10
    private let started = ContinuousClock.now

    /// - Parameters:
    ///   - body: what comes first: the whole, or its rest.
    ///   - start: the place in the whole of its first byte.
    ///   - request: what asks for the whole.
    init(
        _ body: HTTPBody, from start: Int64 = 0, of version: Version?, remote: any Remote, url: String,
        request: HTTPFields
    ) {
        self.remote = remote
        self.url = url
        self.request = request
        self.start = start
        self.version = version
        state = Mutex(State(body: body, place: start, brokenAt: start))
    }

    /// Whether the server has something else there by now, so that what came is of no use.
    var isOther: Bool { state.withLock { $0.isOther } }
    /// Whether it was the connection, or asking for more, that failed: what came before is right.
    var hasFailed: Bool { state.withLock { $0.hasFailed } }

    /// Whether a status says what there is: not what a server says that cannot now, or a network that wants a login first.
    static func tellsOfContent(_ status: Int) -> Bool { [200, 203, 206, 304, 404, 410, 416].contains(status) }

    /// The next bytes; `nil` at the end.
    func next() async throws -> [UInt8]? {
        do {
            return try await read()
        } catch {
            state.withLock { $0.hasFailed = true }
            throw error
        }
    }

    private func read() async throws -> [UInt8]? {
        while true {
            let body = state.withLock { $0.body }
            do {
                while let part = try await body.next() {
                    guard case .bytes(let bytes) = part else { continue }
                    state.withLock { $0.place += Int64(bytes.count) }
                    return bytes
                }
                // A server may give less at a time than it is asked for (RFC 9110 section 15.3.7).
                guard let version, state.withLock({ $0.place }) < version.length, try await goOn() else { return nil }
            } catch let failure as RemoteFailure where failure.kind == .interrupted {
                guard try await goOn() else { throw failure }
            }
        }
    }

    /// - Returns: false if it cannot be resumed.
    private func goOn() async throws -> Bool {
        let place = state.withLock { state -> Int64? in
            let isFurther = state.place >= state.brokenAt + Self.progressBytes
            state.fruitless = isFurther ? 0 : state.fruitless + 1
            state.brokenAt = state.place
            let patience = Self.patienceSeconds + (state.place - start) / Self.slowestBytesPerSecond
            guard state.fruitless < Self.fruitlessAttempts, state.place > 0,
                ContinuousClock.now - started < .seconds(patience)
            else { return nil }
            return state.place
        }
        guard let place, let version, place < version.length else { return false }
        var fields = version.asking(request, from: place)
        for name in [HTTPField.Name.ifNoneMatch, .ifModifiedSince] { fields[name] = nil }
        // Where it is another one by now, all of that may be the answer.
        let reply = try await remote.stream(url, fields: fields, maximumBytes: Fetcher.longestMediaBytes)
        guard version.isRest(reply, from: place) else {
            if Self.tellsOfContent(reply.head.status) { state.withLock { $0.isOther = true } }
            return false
        }
        state.withLock { $0.body = reply.body }
        return true
    }
}

extension ResumedContent.Version {
    /// - Parameter length: of what is sent as a whole.
    /// - Returns: `nil` without a strong validator: a part of another version could not be recognised.
    init?(of response: StoredResponse, length: Int64?, coding: String? = nil) {
        guard response.status == 200, response.fields[.acceptRanges] != "none", let length,
            let validator = StoredVariant(response, policy: .device).strongValidator
        else { return nil }
        self.init(validator: validator, length: length, coding: coding)
    }

    /// The request for what follows, where it is still the same.
    func asking(_ request: HTTPFields, from place: Int64) -> HTTPFields {
        var fields = request
        fields[.range] = "bytes=\(place)-"
        fields[.ifRange] = validator
        return fields
    }

    /// Whether a reply is what follows, or the beginning of that, of the same version.
    func isRest(_ reply: StreamedReply, from place: Int64) -> Bool {
        let fields = reply.head.fields
        guard reply.head.status == 206, fields[.contentEncoding] == coding,
            case .range(let range, let complete)? = ContentRange(fields), complete == length, range.first == place,
            range.last < length, reply.body.length.map({ $0 == range.count }) ?? (range.last == length - 1)
        else { return false }
        if validator.hasPrefix("\"") { return fields[.eTag] == validator }
        // A 206 need not say again what If-Range has named (RFC 9110 section 15.3.7).
        return fields[.lastModified].map { $0 == validator } ?? true
    }
}

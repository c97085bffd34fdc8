import HTTPCaching
import HTTPTypes
import Model
import Synchronization

/// The content of a reply that is gone on with where the connection breaks: the rest is asked for with Range and If-Range
/// (RFC 9110 sections 13.1.5 and 14.2). It is one content, or an error: what has changed meanwhile is not joined to what
/// came. For one reader.
final class ResumedContent: Sendable {
    private struct State {
        var body: HTTPBody
        var receivedBytes: Int64 = 0
        /// Of the last break.
        var brokenAt: Int64 = 0
        var fruitless = 0
    }

    private let remote: any Remote
    private let url: String
    private let request: HTTPFields
    /// A strong validator; without one nothing is gone on with.
    private let validator: String?
    private let length: Int64?
    private let state: Mutex<State>

    /// After so many breaks in a row that brought hardly anything the error is told.
    private static let fruitlessAttempts = 3
    private static let progressBytes: Int64 = 64 << 10
    /// So long the whole may take, as one exchange may: a server that trickles is not waited for again and again.
    private static let patienceSeconds: Int64 = 600
    private static let slowestBytesPerSecond: Int64 = 16 << 10
    private let started = ContinuousClock.now

    /// - Parameters:
    ///   - reply: 200, with the whole.
    ///   - request: what was asked for it.
    init(_ reply: StreamedReply, remote: any Remote, url: String, request: HTTPFields) {
        self.remote = remote
        self.url = url
        self.request = request
        length = reply.body.length
        let tag = reply.head.fields[.eTag]
        validator =
            reply.head.status == 200 && tag?.hasPrefix("\"") == true && reply.head.fields[.acceptRanges] != "none"
            ? tag : nil
        state = Mutex(State(body: reply.body))
    }

    /// The next bytes; `nil` at the end.
    func next() async throws -> [UInt8]? {
        while true {
            let body = state.withLock { $0.body }
            do {
                while let part = try await body.next() {
                    guard case .bytes(let bytes) = part else { continue }
                    state.withLock { $0.receivedBytes += Int64(bytes.count) }
                    return bytes
                }
                return nil
            } catch let failure as RemoteFailure where failure.kind == .interrupted {
                guard try await goOn() else { throw failure }
            }
        }
    }

    /// - Returns: false when it cannot be gone on with.
    private func goOn() async throws -> Bool {
        let offset = state.withLock { state -> Int64? in
            let isFurther = state.receivedBytes >= state.brokenAt + Self.progressBytes
            state.fruitless = isFurther ? 0 : state.fruitless + 1
            state.brokenAt = state.receivedBytes
            let patience = Self.patienceSeconds + state.receivedBytes / Self.slowestBytesPerSecond
            guard state.fruitless < Self.fruitlessAttempts, state.receivedBytes > 0,
                ContinuousClock.now - started < .seconds(patience)
            else { return nil }
            return state.receivedBytes
        }
        guard let offset, let validator, let length, offset < length else { return false }
        var fields = request
        for name in [HTTPField.Name.ifNoneMatch, .ifModifiedSince] { fields[name] = nil }
        fields[.range] = "bytes=\(offset)-"
        fields[.ifRange] = validator
        // Where it is another one by now, all of that may be the answer.
        let reply = try await remote.stream(url, fields: fields, maximumBytes: length)
        guard reply.head.status == 206, reply.head.fields[.eTag] == validator, reply.body.length == length - offset,
            reply.head.fields[.contentRange] == "bytes \(offset)-\(length - 1)/\(length)"
        else { return false }
        state.withLock { $0.body = reply.body }
        return true
    }
}

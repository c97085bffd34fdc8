import HTTPTypes
import Synchronization

/// The body of a request or a response, pulled piece by piece.
///
/// The reader sets the pace: the next piece is requested after the last one was consumed, which gives back-pressure. A
/// body has one reader. A reader that no longer wants it releases it, which its producer notices.
public struct HTTPBody: Sendable {
    public enum Part: Sendable {
        /// Never empty.
        case bytes([UInt8])
        /// The trailer section (RFC 9110 section 6.5), at most once and last.
        case trailers(HTTPFields)
    }

    /// In bytes, when it is known before (Content-Length).
    public let length: Int64?
    /// All of it, where it is in memory already.
    public let bytes: [UInt8]?
    private let pull: @Sendable () async throws -> Part?

    /// - Parameter next: returns the next part; `nil` at the end. A body that ends before it is complete MUST throw,
    ///   also without a stated length (chunked without the last chunk): one that ends with `nil` counts as complete.
    public init(length: Int64?, next: @escaping @Sendable () async throws -> Part?) {
        self.init(length: length, bytes: nil, next: next)
    }

    private init(length: Int64?, bytes: [UInt8]?, next: @escaping @Sendable () async throws -> Part?) {
        self.length = length
        self.bytes = bytes
        pull = next
    }

    /// A body of these bytes.
    public init(bytes: [UInt8]) {
        let once = OneUse(bytes)
        self.init(length: Int64(bytes.count), bytes: bytes) { once.take().map { .bytes($0) } }
    }

    /// One body after the other, without their trailers.
    init(length: Int64?, joining bodies: [HTTPBody]) {
        let rest = Remaining(bodies)
        self.init(length: length) {
            while let body = rest.first {
                if case .bytes(let bytes)? = try await body.next() { return .bytes(bytes) }
                rest.dropFirst()
            }
            return nil
        }
    }

    /// The same body with a required length: it throws if it ends before or exceeds it (RFC 9112 section 8).
    func stating(_ length: Int64) -> HTTPBody {
        let total = Mutex<Int64>(0)
        return HTTPBody(length: length) {
            let part = try await next()
            let count: Int64 = if case .bytes(let bytes) = part { Int64(bytes.count) } else { 0 }
            let sum = total.withLock { total in
                total += count
                return total
            }
            if sum > length {
                throw RemoteFailure(.invalidReply, "the body is longer than its Content-Length of \(length)")
            }
            if part == nil, sum < length {
                throw RemoteFailure(.interrupted, "the body ended after \(sum) of \(length) bytes")
            }
            return part
        }
    }

    public static let empty = HTTPBody(length: 0, bytes: []) { nil }

    /// The next part; `nil` at the end. For one reader.
    public func next() async throws -> Part? { try await pull() }

    /// All that comes, without the trailers.
    ///
    /// - Parameter maximumBytes: a longer body is refused: it is held in memory.
    /// - Throws: `RemoteFailure` of the kind `invalidReply` if it is longer, and the body's errors.
    public func collect(maximumBytes: Int) async throws -> [UInt8] {
        var all: [UInt8] = []
        while let part = try await next() {
            guard case .bytes(let bytes) = part else { continue }
            guard all.count + bytes.count <= maximumBytes else {
                throw RemoteFailure(.invalidReply, "the body is longer than \(maximumBytes) bytes")
            }
            all += bytes
        }
        return all
    }
}

/// Bytes that are given away once.
private final class OneUse: Sendable {
    private let bytes: Mutex<[UInt8]>

    init(_ bytes: [UInt8]) { self.bytes = Mutex(bytes) }

    func take() -> [UInt8]? {
        bytes.withLock { bytes in
            defer { bytes = [] }
            return bytes.isEmpty ? nil : bytes
        }
    }
}

/// Bodies that are read one after the other.
private final class Remaining: Sendable {
    private let bodies: Mutex<ArraySlice<HTTPBody>>

    init(_ bodies: [HTTPBody]) { self.bodies = Mutex(bodies[...]) }

    var first: HTTPBody? { bodies.withLock { $0.first } }
    func dropFirst() { bodies.withLock { _ = $0.popFirst() } }
}

import HTTPTypes
import NIOCore

/// How long a message's body is (RFC 9112 section 6.3).
package enum Framing: Hashable, Sendable {
    case none
    case length(Int64)
    case chunked
    /// A response alone: until the connection ends.
    case untilClose

    /// The framing of a request. A request that two readers could split differently is rejected.
    package static func request(_ head: RequestHead) throws(WireFault) -> Framing {
        let codings = head.fields[values: .transferEncoding]
        let length = try contentLength(head.fields, isStrict: true)
        guard let coding = codings.first else { return length.map { $0 == 0 ? .none : .length($0) } ?? .none }
        if head.minor == 0 { throw WireFault(400, "HTTP/1.0 has no Transfer-Encoding.") }
        if length != nil { throw WireFault(400, "Transfer-Encoding and Content-Length exclude each other.") }
        guard codings.count == 1, coding.lowercased() == "chunked" else {
            throw WireFault(
                coding.isEmpty || codings.count > 1 ? 400 : 501, "The only transfer coding that is taken is chunked.")
        }
        return .chunked
    }

    /// The framing of a final response to a request of this method.
    package static func response(_ head: ResponseHead, to method: HTTPRequest.Method) throws(WireFault) -> Framing {
        if method == .head || head.status < 200 || head.status == 204 || head.status == 304 { return .none }
        let codings = head.fields[values: .transferEncoding].flatMap { $0.split(separator: ",") }
            .map { $0.trimmingSpaces.lowercased() }.filter { !$0.isEmpty }
        if !codings.isEmpty {
            if codings == ["chunked"] { return .chunked }
            // Section 6.3: where the last coding is not chunked, the connection's end is the body's.
            if codings.last != "chunked" { return .untilClose }
            throw WireFault(502, "The upstream used a transfer coding that was not requested.")
        }
        if let length = try contentLength(head.fields, isStrict: false) { return .length(length) }
        return .untilClose
    }

    /// Section 6.2; `nil` when there is none.
    private static func contentLength(_ fields: HTTPFields, isStrict: Bool) throws(WireFault) -> Int64? {
        let values = fields[values: .contentLength]
        guard !values.isEmpty else { return nil }
        var members = values
        if !isStrict {
            // A list of one number again and again is a fault of an intermediary that does no harm (section 6.3).
            members = values.flatMap { $0.split(separator: ",") }.map { String($0.trimmingSpaces) }
            members = Set(members).count == 1 ? [members[0]] : members
        }
        guard members.count == 1, (1...18).contains(members[0].utf8.count),
            members[0].utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let length = Int64(members[0])
        else { throw WireFault(isStrict ? 400 : 502, "Content-Length is not one number.") }
        return length
    }
}

/// Takes a body out of the bytes of a connection, piece by piece.
package struct BodyReader: Sendable {
    package enum Event: Sendable {
        case bytes(ByteBuffer)
        /// The body is complete; with the trailer fields of a chunked one.
        case end(HTTPFields)
    }

    private enum State: Hashable {
        case rest(Int64)
        case untilClose
        case chunkSize
        case chunk(Int64)
        case chunkEnd
        case trailers
        case done
    }

    private var state: State
    private let limits: WireLimits
    private let isStrict: Bool
    private var extensionBytes = 0
    private var trailers = HTTPFields()

    package var isDone: Bool { state == .done }

    /// - Parameter isStrict: for a request.
    package init(_ framing: Framing, _ limits: WireLimits, isStrict: Bool) {
        self.limits = limits
        self.isStrict = isStrict
        state =
            switch framing {
            case .none: .done
            case .length(let length): length == 0 ? .done : .rest(length)
            case .chunked: .chunkSize
            case .untilClose: .untilClose
            }
    }

    /// The next part; `nil` if more bytes are needed.
    ///
    /// - Parameters:
    ///   - isEnded: whether no more bytes will come.
    ///   - maximumBytes: of one piece.
    package mutating func next(
        _ buffer: inout ByteBuffer, isEnded: Bool, maximumBytes: Int = 64 << 10
    ) throws(WireFault) -> Event? {
        while true {
            switch state {
            case .done: return .end(trailers)
            case .rest(let rest), .chunk(let rest):
                let count = Int(min(rest, Int64(min(buffer.readableBytes, maximumBytes))))
                guard count > 0, let piece = buffer.readSlice(length: count) else {
                    if isEnded { throw WireFault(400, "The body ended early.") }
                    return nil
                }
                let left = rest - Int64(count)
                if case .rest = state {
                    state = left == 0 ? .done : .rest(left)
                } else {
                    state = left == 0 ? .chunkEnd : .chunk(left)
                }
                return .bytes(piece)
            case .untilClose:
                let count = min(buffer.readableBytes, maximumBytes)
                if count > 0, let piece = buffer.readSlice(length: count) { return .bytes(piece) }
                if !isEnded { return nil }
                state = .done
            case .chunkSize:
                guard let size = try chunkSize(&buffer) else {
                    if isEnded { throw WireFault(400, "The body ended early.") }
                    return nil
                }
                state = size == 0 ? .trailers : .chunk(size)
            case .chunkEnd:
                guard let found = try lineEnd(&buffer) else {
                    if isEnded { throw WireFault(400, "The body ended early.") }
                    return nil
                }
                guard found else { throw WireFault(400, "A chunk is longer than it says.") }
                state = .chunkSize
            case .trailers:
                guard let fields = try HeadReader.trailers(&buffer, limits, isStrict: isStrict) else {
                    if isEnded { throw WireFault(400, "The body ended early.") }
                    return nil
                }
                trailers = fields
                state = .done
            }
        }
    }

    /// Whether the chunk's data are followed by the line's end; `nil` while it is missing.
    private func lineEnd(_ buffer: inout ByteBuffer) throws(WireFault) -> Bool? {
        guard let first = buffer.getInteger(at: buffer.readerIndex, as: UInt8.self) else { return nil }
        if first == 0x0A, !isStrict {
            buffer.moveReaderIndex(forwardBy: 1)
            return true
        }
        guard first == 0x0D else { return false }
        guard let second = buffer.getInteger(at: buffer.readerIndex + 1, as: UInt8.self) else { return nil }
        guard second == 0x0A else { return false }
        buffer.moveReaderIndex(forwardBy: 2)
        return true
    }

    /// Section 7.1: hexadecimal digits, perhaps extensions, CRLF.
    private mutating func chunkSize(_ buffer: inout ByteBuffer) throws(WireFault) -> Int64? {
        let view = buffer.readableBytesView
        var line = view.prefix { $0 != 0x0A }
        if line.count > limits.chunkExtensionBytes + 20 { throw WireFault(400, "A chunk's size is too long.") }
        guard line.endIndex < view.endIndex else { return nil }
        let end = line.endIndex
        if line.last == 0x0D {
            line = line.dropLast()
        } else if isStrict {
            throw WireFault(400, "A chunk's size ends in LF without CR.")
        }
        let digits = line.prefix { $0.hexadecimalValue != nil }
        var extensions = line.dropFirst(digits.count)
        if !isStrict { extensions = extensions.drop { $0 == 0x20 || $0 == 0x09 } }
        guard (1...15).contains(digits.count) else { throw WireFault(400, "A chunk's size is not a number.") }
        if !extensions.isEmpty {
            // Whitespace before the semicolon is allowed to be there and not allowed to be sent (section 7.1.1).
            guard extensions.first == UInt8(ascii: ";"), extensions.count <= limits.chunkExtensionBytes,
                extensions.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F })
            else { throw WireFault(400, "A chunk's size is followed by something else than an extension.") }
            extensionBytes += extensions.count
            if extensionBytes > limits.allChunkExtensionBytes { throw WireFault(400, "There are too many extensions.") }
        }
        let size = digits.reduce(Int64(0)) { $0 << 4 | Int64($1.hexadecimalValue ?? 0) }
        buffer.moveReaderIndex(to: end + 1)
        return size
    }
}

extension UInt8 {
    fileprivate var hexadecimalValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x37
        case 0x61...0x66: self - 0x57
        default: nil
        }
    }
}

extension StringProtocol where SubSequence == Substring {
    /// Without the optional whitespace of RFC 9110 section 5.6.3 around it.
    package var trimmingSpaces: Substring {
        var text = self[...]
        while let first = text.utf8.first, first == 0x20 || first == 0x09 { text = text.dropFirst() }
        while let last = text.utf8.last, last == 0x20 || last == 0x09 { text = text.dropLast() }
        return text
    }
}

import HTTPTypes
import NIOCore

/// The head of a request, as it came.
package struct RequestHead: Sendable {
    package var method: HTTPRequest.Method
    package var target: String
    /// The minor version: 0 or 1.
    package var minor: Int
    package var fields: HTTPFields

    package init(method: HTTPRequest.Method, target: String, minor: Int, fields: HTTPFields) {
        self.method = method
        self.target = target
        self.minor = minor
        self.fields = fields
    }
}

/// The head of a response, as it came.
package struct ResponseHead: Sendable {
    package var status: Int
    package var reason: String
    package var minor: Int
    package var fields: HTTPFields

    package init(status: Int, reason: String, minor: Int, fields: HTTPFields) {
        self.status = status
        self.reason = reason
        self.minor = minor
        self.fields = fields
    }
}

/// Reads the heads of messages (RFC 9112 sections 2 to 5). Requests are read strictly, since another party may split an
/// ambiguous one differently; responses as leniently as the RFC allows for a user agent.
package enum HeadReader {
    /// The head of a request; `nil` as long as it is not there in full.
    package static func request(
        _ buffer: inout ByteBuffer, _ limits: WireLimits = .request
    ) throws(WireFault) -> RequestHead? {
        // Section 2.2: at least one empty line before a request is passed over.
        while buffer.getInteger(at: buffer.readerIndex, as: UInt16.self) == 0x0D0A {
            buffer.moveReaderIndex(forwardBy: 2)
        }
        guard let length = try headLength(in: buffer, limits, isRequest: true) else { return nil }
        let head: Result<RequestHead, WireFault> = buffer.withUnsafeReadableBytes { bytes in
            let head = UnsafeRawBufferPointer(rebasing: bytes[..<length])
            return Result { () throws(WireFault) in try request(head, limits) }
        }
        buffer.moveReaderIndex(forwardBy: length)
        return try head.get()
    }

    /// The head of a response; `nil` as long as it is not there in full.
    package static func response(
        _ buffer: inout ByteBuffer, _ limits: WireLimits = .response
    ) throws(WireFault)
        -> ResponseHead?
    {
        guard let length = try headLength(in: buffer, limits, isRequest: false) else { return nil }
        let head: Result<ResponseHead, WireFault> = buffer.withUnsafeReadableBytes { bytes in
            let head = UnsafeRawBufferPointer(rebasing: bytes[..<length])
            return Result { () throws(WireFault) in try response(head, limits) }
        }
        buffer.moveReaderIndex(forwardBy: length)
        return try head.get()
    }

    /// The trailer section after the last chunk (section 7.1.2), with its empty line; `nil` as long as it is not there.
    package static func trailers(
        _ buffer: inout ByteBuffer, _ limits: WireLimits, isStrict: Bool
    ) throws(WireFault)
        -> HTTPFields?
    {
        let found: (length: Int, fields: Result<HTTPFields, WireFault>)?
        found = buffer.withUnsafeReadableBytes { bytes in
            var lines = Lines(bytes: bytes, isStrict: isStrict)
            return lines.sectionLength().map { length in
                var lines = Lines(bytes: UnsafeRawBufferPointer(rebasing: bytes[..<length]), isStrict: isStrict)
                return (length, Result { () throws(WireFault) in try fields(&lines, limits) })
            }
        }
        guard (found?.length ?? buffer.readableBytes) <= limits.trailerBytes else {
            throw WireFault(431, "The trailer is too long.")
        }
        guard let found else { return nil }
        buffer.moveReaderIndex(forwardBy: found.length)
        return try found.fields.get()
    }

    private static func headLength(
        in buffer: ByteBuffer, _ limits: WireLimits, isRequest: Bool
    ) throws(WireFault)
        -> Int?
    {
        let length = buffer.withUnsafeReadableBytes { bytes in
            var lines = Lines(bytes: bytes, isStrict: isRequest)
            return lines.sectionLength()
        }
        if let length, length <= limits.headBytes { return length }
        guard length != nil || buffer.readableBytes > limits.headBytes else { return nil }
        let hasStartLine = buffer.readableBytesView.prefix(limits.startLineBytes).contains(0x0A)
        throw hasStartLine
            ? WireFault(431, "The header section is longer than \(limits.headBytes) bytes.")
            : WireFault(414, "The request line is longer than \(limits.startLineBytes) bytes.")
    }

    // MARK: The start lines

    private static func request(_ bytes: UnsafeRawBufferPointer, _ limits: WireLimits) throws(WireFault) -> RequestHead
    {
        var lines = Lines(bytes: bytes, isStrict: true)
        guard let line = try lines.next() else { throw WireFault(400, "The request is empty.") }
        if line.count > limits.startLineBytes { throw WireFault(414, "The request line is too long.") }
        guard let first = line.firstIndex(of: 0x20), let last = line.lastIndex(of: 0x20), first < last else {
            throw WireFault(400, "The request line is not a method, a target and a version.")
        }
        let method = line[..<first]
        let target = line[(first + 1)..<last]
        guard !method.isEmpty, method.count <= 40, method.allSatisfy(\.isToken),
            let parsed = HTTPRequest.Method(rawValue: text(method))
        else { throw WireFault(400, "The method is not a word.") }
        // Section 3.2: no spaces; and nothing that is no part of a URI (RFC 3986 section 2).
        guard !target.isEmpty, target.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else {
            throw WireFault(400, "The request target has characters that no URI has: percent-encode them.")
        }
        let minor = try minorVersion(line[(last + 1)...])
        return RequestHead(method: parsed, target: text(target), minor: minor, fields: try fields(&lines, limits))
    }

    private static func response(
        _ bytes: UnsafeRawBufferPointer, _ limits: WireLimits
    ) throws(WireFault)
        -> ResponseHead
    {
        var lines = Lines(bytes: bytes, isStrict: false)
        guard let line = try lines.next() else { throw WireFault(502, "The response is empty.") }
        guard line.count >= 12, line[line.startIndex + 8] == 0x20 else {
            throw WireFault(502, "The status line cannot be read.")
        }
        let minor = try minorVersion(line.prefix(8))
        let digits = line[(line.startIndex + 9)..<(line.startIndex + 12)]
        let rest = line[(line.startIndex + 12)...]
        guard digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let status = Int(text(digits)), status >= 100,
            rest.isEmpty || rest.first == 0x20
        else { throw WireFault(502, "The status code cannot be read.") }
        let phrase = rest.dropFirst().filter { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
        return ResponseHead(
            status: status, reason: String(decoding: phrase, as: UTF8.self), minor: minor,
            fields: try fields(&lines, limits))
    }

    /// Section 2.3: `HTTP/1.1`; a later minor version is as good as 1.1.
    private static func minorVersion(_ bytes: Slice<UnsafeRawBufferPointer>) throws(WireFault) -> Int {
        guard bytes.count == 8, bytes.prefix(5).elementsEqual("HTTP/".utf8) else {
            throw WireFault(400, "The version cannot be read.")
        }
        let digits = bytes.dropFirst(5)
        guard let major = digits.first, let minor = digits.last, digits[digits.startIndex + 1] == UInt8(ascii: "."),
            (0x30...0x39).contains(major), (0x30...0x39).contains(minor)
        else { throw WireFault(400, "The version cannot be read.") }
        guard major == UInt8(ascii: "1") else { throw WireFault(505, "Only HTTP/1.1 and HTTP/1.0 are spoken here.") }
        return minor == UInt8(ascii: "0") ? 0 : 1
    }

    // MARK: The fields

    /// The field lines up to the empty one (section 5).
    private static func fields(_ lines: inout Lines, _ limits: WireLimits) throws(WireFault) -> HTTPFields {
        var fields = HTTPFields()
        var count = 0
        var folded: (name: HTTPField.Name, value: [UInt8])?
        while let line = try lines.next() {
            if line.isEmpty { break }
            count += 1
            if count > limits.fields { throw WireFault(431, "There are more than \(limits.fields) fields.") }
            if line.first == 0x20 || line.first == 0x09 {
                // Section 5.2: in a request it is refused, in a response it is as good as a space.
                guard !lines.isStrict, let former = folded else {
                    throw WireFault(400, "A field line begins with a space (obsolete line folding).")
                }
                folded = (former.name, former.value + [0x20] + trimmed(line))
                continue
            }
            if let folded { fields.append(HTTPField(name: folded.name, value: folded.value)) }
            folded = nil
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
                if lines.isStrict { throw WireFault(400, "A field line has no colon.") }
                continue
            }
            var name = line[..<colon]
            // Section 5.1: whitespace before the colon is refused in a request and removed from a response.
            if !lines.isStrict { name = trimmed(name) }
            guard !name.isEmpty, name.allSatisfy(\.isToken), let parsed = HTTPField.Name(text(name)) else {
                if lines.isStrict { throw WireFault(400, "A field's name is not a word.") }
                continue
            }
            let value = trimmed(line[(colon + 1)...])
            if lines.isStrict {
                guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                    throw WireFault(400, "The field \(parsed) has control characters.")
                }
                fields.append(HTTPField(name: parsed, lenientValue: value))
            } else {
                folded = (parsed, Array(value))
            }
        }
        if let folded { fields.append(HTTPField(name: folded.name, lenientValue: folded.value)) }
        return fields
    }

    private static func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        var bytes = bytes
        while let first = bytes.first, first == 0x20 || first == 0x09 { bytes = bytes.dropFirst() }
        while let last = bytes.last, last == 0x20 || last == 0x09 { bytes = bytes.dropLast() }
        return bytes
    }

    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}

/// The lines of a section. Strictly they end in CRLF, and no CR or LF is anywhere else.
private struct Lines {
    let bytes: UnsafeRawBufferPointer
    let isStrict: Bool
    private var place = 0

    init(bytes: UnsafeRawBufferPointer, isStrict: Bool) {
        self.bytes = bytes
        self.isStrict = isStrict
    }

    /// The length of a section with the empty line that ends it; `nil` when there is none yet.
    mutating func sectionLength() -> Int? {
        var start = 0
        while let end = bytes[start...].firstIndex(of: 0x0A) {
            let length = end - start
            if length == 0 || (length == 1 && bytes[start] == 0x0D) { return end + 1 }
            start = end + 1
        }
        return nil
    }

    /// The next line without its end; `nil` at the end of the section.
    mutating func next() throws(WireFault) -> Slice<UnsafeRawBufferPointer>? {
        guard place < bytes.count, let end = bytes[place...].firstIndex(of: 0x0A) else { return nil }
        var line = bytes[place..<end]
        place = end + 1
        if line.last == 0x0D {
            line = line.dropLast()
        } else if isStrict {
            throw WireFault(400, "A line ends in LF without CR.")
        }
        if line.contains(0x0D) {
            throw WireFault(isStrict ? 400 : 502, "There is a CR within a line.")
        }
        return line
    }
}

extension UInt8 {
    /// tchar of RFC 9110 section 5.6.2.
    package var isToken: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}

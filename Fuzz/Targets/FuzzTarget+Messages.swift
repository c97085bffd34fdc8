import HTTPMessages
import HTTPTypes
import NIOCore

/// Messages of HTTP/1, as a hub reads them from devices and from its upstream.
extension FuzzTarget {
    static func message(_ bytes: [UInt8]) throws(BrokenPromise) {
        try pieces(bytes, isRequest: true)
        try pieces(bytes, isRequest: false)
        try rewriting(bytes)
    }

    /// A message is the same however its bytes are cut.
    private static func pieces(_ bytes: [UInt8], isRequest: Bool) throws(BrokenPromise) {
        let whole = ReadMessage(bytes, pieceBytes: bytes.count, isRequest: isRequest)
        for pieceBytes in [1, 7] {
            let cut = ReadMessage(bytes, pieceBytes: pieceBytes, isRequest: isRequest)
            let kind = isRequest ? "request" : "response"
            try promise(cut == whole, "in pieces of \(pieceBytes) bytes another \(kind)")
        }
    }

    /// A request that is written again is read as the same one.
    private static func rewriting(_ bytes: [UInt8]) throws(BrokenPromise) {
        guard var read = ReadMessage(bytes, pieceBytes: bytes.count, isRequest: true),
            let method = HTTPRequest.Method(read.start)
        else { return }
        let limits = WireLimits.request
        try promise(read.fields.count <= limits.fields, "\(read.fields.count) fields")
        let head = MessageWriter.request(
            HTTPRequest(method: method, scheme: nil, authority: nil, path: read.target), fields: read.fields)
        // Each field gets a space that it may not have had, so what was close to a bound is beyond it.
        guard head.readableBytes <= limits.headBytes,
            MessageWriter.lastChunk(read.trailers).readableBytes <= limits.trailerBytes
        else { return }
        let written = Array(head.readableBytesView) + read.framedBody
        read.restBytes = 0
        let again = ReadMessage(written, pieceBytes: written.count, isRequest: true)
        try promise(again == read, "what was read is not the same after writing")
    }
}

/// One message with its body; `nil` where it is refused or has no end.
private struct ReadMessage: Equatable {
    /// The method, or the status code.
    var start = ""
    var target = ""
    var fields = HTTPFields()
    var body: [UInt8] = []
    var trailers = HTTPFields()
    /// How many bytes are left for the next message.
    var restBytes = 0
    private var framing = Framing.none

    init?(_ bytes: [UInt8], pieceBytes: Int, isRequest: Bool) {
        do {
            try read(bytes, max(1, pieceBytes), isRequest)
        } catch {
            return nil
        }
    }

    private struct HasNoEnd: Error {}

    private mutating func read(_ bytes: [UInt8], _ pieceBytes: Int, _ isRequest: Bool) throws {
        var buffer = ByteBuffer()
        var rest = bytes[...]
        var reader: BodyReader?
        while true {
            if var current = reader {
                while !current.isDone, let event = try current.next(&buffer, isEnded: rest.isEmpty) {
                    switch event {
                    case .bytes(let piece): body += Array(piece.readableBytesView)
                    case .end(let fields): trailers = fields
                    }
                }
                reader = current
                if current.isDone { break }
            } else if isRequest, let head = try HeadReader.request(&buffer) {
                (start, target, fields) = (head.method.rawValue, head.target, head.fields)
                framing = try Framing.request(head)
                reader = BodyReader(framing, .request, isStrict: true)
                continue
            } else if !isRequest, let head = try HeadReader.response(&buffer) {
                (start, fields) = (String(head.status), head.fields)
                framing = try Framing.response(head, to: .get)
                reader = BodyReader(framing, .response, isStrict: false)
                continue
            }
            guard !rest.isEmpty else { throw HasNoEnd() }
            buffer.writeBytes(rest.prefix(pieceBytes))
            rest = rest.dropFirst(pieceBytes)
        }
        restBytes = buffer.readableBytes + rest.count
    }

    /// The body as its framing has it on the wire.
    var framedBody: [UInt8] {
        guard framing == .chunked else { return body }
        var framed = body.isEmpty ? ByteBuffer() : MessageWriter.chunk(body)
        framed.writeImmutableBuffer(MessageWriter.lastChunk(trailers))
        return Array(framed.readableBytesView)
    }
}

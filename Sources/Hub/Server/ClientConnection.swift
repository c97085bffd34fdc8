import HTTPMessages
import HTTPTypes
import NIOCore
import Sync

/// A client's connection: its requests are answered one after the other.
final class ClientConnection: Sendable {
    let stream: ByteStream
    /// Of the client, for limits.
    private let address: String
    private let service: HubService
    private let times: HubTimes
    private let table: ConnectionTable
    private let isStopping: @Sendable () -> Bool

    init(
        stream: ByteStream, address: String, service: HubService, times: HubTimes, table: ConnectionTable,
        isStopping: @escaping @Sendable () -> Bool
    ) {
        self.stream = stream
        self.table = table
        self.address = address
        self.service = service
        self.times = times
        self.isStopping = isStopping
    }

    private enum Arrival: Sendable {
        case request(RequestHead)
        case end
    }

    /// Serves the connection to its end.
    func run() async {
        while !isStopping() {
            let head: RequestHead
            do {
                let arrival: Arrival = try await stream.pull(.init(silence: times.idle, whole: times.head)) {
                    if let head = try HeadReader.request(&$0) { return .request(head) }
                    return $1 && $0.readableBytes == 0 ? .end : nil
                }
                guard case .request(let next) = arrival else { break }
                head = next
            } catch let fault as WireFault {
                return await refuse(HubProblem(fault))
            } catch StreamFault.tooSlow {
                return await refuse(HubProblem(408, "The request took too long to arrive."))
            } catch StreamFault.turnedAway {
                return await refuse(table.refusal)
            } catch {
                break
            }
            service.began()
            let outcome = await answer(head)
            service.ended()
            switch outcome {
            case .next: continue
            case .gently: return await stream.closeGently()
            case .atOnce: return stream.close()
            }
        }
        stream.close()
    }

    /// The state of the connection after a response.
    private enum Outcome {
        case next
        /// The response is complete, the request may not be.
        case gently
        /// The response is not complete: the client must see that.
        case atOnce
    }

    /// An incomprehensible request ends the connection: the start of the next request is unknown.
    private func refuse(_ problem: HubProblem) async {
        let head = RequestHead(method: .get, target: "", minor: 1, fields: [:])
        if (try? await send(problem.reply, to: head, keepsAlive: false)) != nil {
            await stream.closeGently()
        } else {
            stream.close()
        }
    }

    private func answer(_ head: RequestHead) async -> Outcome {
        let options = head.fields[values: .connection].joined(separator: ",").lowercased().split(separator: ",")
            .map(\.trimmingSpaces)
        var keepsAlive = head.minor == 1 ? !options.contains("close") : options.contains("keep-alive")
        let framing: Framing
        let path: String
        do {
            framing = try Framing.request(head)
            path = try RequestTarget.path(of: head, names: service.names, isOurs: service.isOurs)
        } catch {
            let problem = (error as? WireFault).map { HubProblem($0) } ?? error as? HubProblem
            await refuse(problem ?? HubProblem(400, "The request cannot be read."))
            return .gently
        }
        let body = ClientBody(framing, head, stream, times)
        let reply = await service.answer(head, path: path, body: body.body, from: address) { interim in
            await body.tell(interim)
        }
        if body.isTurnedAway {
            await refuse(table.refusal)
            return .atOnce
        }
        if isStopping() { keepsAlive = false }
        if !body.isDone, !body.isShort { keepsAlive = false }
        do {
            let continues = try await send(reply, to: head, keepsAlive: keepsAlive)
            table.answered()
            guard continues else { return .gently }
            return await body.drain() ? .next : .gently
        } catch {
            return .atOnce
        }
    }

    // MARK: The response

    /// - Returns: whether the connection continues.
    private func send(_ reply: HTTPReply, to head: RequestHead, keepsAlive: Bool) async throws -> Bool {
        var keepsAlive = keepsAlive
        var fields = reply.head.headerFields
        let status = reply.head.status.code
        let hasBody = head.method != .head && status >= 200 && status != 204 && status != 304
        let length = reply.body.length ?? (hasBody ? fields[.contentLength].flatMap { Int64($0) } : nil)
        var isChunked = false
        if hasBody {
            if let length {
                fields[.contentLength] = String(length)
            } else {
                fields[.contentLength] = nil
                isChunked = head.minor == 1
                if isChunked { fields[.transferEncoding] = "chunked" } else { keepsAlive = false }
            }
        } else if status == 204 {
            fields[.contentLength] = nil
        }
        if fields[.date] == nil { fields[.date] = service.date() }
        if !keepsAlive {
            fields[.connection] = "close"
        } else if head.minor == 0 {
            fields[.connection] = "keep-alive"
        }
        let content = hasBody ? reply.body.bytes : []
        if !hasBody || length == 0 || content.map({ Int64($0.count) == length }) ?? false {
            try await write(MessageWriter.response(reply.head, fields: fields, body: content ?? []))
            return keepsAlive
        }
        // The head waits for the first bytes of the body, so that both go out at once; not longer than they take.
        try await stream.write(
            MessageWriter.response(reply.head, fields: fields), flushing: false, patience: times.client)
        var rest = length
        while let part = try await reply.body.next() {
            switch part {
            case .bytes(let bytes):
                guard !bytes.isEmpty else { continue }
                if let left = rest {
                    guard left >= bytes.count else { throw StreamFault.ended }
                    rest = left - Int64(bytes.count)
                }
                try await write(isChunked ? MessageWriter.chunk(bytes) : ByteBuffer(bytes: bytes))
            case .trailers(let trailers):
                if isChunked { try await write(MessageWriter.lastChunk(trailers)) }
                return keepsAlive && rest ?? 0 == 0
            }
        }
        if let rest, rest > 0 { throw StreamFault.ended }
        if isChunked { try await write(MessageWriter.lastChunk([:])) }
        return keepsAlive
    }

    private func write(_ bytes: ByteBuffer) async throws {
        try await stream.write(bytes, patience: times.client)
    }
}

/// How long the hub waits for clients, and clients for the upstream.
struct HubTimes: Sendable {
    /// For the first byte of the next request.
    var idle = TimeAmount.seconds(60)
    /// From the first byte of a request to the end of its head: a head is one or two packets, on any network.
    var head = TimeAmount.seconds(15)
    /// For the next byte of a body, and for a client to receive the next 32 KiB of a response (the mark below which NIO
    /// calls a connection writable again): a slower reader would block memory and a connection.
    var client = TimeAmount.seconds(30)
    var pace = BodyPace.Bound()
    /// How long a device waits for the upstream to answer its submission.
    var answer = Duration.seconds(10)
}

/// The body of a client's request, read on demand.
// Proof: the reader and the flags are touched on the connection's event loop alone.
private final class ClientBody: @unchecked Sendable {
    private var reader: BodyReader
    private let stream: ByteStream
    private let patience: ByteStream.Patience
    private var pace: BodyPace
    private let length: Int64?
    private let minor: Int
    private let expectation: Once
    private let isComplete = Once()
    private let turnedAway = Once()

    init(_ framing: Framing, _ head: RequestHead, _ stream: ByteStream, _ times: HubTimes) {
        reader = BodyReader(framing, .request, isStrict: true)
        self.stream = stream
        patience = ByteStream.Patience(silence: times.client)
        pace = BodyPace(times.pace)
        minor = head.minor
        expectation = Once()
        switch framing {
        case .length(let length): self.length = length
        case .none, .untilClose:
            length = 0
            _ = isComplete.begin()
        case .chunked: length = nil
        }
        let expects = head.minor == 1 && head.fields[.expect]?.lowercased() == "100-continue"
        if !expects { _ = expectation.begin() }
    }

    var body: HTTPBody { length == 0 ? .empty : HTTPBody(length: length) { try await self.next() } }

    var isDone: Bool { isComplete.isDone }
    /// Whether the hub has no room for the connection any more, and the content was not complete.
    var isTurnedAway: Bool { turnedAway.isDone }

    private func next() async throws -> HTTPBody.Part? {
        if isComplete.isDone { return nil }
        // RFC 9110 section 10.1.1: the client waits for a word before it sends.
        if expectation.begin() { try await write(HTTPResponse(status: .continue)) }
        let started = NIODeadline.now()
        let silence = min(patience.silence, pace.rest)
        let (event, isLast): (BodyReader.Event, Bool)
        do {
            (event, isLast) = try await stream.pull(.init(silence: silence)) {
                try self.reader.next(&$0, isEnded: $1).map { ($0, self.reader.isDone) }
            }
        } catch StreamFault.silent where silence < patience.silence {
            throw StreamFault.tooSlow
        } catch StreamFault.turnedAway {
            _ = turnedAway.begin()
            throw StreamFault.turnedAway
        }
        switch event {
        case .bytes(let bytes):
            let isSteady = pace.note(bytes.readableBytes, after: .now() - started)
            // A body of known length has no request for its end.
            if isLast { _ = isComplete.begin() } else if !isSteady { throw StreamFault.tooSlow }
            return .bytes(Array(bytes.readableBytesView))
        case .end(var trailers):
            _ = isComplete.begin()
            Forwarding.removeForbidden(fromTrailers: &trailers)
            return trailers.isEmpty ? nil : .trailers(trailers)
        }
    }

    /// Passes an interim response on (RFC 9110 section 15.2).
    func tell(_ response: HTTPResponse) async {
        // HTTP/1.0 has none, and one 100 is enough.
        guard minor == 1, response.status.code != 100 || expectation.begin() else { return }
        // A client that is gone is noticed by the final response.
        try? await write(response)
    }

    private func write(_ response: HTTPResponse) async throws {
        var fields = response.headerFields
        Forwarding.removeHopByHop(&fields)
        try await stream.write(MessageWriter.response(response, fields: fields), patience: patience.silence)
    }

    /// Whether the rest can be skipped: it is short, and the client does not wait for permission to send it.
    var isShort: Bool { length.map { $0 <= 64 << 10 } == true && expectation.isDone }

    /// Skips the rest of a short body that was not read.
    ///
    /// - Returns: whether the next request can be read.
    func drain() async -> Bool {
        while !isDone {
            // Whatever ended it: there is no next request.
            guard (try? await next()) != nil else { return false }
        }
        return true
    }
}

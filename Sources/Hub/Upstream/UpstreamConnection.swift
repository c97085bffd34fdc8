import HTTPMessages
import HTTPTypes
import NIOCore
import NIOSSL
import Sync

/// One connection to the upstream: exchanges on it, one after the other.
final class UpstreamConnection: Sendable {
    let stream: ByteStream
    let executor: LoopExecutor
    private let place: String
    private let silence: TimeAmount

    init(stream: ByteStream, place: String, silence: TimeAmount) {
        self.stream = stream
        self.place = place
        self.silence = silence
        executor = LoopExecutor.of(stream.eventLoop)
    }

    /// The connection ended before a byte of the response, as one does that was kept for too long.
    struct Stale: Error {
        var hasTakenBody: Bool
    }

    /// Bytes arrived while no request was outstanding: nothing was sent.
    struct OutOfStep: Error {}

    /// Sends a request and returns its response as soon as the head has arrived.
    ///
    /// - Parameters:
    ///   - head: of the request, as it goes out.
    ///   - isReused: the connection was kept after another exchange.
    ///   - release: is called once, with whether the connection can take another exchange.
    func exchange(
        head: ByteBuffer, request: HTTPRequest, body: HTTPBody?, isChunked: Bool, isReused: Bool,
        interim: @escaping @Sendable (HTTPResponse) async -> Void, release: @escaping @Sendable (Bool) -> Void
    ) async throws -> HTTPReply {
        let pump = body.map { BodyPump($0, isChunked: isChunked, on: self, silence: silence) }
        var isAnswered = false
        do {
            if isReused {
                guard try await stream.writeUnlessUnread(head, patience: silence) else { throw OutOfStep() }
            } else {
                try await stream.write(head, patience: silence)
            }
            var expects = request.headerFields[.expect]?.lowercased() == "100-continue"
            if !expects { pump?.begin() }
            while true {
                let received: ResponseHead
                do {
                    // RFC 9110 section 10.1.1: the wait for a 100 is limited.
                    received = try await stream.pull(.init(silence: expects ? .seconds(1) : silence)) { buffer, _ in
                        try HeadReader.response(&buffer)
                    }
                } catch StreamFault.silent where expects {
                    expects = false
                    pump?.begin()
                    continue
                }
                isAnswered = true
                guard received.status >= 200 else {
                    if received.status == 101 { throw WireFault(502, "\(place) changed the protocol unasked") }
                    if received.status == 100, expects {
                        expects = false
                        pump?.begin()
                    }
                    await interim(Self.response(received))
                    continue
                }
                return try finish(received, request, pump, release)
            }
        } catch {
            pump?.cancel()
            stream.close()
            release(false)
            if let fault = pump?.sourceFault { throw fault }
            if error is OutOfStep { throw error }
            if !isAnswered, error as? StreamFault == .ended {
                throw Stale(hasTakenBody: pump?.hasBegun ?? false)
            }
            throw failure(error)
        }
    }

    private func finish(
        _ received: ResponseHead, _ request: HTTPRequest, _ pump: BodyPump?,
        _ release: @escaping @Sendable (Bool) -> Void
    ) throws -> HTTPReply {
        let framing = try Framing.response(received, to: request.method)
        var response = Self.response(received)
        let options = received.fields[values: .connection].joined(separator: ",").lowercased()
            .split(separator: ",").map(\.trimmingSpaces)
        let persists = received.minor == 1 ? !options.contains("close") : options.contains("keep-alive")
        Forwarding.removeHopByHop(&response.headerFields)
        Forwarding.addVia(&response.headerFields, minor: received.minor, name: Upstream.viaName)
        let isUnambiguous = framing != .chunked || received.fields[.contentLength] == nil
        // RFC 9112 section 6.3: Transfer-Encoding counts instead of Content-Length.
        let hasCoding = received.fields.contains(.transferEncoding)
        if hasCoding { response.headerFields[values: .contentLength] = [] }
        let source = UpstreamBody(
            framing, self, pump, isKept: persists && isUnambiguous && framing != .untilClose, release: release)
        switch framing {
        case .none, .length(0):
            source.finish()
            return HTTPReply(head: response, body: .empty)
        case .length(let length):
            return HTTPReply(head: response, body: HTTPBody(length: length) { try await source.next() })
        case .chunked, .untilClose:
            var reply = HTTPReply(head: response, body: HTTPBody(length: nil) { try await source.next() })
            // The content still has a coding that is unknown here.
            reply.mayBeKept = framing == .chunked || !hasCoding
            return reply
        }
    }

    private static func response(_ head: ResponseHead) -> HTTPResponse {
        HTTPResponse(status: .init(code: head.status, reasonPhrase: head.reason), headerFields: head.fields)
    }

    /// The meaning of a connection's fault for the client.
    func failure(_ error: any Error) -> any Error {
        switch error {
        case let failure as RemoteFailure: failure
        case StreamFault.silent, StreamFault.tooSlow:
            RemoteFailure(.interrupted, "\(place) has said nothing for \(silence.nanoseconds / 1_000_000_000) s")
        case let fault as WireFault: RemoteFailure(.invalidReply, "\(place) sent no proper response: \(fault.reason)")
        case NIOSSLError.handshakeFailed:
            // Nothing of the request was sent before that.
            RemoteFailure(.unreachable, "\(place) could not prove who it is")
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            RemoteFailure(.unreachable, "\(place) could not prove who it is: its certificate is for another name")
        case is CancellationError: RemoteFailure(.cancelled, "stopped")
        default: RemoteFailure(.interrupted, "the connection to \(place) broke")
        }
    }
}

/// The body of a response, read from its connection on demand. It closes the connection when it is released.
// Proof: the reader is touched on the connection's event loop alone; the rest is constant or behind a lock.
private final class UpstreamBody: @unchecked Sendable {
    private var reader: BodyReader
    private let connection: UpstreamConnection
    private let pump: BodyPump?
    private let isKept: Bool
    private let release: @Sendable (Bool) -> Void
    private let isFinished = Once()

    init(
        _ framing: Framing, _ connection: UpstreamConnection, _ pump: BodyPump?, isKept: Bool,
        release: @escaping @Sendable (Bool) -> Void
    ) {
        reader = BodyReader(framing, .response, isStrict: false)
        self.connection = connection
        self.pump = pump
        self.isKept = isKept
        self.release = release
    }

    deinit { abandon() }

    func next() async throws -> HTTPBody.Part? {
        if isFinished.isDone { return nil }
        do {
            let patience = ByteStream.Patience(silence: connection.silenceOfBody)
            let (event, isLast): (BodyReader.Event, Bool) = try await connection.stream.pull(patience) {
                try self.reader.next(&$0, isEnded: $1).map { ($0, self.reader.isDone) }
            }
            switch event {
            case .bytes(let bytes):
                if isLast { finish() }
                return .bytes(Array(bytes.readableBytesView))
            case .end(var trailers):
                finish()
                Forwarding.removeForbidden(fromTrailers: &trailers)
                return trailers.isEmpty ? nil : .trailers(trailers)
            }
        } catch {
            abandon()
            throw connection.failure(error)
        }
    }

    /// The whole response has come.
    func finish() {
        guard isFinished.begin() else { return }
        // A request that is still being sent cannot be stopped but by ending the connection.
        let isUsable = isKept && pump?.isComplete ?? true
        if !isUsable {
            pump?.cancel()
            connection.stream.close()
        }
        release(isUsable)
    }

    private func abandon() {
        guard isFinished.begin() else { return }
        pump?.cancel()
        connection.stream.close()
        release(false)
    }
}

extension UpstreamConnection {
    fileprivate var silenceOfBody: TimeAmount { silence }
}

import HTTPTypes
import Model
import Sync
import Synchronization
import WireFormat

/// The upstream behind the hub's cache.
struct CachingUpstream: Sendable {
    let upstream: Upstream
    let cache: HTTPCache

    /// A path with the upstream's base, as requested and stored.
    func normalised(_ path: String) -> String {
        let base = upstream.address.basePath
        guard path.hasPrefix(base), !NormalURL.isPlain(path: path) else { return path }
        return base + ProtocolQuery.normalised(String(path.dropFirst(base.count)))
    }

    /// Answers a request: from the cache where that is allowed, else by asking the upstream.
    ///
    /// - Parameters:
    ///   - request: with the upstream's scheme, authority and whole path.
    ///   - host: the client's name for the hub.
    func fetch(
        _ request: HTTPRequest, body: HTTPBody = .empty, host: String? = nil,
        interim: @escaping @Sendable (HTTPResponse) async -> Void = { _ in }
    ) async throws -> HTTPReply {
        var request = request
        request.path = request.path.map(normalised)
        // The hub serves its content to everyone, so the replies must be for everyone.
        if upstream.lendsToken(request.method, request.path ?? ""), !isPersonal(request) {
            request.headerFields[.authorization] = nil
        }
        let hasAsked = Mutex(false)
        return try await cache.fetch(request, body: body, clientAuthority: host, interim: interim) {
            [upstream] request, body, interim in
            // Where the cache asks again, a kept connection may have ended: all of them were kept as long.
            let isFirst = hasAsked.withLock { hasAsked in
                defer { hasAsked = true }
                return !hasAsked
            }
            let reply = try await upstream.exchange(request, body, reuses: isFirst, repeats: false, interim)
            guard Self.isFromStranger(reply.head, to: request, basePath: upstream.address.basePath) else {
                return reply
            }
            // The connection is of use when the reply has been read.
            _ = try? await reply.body.collect(maximumBytes: 64 << 10)
            throw RemoteFailure(
                .notTheServer,
                "what answered at \(upstream.address.authority) is not the Quire server (\(reply.head.status.code))")
        }
    }

    /// Whether the reply depends on whose key a request shows. A key that the upstream accepts goes with it.
    func isPersonal(_ request: HTTPRequest) -> Bool {
        guard let path = request.path?.dropFirst(upstream.address.basePath.count).prefix(while: { $0 != "?" }) else {
            return false
        }
        return (try? APIPath(path))?.isPersonal == true
    }

    /// Whether another page has answered a question of the protocol, as the head alone shows. It takes the place of nothing
    /// that is kept for the room: to the cache it is as if the upstream were away.
    static func isFromStranger(_ head: HTTPResponse, to request: HTTPRequest, basePath: String) -> Bool {
        let protocolPath = basePath + APIPath.root
        guard request.method == .get || request.method == .head, let path = request.path?.prefix(while: { $0 != "?" }),
            path.hasPrefix(protocolPath)
        else { return false }
        // A file of a questionnaire may be a page; its path is deeper than any document's.
        let isDocument = path.dropFirst(protocolPath.count).split(separator: "/").count <= 2
        switch head.status.code {
        // About the part or the version that was asked for, as any file server says it.
        case 412, 416: return false
        default:
            return StrangerRule.applies(
                status: head.status.code, fields: head.headerFields, marks: .unread, mayBePage: !isDocument)
        }
    }
}

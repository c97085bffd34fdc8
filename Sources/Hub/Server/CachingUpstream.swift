import HTTPTypes
import Sync
import Synchronization

/// The upstream behind the hub's cache.
struct CachingUpstream: Sendable {
    let upstream: Upstream
    let cache: HTTPCache

    /// Answers a request: from the cache where that is allowed, else by asking the upstream.
    ///
    /// - Parameters:
    ///   - request: with the upstream's scheme, authority and whole path.
    ///   - host: what the client calls the hub.
    func fetch(
        _ request: HTTPRequest, body: HTTPBody = .empty, host: String? = nil,
        interim: @escaping @Sendable (HTTPResponse) async -> Void = { _ in }
    ) async throws -> HTTPReply {
        var request = request
        // What the hub shows is shown for everybody, so what comes back is for everybody.
        if upstream.lendsToken(request.method, request.path ?? "") { request.headerFields[.authorization] = nil }
        let hasAsked = Mutex(false)
        return try await cache.fetch(request, body: body, clientAuthority: host, interim: interim) {
            [upstream] request, body, interim in
            // Where the cache asks again, a kept connection may have ended: all of them were kept as long.
            let isFirst = hasAsked.withLock { hasAsked in
                defer { hasAsked = true }
                return !hasAsked
            }
            return try await upstream.exchange(request, body, reuses: isFirst, repeats: false, interim)
        }
    }
}

import CacheStore
import Disk
import HTTPCaching
import HTTPTypes
import Model

/// An HTTP cache (RFC 9111) in front of any client: it answers from stored responses where allowed, asks the origin
/// otherwise, and stores storable responses.
///
///     let cache = store.httpCache(named: "my-app")
///     var request = HTTPRequest(method: .get, scheme: "https", authority: "example.org", path: "/news")
///     let reply = try await cache.fetch(request) { request, body, interim in
///         try await myClient.send(request, body)          // an HTTPReply; its body is pulled as it is read
///     }
///     while case .bytes(let bytes)? = try await reply.body.next() { … }
///
/// Simultaneous requests for one resource are collapsed, and all clients read the one answer while it arrives; stale
/// responses are served where allowed, and refreshed in the background; ranges and HEAD are answered from a stored GET;
/// the client's conditions are evaluated here. A reader that leaves early neither stops nor spoils a body of known
/// length that is being stored; one that may be endless is released with its last reader. Each reply reports its origin
/// in Cache-Status (RFC 9211).
///
/// Any number of tasks may use one; any number of processes may share the store behind it. Keep a reference: when it is
/// released, bodies without readers are released, and running refreshes are its last.
public final class HTTPCache: Sendable {
    private let clock: any StoreClock
    private let policy: CachePolicy
    private let counters = CacheCounters()
    private let flights = Flights()
    private let responses: StoredResponses
    private let replies: ReplyBuilder
    private let forwarder: RequestForwarder
    private let collapser: RequestCollapser

    /// - Parameters:
    ///   - cache: where responses are kept.
    ///   - policy: its `storesDecoded` does not count: this cache keeps bodies as they come.
    ///   - overrides: rules that take the place of the origin's Cache-Control.
    ///   - name: the name of this cache in Cache-Status.
    package init(
        cache: Cache, clock: any StoreClock, policy: CachePolicy, overrides: [CacheControlOverride] = [], name: String
    ) {
        self.clock = clock
        var policy = policy
        policy.storesDecoded = false
        self.policy = policy
        responses = StoredResponses(
            cache: cache, memory: EntryMemory(cache: cache, policy: policy), flights: flights)
        replies = ReplyBuilder(cache: cache, clock: clock, policy: policy, counters: counters, name: name)
        forwarder = RequestForwarder(
            responses: responses, replies: replies, storage: ResponseStorage(responses: responses, replies: replies),
            overrides: overrides)
        collapser = RequestCollapser(responses: responses, replies: replies, forwarder: forwarder)
    }

    package var statistics: Statistics { counters.statistics }

    /// Answers a request: from the cache where RFC 9111 allows it, else by asking `origin`.
    ///
    /// - Parameters:
    ///   - request: with scheme, authority and path: responses are stored under the target URI.
    ///   - body: of the request.
    ///   - clientAuthority: what the client calls the target's authority, where the caller is a gateway: the origin may
    ///     name its URLs by it.
    ///   - interim: gets interim responses (1xx) of the origin.
    ///   - origin: asks the origin. It may be called later, too, for a question in the background.
    /// - Returns: the reply. A failure of the origin that `RemoteFailure` describes becomes a 502 or 504 with a problem
    ///   document (RFC 9457), unless a stored response may be served instead.
    /// - Throws: the other errors of `origin`, whatever is stored; and `CancellationError` at once when the task is
    ///   cancelled. `origin` is cancelled then, too, unless others wait for the same answer.
    public func fetch(
        _ request: HTTPRequest, body: HTTPBody = .empty, clientAuthority: String? = nil,
        interim: @escaping @Sendable (HTTPResponse) async -> Void = { _ in }, origin: @escaping Origin
    ) async throws -> HTTPReply {
        counters.count { $0.requests += 1 }
        let asked = CacheRequest(
            method: request.method, url: Self.url(of: request), fields: request.headerFields,
            clientAuthority: clientAuthority)
        let exchange = Exchange(request: request, asked: asked, body: body, interim: interim, origin: origin)
        // Content of a GET has no meaning for a cache (RFC 9110 section 9.3.1).
        guard asked.isCacheable, body.length == 0 else { return try await forwarder.forward(exchange) }
        var known = await responses.known(asked.url)
        // Twice at most: an unreadable response is forgotten the first time.
        for _ in 0..<2 {
            let now = clock.now
            switch CacheLookup.decide(now: now, request: asked, variants: known.variants, policy: policy) {
            case .use(let use):
                if let reply = try await replies.answer(use, of: known, to: exchange, .hit) {
                    replies.note(use, of: known)
                    if let refresh = use.refresh { collapser.refresh(refresh, known, exchange) }
                    return reply
                }
                known = await responses.forget(use.index, of: known, asked.url)
            case .ask(let question): return try await collapser.ask(question, known, exchange)
            case .unsatisfiable(let reason): return replies.unsatisfiable(reason, exchange)
            }
        }
        return try await collapser.ask(OriginQuestion(reason: .uriMiss), KnownResponses(path: known.path), exchange)
    }

    /// Returns when nothing is under way any more: bodies that are being kept, questions in the background.
    public func finishBackgroundWork() async { await flights.idle() }

    /// The target URI (RFC 9110 section 7.1) in the normal form for any server.
    package static func url(of request: HTTPRequest) -> String {
        let scheme = (request.scheme ?? "http").lowercased()
        var authority = (request.authority ?? "").lowercased()
        let port = ":\(NormalURL.standardPorts[scheme] ?? 80)"
        if authority.hasSuffix(port) { authority.removeLast(port.utf8.count) }
        let path = (request.path ?? "/").prefix { $0 != "#" }
        return NormalURL.normalised(
            "\(scheme)://\(authority)\(path.hasPrefix("/") ? "" : "/")\(path)", form: .anyServer)
    }

    /// A change went to the origin past this cache, and the origin has answered: invalidated responses are marked (RFC
    /// 9111 section 4.4).
    ///
    /// - Parameter others: of the stored URLs, those that a success changes besides the target's: a list that has it.
    /// - Returns: the URLs for which something is stored that now waits to be confirmed.
    package func noteChange(
        by request: HTTPRequest, status: Int, fields: HTTPFields,
        others: @escaping @Sendable (String) -> Bool = { _ in false }
    ) async -> [String] {
        let asked = CacheRequest(method: request.method, url: Self.url(of: request), fields: request.headerFields)
        let named = Invalidation.urls(asked, status: status, response: fields)
        for url in named { await responses.invalidate(url) }
        if named.isEmpty { return [] }
        let stored = await responses.storedURLs()
        let besides = stored.filter { others($0) && !named.contains($0) }
        for url in besides { await responses.invalidate(url) }
        return named.filter(stored.contains) + besides.sorted()
    }
}

/// One request with the way to its origin.
struct Exchange: Sendable {
    var request: HTTPRequest
    var asked: CacheRequest
    var body: HTTPBody
    var interim: @Sendable (HTTPResponse) async -> Void
    var origin: Origin
    /// The cache asks for itself.
    var isBackground = false

    var isHead: Bool { asked.method == .head }
}

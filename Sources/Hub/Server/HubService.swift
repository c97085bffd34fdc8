import Disk
import FoundationEssentials
import HTTPCaching
import HTTPMessages
import HTTPTypes
import Model
import Sync
import Synchronization
import WireFormat

/// Answers requests: the hub's own pages, submissions from devices, and everything else from the cache or the upstream.
final class HubService: Sendable {
    private let caching: CachingUpstream
    private let clock: any StoreClock
    private let relay: WriteRelay
    private let page: StatusPage
    private let app = AppPage()
    private let drafts: DraftEndpoint
    private let guesses: KeyGuesses
    private let authorities: Mutex<Set<String>>
    /// Those that Host may have (RFC 9110 section 15.5.20).
    let names: OwnNames
    private let formattedDate = Mutex<(second: Int64, text: String)>((-1, ""))
    private let active = Mutex(0)

    private var upstream: Upstream { caching.upstream }
    private var people: PeopleEndpoint {
        PeopleEndpoint(upstream: upstream, keys: relay.keys, isForRoom: showsPeople)
    }
    private let showsPeople: Bool

    init(
        caching: CachingUpstream, clock: any StoreClock, relay: WriteRelay, page: StatusPage, drafts: DraftEndpoint,
        showsPeople: Bool,
        names: OwnNames
    ) {
        self.showsPeople = showsPeople
        self.drafts = drafts
        guesses = KeyGuesses(keys: relay.keys, clock: clock)
        self.caching = caching
        self.clock = clock
        self.relay = relay
        self.page = page
        self.names = names
        authorities = Mutex([caching.upstream.address.authority.lowercased()])
    }

    /// Names of this hub that a URL in a request may have.
    func call(_ authorities: [String]) { self.authorities.withLock { $0.formUnion(authorities) } }

    func isOurs(_ authority: String) -> Bool { authorities.withLock { $0.contains(authority) } }

    var activeRequests: Int { active.withLock { $0 } }
    func began() { active.withLock { $0 += 1 } }
    func ended() { active.withLock { $0 -= 1 } }

    /// The time for Date (RFC 9110 section 6.6.1).
    func date() -> String {
        let now = clock.now
        return formattedDate.withLock { known in
            if known.second != now.secondsSinceEpoch { known = (now.secondsSinceEpoch, HTTPDate.format(now)) }
            return known.text
        }
    }

    /// - Parameters:
    ///   - path: as the client sees it, with the query.
    ///   - client: its address, for limits.
    func answer(
        _ head: RequestHead, path: String, body: HTTPBody, from client: String,
        interim: @escaping @Sendable (HTTPResponse) async -> Void
    ) async -> HTTPReply {
        let authorization = head.fields[.authorization]
        let admission: KeyGuesses.Admission
        do {
            admission = try guesses.admit(authorization, head.method, path: path, from: client)
        } catch {
            return (error as? HubProblem ?? HubProblem(500, "\(error)")).reply
        }
        let reply = await answer(head, path: path, body: body, interim: interim)
        guesses.settle(admission, authorization, path: path, status: reply.head.status)
        return reply
    }

    private func answer(
        _ head: RequestHead, path: String, body: HTTPBody,
        interim: @escaping @Sendable (HTTPResponse) async -> Void
    ) async -> HTTPReply {
        do {
            return try await reply(to: head, path: path, body: body, interim: interim)
        } catch let problem as HubProblem {
            return problem.reply
        } catch let fault as UploadFault {
            return HubProblem(fault).reply
        } catch let fault as WireFault {
            return HubProblem(fault).reply
        } catch let failure as RemoteFailure {
            return HubProblem(failure).reply
        } catch StreamFault.tooSlow {
            return HubProblem(408, "The request's content came too slowly: send it again on a better connection.").reply
        } catch is StreamFault {
            return HubProblem(
                400, "The request's content did not arrive in full: send it again.", kind: "digest-mismatch",
                title: "The content is not what was sent"
            ).reply
        } catch let error as FileError where error.isFull {
            return HubProblem(507, "The hub's disk is full: nothing was kept, send it again later.").reply
        } catch {
            return HubProblem(500, "The hub could not do this: \(error)").reply
        }
    }

    private func reply(
        to head: RequestHead, path: String, body: HTTPBody,
        interim: @escaping @Sendable (HTTPResponse) async -> Void
    ) async throws -> HTTPReply {
        if Forwarding.isLoop(head.fields, name: Upstream.viaName) {
            throw HubProblem(508, "This request has been here before: the hub's upstream leads back to the hub.")
        }
        if path.prefix(while: { $0 != "?" }) == "/", let reply = StatusPage.entrance(head) { return reply }
        if AppPage.isAt(path) { return try await app.reply(to: head, path: path, body: body) }
        if DraftEndpoint.isAt(path) { return try await drafts.reply(to: head, path: path, body: body) }
        if path.hasPrefix("/_hub/") {
            return try await page.reply(to: head, path: path, activeRequests: activeRequests)
        }
        if let expect = head.fields[.expect], expect.lowercased() != "100-continue" {
            throw HubProblem(417, "The only expectation that is understood is 100-continue.")
        }
        if !upstream.address.basePath.isEmpty, TargetCheck.climbs(path) {
            throw HubProblem(400, "The path leads out of where it begins: write it without “..”.")
        }
        var fields = head.fields
        if let answer = Self.countForward(head, &fields) { return answer }
        if path.hasPrefix(APIPath.root) { Self.asDevicesAsk(&fields) }
        Forwarding.removeHopByHop(&fields)
        Forwarding.removeClaims(&fields)
        Forwarding.addVia(&fields, minor: head.minor, name: Upstream.viaName)
        var request = HTTPRequest(
            method: head.method, scheme: upstream.address.scheme, authority: upstream.address.authority,
            path: path == "*" ? path : upstream.address.basePath + path, headerFields: fields)
        // What a device writes is kept with the key that it shows, which the relay looks at.
        let isRead = head.method == .get || head.method == .head
        if isRead { await removeUselessKey(from: &request) }
        if PeopleEndpoint.isAsked(request, path) { return try await people.reply(to: request) }
        if let reply = try await relay.reply(to: request, path: path, body: body, shown: head.fields[.authorization]) {
            return reply
        }
        if !isRead { await removeUselessKey(from: &request) }
        // The server as a whole is no document.
        if path == "*" {
            var reply = try await upstream.exchange(request, body, interim)
            CacheStatus(cache: HubProblem.cacheName, handling: .forwarded(.method, status: reply.head.status.code))
                .append(to: &reply.head.headerFields)
            return reply
        }
        return try await caching.fetch(request, body: body, host: head.fields[.hostField], interim: interim)
    }

    /// A key that the upstream does not accept is as none: its device may take and hand in with the hub's.
    private func removeUselessKey(from request: inout HTTPRequest) async {
        if let authorization = request.headerFields[.authorization], caching.isPersonal(request),
            upstream.lendsToken(request.method, request.path ?? ""), await !relay.keys.isValid(authorization)
        {
            request.headerFields[.authorization] = nil
        }
    }

    /// A host compresses with gzip or not at all (docs/protocol.md): every browser, whatever other codings it knows,
    /// gets the content that others of the room fetched and the prefetcher keeps, also while the upstream is
    /// unreachable. With only two values of this field, no client can evict a document by varying it.
    private static func asDevicesAsk(_ fields: inout HTTPFields) {
        let isReadable = ContentCodings.areReadable([.contentEncoding: "gzip"], by: fields)
        fields[.acceptEncoding] = isReadable ? "gzip" : "identity"
    }

    /// Max-Forwards (RFC 9110 section 7.6.2): the last hop answers, the others count down.
    private static func countForward(_ head: RequestHead, _ fields: inout HTTPFields) -> HTTPReply? {
        guard head.method == .options || head.method == .trace, let value = fields[.maxForwards], let rest = Int(value)
        else { return nil }
        if rest > 0 {
            fields[.maxForwards] = String(rest - 1)
            return nil
        }
        if head.method == .trace { return HubProblem.notAllowed("The hub echoes nothing.").reply }
        let fields: HTTPFields = [
            .allow: HubProblem.methods, .cacheStatus: "\(HubProblem.cacheName); detail=\"hub\"",
        ]
        return HTTPReply(head: HTTPResponse(status: .noContent, headerFields: fields))
    }
}

extension HubProblem {
    /// A request that the upstream did not answer.
    init(_ failure: RemoteFailure) {
        switch failure.kind {
        case .unreachable:
            self.init(504, "The upstream is away: \(failure.reason).", kind: "upstream-away", title: "Upstream away")
        case .interrupted, .unavailable, .tokenRefused, .notTheServer:
            self.init(504, "The upstream did not answer: \(failure.reason).", kind: "upstream-silent")
        case .invalidReply: self.init(502, "The upstream's answer cannot be used: \(failure.reason).")
        case .cancelled: self.init(503, "The hub is being stopped.")
        }
    }
}

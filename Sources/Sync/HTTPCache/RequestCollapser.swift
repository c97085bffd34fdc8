import CacheStore
import Disk
import HTTPCaching
import HTTPTypes
import Model

/// Asks the origin once for all requests for the same resource (RFC 9111 section 4: collapsed requests).
///
/// It lives as long as the HTTP cache and each request that it has made for others. Then bodies without readers are released.
final class RequestCollapser: Sendable {
    private let responses: StoredResponses
    private let replies: ReplyBuilder
    private let forwarder: RequestForwarder
    private var flights: Flights { responses.flights }
    private var clock: any StoreClock { replies.clock }
    private var policy: CachePolicy { replies.policy }
    private var counters: CacheCounters { replies.counters }

    init(responses: StoredResponses, replies: ReplyBuilder, forwarder: RequestForwarder) {
        self.responses = responses
        self.replies = replies
        self.forwarder = forwarder
    }

    deinit { flights.orphan() }

    /// Asks the origin, or joins a request in flight.
    func ask(_ question: OriginQuestion, _ known: KnownResponses, _ exchange: Exchange) async throws -> HTTPReply {
        guard Self.mayShare(exchange.asked) else { return try await forwarder.perform(question, known, exchange, nil) }
        var key = self.key(exchange.asked)
        // Once for the URL and once more for the fields that its Vary named.
        for _ in 0..<2 {
            let canLead = Self.canLead(exchange.asked, question)
            guard canLead || flights.existing(key) != nil else { break }
            let (flight, isNew) = flights.join(key)
            if isNew {
                guard canLead else {
                    flight.land(.alone)
                    flights.remove(key, flight)
                    break
                }
                return try await lead(flight, key, question, known, exchange)
            }
            counters.count { $0.collapsed += 1 }
            if let reply = try await follow(try await flight.wait(), question, known, exchange) { return reply }
            guard case .shared(let arriving) = try await flight.wait(),
                let another = self.key(exchange.asked, vary: arriving.response.fields), another != key
            else { break }
            key = another
        }
        return try await forwarder.perform(question, known, exchange, nil)
    }

    /// Whether another request's answer may do.
    private static func mayShare(_ asked: CacheRequest) -> Bool {
        // A reload asks for an answer of its own.
        !asked.control.noCache && !asked.control.noStore && asked.control.maxAge == nil
            && asked.control.minFresh == nil && !asked.fields.contains(.ifRange) && !asked.fields.contains(.ifMatch)
            && !asked.fields.contains(.ifUnmodifiedSince)
    }

    /// Whether the answer can serve others: a complete response, or a 304 for the stored one.
    private static func canLead(_ asked: CacheRequest, _ question: OriginQuestion) -> Bool {
        asked.method == .get && (!asked.hasValidationConditions || question.isConditional)
    }

    /// The parts that requests must share to be one: the URL, the requested range, and, in a cache that stores private
    /// responses, the requester.
    private func key(_ asked: CacheRequest, ofWhole: Bool = false) -> String {
        var key = asked.url
        for name in [HTTPField.Name.range, .authorization] where asked.fields.contains(name) {
            if name == .range ? ofWhole : policy.isShared { continue }
            key += "\n\(name.canonicalName): \(Self.bytes(of: asked.fields[values: name].joined(separator: ",")))"
        }
        return key
    }

    /// The same with the fields that Vary names, to get the same response (RFC 9111 section 4.1).
    private func key(_ asked: CacheRequest, vary fields: HTTPFields) -> String? {
        guard let selecting = VaryMatch.selectingFields(of: asked.fields, vary: fields) else { return nil }
        return selecting.reduce(into: key(asked) + "\n") {
            $0 += "\($1.name.canonicalName): \(Self.bytes(of: $1.value))\n"
        }
    }

    /// A character for each byte: values that Unicode holds for equivalent are different ones.
    private static func bytes(of value: String) -> String {
        var bytes = String.UnicodeScalarView()
        bytes.append(contentsOf: value.utf8.lazy.map { Unicode.Scalar($0) })
        return String(bytes)
    }

    private func lead(
        _ flight: Flight, _ key: String, _ question: OriginQuestion, _ known: KnownResponses, _ exchange: Exchange
    ) async throws -> HTTPReply {
        // A response in flight at the lookup may be stored by now.
        let current = await responses.known(exchange.asked.url)
        var question = question
        if current.stamp != known.stamp {
            switch CacheLookup.decide(
                now: clock.now, request: exchange.asked, variants: current.variants, policy: policy)
            {
            case .use(let use):
                flight.land(.stored)
                flights.remove(key, flight)
                if let reply = try await replies.answer(use, of: current, to: exchange, .hit) {
                    replies.note(use, of: current)
                    return reply
                }
            case .ask(let another): question = another
            case .unsatisfiable: break
            }
        }
        let asking = question
        flights.begin()
        let answer = Awaited<HTTPReply>()
        // A separate task: the first requester may leave, the others still wait for the answer.
        let task = Task {
            let result = await led(flight, key, asking, current, exchange)
            flights.end()
            answer.settle(result)
        }
        do {
            return try await answer.wait()
        } catch {
            // The request ends with its last waiter.
            if Task.isCancelled, flights.leave(key, flight) { task.cancel() }
            throw error
        }
    }

    /// The flight ends before its result is known: a client with the result that asks again starts a new request.
    private func led(
        _ flight: Flight, _ key: String, _ question: OriginQuestion, _ known: KnownResponses, _ exchange: Exchange
    ) async -> Result<HTTPReply, any Error> {
        let landing = Landing(flights, key, flight)
        do { return .success(try await forwarder.perform(question, known, exchange, landing)) } catch {
            return .failure(error)
        }
    }

    /// The reply from another request's answer; `nil` if this one must ask by itself.
    private func follow(
        _ landing: Flight.Landing, _ question: OriginQuestion, _ known: KnownResponses, _ exchange: Exchange
    ) async throws -> HTTPReply? {
        var status = CacheStatus(
            cache: replies.name, handling: .forwarded(question.reason, status: nil), isStored: true, isCollapsed: true)
        let now = clock.now
        switch landing {
        case .alone: return nil
        case .stored:
            let current = await responses.known(exchange.asked.url)
            guard
                case .use(let use) = CacheLookup.decide(
                    now: now, request: exchange.asked, variants: current.variants, policy: policy),
                let reply = try await replies.answer(use, of: current, to: exchange, .hit)
            else { return nil }
            replies.note(use, of: current)
            return reply
        case .shared(let arriving):
            let variant = arriving.variant
            // A response that must be validated before use, or never reused, is for its requester alone (RFC 9111
            // section 4).
            guard variant.matches(exchange.asked.fields), !variant.control.noCache, variant.isFresh(now: now)
            else { return nil }
            let plan = StoredAnswer.Plan(exchange.asked, variant)
            let hasBody: Bool
            switch (plan, variant.response.content) {
            case (.whole, .whole): hasBody = true
            // The arriving range is exactly the requested one.
            case (.ranges(let wanted, _), .partial(let coming, _))
            where wanted == coming && wanted.count == 1 && wanted[0].count == arriving.length:
                hasBody = true
            case (.ranges(let wanted, let length), .whole) where wanted.map(\.count) == [length]: hasBody = true
            case (.notModified, _): hasBody = false
            default: return nil
            }
            let age = variant.ageSeconds(now: now)
            let answer = StoredAnswer(
                variant, plan: plan, isHead: exchange.isHead, ageSeconds: age, boundary: "")
            var body = HTTPBody.empty
            if hasBody, !exchange.isHead {
                guard let follower = arriving.relay.body(length: arriving.length) else { return nil }
                body = follower
            }
            status.ttlSeconds = variant.remainingSeconds(now: now)
            var fields = answer.fields
            status.append(to: &fields)
            return HTTPReply(head: HTTPResponse(status: .init(code: answer.status), headerFields: fields), body: body)
        case .confirmed(let stored):
            let variant = StoredVariant(stored.response, policy: policy)
            guard variant.matches(exchange.asked.fields), !variant.control.noCache, variant.isFresh(now: now)
            else { return nil }
            let plan = StoredAnswer.Plan(exchange.asked, variant)
            guard plan.isPossible else { return nil }
            status.handling = .forwarded(.stale, status: 304)
            status.ttlSeconds = variant.remainingSeconds(now: now)
            return try await replies.answer(
                variant, of: stored, plan: plan, ageSeconds: variant.ageSeconds(now: now), to: exchange, status)
        case .failed(let status, let error):
            guard let failure = error as? RemoteFailure, failure.kind != .cancelled else { throw error }
            if let reply = try await replies.staleAnswer(status: status, question, known, exchange) { return reply }
            if let status { return replies.problem(status: status, exchange, question.reason) }
            return replies.problem(failure, exchange, question.reason)
        }
    }

    /// Refreshes in the background, unless a request is in flight (RFC 5861 section 3).
    func refresh(_ question: OriginQuestion, _ known: KnownResponses, _ exchange: Exchange) {
        let key = self.key(exchange.asked, ofWhole: true)
        let (flight, isNew) = flights.join(key)
        guard isNew else { return }
        var background = exchange
        background.isBackground = true
        background.request.method = .get
        background.request.headerFields = exchange.asked.fields
        for name in [HTTPField.Name.range, .ifRange, .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince] {
            background.request.headerFields[name] = nil
        }
        // It is for later clients, and not for the one whose request caused it.
        if exchange.asked.control.noStore { background.request.headerFields[.cacheControl] = nil }
        background.asked = CacheRequest(url: exchange.asked.url, fields: background.request.headerFields)
        background.interim = { _ in }
        let asking = background
        flights.begin()
        Task {
            defer { flights.end() }
            let landing = Landing(flights, key, flight)
            // A response in flight at the lookup may be stored by now.
            guard await responses.known(asking.asked.url).stamp == known.stamp else { return landing.land(.stored) }
            // The client has its answer already; the next request asks again.
            _ = try? await forwarder.perform(question, known, asking, landing)
        }
    }
}

/// The duty to end a flight: it lands and is removed even where an error ends the question.
final class Landing: Sendable {
    private let flights: Flights
    private let key: String
    let flight: Flight

    init(_ flights: Flights, _ key: String, _ flight: Flight) {
        self.flights = flights
        self.key = key
        self.flight = flight
    }

    deinit { end() }

    /// No request joins any more.
    func end() {
        flight.land(.alone)
        flights.remove(key, flight)
    }

    func land(_ landing: Flight.Landing) { flight.land(landing) }
}

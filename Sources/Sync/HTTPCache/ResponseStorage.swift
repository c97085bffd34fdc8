import CacheStore
import Disk
import HTTPCaching
import HTTPTypes
import Model

/// Stores new responses while they are sent to clients, or passes them on.
struct ResponseStorage: Sendable {
    let responses: StoredResponses
    let replies: ReplyBuilder
    private var cache: Cache { responses.cache }
    private var flights: Flights { responses.flights }
    private var clock: any StoreClock { replies.clock }
    private var policy: CachePolicy { replies.policy }
    private var counters: CacheCounters { replies.counters }

    init(responses: StoredResponses, replies: ReplyBuilder) {
        self.responses = responses
        self.replies = replies
    }

    /// The answer to HEAD updates or invalidates the stored responses (RFC 9111 section 4.3.5).
    func update(
        by arrived: ValidationOutcome.Reply, _ known: KnownResponses, _ exchange: Exchange, changes: Int
    ) async {
        let updates = HeadUpdate.updates(arrived, request: exchange.asked, variants: known.variants, policy: policy)
        if updates.isEmpty { return }
        let former = known.stored
        let current = responses.valid(exchange, since: changes)
        await responses.change(exchange.asked.url) { responses in
            for (index, update) in updates {
                guard let place = responses.firstIndex(of: former[index]) else { continue }
                switch update {
                case .updated(let response), .invalidated(let response): responses[place].response = current(response)
                }
            }
        }
    }

    /// The reply as it came.
    func passOn(
        _ reply: HTTPReply, _ question: OriginQuestion, _ exchange: Exchange, isStored: Bool = false,
        ttlSeconds: Int? = nil
    ) -> HTTPReply {
        counters.count { $0.misses += 1 }
        var reply = reply
        CacheStatus(
            cache: replies.name, handling: .forwarded(question.reason, status: reply.head.status.code),
            ttlSeconds: ttlSeconds, isStored: isStored
        ).append(to: &reply.head.headerFields)
        return reply
    }

    /// Counts the bytes of a body that is not stored.
    private func counted(_ body: HTTPBody) -> HTTPBody {
        HTTPBody(length: body.length) { [counters] in
            let part = try await body.next()
            if case .bytes(let bytes) = part { counters.count { $0.bytesFetched += Int64(bytes.count) } }
            return part
        }
    }

    func keepOrPassOn(
        _ reply: HTTPReply, _ arrived: ValidationOutcome.Reply, _ question: OriginQuestion, _ known: KnownResponses,
        _ exchange: Exchange, _ landing: Landing?, changes: Int
    ) async throws -> HTTPReply {
        var changes = changes
        if !exchange.asked.isSafe {
            await responses.invalidate(arrived, exchange)
            // Its own response is not older than the change that it made (RFC 9110 section 9.3.3).
            changes = flights.changes
        }
        let storability = Storability.decide(
            exchange.asked, status: arrived.status, response: arrived.fields, policy: policy)
        // An answer to the content of a GET is no answer to a GET without it (RFC 9110 section 9.3.1).
        let isPlain = exchange.asked.method != .get || exchange.body.length == 0
        // Favoured content is never evicted for failures: any client can request a missing resource.
        let isFavoured = cache.priority.standing(of: exchange.asked.url) == .favoured
        let isFailure = isFavoured && !(200..<300).contains(arrived.status)
        guard case .store = storability, isPlain, reply.mayBeKept, !isFailure,
            let kept = StoredResponse.kept(arrived, request: exchange.asked.fields, policy: policy),
            let arriving = cache.responses.begin(
                url: exchange.asked.url, expectedBytes: reply.body.length,
                eviction: eviction(for: exchange.asked.url, hasLength: reply.body.length != nil))
        else {
            land(arrived, exchange, landing)
            let decision = isFailure && storability == .store ? .refuse(.noStore) : storability
            if Self.replaces(decision, arrived.status, exchange), !known.stored.isEmpty { await outdate(exchange) }
            var passed = reply
            passed.body = counted(reply.body)
            return passOn(passed, question, exchange)
        }
        let mediaType = String((arrived.fields[.contentType] ?? "application/octet-stream").prefix(200))
        var place = Settlement.Place.whole
        if case .partial(let ranges, let complete) = kept.content, let range = ranges.first {
            place = .part(range, of: complete, joining: nil)
        }
        let settlement = Settlement(
            cache: cache, policy: policy, arriving: arriving, response: kept, mediaType: mediaType,
            request: exchange.asked.fields, place: place, valid: responses.valid(exchange, since: changes),
            replaced: { [counters] bytes in counters.count { $0.bytesReplaced += bytes } })
        return try await follow(reply, settlement, question, exchange, landing)
    }

    /// The content that may be evicted for the response to a URL.
    private func eviction(for url: String, hasLength: Bool) -> EvictionPolicy {
        switch (cache.priority.standing(of: url), hasLength) {
        case (.passing, true): .onlyPassing
        case (.passing, false): .onlyPassingResponses
        case (_, true): .leastRecentlyUsed
        case (_, false): .onlyResponses
        }
    }

    /// The client's conditions, where the cache sent some of its own instead: answered with 304.
    private func notModified(_ variant: StoredVariant, _ question: OriginQuestion, _ exchange: Exchange) -> Bool {
        guard question.isConditional, exchange.asked.hasValidationConditions, !question.asksForRest,
            case .notModified = StoredAnswer.Plan(exchange.asked, variant)
        else { return false }
        return true
    }

    /// Stores the body, and lets the client and all joined requests read it as it arrives.
    private func follow(
        _ reply: HTTPReply, _ settlement: Settlement, _ question: OriginQuestion, _ exchange: Exchange,
        _ landing: Landing?
    ) async throws -> HTTPReply {
        var reply = reply
        let incoming = counted(reply.body)
        // A 206 may have fewer bytes than its Content-Range says: it keeps its own framing.
        let expected = reply.body.length
        let variant = StoredVariant(settlement.response, policy: policy)
        let isNotModified = notModified(variant, question, exchange)
        let relay = BodyRelay(
            settlement.arriving, expected: expected,
            // A request of the cache itself has no reader.
            unreadBytes: exchange.isBackground || isNotModified ? Int64(Cache.maximumContentBytes) : 0)
        // Before the pump starts, which must not find the body without a reader.
        guard let body = relay.body(length: expected) else { return passOn(reply, question, exchange) }
        reply.body = body
        landing?.land(
            .shared(ArrivingReply(response: settlement.response, variant: variant, relay: relay, length: expected)))
        flights.begin(relay)
        let length = expected
        let pump = Task { [flights] in
            await relay.run(incoming) {
                await settlement.settle($0, expected: length)
                // Later requests find it in the cache: also those of a reader that has all of it a moment later.
                landing?.end()
            }
            flights.end(relay)
        }
        relay.onStop { pump.cancel() }
        // A client that gets an empty body with the head may ask again at once.
        if expected == 0 { await pump.value }
        let ttl = variant.remainingSeconds(now: clock.now)
        reply = passOn(reply, question, exchange, isStored: true, ttlSeconds: ttl)
        // The client's own conditions were not sent where the cache had some: they are answered here.
        guard isNotModified else { return reply }
        let answer = StoredAnswer(
            variant, plan: .notModified, isHead: exchange.isHead, ageSeconds: 0, boundary: "")
        var fields = answer.fields
        fields[.age] = nil
        fields[.cacheStatus] = reply.head.headerFields[.cacheStatus]
        return HTTPReply(head: HTTPResponse(status: .notModified, headerFields: fields))
    }

    /// The result of an answer that is not stored, for those who wait for it.
    private func land(_ arrived: ValidationOutcome.Reply, _ exchange: Exchange, _ landing: Landing?) {
        // A failing server is not asked two hundred more times because two hundred clients waited: all of them get the
        // failure, in the gateway's own words.
        guard CacheLookup.errors.contains(arrived.status), !exchange.asked.fields.contains(.authorization) else {
            landing?.land(.alone)
            return
        }
        landing?.land(.failed(status: arrived.status, RemoteFailure(.invalidReply, "status \(arrived.status)")))
    }

    /// Whether an answer that may not be stored still replaces the stored one.
    private static func replaces(_ storability: Storability, _ status: Int, _ exchange: Exchange) -> Bool {
        // A rejection is about the requester, and a failure about the moment: the stored response may be all there is
        // for hours.
        guard (200..<400).contains(status) || status == 404 || status == 410, !exchange.asked.control.noStore else {
            return false
        }
        switch storability {
        case .refuse(.noStore), .refuse(.isPrivate), .refuse(.varyStar), .refuse(.notUnderstood): return true
        default: return false
        }
    }

    /// Removes the response that one which may not be stored would have replaced.
    private func outdate(_ exchange: Exchange) async {
        let fields = exchange.asked.fields
        await responses.change(exchange.asked.url) { responses in
            responses.removeAll { VaryMatch.matches($0.response, request: fields) }
        }
    }

    /// The bytes of a 206 join those that are stored (RFC 9111 section 3.4).
    ///
    /// - Returns: `nil` if some of those are gone: the origin is asked for all.
    func combine(
        _ reply: HTTPReply, _ arrived: ValidationOutcome.Reply, _ range: ByteRange, with stored: CacheVariant,
        as response: StoredResponse, _ question: OriginQuestion, _ exchange: Exchange, _ landing: Landing?,
        changes: Int
    ) async throws -> HTTPReply? {
        let current = responses.valid(exchange, since: changes)
        // Only for its requester: the others do not want a part.
        landing?.land(.alone)
        guard let complete = stored.completeBytes,
            let arriving = cache.responses.begin(url: exchange.asked.url, expectedBytes: range.count)
        else {
            // All of it is held already: it was confirmed to be the same.
            await responses.change(exchange.asked.url) { responses in
                guard let place = responses.firstIndex(of: stored) else { return }
                responses[place].response = current(response)
            }
            return passOn(reply, question, exchange)
        }
        let settlement = Settlement(
            cache: cache, policy: policy, arriving: arriving, response: response, mediaType: stored.mediaType,
            request: exchange.asked.fields, place: .part(range, of: complete, joining: stored), valid: current)
        let reply = try await follow(reply, settlement, question, exchange, nil)
        // The cache requested the missing part, the client the complete content.
        guard question.asksForRest else { return reply }
        return try await joined(reply, range, stored, response, question, exchange)
    }

    /// The stored bytes before and after the arriving ones, and these, as one body; `nil` if some are gone.
    private func joined(
        _ reply: HTTPReply, _ range: ByteRange, _ stored: CacheVariant, _ response: StoredResponse,
        _ question: OriginQuestion, _ exchange: Exchange
    ) async throws -> HTTPReply? {
        let length = stored.completeBytes ?? 0
        var bodies: [HTTPBody] = []
        for (gap, follows) in [
            (ByteRange(0, through: range.first - 1), true), (ByteRange(range.last + 1, through: length - 1), false),
        ] {
            if let gap {
                guard let stretches = ReplyBuilder.stretches(of: gap, in: stored),
                    let body = try await replies.body(of: stretches)
                else {
                    return nil
                }
                bodies.append(body)
            }
            if follows { bodies.append(reply.body) }
        }
        let variant = StoredVariant(response, policy: policy)
        let now = clock.now
        let answer = StoredAnswer(
            variant, plan: .whole, isHead: false, ageSeconds: variant.ageSeconds(now: now), boundary: "")
        var fields = answer.fields
        CacheStatus(
            cache: replies.name, handling: .forwarded(question.reason, status: 206),
            ttlSeconds: variant.remainingSeconds(now: now), isStored: true
        ).append(to: &fields)
        return HTTPReply(
            head: HTTPResponse(status: .init(code: answer.status), headerFields: fields),
            body: HTTPBody(length: length, joining: bodies))
    }
}

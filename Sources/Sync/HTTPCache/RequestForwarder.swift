import CacheStore
import Disk
import HTTPCaching
import HTTPTypes
import Model

/// Forwards a request to the origin, and does with its answer what RFC 9111 says of the stored responses.
struct RequestForwarder: Sendable {
    let responses: StoredResponses
    let replies: ReplyBuilder
    let storage: ResponseStorage
    /// Rules that take the place of the origin's Cache-Control.
    let overrides: [CacheControlOverride]
    private var flights: Flights { responses.flights }
    private var clock: any StoreClock { replies.clock }
    private var policy: CachePolicy { replies.policy }
    private var counters: CacheCounters { replies.counters }

    init(
        responses: StoredResponses, replies: ReplyBuilder, storage: ResponseStorage, overrides: [CacheControlOverride]
    ) {
        self.responses = responses
        self.replies = replies
        self.storage = storage
        self.overrides = overrides
    }

    /// Asks, and settles the answer.
    ///
    /// - Parameter landing: the other requests that wait for it.
    func perform(
        _ question: OriginQuestion, _ known: KnownResponses, _ exchange: Exchange, _ landing: Landing?
    ) async throws -> HTTPReply {
        var request = exchange.request
        request.headerFields = question.forwarded(request.headerFields)
        let requestTime = clock.now
        let changes = flights.changes
        var reply: HTTPReply
        do {
            reply = try await ask(request, known, exchange).withStatedLength(isHead: exchange.isHead)
        } catch {
            counters.count { $0.failures += 1 }
            let failure = error as? RemoteFailure
            if error is CancellationError || failure?.kind == .cancelled || Task.isCancelled {
                // It says nothing about the origin: the others ask themselves.
                landing?.land(.alone)
                throw Task.isCancelled ? CancellationError() : error
            }
            landing?.land(.failed(status: nil, error))
            // The client's own error says nothing about the origin either.
            guard let failure else { throw error }
            if let stale = try await replies.staleAnswer(status: nil, question, known, exchange) { return stale }
            return replies.problem(failure, exchange, question.reason)
        }
        let fields = CacheControlOverride.apply(overrides, to: reply.head.headerFields, url: exchange.asked.url)
        reply.head.headerFields = FieldFilter.forwarded(fields)
        let arrived = ValidationOutcome.Reply(
            status: reply.head.status.code, fields: fields, requestTime: requestTime, responseTime: clock.now)
        let outcome = ValidationOutcome(
            arrived, to: question, request: exchange.asked, variants: known.variants, policy: policy)
        switch outcome {
        case .confirmed(let updates, let use):
            return try await confirm(updates, use, by: arrived, known, question, exchange, landing, changes: changes)
        case .adopted(let content, let response):
            var variant = known.stored[content]
            variant.response = response
            return try await adopt(variant, by: arrived, question, known, exchange, landing, changes: changes)
        case .repeatWithoutConditions:
            return try await perform(question.unconditional, known, exchange, landing)
        case .servedStale(let use):
            counters.count { $0.failures += 1 }
            // An unrequested 304 is an unusable reply, and not an error to report to the others.
            let status = arrived.status == 304 ? nil : arrived.status
            landing?.land(.failed(status: status, RemoteFailure(.invalidReply, "status \(arrived.status)")))
            let handling = CacheStatus.Handling.forwarded(question.reason, status: arrived.status)
            if let stale = try await replies.answer(use, of: known, to: exchange, handling, detail: "error") {
                replies.note(use, of: known)
                return stale
            }
            return storage.passOn(reply, question, exchange)
        case .combined where !reply.mayBeKept:
            if question.asksForRest { return try await perform(question.unconditional, known, exchange, landing) }
            return try await storage.keepOrPassOn(reply, arrived, question, known, exchange, landing, changes: changes)
        case .combined(let index, let response, let range):
            if let combined = try await storage.combine(
                reply, arrived, range, with: known.stored[index], as: response, question, exchange, landing,
                changes: changes)
            {
                return combined
            }
            let path = Cache.entryPath(url: exchange.asked.url)
            return try await perform(question.unconditional, KnownResponses(path: path), exchange, nil)
        case .passedOn:
            return storage.passOn(reply, question, exchange)
        case .replaced:
            if exchange.isHead { await storage.update(by: arrived, known, exchange, changes: changes) }
            return try await storage.keepOrPassOn(reply, arrived, question, known, exchange, landing, changes: changes)
        }
    }

    /// Retries once if a kept connection ended at that moment, unless a stored response may replace an error: then no
    /// client waits, and a server that closes connections is not asked twice.
    private func ask(
        _ request: HTTPRequest, _ known: KnownResponses, _ exchange: Exchange
    ) async throws -> HTTPReply {
        do {
            return try await exchange.origin(request, exchange.body, exchange.interim)
        } catch let failure as RemoteFailure where failure.mayBeRepeated {
            if CacheLookup.coversErrors(
                now: clock.now, request: exchange.asked, variants: known.variants, policy: policy)
            {
                throw failure
            }
            return try await exchange.origin(request, exchange.body, exchange.interim)
        }
    }

    /// A request that no stored response may answer.
    func forward(_ exchange: Exchange) async throws -> HTTPReply {
        let question = OriginQuestion(reason: exchange.asked.isCacheable ? .bypass : .method)
        return try await perform(question, KnownResponses(path: Cache.entryPath(url: "")), exchange, nil)
    }

    // MARK: 304

    private func confirm(
        _ updates: [ValidationOutcome.Update], _ use: Int, by arrived: ValidationOutcome.Reply,
        _ known: KnownResponses, _ question: OriginQuestion, _ exchange: Exchange, _ landing: Landing?, changes: Int
    ) async throws -> HTTPReply {
        let former = known.stored
        let current = responses.valid(exchange, since: changes)
        await responses.change(exchange.asked.url) { responses in
            for update in updates {
                // Another process may have replaced it meanwhile: then its response is newer.
                guard let place = responses.firstIndex(of: former[update.index]) else { continue }
                switch update.fate {
                case .updated: responses[place].response = current(update.response)
                case .untouched: break
                case .removed: responses.remove(at: place)
                }
            }
        }
        var stored = former[use]
        if let update = updates.first(where: { $0.index == use }) { stored.response = update.response }
        let isKept = updates.first { $0.index == use }.map { $0.fate == .updated } ?? true
        if let reply = try await confirmed(stored, isKept: isKept, by: arrived, question, exchange, landing) {
            return reply
        }
        return try await perform(question.unconditional, known, exchange, landing)
    }

    private func adopt(
        _ variant: CacheVariant, by arrived: ValidationOutcome.Reply, _ question: OriginQuestion,
        _ known: KnownResponses, _ exchange: Exchange, _ landing: Landing?, changes: Int
    ) async throws -> HTTPReply {
        let current = responses.valid(exchange, since: changes)
        await responses.change(exchange.asked.url) { responses in
            responses.removeAll { $0.response.varyingFields == variant.response.varyingFields }
            var adopted = variant
            adopted.response = current(variant.response)
            responses.insert(adopted, at: 0)
        }
        if let reply = try await confirmed(variant, isKept: true, by: arrived, question, exchange, landing) {
            return reply
        }
        return try await perform(question.unconditional, known, exchange, landing)
    }

    private func confirmed(
        _ stored: CacheVariant, isKept: Bool, by arrived: ValidationOutcome.Reply, _ question: OriginQuestion,
        _ exchange: Exchange, _ landing: Landing?
    ) async throws -> HTTPReply? {
        let variant = StoredVariant(stored.response, policy: policy)
        let status = CacheStatus(
            cache: replies.name, handling: .forwarded(question.reason, status: 304),
            ttlSeconds: variant.remainingSeconds(now: clock.now), isStored: isKept)
        var plan = StoredAnswer.Plan(exchange.asked, variant)
        // The origin was asked just now, so the client's conditions need no other judge.
        if case .otherwise = plan { plan = .whole }
        guard plan.isPossible else { return nil }
        let age = variant.ageSeconds(now: clock.now)
        guard
            var reply = try await replies.answer(variant, of: stored, plan: plan, ageSeconds: age, to: exchange, status)
        else {
            // The confirmed content is damaged or gone.
            await responses.change(exchange.asked.url) { responses in responses.removeAll { $0.blobs == stored.blobs } }
            return nil
        }
        // Not kept in a shared cache, and said to this client all the same.
        if policy.isShared { reply.head.headerFields.append(contentsOf: FieldFilter.personal(arrived.fields)) }
        counters.count { $0.revalidated += 1 }
        landing?.land(isKept ? .confirmed(stored) : .alone)
        return reply
    }
}

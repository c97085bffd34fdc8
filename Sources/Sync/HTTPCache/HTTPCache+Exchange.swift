import CacheStore
import Disk
import HTTPCaching
import HTTPTypes
import Model

/// One request to the origin, and the effect of its answer on the stored responses.
extension HTTPCache {
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
            count { $0.failures += 1 }
            let failure = error as? RemoteFailure
            if error is CancellationError || failure?.kind == .cancelled || Task.isCancelled {
                // It says nothing about the origin: the others ask themselves.
                landing?.land(.alone)
                throw Task.isCancelled ? CancellationError() : error
            }
            landing?.land(.failed(status: nil, error))
            // The client's own error says nothing about the origin either.
            guard let failure else { throw error }
            if let stale = try await staleAnswer(status: nil, question, known, exchange) { return stale }
            return problem(failure, exchange, question.reason)
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
            count { $0.failures += 1 }
            // An unrequested 304 is an unusable reply, and not an error to report to the others.
            let status = arrived.status == 304 ? nil : arrived.status
            landing?.land(.failed(status: status, RemoteFailure(.invalidReply, "status \(arrived.status)")))
            let handling = CacheStatus.Handling.forwarded(question.reason, status: arrived.status)
            if let stale = try await answer(use, of: known, to: exchange, handling, detail: "error") {
                note(use, of: known)
                return stale
            }
            return passOn(reply, question, exchange)
        case .combined where !reply.mayBeKept:
            if question.asksForRest { return try await perform(question.unconditional, known, exchange, landing) }
            return try await keepOrPassOn(reply, arrived, question, known, exchange, landing, changes: changes)
        case .combined(let index, let response, let range):
            return try await combine(
                reply, arrived, range, with: known.stored[index], as: response, question, exchange, landing,
                changes: changes)
        case .passedOn:
            return passOn(reply, question, exchange)
        case .replaced:
            if exchange.isHead { await update(by: arrived, known, exchange, changes: changes) }
            return try await keepOrPassOn(reply, arrived, question, known, exchange, landing, changes: changes)
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

    /// Marks the responses that a change invalidates (RFC 9111 section 4.4): they are used again after validation.
    func invalidate(_ arrived: ValidationOutcome.Reply, _ exchange: Exchange) async {
        for url in Invalidation.urls(exchange.asked, status: arrived.status, response: arrived.fields) {
            await invalidate(url)
        }
    }

    private func invalidate(_ url: String) async {
        flights.noteChange(url)
        await change(url) { responses in
            for index in responses.indices { responses[index].response.isInvalidated = true }
        }
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
        for url in named { await invalidate(url) }
        if named.isEmpty { return [] }
        let stored = await storedURLs()
        let besides = stored.filter { others($0) && !named.contains($0) }
        for url in besides { await invalidate(url) }
        return named.filter(stored.contains) + besides.sorted()
    }

    private func storedURLs() async -> Set<String> {
        do {
            return Set(try await offload { [cache] in try cache.catalog.records(.trusting).map(\.url) })
        } catch {
            // Entries that cannot be listed cannot be served from here, either.
            return []
        }
    }

    /// The stored form of an answer that was in flight: if its URL was changed since the request, it does not
    /// revalidate what the change invalidated (RFC 9111 section 4.4).
    func valid(_ exchange: Exchange, since changes: Int) -> @Sendable (StoredResponse) -> StoredResponse {
        { [flights] response in
            var response = response
            if flights.isChanged(exchange.asked.url, since: changes) { response.isInvalidated = true }
            return response
        }
    }

    // MARK: 304

    private func confirm(
        _ updates: [ValidationOutcome.Update], _ use: Int, by arrived: ValidationOutcome.Reply,
        _ known: KnownResponses, _ question: OriginQuestion, _ exchange: Exchange, _ landing: Landing?, changes: Int
    ) async throws -> HTTPReply {
        let former = known.stored
        let current = valid(exchange, since: changes)
        await change(exchange.asked.url) { responses in
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
        let current = valid(exchange, since: changes)
        await change(exchange.asked.url) { responses in
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
            cache: name, handling: .forwarded(question.reason, status: 304),
            ttlSeconds: variant.remainingSeconds(now: clock.now), isStored: isKept)
        var plan = StoredAnswer.Plan(exchange.asked, variant)
        // The origin was asked just now, so the client's conditions need no other judge.
        if case .otherwise = plan { plan = .whole }
        guard plan.isPossible else { return nil }
        let age = variant.ageSeconds(now: clock.now)
        guard
            var reply = try await answer(variant, of: stored, plan: plan, ageSeconds: age, to: exchange, status)
        else {
            // The confirmed content is damaged or gone.
            await change(exchange.asked.url) { responses in responses.removeAll { $0.blobs == stored.blobs } }
            return nil
        }
        // Not kept in a shared cache, and said to this client all the same.
        if policy.isShared { reply.head.headerFields.append(contentsOf: FieldFilter.personal(arrived.fields)) }
        count { $0.revalidated += 1 }
        landing?.land(isKept ? .confirmed(stored) : .alone)
        return reply
    }
}

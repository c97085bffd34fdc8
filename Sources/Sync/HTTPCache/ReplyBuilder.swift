import CacheStore
import Disk
import HTTPCaching
import HTTPTypes
import Model
import WireFormat

/// Makes the replies of an HTTP cache: from stored responses, and those that say why there is none.
struct ReplyBuilder: Sendable {
    let cache: Cache
    let clock: any StoreClock
    let policy: CachePolicy
    let counters: CacheCounters
    /// The name of the HTTP cache in Cache-Status.
    let name: String

    /// The reply that a stored response gives; `nil` when its content is not there or damaged.
    func answer(
        _ use: StoredUse, of known: KnownResponses, to exchange: Exchange, _ handling: CacheStatus.Handling,
        detail: String? = nil
    ) async throws -> HTTPReply? {
        try await answer(
            known.variants[use.index], of: known.stored[use.index], plan: use.plan, ageSeconds: use.ageSeconds,
            to: exchange,
            CacheStatus(cache: name, handling: handling, ttlSeconds: use.remainingSeconds, detail: detail))
    }

    func answer(
        _ variant: StoredVariant, of stored: CacheVariant, plan: StoredAnswer.Plan, ageSeconds: Int,
        to exchange: Exchange, _ status: CacheStatus
    ) async throws -> HTTPReply? {
        let answer = StoredAnswer(
            variant, plan: plan, isHead: exchange.isHead, ageSeconds: ageSeconds, boundary: Self.boundary())
        guard let body = try await body(of: stored, answer.content) else { return nil }
        var fields = answer.fields
        status.append(to: &fields)
        if let length = body.length, length > 0 { counters.count { $0.bytesFromCache += length } }
        return HTTPReply(head: HTTPResponse(status: .init(code: answer.status), headerFields: fields), body: body)
    }

    /// Counts an answer from the cache, and records its use: the least recently used is evicted first.
    func note(_ use: StoredUse, of known: KnownResponses) {
        counters.count { counters in
            counters.hits += 1
            if use.remainingSeconds <= 0 { counters.staleServed += 1 }
        }
        // Once a minute is enough to distinguish used from unused entries.
        guard let stamp = known.stamp, clock.now.seconds(since: stamp.modified) > 60 else { return }
        cache.markUsed(at: known.path)
    }

    private static func boundary() -> String {
        var generator = SystemRandomNumberGenerator()
        let (one, two): (UInt64, UInt64) = (generator.next(), generator.next())
        return "quire-" + String(one, radix: 36) + String(two, radix: 36)
    }

    /// Something stale, since the origin could not be asked or answered with an error (RFC 9111 section 4.2.4, RFC 5861
    /// section 4).
    func staleAnswer(
        status: Int?, _ question: OriginQuestion, _ known: KnownResponses, _ exchange: Exchange
    ) async throws -> HTTPReply? {
        guard
            let use = CacheLookup.afterFailure(
                now: clock.now, request: exchange.asked, variants: known.variants, policy: policy, status: status),
            let reply = try await answer(
                use, of: known, to: exchange, .forwarded(question.reason, status: status),
                detail: status == nil ? "unreachable" : "error")
        else { return nil }
        note(use, of: known)
        return reply
    }

    // MARK: Bodies

    /// A stretch of a body from the cache.
    enum Stretch: Sendable {
        case bytes([UInt8])
        case blob(CacheLayout.BlobName, sizeBytes: Int64, range: Range<Int64>)

        var length: Int64 {
            switch self {
            case .bytes(let bytes): Int64(bytes.count)
            case .blob(_, _, let range): range.upperBound - range.lowerBound
            }
        }
    }

    private func body(of stored: CacheVariant, _ content: StoredAnswer.Content) async throws -> HTTPBody? {
        var stretches: [Stretch] = []
        switch content {
        case .none: return .empty
        case .whole:
            if !stored.isPartial {
                if stored.sizeBytes == 0 { return .empty }
                // Content in memory needs one look at its file, and no thread.
                if let bytes = try? cache.contentInMemory(stored.blob), bytes.count == stored.sizeBytes {
                    return HTTPBody(bytes: bytes)
                }
            }
            let length = stored.completeBytes ?? Int64(stored.sizeBytes)
            guard let all = ByteRange(0, through: length - 1), let found = Self.stretches(of: all, in: stored) else {
                return nil
            }
            stretches = found
        case .range(let range):
            guard let found = Self.stretches(of: range, in: stored) else { return nil }
            stretches = found
        case .multipart(let parts, let end):
            for part in parts {
                guard let found = Self.stretches(of: part.range, in: stored) else { return nil }
                stretches.append(.bytes(Array(part.header.utf8)))
                stretches += found
            }
            stretches.append(.bytes(Array(end.utf8)))
        }
        return try await body(of: stretches)
    }

    static func stretches(of range: ByteRange, in stored: CacheVariant) -> [Stretch]? {
        if !stored.isPartial {
            return [.blob(stored.blob, sizeBytes: Int64(stored.sizeBytes), range: range.first..<(range.last + 1))]
        }
        return ContentPart.pieces(of: range, in: stored.parts)?.map { piece in
            let begin = piece.part.range.first
            return .blob(
                piece.part.blob, sizeBytes: piece.part.range.count,
                range: (piece.range.first - begin)..<(piece.range.last + 1 - begin))
        }
    }

    /// The first stretch is opened now, so that a missing one is found before a head is sent.
    func body(of stretches: [Stretch]) async throws -> HTTPBody? {
        let length = stretches.reduce(0) { $0 + $1.length }
        let source = StretchSource(
            stretches: stretches.map { stretch in
                switch stretch {
                case .bytes(let bytes): .init { .hit(.bytes(bytes)) }
                case .blob(let blob, let size, let range):
                    .init { [cache] in try cache.read(blob, sizeBytes: size, range: range) }
                }
            }, fault: { [cache] reader in cache.setAside(reader.name, reason: "its content does not match its name") })
        guard try await source.open() else { return nil }
        return HTTPBody(length: length) { try await source.next() }
    }

    // MARK: Problems

    func unsatisfiable(_ reason: CacheDecision.Reason, _ exchange: Exchange) -> HTTPReply {
        let sentence =
            switch reason {
            case .notStored: "it is not in this cache"
            case .mustRevalidate: "its server forbids to use what is stored without asking, and cannot be asked"
            case .onlyIfCached: "the request says only-if-cached, and nothing that is stored may answer it"
            case .stale: "what is stored is too old to be used"
            }
        return problem(504, "Gateway Timeout", sentence, exchange, nil)
    }

    /// The origin could not be asked (RFC 9110 sections 15.6.3 and 15.6.5).
    func problem(_ failure: RemoteFailure, _ exchange: Exchange, _ reason: OriginQuestion.Reason) -> HTTPReply {
        let handling = CacheStatus.Handling.forwarded(reason, status: nil)
        if failure.kind == .invalidReply {
            return problem(502, "Bad Gateway", "the server's answer is broken: \(failure)", exchange, handling)
        }
        return problem(504, "Gateway Timeout", "the server cannot be asked: \(failure)", exchange, handling)
    }

    /// The origin has just answered another one's request for the same with an error.
    func problem(status: Int, _ exchange: Exchange, _ reason: OriginQuestion.Reason) -> HTTPReply {
        problem(
            status, "Upstream failed", "the server answered \(status) to a request for the same a moment ago",
            exchange, .forwarded(reason, status: status))
    }

    func problem(
        _ status: Int, _ title: String, _ detail: String, _ exchange: Exchange, _ handling: CacheStatus.Handling?
    ) -> HTTPReply {
        let bytes = ProblemDocument(status: status, name: title, detail: detail).bytes
        var fields = HTTPFields()
        fields[.contentType] = ProblemDocument.mediaType
        fields[.contentLength] = String(bytes.count)
        fields[.cacheControl] = "no-store"
        fields[.date] = HTTPDate.format(clock.now)
        if let handling {
            CacheStatus(cache: name, handling: handling).append(to: &fields)
        } else {
            // Neither hit nor forwarded: the parameters that say so are left out (RFC 9211 section 2).
            fields[.cacheStatus] =
                CacheStatus(cache: name, handling: .hit).value.dropLast("; hit".utf8.count)
                + "; detail=unsatisfiable"
        }
        return HTTPReply(
            head: HTTPResponse(status: .init(code: status, reasonPhrase: title), headerFields: fields),
            body: exchange.isHead ? .empty : HTTPBody(bytes: bytes))
    }
}

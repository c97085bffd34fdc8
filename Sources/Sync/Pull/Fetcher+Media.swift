import CacheStore
import Disk
import HTTPCaching
import HTTPTypes
import Model

/// Pictures, sounds and films: of any length up to a limit, they go to the cache's disk as they come.
extension Fetcher {
    /// Longer media are refused.
    package static let longestMediaBytes: Int64 = 2 << 30
    /// A sentence of a server that has no such file is shorter.
    static let longestProblemBytes = 64 << 10

    /// The outcome of fetching a file, and the number of transferred bytes.
    package struct MediaOutcome: Sendable {
        /// Without any content; a failure where it could not be asked for, or did not come to its end.
        package var outcome: Result<Outcome, RemoteFailure>
        package var transferredBytes: Int64

        init(_ outcome: Outcome, transferredBytes: Int64 = 0) {
            self.init(.success(outcome), transferredBytes: transferredBytes)
        }

        init(_ outcome: Result<Outcome, RemoteFailure>, transferredBytes: Int64 = 0) {
            self.outcome = outcome
            self.transferredBytes = transferredBytes
        }
    }

    /// Asks the remote for a file that a questionnaire shows. Its content is compared with its digest, where one is stated,
    /// before anybody sees it. In memory there is never more than a piece of it.
    ///
    /// If it is interrupted, the received bytes are kept as a part, provided that a strong validator identifies the
    /// version; the next call resumes there, in any process.
    ///
    /// - Parameter digest: that of the content on the server, where it is known. A cache on the way that gives an older one is
    ///   passed by (RFC 9111 section 5.2.1.4).
    package func fetchMedia(
        _ url: String, digest: Digest? = nil, eviction: EvictionPolicy = .leastRecentlyUsed
    ) async throws -> MediaOutcome {
        do {
            let found = try await bring(url, eviction)
            guard let digest, case .success(let outcome) = found.outcome, let entry = outcome.entry,
                entry.digest != digest
            else { return found }
            var renewed = try await bring(url, eviction, passingCaches: true)
            renewed.transferredBytes += found.transferredBytes
            return renewed
        } catch let failure as RemoteFailure {
            return MediaOutcome(.failure(failure))
        } catch let error as CacheError {
            return noRoom(.noRoom(error.description), 0)
        } catch let error as FileError where error.isFull {
            return noRoom(.diskFull(error.description), 0)
        }
    }

    private func bring(
        _ url: String, _ eviction: EvictionPolicy, passingCaches: Bool = false
    ) async throws -> MediaOutcome {
        if let held = try await offload({ try cache.parts.take(url: url, eviction: eviction) }),
            let outcome = try await goOn(held, url, eviction)
        {
            return outcome
        }
        var (stored, fields) = try question(url, nil, replacingEdit: false)
        if passingCaches { fields[.cacheControl] = "no-cache" }
        let reply = try await remote.stream(url, fields: fields, maximumBytes: Self.longestMediaBytes)
        let arrival = MediaArrival(reply: reply, url: url, request: fields)
        return try await settle(arrival, stored, eviction)
    }

    private struct MediaArrival {
        var reply: StreamedReply
        var url: String
        /// The request for the complete content.
        var request: HTTPFields
    }

    private func settle(
        _ arrival: MediaArrival, _ stored: CacheEntry?, _ eviction: EvictionPolicy
    ) async throws -> MediaOutcome {
        var head = arrival.reply.head
        if head.status == 200 || head.status == 203 { return try await keep(arrival, eviction) }
        if head.status != 304 {
            head.body = try await arrival.reply.body.collect(maximumBytes: Self.longestProblemBytes)
        }
        return MediaOutcome(
            try await outcome(of: head, without: stored, url: arrival.url, request: arrival.request))
    }

    // MARK: Going on

    /// Requests the rest.
    ///
    /// - Returns: `nil` if the stored part is useless or gone, and the complete content must be requested.
    private func goOn(
        _ held: ArrivingContent, _ url: String, _ eviction: EvictionPolicy
    ) async throws -> MediaOutcome? {
        guard let origin = held.origin,
            let version = ResumedContent.Version(of: origin.response, length: origin.completeBytes)
        else {
            try await offload { held.abandon() }
            return nil
        }
        let reply: StreamedReply
        let (stored, request): (CacheEntry?, HTTPFields)
        do {
            (stored, request) = try question(url, nil, replacingEdit: false)
            reply = try await remote.stream(
                url, fields: version.asking(request, from: held.count), maximumBytes: Self.longestMediaBytes)
        } catch {
            throw await leave(held, after: error)
        }
        let arrival = MediaArrival(reply: reply, url: url, request: request)
        if version.isRest(reply, from: held.count) {
            return try await keepRest(arrival, version, held, origin)
        }
        guard ResumedContent.tellsOfContent(reply.head.status) else {
            await keepPart(held)
            return try await settle(arrival, stored, eviction)
        }
        // Another version, or none: the stored part is useless.
        try await offload { held.abandon() }
        return reply.head.status == 206 || reply.head.status == 416
            ? nil : try await settle(arrival, stored, eviction)
    }

    private func keepRest(
        _ arrival: MediaArrival, _ version: ResumedContent.Version, _ held: ArrivingContent, _ origin: PartOrigin
    ) async throws -> MediaOutcome? {
        let (head, url) = (arrival.reply.head, arrival.url)
        let fields = CacheControlOverride.apply(overrides, to: head.fields, url: url)
        let news = ValidationOutcome.Reply(
            status: 206, fields: Self.keptFields(fields), requestTime: head.requestTime,
            responseTime: head.responseTime)
        let response = origin.response.updated(by: news, policy: .device)
        guard case .store = Storability.decide(request: arrival.request, status: 200, response: response.fields) else {
            try await offload {
                held.abandon()
                try cache.remove(url: url)
            }
            return MediaOutcome(.notKept([], reason: .noStore))
        }
        // A server that states another digest of the whole has another whole.
        let former = Self.digestOfWhole(origin.response)
        guard former == nil || former == Self.digestOfWhole(response), let decoder = try? ContentDecoder(head.fields)
        else {
            try await offload { held.abandon() }
            return nil
        }
        let content = ResumedContent(
            arrival.reply.body, from: held.count, of: version, remote: remote, url: url, request: arrival.request)
        return try await receive(
            content, decoder, into: held, arrival, mediaType: origin.mediaType, response: response)
    }

    // MARK: Receiving

    private func keep(_ arrival: MediaArrival, _ eviction: EvictionPolicy) async throws -> MediaOutcome {
        let (head, url) = (arrival.reply.head, arrival.url)
        let fields = CacheControlOverride.apply(overrides, to: head.fields, url: url)
        guard case .store = Storability.decide(request: arrival.request, status: head.status, response: fields) else {
            // No list would show it: it is not even fetched.
            try await offload { try cache.remove(url: url) }
            return MediaOutcome(.notKept([], reason: .noStore))
        }
        let decoder = try ContentDecoder(head.fields)
        let expected = decoder.isPacked ? nil : arrival.reply.body.length
        var response = Self.storedResponse(head, fields, arrival.request)
        if !decoder.isPacked, !response.fields.contains(.reprDigest) {
            // Of all of it the digest of the content is that of the representation (RFC 9530 section 3).
            response.fields[.reprDigest] = head.fields[.contentDigest]
        }
        let version = ResumedContent.Version(
            of: response, length: arrival.reply.body.length, coding: head.fields[.contentEncoding])
        let mediaType = String((head.fields[.contentType] ?? "application/octet-stream").prefix(200))
        // Decoded content is not the representation that the validator names.
        let origin = expected.flatMap { length in
            version.map { _ in PartOrigin(mediaType: mediaType, response: response, completeBytes: length) }
        }
        guard
            let arriving = cache.responses.begin(url: url, expectedBytes: expected, eviction: eviction, origin: origin)
        else {
            return refusal(arrival, expected ?? 0, transferred: 0)
        }
        let content = ResumedContent(
            arrival.reply.body, of: version, remote: remote, url: url, request: arrival.request)
        return try await receive(content, decoder, into: arriving, arrival, mediaType: mediaType, response: response)
    }

    private func receive(
        _ content: ResumedContent, _ decoder: ContentDecoder, into arriving: ArrivingContent, _ arrival: MediaArrival,
        mediaType: String, response: StoredResponse
    ) async throws -> MediaOutcome {
        var decoder = decoder
        let url = arrival.url
        let longest = min(Self.longestMediaBytes, arriving.origin?.completeBytes ?? .max)
        do {
            while let bytes = try await content.next() {
                decoder.give(bytes)
                while let piece = try decoder.next() {
                    let total = arriving.count + Int64(piece.count)
                    guard total <= longest else {
                        throw RemoteFailure(.invalidReply, "\(url) unpacks to more than \(longest) bytes")
                    }
                    guard try await append(piece, to: arriving) else {
                        arriving.abandon()
                        return refusal(
                            arrival, arriving.expectedBytes ?? total, transferred: decoder.receivedBytes)
                    }
                }
            }
            try decoder.finish()
            try check(arriving, response)
            let entry = try await offload {
                try cache.responses.finish(arriving, mediaType: mediaType, isPulled: true) { responses, blob, count in
                    responses = [
                        CacheVariant(blob: blob, sizeBytes: Int(count), mediaType: mediaType, response: response)
                    ]
                }
            }
            let outcome = entry.map { Outcome.kept($0, []) } ?? .notKept([], reason: .noRoom("\(url) was not kept"))
            return MediaOutcome(outcome, transferredBytes: decoder.receivedBytes)
        } catch let error as CacheError {
            return noRoom(.noRoom(error.description), decoder.receivedBytes)
        } catch let error as FileError where error.isFull {
            return noRoom(.diskFull(error.description), decoder.receivedBytes)
        } catch {
            let error = await leave(arriving, after: error, of: content)
            guard let failure = error as? RemoteFailure else { throw error }
            return MediaOutcome(.failure(failure), transferredBytes: decoder.receivedBytes)
        }
    }

    /// - Throws: if the content is incomplete, or does not match its digest.
    private func check(_ arriving: ArrivingContent, _ response: StoredResponse) throws {
        guard let origin = arriving.origin else { return }
        guard arriving.count == origin.completeBytes else {
            throw RemoteFailure(
                .interrupted, "the body ended after \(arriving.count) of \(origin.completeBytes) bytes")
        }
        if let stated = Self.digestOfWhole(response), arriving.digest != stated { throw ContentReading.otherContent }
    }

    /// As the server states it.
    private static func digestOfWhole(_ response: StoredResponse) -> Digest? {
        // One that cannot be read says nothing.
        (try? ContentReading.statedDigest(response.fields, .reprDigest)) ?? nil
    }

    /// Handles interrupted content. Wrong or outdated content is removed; bytes received before a connection broke, or
    /// before a bad reply, are kept.
    ///
    /// - Parameter content: the content that was being received; `nil` without any.
    /// - Returns: the error to report.
    private func leave(
        _ arriving: ArrivingContent, after error: any Error, of content: ResumedContent? = nil
    ) async -> any Error {
        let failure = error as? RemoteFailure
        if let content, content.isOther || (failure?.kind == .invalidReply && !content.hasFailed) {
            _ = try? await offload { arriving.abandon() }
            return error
        }
        guard await keepPart(arriving), let failure else { return error }
        return RemoteFailure(
            failure.kind,
            failure.reason
                + "; the received part, \(ByteCount.format(arriving.count)), is kept: the next pull resumes there")
    }

    /// - Returns: whether it is kept.
    @discardableResult
    private func keepPart(_ arriving: ArrivingContent) async -> Bool {
        do {
            return try await offload { try cache.parts.keep(arriving) }
        } catch {
            // An error of the cache is a miss: the next pull starts again.
            return false
        }
    }

    private func append(_ piece: [UInt8], to arriving: ArrivingContent) async throws -> Bool {
        if arriving.fitsInMemory(piece.count) { return arriving.append(piece) }
        return try await offload { arriving.append(piece) }
    }

    private func refusal(_ arrival: MediaArrival, _ neededBytes: Int64, transferred: Int64) -> MediaOutcome {
        guard let quotaBytes = cache.quotaBytes,
            neededBytes > quotaBytes || !cache.space.isDiskFull(for: neededBytes)
        else {
            return noRoom(.diskFull("the disk is full: there is no space for \(arrival.url)"), transferred)
        }
        let error = CacheError.quotaExceeded(url: arrival.url, neededBytes: neededBytes, quotaBytes: quotaBytes)
        return noRoom(.noRoom(error.description), transferred)
    }

    private func noRoom(_ reason: NotKept, _ transferredBytes: Int64) -> MediaOutcome {
        MediaOutcome(.notKept([], reason: reason), transferredBytes: transferredBytes)
    }
}

import CacheStore
import Disk
import HTTPCaching
import HTTPTypes
import Model

/// Pictures, sounds and films: of any length up to a limit, they go to the cache's disk as they come.
extension Fetcher {
    /// Longer media are refused.
    public static let longestMediaBytes: Int64 = 2 << 30
    /// A sentence of a server that has no such file is shorter.
    static let longestProblemBytes = 64 << 10

    /// What came of a file, and how many bytes of it were transferred.
    public struct MediaOutcome: Sendable {
        /// Without any content.
        public var outcome: Outcome
        public var transferredBytes: Int64
    }

    /// Asks the remote for a file that a questionnaire shows. Its content is compared with its Content-Digest, where it
    /// has one, before anybody sees it. In memory there is never more than a piece of it.
    public func fetchMedia(_ url: String, eviction: EvictionPolicy = .leastRecentlyUsed) async throws -> MediaOutcome {
        let (stored, fields) = try question(url, nil, replacingEdit: false)
        let reply = try await remote.stream(url, fields: fields, maximumBytes: Self.longestMediaBytes)
        guard reply.head.status == 200 || reply.head.status == 203 else {
            var head = reply.head
            if head.status != 304 { head.body = try await reply.body.collect(maximumBytes: Self.longestProblemBytes) }
            return MediaOutcome(
                outcome: try await outcome(of: head, without: stored, url: url, request: fields), transferredBytes: 0)
        }
        let arrival = MediaArrival(reply: reply, url: url, request: fields)
        return try await keep(arrival, eviction)
    }

    private struct MediaArrival {
        var reply: StreamedReply
        var url: String
        var request: HTTPFields
    }

    private func keep(_ arrival: MediaArrival, _ eviction: EvictionPolicy) async throws -> MediaOutcome {
        let (head, url) = (arrival.reply.head, arrival.url)
        let fields = CacheControlOverride.apply(overrides, to: head.fields, url: url)
        guard case .store = Storability.decide(request: arrival.request, status: head.status, response: fields) else {
            // Nobody would see it: it is not even fetched.
            try await offload { try cache.remove(url: url) }
            return MediaOutcome(outcome: .notKept([], reason: .noStore), transferredBytes: 0)
        }
        var decoder = try ContentDecoder(head.fields)
        let expected = decoder.isPacked ? nil : arrival.reply.body.length
        guard let arriving = cache.begin(url: url, expectedBytes: expected, eviction: eviction) else {
            return refusal(arrival, expected ?? 0, transferred: 0)
        }
        do {
            let content = ResumedContent(arrival.reply, remote: remote, url: url, request: arrival.request)
            while let bytes = try await content.next() {
                decoder.give(bytes)
                while let piece = try decoder.next() {
                    guard arriving.count + Int64(piece.count) <= Self.longestMediaBytes else {
                        throw RemoteFailure(
                            .invalidReply, "\(url) unpacks to more than \(Self.longestMediaBytes) bytes")
                    }
                    guard try await append(piece, to: arriving) else {
                        arriving.abandon()
                        return refusal(
                            arrival, expected ?? arriving.count + Int64(piece.count),
                            transferred: decoder.receivedBytes)
                    }
                }
            }
            try decoder.finish()
            let response = Self.storedResponse(head, fields, arrival.request)
            let mediaType = String((head.fields[.contentType] ?? "application/octet-stream").prefix(200))
            let entry = try await offload {
                try cache.finish(arriving, mediaType: mediaType, isPulled: true) { responses, blob, count in
                    responses = [
                        CacheVariant(blob: blob, sizeBytes: Int(count), mediaType: mediaType, response: response)
                    ]
                }
            }
            let outcome = entry.map { Outcome.kept($0, []) } ?? .notKept([], reason: .noRoom("\(url) was not kept"))
            return MediaOutcome(outcome: outcome, transferredBytes: decoder.receivedBytes)
        } catch let error as CacheError {
            return noRoom(.noRoom(error.description), decoder.receivedBytes)
        } catch let error as FileError where error.isFull {
            return noRoom(.diskFull(error.description), decoder.receivedBytes)
        } catch {
            // What came of it is of no use to anybody.
            try await offload { arriving.abandon() }
            throw error
        }
    }

    private func append(_ piece: [UInt8], to arriving: ArrivingContent) async throws -> Bool {
        if arriving.fitsInMemory(piece.count) { return arriving.append(piece) }
        return try await offload { arriving.append(piece) }
    }

    private func refusal(_ arrival: MediaArrival, _ neededBytes: Int64, transferred: Int64) -> MediaOutcome {
        guard let quotaBytes = cache.quotaBytes,
            neededBytes > quotaBytes || !cache.isDiskFull(for: neededBytes)
        else {
            return noRoom(.diskFull("the disk is full: there is no space for \(arrival.url)"), transferred)
        }
        let error = CacheError.quotaExceeded(url: arrival.url, neededBytes: neededBytes, quotaBytes: quotaBytes)
        return noRoom(.noRoom(error.description), transferred)
    }

    private func noRoom(_ reason: NotKept, _ transferredBytes: Int64) -> MediaOutcome {
        MediaOutcome(outcome: .notKept([], reason: reason), transferredBytes: transferredBytes)
    }
}

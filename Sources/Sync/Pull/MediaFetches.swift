import Synchronization

/// The pictures and films of one pull: each is asked for once, whichever of its questionnaires come first.
final class MediaFetches: Sendable {
    private let fetches = Mutex<[String: Awaited<Fetcher.MediaOutcome>]>([:])

    /// The outcome for a file; later requests wait for the first one.
    ///
    /// - Returns: with the transferred bytes for the first alone.
    func outcome(
        of url: String, _ fetch: () async throws -> Fetcher.MediaOutcome
    ) async throws -> Fetcher.MediaOutcome {
        let awaited = Awaited<Fetcher.MediaOutcome>()
        let others = fetches.withLock { fetches in
            defer { fetches[url] = fetches[url] ?? awaited }
            return fetches[url]
        }
        if let others {
            var outcome = try await others.wait()
            outcome.transferredBytes = 0
            return outcome
        }
        do {
            let outcome = try await fetch()
            awaited.settle(.success(outcome))
            return outcome
        } catch {
            awaited.settle(.failure(error))
            throw error
        }
    }
}

import Model
import Synchronization

/// Limits the requests of one client: a burst, and then an even rate a minute (a token bucket).
package final class RateLimit: Sendable {
    private struct Bucket {
        var tokens: Double
        var filledAt: Timestamp
    }

    /// Clients that are remembered; beyond that the ones whose buckets are full are forgotten.
    package static let maximumClients = 10_000

    private let perMinute: Int
    private let clock: any StoreClock
    private let buckets = Mutex<[String: Bucket]>([:])

    /// - Parameter perMinute: requests a minute, and the size of the burst.
    package init(perMinute: Int, clock: any StoreClock) {
        self.perMinute = max(1, perMinute)
        self.clock = clock
    }

    /// Takes note of a request.
    ///
    /// - Returns: `nil` where it may be answered, else after how many seconds the next one may.
    package func secondsToWait(_ client: String) -> Int? { seconds(client, taking: 1) }

    /// The same without taking note of a request.
    package func secondsUntilNext(_ client: String) -> Int? { seconds(client, taking: 0) }

    /// Gives a request that was taken note of back: it should not have counted.
    package func giveBack(_ client: String) {
        buckets.withLock { buckets in
            guard var bucket = buckets[client] else { return }
            bucket.tokens = min(Double(perMinute), bucket.tokens + 1)
            buckets[client] = bucket
        }
    }

    private func seconds(_ client: String, taking count: Double) -> Int? {
        let now = clock.now
        let capacity = Double(perMinute)
        return buckets.withLock { buckets in
            if buckets.count >= RateLimit.maximumClients {
                buckets = buckets.filter { now.seconds(since: $0.value.filledAt) < 60 }
            }
            var bucket = buckets[client] ?? Bucket(tokens: capacity, filledAt: now)
            let passed = max(0, now.seconds(since: bucket.filledAt))
            bucket.tokens = min(capacity, bucket.tokens + passed * capacity / 60)
            bucket.filledAt = now
            defer { buckets[client] = bucket }
            guard bucket.tokens < 1 else {
                bucket.tokens -= count
                return nil
            }
            return max(1, Int(((1 - bucket.tokens) * 60 / capacity).rounded(.up)))
        }
    }
}

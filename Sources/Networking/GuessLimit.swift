import Model
import Synchronization

/// Limits the keys that may be guessed from one address: the rule of hosts and hubs.
///
/// An address may show so many wrong keys at once and then one a second. A key that is long enough is never shut out by the
/// wrong ones of others; one that can be guessed looks like a wrong one meanwhile, unless this address has shown it before.
package final class GuessLimit: Sendable {
    /// Wrong keys that one address may show in a minute.
    package static let perMinute = 60

    private struct Acquaintance: Hashable {
        var client: String
        var key: String
    }

    private let wrong: RateLimit
    /// Keys that were right, by the addresses that have shown them: another client behind the same address cannot shut
    /// them out.
    private let acquaintances = Mutex<Set<Acquaintance>>([])

    package init(clock: any StoreClock) { wrong = RateLimit(perMinute: Self.perMinute, clock: clock) }

    /// Takes note of a wrong key.
    ///
    /// - Returns: `nil` where it may be compared, else after how many seconds the next one may.
    package func secondsAfterWrong(from client: String) -> Int? { wrong.secondsToWait(client) }

    /// Takes a key that counted as wrong back, since it was right.
    package func giveBack(_ client: String) { wrong.giveBack(client) }

    /// Whether a right key that can be guessed may be accepted now.
    ///
    /// - Parameter key: a name of it, for this address.
    /// - Returns: `nil` where it may, else after how many seconds.
    package func secondsAfterRight(_ key: String, from client: String) -> Int? {
        let acquaintance = Acquaintance(client: client, key: key)
        if acquaintances.withLock({ $0.contains(acquaintance) }) { return nil }
        if let seconds = wrong.secondsUntilNext(client) { return seconds }
        acquaintances.withLock { known in
            if known.count >= RateLimit.maximumClients { known = [] }
            known.insert(acquaintance)
        }
        return nil
    }
}

/// Decides in how many seconds a client that is turned away may come back (`Retry-After`): at a random time within as long as
/// the server needs for all that it turned away lately, by what it answered lately. A value; times are seconds of any
/// monotonic clock.
package struct ReturnAdvice: Hashable, Sendable {
    private struct Counts: Hashable {
        var answered = 0
        var turnedAway = 0
    }

    private var startedAt: Double?
    private var current = Counts()
    private var former: Counts?

    /// The length of a period. Connections of the current period and the one before it are counted.
    package static let periodSeconds = 5.0
    /// Clients are spread over at least so many seconds, however few they are.
    package static let shortestSpreadSeconds = 4.0
    /// And at most over so many: what is counted may be an attacker's, and an answered device is better than a waiting one.
    package static let longestSpreadSeconds = 60.0

    package init() {}

    package mutating func answered(now: Double) {
        advance(to: now)
        current.answered += 1
    }

    package mutating func turnedAway(now: Double) {
        advance(to: now)
        current.turnedAway += 1
    }

    /// - Parameter random: 0 ..< 1, another one for each client.
    /// - Returns: whole seconds, at least 1.
    package mutating func seconds(random: Double, now: Double) -> Int {
        1 + Int(random * spreadSeconds(now: now))
    }

    private mutating func spreadSeconds(now: Double) -> Double {
        advance(to: now)
        let turnedAway = Double(current.turnedAway + (former?.turnedAway ?? 0))
        let answered = Double(current.answered + (former?.answered ?? 0))
        let seconds = max(1, now - (startedAt ?? now) + (former == nil ? 0 : Self.periodSeconds))
        // A server that has answered nothing yet may be as quick as ever: one a second is assumed at least.
        let needed = turnedAway / max(1, answered / seconds)
        return min(max(needed, Self.shortestSpreadSeconds), Self.longestSpreadSeconds)
    }

    private mutating func advance(to now: Double) {
        guard let started = startedAt else {
            startedAt = now
            return
        }
        let passed = now - started
        guard passed >= Self.periodSeconds else { return }
        former = passed < 2 * Self.periodSeconds ? current : nil
        current = Counts()
        startedAt = passed < 2 * Self.periodSeconds ? started + Self.periodSeconds : now
    }
}

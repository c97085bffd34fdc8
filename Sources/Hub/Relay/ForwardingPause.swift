/// How long a hub waits for an upstream that is there and does not answer.
package enum ForwardingPause {
    /// The pause after so many consecutive rounds without a reply from an upstream that accepts connections: no event
    /// reports its return. A random time from 1 s to 2, 4, 8, 16, then 30 seconds.
    ///
    /// - Parameter jitter: 0 ..< 1, another one for each pause: spreads the hubs of many rooms.
    package static func seconds(unreached rounds: Int, jitter: Double) -> Double {
        let shortest = UpstreamPresence.shortestPauseSeconds
        let longest = min(shortest * Double(1 << max(1, min(rounds, 10))), 2 * UpstreamPresence.longestPauseSeconds)
        return shortest + (longest - shortest) * jitter
    }
}

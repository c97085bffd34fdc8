/// How long a hub waits for an upstream that is there and does not answer.
package enum ForwardingPause {
    /// The pause after so many consecutive rounds without a reply from an upstream that accepts connections: no event
    /// reports its return. 1, 2, 4, 8, 15 seconds.
    package static func seconds(unreached rounds: Int) -> Double {
        let doubled = UpstreamPresence.shortestPauseSeconds * Double(1 << max(0, min(rounds - 1, 10)))
        return min(doubled, UpstreamPresence.longestPauseSeconds)
    }
}

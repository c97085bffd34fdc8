import NIOCore

/// Whether a body has a minimum rate: a sender of single bytes never falls silent, and would keep a connection for
/// ever.
///
/// Only the time that the hub waits for the client counts, not its own time between reads.
struct BodyPace: Sendable {
    /// The least number of bytes for each period of waiting for the body.
    struct Bound: Sendable {
        /// 512 bytes a second, a tenth of the slowest mobile network (GPRS).
        var time = TimeAmount.seconds(30)
        var bytes = 15 << 10
    }

    private let bound: Bound
    private var waited = TimeAmount.zero
    private var came = 0

    init(_ bound: Bound) { self.bound = bound }

    /// How much longer the next byte may be waited for.
    var rest: TimeAmount { max(bound.time - waited, .nanoseconds(1)) }

    /// - Returns: whether it still has its rate.
    mutating func note(_ bytes: Int, after time: TimeAmount) -> Bool {
        waited = waited + time
        came += bytes
        if came >= bound.bytes {
            (waited, came) = (.zero, 0)
            return true
        }
        return waited < bound.time
    }
}

import NIOCore

/// Whether a body comes at a pace: a sender of one byte now and then never falls silent, and would keep a connection for ever.
///
/// Only the time that the hub waits for the client counts, not what it takes itself before it asks for more.
struct BodyPace: Sendable {
    /// The least number of bytes for each period of waiting for the body.
    struct Bound: Sendable {
        /// 512 bytes a second, a tenth of what the slowest mobile network (GPRS) does.
        var time = TimeAmount.seconds(30)
        var bytes = 15 << 10
    }

    private let bound: Bound
    private var waited = TimeAmount.zero
    private var came = 0

    init(_ bound: Bound) { self.bound = bound }

    /// How much longer the next byte may be waited for.
    var rest: TimeAmount { max(bound.time - waited, .nanoseconds(1)) }

    /// - Returns: whether it still comes at its pace.
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

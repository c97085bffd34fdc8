import Glibc
import Model

/// The machine's clock.
public struct SystemClock: StoreClock {
    public init() {}

    public var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(millisecondsSinceEpoch: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    public var uptime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Minutes since midnight in the machine's time zone.
    package static func minuteOfDay(_ moment: Timestamp) -> Int {
        var seconds = time_t(moment.secondsSinceEpoch)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return 0 }
        return Int(parts.tm_hour) * 60 + Int(parts.tm_min)
    }

    /// The offset of the machine's time zone at a moment, in minutes east of UTC.
    package static func localOffset(_ moment: Timestamp) -> Int { (LocalTime.offsetSeconds(at: moment) ?? 0) / 60 }

    public func sleep(for duration: Duration) async throws {
        try await ContinuousClock().sleep(for: duration)
    }
}

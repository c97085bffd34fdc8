import Glibc
import Model

/// The time zone of the machine's user: `$TZ`, else that of the system.
package enum LocalTime {
    /// How many seconds it is ahead of UTC at a moment; `nil` where it is UTC, or is not known.
    package static func offsetSeconds(at moment: Timestamp) -> Int? {
        var seconds = time_t(moment.secondsSinceEpoch)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return nil }
        let isUTC =
            parts.tm_gmtoff == 0
            && parts.tm_zone.map { ["UTC", "UCT", "Universal"].contains(String(cString: $0)) } ?? true
        return isUTC ? nil : parts.tm_gmtoff
    }
}

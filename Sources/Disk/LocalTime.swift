import Glibc
import Model

/// The time zone of the machine's user: `$TZ`, else that of the system.
package enum LocalTime {
    /// How many seconds it is ahead of UTC at a moment; `nil` where it is UTC, or is not known.
    package static func offsetSeconds(at moment: Timestamp) -> Int? { zone(at: moment)?.offsetSeconds }

    /// For readers who may be in another zone: `2026-11-21 05:51 CET`, and `UTC+05:30` where the zone has no letters for a name.
    package static func inWords(_ moment: Timestamp) -> String {
        guard let zone = zone(at: moment) else { return moment.minute() + " UTC" }
        return moment.minute(offsetSeconds: zone.offsetSeconds) + " " + zone.name
    }

    /// The zone's names at a moment and half a year later: `CET/CEST`, or one where they are the same.
    package static func names(from moment: Timestamp) -> String {
        let later = Timestamp(millisecondsSinceEpoch: moment.millisecondsSinceEpoch + 182 * 86_400_000)
        let names = [moment, later].map { zone(at: $0)?.name ?? "UTC" }
        return names[0] == names[1] ? names[0] : names.joined(separator: "/")
    }

    private static func zone(at moment: Timestamp) -> (offsetSeconds: Int, name: String)? {
        var seconds = time_t(moment.secondsSinceEpoch)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return nil }
        let name = parts.tm_zone.map { String(cString: $0) }
        let isNamedUTC = name.map { ["UTC", "UCT", "Universal"].contains($0) } ?? true
        if parts.tm_gmtoff == 0, isNamedUTC { return nil }
        let offset = parts.tm_gmtoff
        guard let name, !isNamedUTC, name.allSatisfy(\.isLetter) else { return (offset, Self.name(offset)) }
        return (offset, name)
    }

    private static func name(_ offsetSeconds: Int) -> String {
        func twoDigits(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
        let minutes = abs(offsetSeconds) / 60
        return "UTC" + (offsetSeconds < 0 ? "−" : "+") + twoDigits(minutes / 60) + ":" + twoDigits(minutes % 60)
    }
}

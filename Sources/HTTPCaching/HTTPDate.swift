import Model

/// HTTP dates (RFC 9110 section 5.6.7).
public enum HTTPDate {
    /// Reads the three forms that a recipient must accept: IMF-fixdate, RFC 850 and asctime.
    ///
    /// - Parameter now: decides the century of an RFC 850 date (a year more than 50 years ahead is in the past).
    /// - Returns: `nil` for anything else; an invalid date counts as a time in the past (RFC 9111 section 5.3).
    public static func parse(_ text: String, now: Timestamp = Timestamp(secondsSinceEpoch: 1_800_000_000)) -> Timestamp?
    {
        let parts = text.split(whereSeparator: { $0 == " " || $0 == "," })
        if parts.count == 6, parts[5] == "GMT", let day = number(parts[1]), let year = number(parts[3]) {
            return timestamp(year: year, month: parts[2], day: day, time: parts[4])
        }
        if parts.count == 4, parts[3] == "GMT" {
            let date = parts[1].split(separator: "-", omittingEmptySubsequences: false)
            guard date.count == 3, date[2].utf8.count == 2, let day = number(date[0]), let short = number(date[2])
            else { return nil }
            let thisYear = CivilDate(daysSinceEpoch: now.secondsSinceEpoch / 86_400).year
            var year = thisYear - thisYear % 100 + short
            if year > thisYear + 50 { year -= 100 }
            return timestamp(year: year, month: date[1], day: day, time: parts[2])
        }
        if parts.count == 5, let day = number(parts[2]), let year = number(parts[4]) {
            return timestamp(year: year, month: parts[1], day: day, time: parts[3])
        }
        return nil
    }

    /// IMF-fixdate: `Sun, 06 Nov 1994 08:49:37 GMT`.
    public static func format(_ time: Timestamp) -> String {
        let seconds = time.secondsSinceEpoch
        let second = (seconds % 86_400 + 86_400) % 86_400
        let days = (seconds - second) / 86_400
        let date = CivilDate(daysSinceEpoch: days)
        let weekday = weekdays[Int(((days + 4) % 7 + 7) % 7)]
        return "\(weekday), \(two(Int64(date.day))) \(months[date.month - 1]) \(date.year) "
            + "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60)) GMT"
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func timestamp(year: Int64, month: Substring, day: Int64, time: Substring) -> Timestamp? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false)
        guard let month = months.firstIndex(where: { $0 == month }),
            let date = CivilDate(year: year, month: month + 1, day: Int(day)), clock.count == 3,
            clock.allSatisfy({ $0.utf8.count == 2 }), let hour = number(clock[0]), let minute = number(clock[1]),
            let second = number(clock[2]), hour < 24, minute < 60, second <= 60
        else { return nil }
        return Timestamp(secondsSinceEpoch: date.daysSinceEpoch * 86_400 + hour * 3600 + minute * 60 + second)
    }

    private static func number(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.count <= 4, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
            return nil
        }
        return Int64(text)
    }

    private static func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : String(value) }
}

import Model

/// HTTP dates (RFC 9110 section 5.6.7).
package enum HTTPDate {
    /// Reads the three forms that a recipient must accept: IMF-fixdate, RFC 850 and asctime; in any case (RFC 9111
    /// section 4.2), and without checking the weekday. A zone other than GMT is invalid.
    ///
    /// - Parameter now: decides the century of an RFC 850 date: it is at most 50 years ahead.
    /// - Returns: `nil` for anything else; an invalid date counts as a time in the past (RFC 9111 section 5.3).
    package static func parse(
        _ text: String, now: Timestamp = Timestamp(secondsSinceEpoch: 1_800_000_000)
    ) -> Timestamp? {
        var text = text
        return text.withUTF8 { bytes in
            var reader = Reader(bytes: bytes)
            guard let weekday = reader.word() else { return nil }
            if reader.skip(", ") {
                return days.contains(weekday)
                    ? fixdate(&reader) : longDays.contains(weekday) ? rfc850(&reader, now) : nil
            }
            return days.contains(weekday) ? asctime(&reader) : nil
        }
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    private static func fixdate(_ reader: inout Reader) -> Timestamp? {
        guard let day = reader.number(2), reader.skip(" "), let month = reader.month(), reader.skip(" "),
            let year = reader.number(4), reader.skip(" "), let second = reader.time(), reader.zone()
        else { return nil }
        return timestamp(year, month, day, second)
    }

    /// `Sun Nov  6 08:49:37 1994`
    private static func asctime(_ reader: inout Reader) -> Timestamp? {
        guard reader.skip(" "), let month = reader.month(), reader.skip(" "),
            let day = reader.skip(" ") ? reader.number(1) : reader.number(2), reader.skip(" "),
            let second = reader.time(), reader.skip(" "), let year = reader.number(4), reader.isAtEnd
        else { return nil }
        return timestamp(year, month, day, second)
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT`: of the years with these last digits, the latest one that is at most 50 years
    /// ahead.
    private static func rfc850(_ reader: inout Reader, _ now: Timestamp) -> Timestamp? {
        guard let day = reader.number(2), reader.skip("-"), let month = reader.month(), reader.skip("-"),
            let short = reader.number(2), reader.skip(" "), let second = reader.time(), reader.zone()
        else { return nil }
        let seconds = now.secondsSinceEpoch
        let today = CivilDate(daysSinceEpoch: (seconds - (seconds % 86_400 + 86_400) % 86_400) / 86_400)
        let present = (today.month, today.day, (seconds % 86_400 + 86_400) % 86_400)
        let century = today.year - (today.year % 100 + 100) % 100
        for year in [century + 100 + short, century + short, century - 100 + short] {
            let ahead = year - today.year
            if ahead < 50 || ahead == 50 && (month, Int(day), second) <= present {
                return timestamp(year, month, day, second)
            }
        }
        return nil
    }

    private static func timestamp(_ year: Int64, _ month: Int, _ day: Int64, _ second: Int64) -> Timestamp? {
        guard let date = CivilDate(year: year, month: month, day: Int(day)) else { return nil }
        return Timestamp(secondsSinceEpoch: date.daysSinceEpoch * 86_400 + second)
    }

    /// IMF-fixdate: `Sun, 06 Nov 1994 08:49:37 GMT`.
    package static func format(_ time: Timestamp) -> String {
        let seconds = time.secondsSinceEpoch
        let second = (seconds % 86_400 + 86_400) % 86_400
        let days = (seconds - second) / 86_400
        let date = CivilDate(daysSinceEpoch: days)
        let weekday = weekdays[Int(((days + 4) % 7 + 7) % 7)]
        return "\(weekday), \(two(Int64(date.day))) \(months[date.month - 1]) \(four(date.year)) "
            + "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60)) GMT"
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let days = Set(weekdays.map { $0.lowercased() })
    private static let longDays: Set = [
        "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
    ]
    private static let monthNumbers = Dictionary(
        uniqueKeysWithValues: months.enumerated().map { ($0.element.lowercased(), $0.offset + 1) })

    private static func four(_ year: Int64) -> String {
        let digits = String(year)
        return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }

    private static func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : String(value) }

    private struct Reader {
        let bytes: UnsafeBufferPointer<UInt8>
        var index = 0

        var isAtEnd: Bool { index == bytes.count }

        mutating func skip(_ text: StaticString) -> Bool {
            guard bytes.count - index >= text.utf8CodeUnitCount else { return false }
            for offset in 0..<text.utf8CodeUnitCount where bytes[index + offset] != text.utf8Start[offset] {
                return false
            }
            index += text.utf8CodeUnitCount
            return true
        }

        /// Letters, in lowercase; `nil` for none and for more letters than the longest weekday has.
        mutating func word() -> String? {
            let start = index
            while index < bytes.count, index - start < 10, (0x61...0x7A).contains(bytes[index] | 0x20) { index += 1 }
            guard index > start, index - start < 10 else { return nil }
            return String(decoding: bytes[start..<index].map { $0 | 0x20 }, as: UTF8.self)
        }

        mutating func month() -> Int? { word().flatMap { monthNumbers[$0] } }

        mutating func number(_ digits: Int) -> Int64? {
            guard bytes.count - index >= digits else { return nil }
            var value: Int64 = 0
            for byte in bytes[index..<index + digits] {
                guard byte >= 0x30, byte <= 0x39 else { return nil }
                value = value * 10 + Int64(byte - 0x30)
            }
            index += digits
            return value
        }

        /// Seconds of the day; 60 is a leap second.
        mutating func time() -> Int64? {
            guard let hour = number(2), skip(":"), let minute = number(2), skip(":"), let second = number(2),
                hour < 24, minute < 60, second <= 60
            else { return nil }
            return hour * 3600 + minute * 60 + second
        }

        mutating func zone() -> Bool {
            guard skip(" "), let zone = word() else { return false }
            return isAtEnd && zone == "gmt"
        }
    }
}

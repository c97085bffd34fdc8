/// A moment of wall time, in milliseconds since 1970-01-01T00:00:00Z.
///
/// Wall time is for disk and HTTP; nothing is ordered by it, because a device's clock is not trusted.
public struct Timestamp: Hashable, Comparable, Sendable {
    public var millisecondsSinceEpoch: Int64

    public init(millisecondsSinceEpoch: Int64) {
        self.millisecondsSinceEpoch = millisecondsSinceEpoch
    }

    /// Clamped to the range.
    public init(secondsSinceEpoch: Int64) {
        let (product, overflow) = secondsSinceEpoch.multipliedReportingOverflow(by: 1000)
        millisecondsSinceEpoch = overflow ? (secondsSinceEpoch < 0 ? .min : .max) : product
    }

    public static let epoch = Timestamp(millisecondsSinceEpoch: 0)

    /// In the unit of file systems; clamped to their range (the years 1677 to 2262).
    package var nanosecondsSinceEpoch: Int64 {
        let (product, overflow) = millisecondsSinceEpoch.multipliedReportingOverflow(by: 1_000_000)
        return overflow ? (millisecondsSinceEpoch < 0 ? .min : .max) : product
    }

    /// Whole seconds since the epoch, rounded down.
    package var secondsSinceEpoch: Int64 {
        millisecondsSinceEpoch / 1000 - (millisecondsSinceEpoch % 1000 < 0 ? 1 : 0)
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.millisecondsSinceEpoch < right.millisecondsSinceEpoch
    }

    /// The moment `seconds` later, clamped to the range.
    public func adding(seconds: Double) -> Timestamp {
        let milliseconds = (seconds * 1000).rounded()
        if milliseconds.isNaN { return self }
        let span = Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max)
        let (sum, overflow) = millisecondsSinceEpoch.addingReportingOverflow(span)
        return Timestamp(millisecondsSinceEpoch: overflow ? (span < 0 ? .min : .max) : sum)
    }

    /// Seconds from `earlier` to this moment; negative when `earlier` is later.
    public func seconds(since earlier: Timestamp) -> Double {
        (Double(millisecondsSinceEpoch) - Double(earlier.millisecondsSinceEpoch)) / 1000
    }
}

extension Timestamp: CustomStringConvertible {
    /// RFC 3339 in UTC with milliseconds: `2026-11-21T04:51:00.123Z`.
    public var description: String {
        let date = CivilDate(daysSinceEpoch: (secondsSinceEpoch - floorMod(secondsSinceEpoch, 86_400)) / 86_400)
        let second = floorMod(secondsSinceEpoch, 86_400)
        let millisecond = floorMod(millisecondsSinceEpoch, 1000)
        // As bytes: each test and each entry has several timestamps, and joining strings takes far longer.
        var text: [UInt8] = []
        text.reserveCapacity(24)
        text.append(date.year, digits: 4)
        text.append(Int64(date.month), digits: 2, after: "-")
        text.append(Int64(date.day), digits: 2, after: "-")
        text.append(second / 3600, digits: 2, after: "T")
        text.append(second / 60 % 60, digits: 2, after: ":")
        text.append(second % 60, digits: 2, after: ":")
        text.append(millisecond, digits: 3, after: ".")
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }

    /// For people, to the minute: `2026-11-21 04:51 UTC`; by the person's own clock without a zone, where `LocalClock` is set.
    package var inWords: String {
        if let offset = LocalClock.current?.offsetSeconds(self) { return minute(offsetSeconds: offset) }
        return minute() + " UTC"
    }

    /// To the minute, by a clock that is ahead of UTC: `2026-11-21 04:51`.
    package func minute(offsetSeconds: Int = 0) -> String {
        String(adding(seconds: Double(offsetSeconds)).description.prefix(16)).replacing("T", with: " ")
    }

    /// Reads RFC 3339 (`2026-11-21T04:51:00Z`, fractions and offsets allowed) or a plain date (`2026-11-21`, taken
    /// as midnight UTC). `nil` for anything else.
    public init?(_ text: String) {
        var reader = DateReader(text)
        guard let year = reader.number(digits: 4), reader.skip("-"), let month = reader.number(digits: 2),
            reader.skip("-"), let day = reader.number(digits: 2),
            let date = CivilDate(year: year, month: Int(month), day: Int(day))
        else { return nil }
        var milliseconds = date.daysSinceEpoch * 86_400_000
        if !reader.isAtEnd {
            guard reader.skip("T") || reader.skip("t") || reader.skip(" "), let hour = reader.number(digits: 2),
                reader.skip(":"), let minute = reader.number(digits: 2), hour < 24, minute < 60
            else { return nil }
            milliseconds += (hour * 60 + minute) * 60_000
            if reader.skip(":") {
                guard let second = reader.number(digits: 2), second <= 60 else { return nil }
                milliseconds += second * 1000
                if reader.skip(".") {
                    guard let fraction = reader.fraction() else { return nil }
                    milliseconds += fraction
                }
            }
            guard let offset = reader.zone(), reader.isAtEnd else { return nil }
            milliseconds -= offset * 60_000
        }
        self.init(millisecondsSinceEpoch: milliseconds)
    }
}

extension Timestamp: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = Timestamp(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "“\(text)” is not a date like 2026-11-21T04:51:00Z")
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// A day of the proleptic Gregorian calendar.
package struct CivilDate: Hashable, Sendable {
    package var year: Int64
    package var month: Int
    package var day: Int

    /// `nil` when there is no such day.
    package init?(year: Int64, month: Int, day: Int) {
        guard (1...12).contains(month), day >= 1, day <= CivilDate.days(inMonth: month, year: year) else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Days in eras of 400 years that start on 1 March, so that the leap day is the last one.
    package init(daysSinceEpoch days: Int64) {
        let shifted = days + 719_468
        let era = (shifted - floorMod(shifted, 146_097)) / 146_097
        let dayOfEra = floorMod(shifted, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthIndex = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * monthIndex + 2) / 5 + 1)
        month = Int(monthIndex < 10 ? monthIndex + 3 : monthIndex - 9)
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    package var daysSinceEpoch: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear - floorMod(shiftedYear, 400)) / 400
        let yearOfEra = floorMod(shiftedYear, 400)
        let dayOfYear = Int64((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1)
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    static func days(inMonth month: Int, year: Int64) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

private func floorMod(_ value: Int64, _ divisor: Int64) -> Int64 {
    let rest = value % divisor
    return rest < 0 ? rest + divisor : rest
}

extension [UInt8] {
    /// A number padded to at least this many digits.
    fileprivate mutating func append(_ value: Int64, digits: Int, after separator: Unicode.Scalar? = nil) {
        if let separator { append(UInt8(ascii: separator)) }
        let text = String(value).utf8
        for _ in 0..<Swift.max(0, digits - text.count) { append(UInt8(ascii: "0")) }
        self += text
    }
}

private struct DateReader {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = Substring(text).utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ character: Character) -> Bool {
        guard let byte = rest.first, byte == character.asciiValue else { return false }
        rest.removeFirst()
        return true
    }

    mutating func number(digits: Int) -> Int64? {
        guard rest.count >= digits else { return nil }
        var value: Int64 = 0
        for byte in rest.prefix(digits) {
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            value = value * 10 + Int64(byte - 0x30)
        }
        rest.removeFirst(digits)
        return value
    }

    /// Milliseconds of a fraction with any number of digits.
    mutating func fraction() -> Int64? {
        var value: Int64 = 0
        var scale: Int64 = 100
        var count = 0
        while let byte = rest.first, byte >= 0x30, byte <= 0x39 {
            value += Int64(byte - 0x30) * scale
            scale /= 10
            count += 1
            rest.removeFirst()
        }
        return count == 0 ? nil : value
    }

    /// Minutes east of UTC.
    mutating func zone() -> Int64? {
        if skip("Z") || skip("z") { return 0 }
        let sign: Int64 = skip("+") ? 1 : skip("-") ? -1 : 0
        guard sign != 0, let hour = number(digits: 2), skip(":"), let minute = number(digits: 2), hour < 24, minute < 60
        else { return nil }
        return sign * (hour * 60 + minute)
    }
}

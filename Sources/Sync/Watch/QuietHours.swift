import Model

/// A part of each day, by the machine's time zone, in which nothing is synced by itself: `22:00-07:00`.
package struct QuietHours: Hashable, Sendable, Codable, CustomStringConvertible {
    static let minutesOfDay = 24 * 60

    /// Minutes since midnight; the end is no longer quiet. Equal ones mean the whole day.
    package let startMinute: Int
    package let endMinute: Int

    /// Reads `HH:MM-HH:MM`; `nil` for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(Self.minute)
        guard parts.count == 2, let start = parts[0], let end = parts[1] else { return nil }
        (startMinute, endMinute) = (start, end)
    }

    private static func minute(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.count == 2 && $0.utf8.allSatisfy { (48...57).contains($0) } }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
        else { return nil }
        return hour * 60 + minute
    }

    /// Minutes until they end; 0 when it is not quiet.
    package func rest(atMinute minute: Int) -> Int {
        let since = (minute - startMinute + Self.minutesOfDay) % Self.minutesOfDay
        let length = (endMinute - startMinute + Self.minutesOfDay) % Self.minutesOfDay
        let whole = length == 0 ? Self.minutesOfDay : length
        return since < whole ? whole - since : 0
    }

    package var description: String { Self.text(startMinute) + "-" + Self.text(endMinute) }

    private static func text(_ minute: Int) -> String {
        [minute / 60, minute % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let hours = QuietHours(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "is not a span of the day such as \"22:00-07:00\"")
        }
        self = hours
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

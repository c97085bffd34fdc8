/// Amounts of bytes as people write them.
package enum ByteCount {
    /// `512 B`, `1.5 MB` (decimal units).
    ///
    /// - Parameter units: the symbols of 1, 1000, a million bytes and so on.
    package static func format(
        _ bytes: Int64, units: [String] = ["B", "kB", "MB", "GB", "TB"], decimalSeparator: String = "."
    ) -> String {
        var value = Double(bytes)
        var unit = 0
        while value >= 999.5, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        if unit == 0 { return "\(bytes) \(units[0])" }
        let tenths = Int64((value * 10).rounded())
        let isWhole = tenths % 10 == 0 || tenths >= 1000
        let figures = isWhole ? "\(Int64(value.rounded()))" : "\(tenths / 10)\(decimalSeparator)\(tenths % 10)"
        return "\(figures) \(units[unit])"
    }

    /// Reads `200MB`, `1.5 GB`, `1,5 ГБ`, `64KiB`, `1048576`. Units of 1000 (kB, MB, GB, TB, in Russian кБ, МБ, ГБ, ТБ), or of
    /// 1024 with an i (KiB, MiB …).
    package static func parse(_ text: String) -> Int64? {
        let typed = text.filter { !$0.isWhitespace }.lowercased()
        // Three digits after a comma are thousands in some countries and thousandths in others.
        if let comma = typed.firstIndex(of: ","), typed[comma...].dropFirst().prefix(while: \.isNumber).count == 3 {
            return nil
        }
        let compact = typed.replacing(",", with: ".")
        let number = compact.prefix { $0.isNumber || $0 == "." }
        guard let value = Double(number), value.isFinite, value >= 0 else { return nil }
        let factor: Double
        switch compact.dropFirst(number.count) {
        case "", "b", "б": factor = 1
        case "k", "kb", "к", "кб": factor = 1e3
        case "m", "mb", "м", "мб": factor = 1e6
        case "g", "gb", "г", "гб": factor = 1e9
        case "t", "tb", "т", "тб": factor = 1e12
        case "ki", "kib": factor = 1024
        case "mi", "mib": factor = 1_048_576
        case "gi", "gib": factor = 1_073_741_824
        default: return nil
        }
        let bytes = value * factor
        return bytes < 9e18 ? Int64(bytes) : nil
    }
}

/// Spans of time as people write them.
package enum TimeSpan {
    /// Seconds of `90`, `90s`, `15m`, `36h`, `7d`, `2w`.
    package static func parse(_ text: String) -> Double? {
        let compact = text.filter { !$0.isWhitespace }.lowercased()
        let number = compact.prefix { $0.isNumber || $0 == "." }
        guard let value = Double(number), value.isFinite, value >= 0 else { return nil }
        switch compact.dropFirst(number.count) {
        case "", "s": return value
        case "m", "min": return value * 60
        case "h": return value * 3600
        case "d": return value * 86_400
        case "w": return value * 604_800
        default: return nil
        }
    }

    /// The symbols of the units.
    package struct Units: Sendable {
        package var seconds: String
        package var minutes: String
        package var hours: String
        package var days: String

        package init(seconds: String = "s", minutes: String = "min", hours: String = "h", days: String = "d") {
            self.seconds = seconds
            self.minutes = minutes
            self.hours = hours
            self.days = days
        }
    }

    /// The largest unit that fits: `45 min`, `3 h`, `12 d`.
    package static func format(seconds: Double, units: Units = Units()) -> String {
        // Bounded: a span may come from a wrong clock.
        let whole = seconds > 0 ? Int64(min(seconds, 1e15)) : 0
        switch whole {
        case ..<60: return "\(whole) \(units.seconds)"
        case ..<3600: return "\(whole / 60) \(units.minutes)"
        case ..<172_800: return "\(whole / 3600) \(units.hours)"
        default: return "\(whole / 86_400) \(units.days)"
        }
    }

    /// As a clock shows what is left: `1:02:05`, `2:05`.
    package static func clock(seconds: Int) -> String {
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let minutes = seconds / 60 % 60
        let start = seconds >= 3600 ? "\(seconds / 3600):" + padded(minutes) : "\(minutes)"
        return start + ":" + padded(seconds % 60)
    }

    /// To the second: `1 h 2 min 5 s`.
    package static func exact(seconds: Double, units: Units = Units()) -> String {
        let total = seconds > 0 ? Int64(min(seconds, 1e15)) : 0
        let parts = [
            (total / 3600, units.hours), (total / 60 % 60, units.minutes), (total % 60, units.seconds),
        ].filter { $0.0 > 0 }
        return parts.isEmpty ? "0 \(units.seconds)" : parts.map { "\($0.0) \($0.1)" }.joined(separator: " ")
    }
}

/// What a date, a time, or a date with a time means that a person wrote: `25.11.2026`, `2:30 pm`, `2026-11-25 14:30+03:00`.
///
/// The canonical forms are those of the answers: `2026-11-25`, `14:30` (with `:15` where seconds count), and RFC 3339 with an offset.
/// `rules.js` reads the same; both pass `Tests/Vectors/dates.json`. A date that has two meanings is never guessed.
package enum WrittenDate: Hashable, Sendable {
    case canonical(String)
    /// `11/12/2026` is in November or in December.
    case ambiguous([String])
    /// No such day or time.
    case none

    /// The canonical form; `nil` for what is none, or one of two.
    package var text: String? { if case .canonical(let text) = self { text } else { nil } }

    /// Reads a date: year first, or day first; between slashes or hyphens the month may be first, too.
    package static func date(_ written: String) -> WrittenDate {
        let parts = pieces(plain(written))
        guard parts.count == 5 || parts.count == 6 && parts[5] == "." && parts[1] == ".", parts[1] == parts[3],
            ["-", "/", "."].contains(parts[1])
        else { return .none }
        let (first, second, third) = (parts[0], parts[2], parts[4])
        guard second.count <= 2 else { return .none }
        if first.count == 4 {
            return third.count <= 2 ? day(first, second, third).map(WrittenDate.canonical) ?? .none : .none
        }
        guard third.count == 4, first.count <= 2 else { return .none }
        let dayFirst = day(third, second, first)
        let monthFirst = parts[1] == "." ? nil : day(third, first, second)
        switch (dayFirst, monthFirst) {
        case (let one?, let other?) where one != other: return .ambiguous([one, other])
        case (let one?, _), (nil, let one?): return .canonical(one)
        case (nil, nil): return .none
        }
    }

    /// Reads a time of the day.
    package static func time(_ written: String) -> WrittenDate {
        clock(plain(written), hasFraction: false).map { clock in
            .canonical(String(clock.second == 0 ? clock.text.prefix(5) : clock.text.prefix(8)))
        } ?? .none
    }

    /// Reads a date with a time.
    ///
    /// - Parameter offsetMinutes: what a text without an offset means, in minutes east of UTC; without it such a text is
    ///   none.
    package static func dateTime(_ written: String, offsetMinutes: Int? = nil) -> WrittenDate {
        let characters = plain(written)
        guard let gap = characters.firstIndex(where: { $0 == "t" || $0 == " " || $0 == "," }) else { return .none }
        var rest = characters[characters.index(after: gap)...]
        while rest.first == " " { rest.removeFirst() }
        var offset = offsetMinutes
        if rest.last == "z" {
            rest.removeLast()
            offset = 0
        } else if let sign = rest.lastIndex(where: { $0 == "+" || $0 == "-" }) {
            guard let minutes = self.offset(rest[rest.index(after: sign)...]) else { return .none }
            offset = rest[sign] == "-" ? -minutes : minutes
            rest = rest[..<sign]
        }
        while rest.last == " " { rest.removeLast() }
        guard let offset, abs(offset) < 24 * 60, let clock = clock(Array(rest), hasFraction: true) else { return .none }
        func joined(_ day: String) -> String {
            let zone =
                offset == 0
                ? "Z" : (offset < 0 ? "-" : "+") + two(abs(offset) / 60) + ":" + two(abs(offset) % 60)
            return day + "T" + clock.text + zone
        }
        switch date(String(characters[..<gap])) {
        case .canonical(let day): return .canonical(joined(day))
        case .ambiguous(let days): return .ambiguous(days.map(joined))
        case .none: return .none
        }
    }

    /// Reads a date with a time; where it states no offset, it is the local one.
    ///
    /// - Parameter localOffset: minutes east of UTC at a moment.
    package static func dateTime(_ written: String, localOffset: (Timestamp) -> Int) -> WrittenDate {
        let stated = dateTime(written)
        if stated != .none { return stated }
        let universal = dateTime(written, offsetMinutes: 0)
        guard let order = universal.text.flatMap(order) else { return universal }
        return dateTime(written, offsetMinutes: offset(ofLocal: order.value, localOffset))
    }

    /// The offset at a local time, which is given as if it were UTC. Where clocks are put back, or forward past it, it is the offset
    /// before that, as `Date` of JavaScript has it.
    private static func offset(ofLocal time: Int64, _ localOffset: (Timestamp) -> Int) -> Int {
        func offset(at universal: Int64) -> Int { localOffset(Timestamp(millisecondsSinceEpoch: universal)) }
        let before = offset(at: time - 86_400_000)
        let after = offset(at: time + 86_400_000)
        let isAfter = before != after && offset(at: time - Int64(before) * 60_000) != before
        return isAfter && offset(at: time - Int64(after) * 60_000) == after ? after : before
    }

    /// What a browser's field for a date with a time (`datetime-local`) shows of a canonical text, and gives back as exactly that; `nil` for
    /// any other text: one with a fraction of a second, or with another offset than the local one.
    package static func localText(_ canonical: String, localOffset: (Timestamp) -> Int) -> String? {
        guard canonical.utf8.count >= 20, canonical.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let seconds = canonical.prefix(19)
        let local = String(seconds.hasSuffix(":00") ? seconds.prefix(16) : seconds)
        return dateTime(local, localOffset: localOffset).text == canonical ? local : nil
    }

    // MARK: Order

    /// What canonical forms of one kind are compared by.
    package struct Order: Hashable, Comparable, Sendable {
        package enum Form: Int {
            case date
            case time
            case dateTime
        }

        package var form: Form
        /// Days, milliseconds of the day, or milliseconds since 1970 in UTC.
        var value: Int64

        package static func < (left: Order, right: Order) -> Bool {
            (left.form.rawValue, left.value) < (right.form.rawValue, right.value)
        }

        /// `nil` where two forms cannot be compared.
        package func isBefore(_ other: Order) -> Bool? { form == other.form ? value < other.value : nil }
    }

    /// The order of a text in a canonical form; `nil` for any other.
    package static func order(_ text: String) -> Order? {
        guard text.utf8.count <= 40, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        if date(text).text == text { return days(text).map { Order(form: .date, value: $0) } }
        if time(text).text == text {
            return milliseconds(text).map { Order(form: .time, value: $0) }
        }
        guard dateTime(text).text == text, let day = days(String(text.prefix(10))) else { return nil }
        let isUTC = text.last == "Z"
        let clock = text.dropFirst(11).dropLast(isUTC ? 1 : 6)
        guard let time = milliseconds(String(clock)) else { return nil }
        var offset: Int64 = 0
        if !isUTC, let minutes = self.offset(Array(text.suffix(5))[...]) {
            offset = text.suffix(6).first == "-" ? Int64(-minutes) : Int64(minutes)
        }
        return Order(form: .dateTime, value: day * 86_400_000 + time - offset * 60_000)
    }

    private static func days(_ canonical: String) -> Int64? {
        let parts = canonical.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3 else { return nil }
        return CivilDate(year: Int64(parts[0]), month: parts[1], day: parts[2])?.daysSinceEpoch
    }

    /// Milliseconds of the day of `HH:MM`, `HH:MM:SS` or `HH:MM:SS.fff`.
    private static func milliseconds(_ clock: String) -> Int64? {
        let halves = clock.split(separator: ".")
        let parts = halves.first?.split(separator: ":").compactMap { Int64($0) } ?? []
        guard parts.count >= 2 else { return nil }
        let seconds = parts[0] * 3600 + parts[1] * 60 + (parts.count > 2 ? parts[2] : 0)
        let fraction = halves.count > 1 ? Int64((halves[1] + "00").prefix(3)) ?? 0 : 0
        return seconds * 1000 + fraction
    }

    // MARK: Parts

    /// Lowercase, with the digits, hyphens and colons of other scripts as ASCII, without marks of direction and space
    /// around it.
    private static func plain(_ text: String) -> [Character] {
        guard text.utf8.count <= 200 else { return [] }
        var characters: [Character] = []
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x200E, 0x200F, 0x061C: continue
            case 0x0660...0x0669: characters.append(digit(scalar.value - 0x0660))
            case 0x06F0...0x06F9: characters.append(digit(scalar.value - 0x06F0))
            case 0xFF10...0xFF19: characters.append(digit(scalar.value - 0xFF10))
            case 0x2010...0x2015, 0x2212: characters.append("-")
            case 0xFF1A: characters.append(":")
            case 0x09, 0x0A, 0x0D, 0x20, 0xA0, 0x2009, 0x202F: characters.append(" ")
            case 0x41...0x5A: characters.append(Character(Unicode.Scalar(UInt8(scalar.value + 0x20))))
            default: characters.append(Character(scalar))
            }
        }
        while characters.first == " " { characters.removeFirst() }
        while characters.last == " " { characters.removeLast() }
        return characters
    }

    private static func digit(_ value: UInt32) -> Character { Character(Unicode.Scalar(UInt8(0x30 + value))) }

    private static func isDigit(_ character: Character) -> Bool { character.isASCII && ("0"..."9").contains(character) }

    /// Rows of digits, and what is between them.
    private static func pieces(_ characters: [Character]) -> [String] {
        var pieces: [String] = []
        var wasDigit: Bool?
        for character in characters {
            let isDigit = isDigit(character)
            if isDigit == wasDigit {
                pieces[pieces.count - 1].append(character)
            } else {
                pieces.append(String(character))
            }
            wasDigit = isDigit
        }
        return characters.first.map(isDigit) == true ? pieces : []
    }

    private static func day(_ year: String, _ month: String, _ day: String) -> String? {
        guard let year = Int64(year), let month = Int(month), let day = Int(day), year >= 1,
            CivilDate(year: year, month: month, day: day) != nil
        else { return nil }
        let digits = String(year)
        return String(repeating: "0", count: 4 - digits.count) + digits + "-" + two(month) + "-" + two(day)
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// A time of the day as `HH:MM:SS`, with a fraction where it has one.
    private static func clock(_ characters: [Character], hasFraction: Bool) -> (text: String, second: Int)? {
        var parts = pieces(characters)
        var half: Int?
        if parts.count.isMultiple(of: 2), let suffix = parts.last {
            switch suffix.filter({ $0 != " " && $0 != "." }) {
            case "am": half = 0
            case "pm": half = 12
            default: return nil
            }
            parts.removeLast()
        }
        guard let first = parts.first, first.count <= 2, var hour = Int(first) else { return nil }
        guard parts.count > 1 || half != nil else { return nil }
        var fraction = ""
        if hasFraction, parts.count == 7, parts[5] == "." {
            fraction = String(parts[6].prefix(3))
            while fraction.last == "0" { fraction.removeLast() }
            parts.removeLast(2)
        }
        guard parts.count <= 5 else { return nil }
        let separators = stride(from: 1, to: parts.count, by: 2).map { parts[$0] }
        guard separators.allSatisfy({ $0 == separators[0] && ($0 == ":" || $0 == ".") }) else { return nil }
        let others = stride(from: 2, to: parts.count, by: 2).map { parts[$0] }
        guard others.allSatisfy({ $0.count == 2 }) else { return nil }
        let numbers = others.compactMap { Int($0) }
        let (minute, second) = (numbers.first ?? 0, numbers.count > 1 ? numbers[1] : 0)
        if let half {
            guard (1...12).contains(hour) else { return nil }
            hour = hour % 12 + half
        }
        guard hour < 24, minute < 60, second < 60 else { return nil }
        let text = two(hour) + ":" + two(minute) + ":" + two(second) + (fraction.isEmpty ? "" : "." + fraction)
        return (text, second)
    }

    /// Minutes of `03:00`, `0300` or `03`.
    private static func offset(_ characters: ArraySlice<Character>) -> Int? {
        var text = Array(characters)
        if text.count == 5, text[2] == ":" { text.remove(at: 2) }
        guard text.allSatisfy(isDigit), text.count == 2 || text.count == 4, let hours = Int(String(text.prefix(2)))
        else { return nil }
        let minutes = text.count == 4 ? Int(String(text.suffix(2))) ?? 60 : 0
        return hours < 24 && minutes < 60 ? hours * 60 + minutes : nil
    }
}

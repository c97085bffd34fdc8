import CTexts

/// The texts of one language, by their English patterns.
///
/// A catalog is a JSON object with one member a line, and the lines are ordered by their bytes. So a lookup is a binary
/// search over the bytes that are compiled into the program, and a start parses nothing. The member `""` has the
/// language's name, its decimal separator and the rules of its plural categories.
package struct TextCatalog {
    /// What a catalog has for a pattern.
    package enum Entry: Hashable, Sendable {
        case text(String)
        /// A text for each plural category of Unicode's CLDR, such as `one`, `few`, `many`.
        case forms([String: String])
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    /// The lines of the members.
    private let members: Range<Int>

    /// The catalog that is compiled in for a language tag such as `ru`; `nil` without one.
    init?(language: String) {
        var size = 0
        guard let bytes = quire_text_catalog(language, &size) else { return nil }
        self.init(UnsafeBufferPointer(start: bytes, count: size))
    }

    /// - Parameter bytes: the catalog's file. They must outlive the catalog.
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        let first = bytes.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.count
        members = first..<max(first, bytes.lastIndex(of: UInt8(ascii: "}")) ?? first)
    }

    package func entry(_ pattern: String) -> Entry? {
        member(pattern).flatMap { Self.entry($0.dropFirst(Self.quoted(pattern).count + 2)) }
    }

    /// A JSON object with those of the patterns that the catalog has, and the entry `""`.
    package func json(of patterns: Set<String>) -> String {
        let members = patterns.union([""]).sorted().compactMap(member).map { line in
            String(decoding: line.last == UInt8(ascii: ",") ? line.dropLast() : line, as: UTF8.self)
        }
        return "{\(members.joined(separator: ",\n"))}"
    }

    /// The line of a pattern.
    private func member(_ pattern: String) -> Slice<UnsafeBufferPointer<UInt8>>? {
        let wanted = Self.quoted(pattern) + Array(": ".utf8)
        let newline = UInt8(ascii: "\n")
        var (low, high) = (members.lowerBound, members.upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            let start = bytes[low..<middle].lastIndex(of: newline).map { $0 + 1 } ?? low
            let end = bytes[middle..<high].firstIndex(of: newline) ?? high
            let line = bytes[start..<end]
            if line.starts(with: wanted) { return line }
            if line.lexicographicallyPrecedes(wanted) { low = min(end + 1, high) } else { high = start }
        }
        return nil
    }

    /// A member of the entry `""`.
    func setting(_ name: String) -> String? {
        guard case .forms(let settings)? = entry("") else { return nil }
        return settings[name]
    }

    /// The plural category of a number of things, by the catalog's rules.
    package func pluralCategory(of count: Int) -> String {
        guard case .forms(let rules)? = entry("") else { return "other" }
        return ["zero", "one", "two", "few", "many"].first { category in
            rules[category].map { PluralRule.matches($0, count) } ?? false
        } ?? "other"
    }

    /// The pattern as JSON spells it here: only what must be escaped is.
    private static func quoted(_ text: String) -> [UInt8] {
        let quote = UInt8(ascii: "\"")
        var quoted = [quote]
        for byte in text.utf8 {
            switch byte {
            case quote, UInt8(ascii: "\\"): quoted += [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "\n"): quoted += Array("\\n".utf8)
            default: quoted.append(byte)
            }
        }
        return quoted + [quote]
    }

    private static func entry(_ value: Slice<UnsafeBufferPointer<UInt8>>) -> Entry? {
        let strings = strings(value)
        if value.first == UInt8(ascii: "\"") { return strings.first.map { .text($0) } }
        var forms: [String: String] = [:]
        for index in strings.indices.dropLast() where index.isMultiple(of: 2) {
            forms[strings[index]] = strings[index + 1]
        }
        return .forms(forms)
    }

    /// The JSON strings of a line, in their order.
    private static func strings(_ line: Slice<UnsafeBufferPointer<UInt8>>) -> [String] {
        var strings: [String] = []
        var open: [UInt8]?
        var rest = line
        while let byte = rest.popFirst() {
            switch (open, byte) {
            case (nil, UInt8(ascii: "\"")): open = []
            case (nil, _): break
            case (let text?, UInt8(ascii: "\"")):
                strings.append(String(decoding: text, as: UTF8.self))
                open = nil
            case (_, UInt8(ascii: "\\")):
                guard let escaped = rest.popFirst() else { return strings }
                open?.append(escaped == UInt8(ascii: "n") ? UInt8(ascii: "\n") : escaped)
            default: open?.append(byte)
            }
        }
        return strings
    }
}

/// Reads a template.
struct TemplateParser {
    private let bytes: [UInt8]
    private var place = 0

    private static let newline = UInt8(ascii: "\n")

    init(_ source: String) { bytes = Array(source.utf8) }

    private enum Tag {
        case value(isEscaped: Bool)
        case section(isInverted: Bool)
        case end
        case template
        case comment

        /// Whether it writes nothing by itself, so that its line may go.
        var isStructure: Bool {
            if case .value = self { false } else { true }
        }
    }

    /// The parts until the end of a section, or of the source.
    mutating func parts(of section: String?) throws(TemplateError) -> [Template.Part] {
        var parts: [Template.Part] = []
        while let start = next("{{", from: place) {
            let (tag, name, end) = try tag(at: start)
            let line = tag.isStructure ? wholeLine(from: start, to: end) : nil
            append(place..<(line?.lowerBound ?? start), to: &parts)
            place = line?.upperBound ?? end
            guard !name.isEmpty else { throw .emptyTag(line: lineNumber(start)) }
            switch tag {
            case .value(let isEscaped): parts.append(.value(TemplatePath(name), isEscaped: isEscaped))
            case .section(let isInverted):
                parts.append(.section(TemplatePath(name), isInverted: isInverted, try self.parts(of: name)))
            case .end:
                guard name == section else { throw .unexpectedEnd(of: name, line: lineNumber(start)) }
                return parts
            case .template: parts.append(.template(name))
            case .comment: break
            }
        }
        if let section { throw .missingEnd(of: section) }
        append(place..<bytes.count, to: &parts)
        place = bytes.count
        return parts
    }

    private func append(_ range: Range<Int>, to parts: inout [Template.Part]) {
        guard !range.isEmpty else { return }
        parts.append(.text(String(decoding: bytes[range], as: UTF8.self)))
    }

    private func tag(at start: Int) throws(TemplateError) -> (tag: Tag, name: String, end: Int) {
        var from = start + 2
        let mark = from < bytes.count ? bytes[from] : 0
        let tag: Tag
        switch mark {
        case UInt8(ascii: "{"): tag = .value(isEscaped: false)
        case UInt8(ascii: "#"): tag = .section(isInverted: false)
        case UInt8(ascii: "^"): tag = .section(isInverted: true)
        case UInt8(ascii: "/"): tag = .end
        case UInt8(ascii: ">"): tag = .template
        case UInt8(ascii: "!"): tag = .comment
        default:
            tag = .value(isEscaped: true)
            from -= 1
        }
        from += 1
        let closing: StaticString = mark == UInt8(ascii: "{") ? "}}}" : "}}"
        guard let end = next(closing, from: from) else { throw .unclosedTag(line: lineNumber(start)) }
        let words = String(decoding: bytes[from..<end], as: UTF8.self).split(whereSeparator: \.isWhitespace)
        return (tag, words.joined(separator: " "), end + closing.utf8CodeUnitCount)
    }

    /// The line of a tag that is alone on it, with its end; `nil` for one that is not.
    private func wholeLine(from start: Int, to end: Int) -> Range<Int>? {
        var first = start
        while first > place, Self.isBlank(bytes[first - 1]) { first -= 1 }
        guard first == 0 || bytes[first - 1] == Self.newline else { return nil }
        var last = end
        while last < bytes.count, Self.isBlank(bytes[last]) { last += 1 }
        guard last < bytes.count else { return first..<last }
        return bytes[last] == Self.newline ? first..<(last + 1) : nil
    }

    /// Where the next braces are.
    private func next(_ text: StaticString, from start: Int) -> Int? {
        let braces = text.utf8CodeUnitCount
        let brace = text.utf8Start.pointee
        var found = 0
        var place = start
        while place < bytes.count {
            found = bytes[place] == brace ? found + 1 : 0
            place += 1
            if found == braces { return place - braces }
        }
        return nil
    }

    private func lineNumber(_ place: Int) -> Int { bytes[..<place].count { $0 == Self.newline } + 1 }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
}

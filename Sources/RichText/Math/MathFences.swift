/// Makes fenced blocks of formulas between lines with `$$`, so that no line of a formula is taken for a list or a heading.
///
/// A formula begins with `$$` in the first column and ends with `$$` at the end of a line, before the next blank line.
struct MathFences {
    /// The text with a fence instead of each pair of dollars.
    private(set) var text: String
    /// The fence that encloses the formulas, longer than any row of backticks of the text.
    let fence: String
    /// The info string of such a block.
    static let info = "math"

    init(_ source: String) {
        var longest = 2
        var run = 0
        for byte in source.utf8 {
            run = byte == UInt8(ascii: "`") ? run + 1 : 0
            longest = max(longest, run)
        }
        fence = String(repeating: "`", count: longest + 1)
        text = source
        guard source.contains("$$") else { return }
        let lines = source.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        var result: [Substring] = []
        result.reserveCapacity(lines.count)
        var index = 0
        var openFence: Substring?
        // No formula that begins before this line has an end.
        var hopeless = 0
        while index < lines.count {
            let line = lines[index]
            if let mark = Self.fenceMark(of: line, closing: openFence) {
                openFence = openFence == nil ? mark : nil
            } else if openFence == nil, index >= hopeless, line.hasPrefix("$$") {
                if let end = Self.end(of: lines, from: index) {
                    if end > index {
                        result.append("\(fence)\(Self.info)")
                        result += Self.content(lines[index...end])
                        result.append(Substring(fence))
                        index = end + 1
                        continue
                    }
                } else {
                    hopeless = lines[index...].firstIndex { $0.allSatisfy(\.isWhitespace) } ?? lines.count
                }
            }
            result.append(line)
            index += 1
        }
        text = result.joined(separator: "\n")
    }

    /// What a fenced block that was written here says in raw HTML, where it is no block: the dollars again.
    func restored(_ literal: String) -> String {
        literal.replacing(fence + Self.info, with: "$$").replacing(fence, with: "$$")
    }

    /// The row of backticks or tildes that opens a fence, or closes the one that is open.
    private static func fenceMark(of line: Substring, closing open: Substring?) -> Substring? {
        let start = line.drop { $0 == " " }
        guard line.count - start.count <= 3, let first = start.first, first == "`" || first == "~" else { return nil }
        let mark = start.prefix { $0 == first }
        guard mark.count >= 3 else { return nil }
        let rest = start.dropFirst(mark.count)
        guard let open else { return first == "`" && rest.contains("`") ? nil : mark }
        return open.first == first && mark.count >= open.count && rest.allSatisfy(\.isWhitespace) ? mark : nil
    }

    private static func end(of lines: [Substring], from start: Int) -> Int? {
        for index in start..<lines.count {
            let line = index == start ? lines[index].dropFirst(2) : lines[index]
            if index > start, line.allSatisfy(\.isWhitespace) { return nil }
            guard let dollars = line.firstRange(of: "$$") else { continue }
            return line[dollars.upperBound...].allSatisfy(\.isWhitespace) ? index : nil
        }
        return nil
    }

    private static func content(_ lines: ArraySlice<Substring>) -> [Substring] {
        var content = Array(lines)
        content[0] = content[0].dropFirst(2)
        let last = content.count - 1
        if let dollars = content[last].firstRange(of: "$$") { content[last] = content[last][..<dollars.lowerBound] }
        return content.filter { !$0.allSatisfy(\.isWhitespace) }
    }
}

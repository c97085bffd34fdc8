/// A string literal as the source spells it, without its quotes; an interpolation in it reads `\()`.
struct Literal: Equatable {
    /// The line, counted from 1, on which it begins.
    let line: Int
    let text: String
}

/// A Swift source taken apart, so that a rule about code is not misled by a comment or a string, nor the other way round.
///
/// This is a scanner, not a parser: it knows comments (nested ones too), strings (with `#`, of many lines, with code
/// interpolated into them) and regular expressions between slashes, and takes everything else for code.
struct SourceText {
    /// The code line by line, with comments and the insides of literals blanked out.
    let code: [String]
    /// The comments line by line, with everything else blanked out.
    let comments: [String]
    let literals: [Literal]

    init(_ source: String) {
        var scanner = Scanner(source)
        scanner.scanCode(untilParenthesisCloses: false)
        code = Self.lines(scanner.code)
        comments = Self.lines(scanner.comments)
        literals = scanner.literals.sorted { $0.line < $1.line }
    }

    private static func lines(_ bytes: [UInt8]) -> [String] {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.map { String(decoding: $0, as: UTF8.self) }
    }
}

private struct Scanner {
    private let source: [UInt8]
    private var index = 0
    private var line = 1
    private(set) var code: [UInt8] = []
    private(set) var comments: [UInt8] = []
    private(set) var literals: [Literal] = []

    private enum Part { case code, comment, neither }

    init(_ text: String) {
        source = Array(text.utf8)
        code.reserveCapacity(source.count)
        comments.reserveCapacity(source.count)
    }

    /// Scans to the end, or to the parenthesis that closes an interpolation, which it leaves alone.
    mutating func scanCode(untilParenthesisCloses: Bool) {
        var depth = 0
        while let byte = peek() {
            let hashes = byte == UInt8(ascii: "#") ? count(of: "#") : 0
            if byte == UInt8(ascii: "/"), starts(with: "//") {
                while let next = peek(), next != UInt8(ascii: "\n") { take(as: .comment) }
            } else if byte == UInt8(ascii: "/"), starts(with: "/*") {
                scanBlockComment()
            } else if peek(hashes) == UInt8(ascii: "\"") {
                scanString(hashes: hashes)
            } else if hashes > 0, peek(hashes) == UInt8(ascii: "/") {
                scanExtendedRegex(hashes: hashes)
            } else if byte == UInt8(ascii: "/"), let length = lengthOfBareRegex() {
                take(length, as: .neither)
            } else {
                if byte == UInt8(ascii: "(") { depth += 1 }
                if byte == UInt8(ascii: ")") {
                    if depth == 0, untilParenthesisCloses { return }
                    depth -= 1
                }
                take(max(hashes, 1), as: .code)
            }
        }
    }

    private mutating func scanBlockComment() {
        var depth = 0
        while peek() != nil {
            if starts(with: "/*") {
                depth += 1
                take(2, as: .comment)
            } else if starts(with: "*/") {
                depth -= 1
                take(2, as: .comment)
                if depth == 0 { return }
            } else {
                take(as: .comment)
            }
        }
    }

    private mutating func scanString(hashes: Int) {
        let firstLine = line
        take(hashes, as: .neither)
        let isMultiline = starts(with: "\"\"\"")
        let quotes = isMultiline ? "\"\"\"" : "\""
        let end = Array((quotes + String(repeating: "#", count: hashes)).utf8)
        let escape = Array(("\\" + String(repeating: "#", count: hashes)).utf8)
        take(quotes.utf8.count, as: .code)
        var text: [UInt8] = []
        while let byte = peek() {
            if byte == UInt8(ascii: "\""), starts(with: end) {
                take(quotes.utf8.count, as: .code)
                take(hashes, as: .neither)
                break
            } else if byte == UInt8(ascii: "\\"), starts(with: escape) {
                if peek(escape.count) == UInt8(ascii: "(") {
                    take(escape.count + 1, as: .neither)
                    scanCode(untilParenthesisCloses: true)
                    take(as: .neither)
                    text += Array("\\()".utf8)
                } else {
                    text += source[index..<min(index + escape.count + 1, source.count)]
                    take(escape.count + 1, as: .neither)
                }
            } else if byte == UInt8(ascii: "\n"), !isMultiline {
                break
            } else {
                text.append(byte)
                take(as: .neither)
            }
        }
        literals.append(Literal(line: firstLine, text: String(decoding: text, as: UTF8.self)))
    }

    private mutating func scanExtendedRegex(hashes: Int) {
        let end = Array(("/" + String(repeating: "#", count: hashes)).utf8)
        take(hashes + 1, as: .neither)
        while peek() != nil, !starts(with: end) { take(as: .neither) }
        take(end.count, as: .neither)
    }

    /// How many bytes a regular expression between single slashes takes here; `nil` when the slash is an operator.
    private func lengthOfBareRegex() -> Int? {
        let before = code.last { $0 != UInt8(ascii: " ") } ?? UInt8(ascii: "\n")
        guard Array("(,=:[{!&|?;\n".utf8).contains(before), let next = peek(1) else { return nil }
        guard !Array(" \t\n/*)".utf8).contains(next) else { return nil }
        var offset = 1
        while let byte = peek(offset), byte != UInt8(ascii: "\n") {
            if byte == UInt8(ascii: "/") { return offset + 1 }
            offset += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        return nil
    }

    private func peek(_ offset: Int = 0) -> UInt8? {
        index + offset < source.count ? source[index + offset] : nil
    }

    private func starts(with text: String) -> Bool { starts(with: Array(text.utf8)) }

    private func starts(with bytes: [UInt8]) -> Bool { source[index...].starts(with: bytes) }

    private func count(of character: Unicode.Scalar) -> Int {
        source[index...].prefix { $0 == UInt8(ascii: character) }.count
    }

    private mutating func take(_ count: Int = 1, as part: Part) {
        for byte in source[index..<min(index + count, source.count)] {
            let isNewline = byte == UInt8(ascii: "\n")
            if isNewline { line += 1 }
            code.append(isNewline || part == .code ? byte : UInt8(ascii: " "))
            comments.append(isNewline || part == .comment ? byte : UInt8(ascii: " "))
        }
        index = min(index + count, source.count)
    }
}

/// The public declarations of the sources, read from their text: what a program that imports a library can name.
enum PublicInterface {
    /// One line for each declaration, by module: `Quire | QuireStore | static func open(at path: FilePath) throws`.
    static func lines(of files: [SourceFile]) -> [String] {
        files.flatMap { file in declarations(in: file.source.code).map { "\(file.room) | \($0)" } }.sorted()
    }

    /// The declarations of one file, each after the type that it is in.
    static func declarations(in code: [String]) -> [String] {
        var found: [String] = []
        var scopes: [Scope] = []
        for (index, line) in code.enumerated() {
            let words = line.drop { $0 == " " }
            guard !words.isEmpty else { continue }
            let indent = line.count - words.count
            scopes.removeAll { $0.indent >= indent }
            let isPublic = isPublic(words)
            let isMember = scopes.last.map { $0.indent + 4 == indent && $0.lists(words) } ?? false
            if isPublic || isMember {
                let place = scopes.map(\.name).joined(separator: ".")
                found.append((place.isEmpty ? "" : place + " | ") + signature(code[index...]))
            }
            if let scope = Scope(words, indent: indent, isPublic: isPublic) { scopes.append(scope) }
        }
        return found
    }

    /// A type or an extension, by the column that it begins in: the formatter keeps that true.
    private struct Scope {
        let indent: Int
        let name: String
        /// Cases and requirements are as public as their type.
        private let memberWords: Set<String>

        init?(_ words: Substring, indent: Int, isPublic: Bool) {
            let kinds: Set<Substring> = ["struct", "enum", "class", "actor", "protocol", "extension"]
            let parts = words.split { !$0.isPartOfIdentifier && $0 != "." }
            guard let kind = parts.firstIndex(where: kinds.contains), kind + 1 < parts.count,
                parts[..<kind].allSatisfy({ Self.modifiers.contains($0) })
            else { return nil }
            self.indent = indent
            name = String(parts[kind + 1])
            memberWords =
                switch parts[kind] {
                case "enum" where isPublic: ["case", "indirect"]
                case "protocol" where isPublic: ["func", "var", "init", "static", "mutating", "nonisolated"]
                default: []
                }
        }

        func lists(_ words: Substring) -> Bool {
            memberWords.contains(String(words.prefix { $0.isPartOfIdentifier }))
        }

        private static let modifiers: Set<Substring> = [
            "public", "package", "internal", "fileprivate", "private", "final", "indirect", "nonisolated",
        ]
    }

    private static func isPublic(_ words: Substring) -> Bool {
        var words = words
        while words.first == "@" { words = words.drop { $0 != " " }.drop { $0 == " " } }
        return words.hasPrefix("public ") && !words.hasPrefix("public import ")
    }

    /// The declaration that begins on the first of these lines, without its body and its access level.
    private static func signature(_ code: ArraySlice<String>) -> String {
        var text = ""
        var depth = 0
        for line in code {
            let words = line.drop { $0 == " " }
            let continues = ["->", "throws", "async", "where", ")", ":"].contains { words.hasPrefix($0) }
            if !text.isEmpty, depth == 0, !continues { break }
            let glue = text.isEmpty || text.hasSuffix("(") || words.hasPrefix(")") ? "" : " "
            text += glue
            var rest = words
            while let character = rest.popFirst() {
                if character == "{", depth == 0 { return trimmed(text) }
                if "([".contains(character) { depth += 1 }
                if ")]".contains(character) { depth -= 1 }
                text.append(character)
            }
        }
        return trimmed(text)
    }

    private static func trimmed(_ text: String) -> String {
        var text = text.replacing("public private(set) ", with: "").replacing("public ", with: "")
        // Where the type is known, a first value or a raw value is no part of the interface.
        if let value = text.firstRange(of: " = "), !text.contains("("),
            text.hasPrefix("case ") || text[..<value.lowerBound].contains(": ")
        {
            text.removeSubrange(value.lowerBound...)
        }
        while text.last == " " { text.removeLast() }
        return text
    }
}

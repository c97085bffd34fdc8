import Foundation
import Testing

/// A text that the sources look up in the catalogs.
struct LocalizedKey: Equatable {
    let path: String
    let line: Int
    let pattern: String
}

/// The texts of a Swift file: the literals directly after `text(`, `say(`, `LocalizedText(` and `other:`.
///
/// A value in a text becomes a numbered place, as in `LocalizedText`.
func localizedKeys(in file: TextFile) -> [LocalizedKey] {
    if file.path.hasSuffix("/words.js") { return scriptKeys(in: file) }
    guard file.path.hasSuffix(".swift") else { return [] }
    // Simple: to Unicode, `language.text` is one word.
    let call = #/(?:\b(?:(\w+)\.)?(?:text|say|LocalizedText)\(|[ (]other:)\s*"(?!"")/#.wordBoundaryKind(.simple)
    return file.text.matches(of: call).compactMap { match in
        // The HTML of formatted texts is written by calls of the same name.
        guard match.output.1 != "writer" else { return nil }
        var rest = file.text[match.range.upperBound...]
        guard var pattern = pattern(&rest), pattern.contains(where: { !$0.isWhitespace }) else { return nil }
        if let context = rest.prefixMatch(of: #/,\s*context: "([^"]*)"/#) { pattern += " | \(context.output.1)" }
        let line = file.text[..<match.range.lowerBound].count { $0.isNewline } + 1
        return LocalizedKey(path: file.path, line: line, pattern: pattern)
    }
}

/// The texts of the app's script: in the rows of its tables, after `text(`, and the last one after `plural(`.
private func scriptKeys(in file: TextFile) -> [LocalizedKey] {
    file.lines.enumerated().flatMap { index, line in
        let row = #/'?[\w-]+'?: '((?:[^'\\]|\\.)*)'/#
        let call = #/\b(?:text\(|plural\([^']*'(?:[^'\\]|\\.)*',\s*)'((?:[^'\\]|\\.)*)'/#.wordBoundaryKind(.simple)
        let isRow = line.prefixMatch(of: #/  '?[\w-]+'?: '/#) != nil
        let texts = isRow ? line.matches(of: row).map(\.output.1) : line.matches(of: call).map(\.output.1)
        return texts.map {
            LocalizedKey(path: file.path, line: index + 1, pattern: String($0).replacing("\\'", with: "'"))
        }
    }
}

/// Reads a literal from behind its first quote.
private func pattern(_ rest: inout Substring) -> String? {
    var pattern = ""
    var values = 0
    while let character = rest.popFirst() {
        switch character {
        case "\"": return pattern
        case "\\":
            switch rest.popFirst() {
            case "(":
                skipInterpolation(&rest)
                pattern += "{\(values)}"
                values += 1
            case "n": pattern += "\n"
            case let other?: pattern.append(other)
            case nil: return nil
            }
        default: pattern.append(character)
        }
    }
    return nil
}

private func skipInterpolation(_ rest: inout Substring) {
    var depth = 1
    while depth > 0, let character = rest.popFirst() {
        switch character {
        case "(": depth += 1
        case ")": depth -= 1
        case "\"": _ = pattern(&rest)
        default: break
        }
    }
}

/// Cyrillic letters that are not for people to read: units and keys that are typed, names of others' files, samples.
private let cyrillicFiles: Set = [
    "Sources/Model/Values/ByteCount.swift", "Sources/Model/Values/DomainName.swift",
    "Sources/Quire/Doctor/Examiner.swift", "Sources/QuireCLI/Questionnaires/ListCommand.swift",
    "Sources/QuireTesting/PreviewData.swift", "Sources/Terminal/TakeScreen/TakeScreen+Keys.swift",
]

/// Russian texts in the sources: other languages would not have them.
func textsOutsideCatalogs(in file: SourceFile) -> [Finding] {
    if cyrillicFiles.contains(file.path) || file.room == "Trials" { return [] }
    return file.source.literals.filter { $0.text.unicodeScalars.contains { (0x400...0x4FF).contains($0.value) } }.map {
        Finding(
            path: file.path, line: $0.line, advice: "write the text in English, and the Russian one into its catalog")
    }
}

/// The numbered places of a text.
private func places(_ text: String) -> Set<String> {
    Set(text.matches(of: #/\{[0-9]+\}/#).map { String($0.output) })
}

@Suite("Catalogs of texts")
struct CatalogTests {
    private static let catalogs = Repository.textFiles.filter {
        $0.path.hasPrefix("Sources/Localization/Texts/") && $0.path.hasSuffix(".json")
    }

    private static let keys = Repository.textFiles.filter { $0.path.hasPrefix("Sources/") }.flatMap(localizedKeys)

    private static func members(_ catalog: TextFile) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(catalog.text.utf8)) as? [String: Any])
    }

    @Test("every text of the sources is in every catalog")
    func missing() throws {
        #expect(!Self.catalogs.isEmpty)
        for catalog in Self.catalogs {
            let members = try Self.members(catalog)
            expectNone(
                Self.keys.filter { members[$0.pattern] == nil }.map {
                    Finding(path: $0.path, line: $0.line, advice: "\(catalog.path) has no “\($0.pattern)”")
                })
        }
    }

    @Test("every text of a catalog is used")
    func unused() throws {
        let used = Set(Self.keys.map(\.pattern))
        for catalog in Self.catalogs {
            for key in try Self.members(catalog).keys where !key.isEmpty && !used.contains(key) {
                Issue.record("\(catalog.path): nothing uses “\(key)”")
            }
        }
    }

    @Test("a translation names no value that the text does not have")
    func values() throws {
        for catalog in Self.catalogs {
            for (key, value) in try Self.members(catalog) where !key.isEmpty {
                let forms =
                    (value as? [String: String]).map { Array($0.values) } ?? [value as? String ?? "{not a text}"]
                for form in forms where !places(form).isSubset(of: places(key)) {
                    Issue.record("\(catalog.path): “\(key)” does not have all values of «\(form)»")
                }
            }
        }
    }

    @Test("one member a line, ordered by bytes, with the characters that JSON requires escaped and no others")
    func order() {
        for catalog in Self.catalogs {
            let lines = catalog.text.split(separator: "\n").map { String($0) }
            let members = lines.dropFirst().dropLast()
            #expect(lines.first == "{" && lines.last == "}")
            #expect(members.allSatisfy { $0.hasPrefix("\"") } && members.dropLast().allSatisfy { $0.hasSuffix(",") })
            for (line, next) in zip(members, members.dropFirst())
            where !line.utf8.lexicographicallyPrecedes(next.utf8) {
                Issue.record("\(catalog.path): this line belongs before the one above it: \(next)")
            }
            #expect(!catalog.text.contains(#/\\[^"\\n]/#), "\(catalog.path): only \\\", \\\\ and \\n are read")
        }
    }

    @Test("no text of another language than English stands in the sources")
    func outside() {
        expectNone(Repository.sources.flatMap(textsOutsideCatalogs))
        let pair = SourceFile(
            path: "Sources/Web/A.swift", text: "// Отправлено\nlet pair = (\"Sent\", \"Отправлено\")\n")
        #expect(textsOutsideCatalogs(in: pair).map(\.line) == [2])
    }

    @Test("texts of the script are found in its tables and calls")
    func scriptExtraction() {
        let script = #"""
            const table = {
              late: 'Too late', 'not-named': 'It is not\'s',
            };
            export const files = number => plural(number, '1 file', '{0} files');
            const other = isOn ? text('On {0}', 1) : text('Off');
            """#
        let keys = localizedKeys(in: TextFile(path: "Sources/Hub/App/Assets/words.js", text: script))
        #expect(keys.map(\.pattern) == ["Too late", "It is not's", "{0} files", "On {0}", "Off"])
        #expect(keys.map(\.line) == [2, 2, 4, 5, 5])
    }

    @Test("texts are found with their values, in nested code, too")
    func extraction() {
        let swift = #"""
            Output.words.text("Sent: \(list.joined(separator: ", ")).")
            language.plural(count, one: "1 \"file\"", other: "\(count) files")
            context.text(
                "On its way")
            text("Rated", context: "history")
            text(unrelated)
            """#
        let keys = localizedKeys(in: TextFile(path: "Sources/A.swift", text: swift))
        #expect(keys.map(\.pattern) == ["Sent: {0}.", "{0} files", "On its way", "Rated | history"])
        #expect(keys.map(\.line) == [1, 2, 3, 5])
    }
}

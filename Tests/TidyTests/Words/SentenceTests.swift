import Testing

/// The modules that return values. The words for their values are in Wording and QuireWording.
private let modulesOfValues: Set = ["Model", "Sync", "CacheStore", "OutboxStore", "Quire"]

/// Words for people in a module that returns values: texts of the catalogs, and English sentences.
///
/// A sentence is a literal of three words or more that begins with a capital letter. What only developers read is none: the
/// reasons of preconditions and of encoding errors.
func sentences(in file: SourceFile, of modules: Set<String> = modulesOfValues) -> [Finding] {
    guard modules.contains(file.room), !file.isGenerated else { return [] }
    let texts = file.findings { line in
        line.hasWord("LocalizedText") || line.contains(anyOf: [".text(\"", ".plural(", " say(\"", "anguage.text("])
            ? ["a text for people: return a value, and put its words into Wording or QuireWording"] : []
    }
    let code = file.source.code
    let literals = file.source.literals.filter { literal in
        let lines = code[max(0, literal.line - 2)..<min(code.count, literal.line)]
        return isSentence(literal.text)
            && !lines.contains { $0.contains(anyOf: ["precondition", "fatalError(", "debugDescription"]) }
    }
    return texts
        + literals.map {
            Finding(
                path: file.path, line: $0.line,
                advice: "a sentence: return a value, and put its words into Wording or QuireWording")
        }
}

private func isSentence(_ text: String) -> Bool {
    let words = text.split(whereSeparator: \.isWhitespace)
    guard words.count >= 3 else { return false }
    return words[0].first { $0.isLetter || $0.isNumber || $0 == "\\" }?.isUppercase == true
}

@Suite("Sentences")
struct SentenceTests {
    @Test("the modules that return values have no texts of the catalogs and no sentences")
    func tree() { expectNone(Repository.sources.flatMap { sentences(in: $0) }) }

    @Test("every module that returns values is there")
    func modules() { #expect(modulesOfValues.isSubset(of: Repository.sources.map(\.room))) }

    @Test(
        "words for people are found",
        arguments: [
            "func words(_ text: LocalizedText) {}", "let a = language.text(\"Sent\")",
            "let a = words.plural(count, one: \"1 file\", other: \"\\(count) files\")",
            "let a = \"The test was sent.\"", "let a = \"“Nothing is here”\"",
            "throw Fault(\"Send it \\(count) times\")",
            "let a = \"\"\"",
        ])
    func broken(_ line: String) {
        let text = line.hasSuffix("\"\"\"") ? line + "\n    The test was sent.\n    \"\"\"\n" : line + "\n"
        for room in modulesOfValues {
            let file = SourceFile(path: "Sources/\(room)/Example.swift", text: "\n" + text)
            #expect(sentences(in: file).first?.line == 2, "\(room)")
        }
        #expect(sentences(in: SourceFile(path: "Sources/Wording/Example.swift", text: "\n" + text)).isEmpty)
    }

    @Test("fragments, comments, and what only developers read are no sentences")
    func allowed() {
        let text = """
            // The test was sent.
            let a = "is not a number"
            let b = "Content-Type" + try value.text()
            let c = "“\\(name)” is not here"
            preconditionFailure("A test begins as a draft")
            throw EncodingError.invalidValue(
                a, .init(codingPath: [], debugDescription: "JSON has no number \\(a)"))
            """
        #expect(sentences(in: SourceFile(path: "Sources/Model/Example.swift", text: text)).isEmpty)
    }
}

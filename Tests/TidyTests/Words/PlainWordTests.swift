import Testing

/// Words to avoid, each with a plain one that says the same: in most cases the field's own term.
private let plainTwins = [
    "anew": "again", "begun": "started",
    "bring": "fetch", "brings": "fetches", "bringing": "fetching", "brought": "fetched",
    "go on with": "resume", "goes on with": "resumes", "gone on with": "resumed", "went on with": "resumed",
    "hands on": "forwards", "handed on": "forwarded", "hand it on": "forward it", "hand them on": "forward them",
    "let in": "allowed", "lets in": "allows",
    "mend": "repair", "mends": "repairs", "mended": "repaired", "mending": "repairing",
    "nobody": "the subject, or no one",
    "reckon": "compute", "reckons": "computes", "reckoned": "computed",
    "somebody": "the subject, such as a person or another process",
    "take in": "import", "takes in": "imports", "taken in": "imported", "took in": "imported",
    "tell": "report", "tells": "reports", "telling": "reporting", "told": "reported",
    "thrown away": "discarded", "throws away": "discards",
    "whoever": "the subject",
]

/// What a line with a word to avoid has in it: words that begin like another of them are found by that one.
private let partsToLookFor: [String] = plainTwins.keys.sorted().reduce(into: []) { parts, word in
    if !parts.contains(where: word.hasPrefix) { parts.append(word) }
}

/// The words to avoid that a line of prose has.
///
/// Code between backticks is not prose, and neither are names: `#told`, `.told`, `told(` and a parameter's.
private func wordsToAvoid(in line: String) -> [String] {
    guard line.lowercased().contains(anyOf: partsToLookFor) else { return [] }
    var words: [String] = []
    var word: [UInt8] = []
    var isName = false
    var isCode = false
    var previous = UInt8(ascii: " ")
    for byte in Array(line.utf8) + [UInt8(ascii: " ")] {
        let isLetter = byte >= 0x80 || byte == UInt8(ascii: "_") || Character(Unicode.Scalar(byte)).isLetter
        if isLetter {
            if word.isEmpty { isName = isCode || "#.-/".utf8.contains(previous) || words.last == "parameter" }
            word.append(byte)
        } else if !word.isEmpty {
            let text = String(decoding: word, as: UTF8.self).lowercased()
            words.append(isName || byte == UInt8(ascii: "(") ? "" : text)
            word = []
        }
        if !isLetter, byte != UInt8(ascii: " ") { words.append("") }
        if byte == UInt8(ascii: "`") { isCode.toggle() }
        previous = byte
    }
    return (1...3).flatMap { count in
        words.indices.dropLast(count - 1).map { words[$0..<$0 + count].joined(separator: " ") }
    }
    .filter { plainTwins[$0] != nil }
}

private func advice(_ word: String) -> String {
    "\"\(word)\" has a plain twin: write \(plainTwins[word] ?? "another word")"
}

/// Checks the comments and the texts of a source; names in code are not prose.
func unplainWords(in file: SourceFile) -> [Finding] {
    let texts = file.source.literals.flatMap { literal in
        literal.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { offset, text in
            (line: literal.line + offset, text: String(text))
        }
    }
    let comments = file.source.comments.enumerated().map { (line: $0 + 1, text: $1) }
    return (comments + texts).flatMap { line, text in
        wordsToAvoid(in: text).map { Finding(path: file.path, line: line, advice: advice($0)) }
    }
}

/// Checks every line of a document or a build script.
func unplainWords(in file: TextFile) -> [Finding] {
    file.lines.enumerated().flatMap { index, line in
        wordsToAvoid(in: String(line)).map { Finding(path: file.path, line: index + 1, advice: advice($0)) }
    }
}

/// Documents and build scripts; what other programs wrote, and pictures, are not prose.
private func isProse(_ path: String) -> Bool {
    let endings = [".md", ".yaml", ".schema.json", ".template"]
    return path == "Makefile" || path.hasPrefix(".ci/") || endings.contains(where: path.hasSuffix)
}

@Suite("Plain words")
struct PlainWordTests {
    @Test("the sources, the tests and the examples have none to avoid")
    func treeOfSources() {
        let files = Repository.sources + Repository.tests + Repository.examples
        // This file names them.
        let others = files.filter { !$0.isGenerated && $0.name != "PlainWordTests.swift" }
        expectNone(others.flatMap { unplainWords(in: $0) })
    }

    @Test("the documents and the build scripts have none to avoid")
    func treeOfDocuments() {
        expectNone(Repository.textFiles.filter { isProse($0.path) }.flatMap { unplainWords(in: $0) })
    }

    @Test(
        "one is found in a comment and in a text",
        arguments: [
            "/// Nobody reads it.", "let a = 1  // it is brought up to date", "let a = \"the draft was begun\"",
            "@Test(\"whoever comes second is told so\")", "/* the upload is gone on with */",
            "let a = \"\"\"\n    told\n    \"\"\"",
        ])
    func brokenSource(_ text: String) { #expect(!unplainWords(in: example("\n\(text)\n")).isEmpty) }

    @Test("the finding has the line and the plain word")
    func finding() {
        let text = "let a = \"\"\"\n    plain\n    anew\n    \"\"\"\n// told\n"
        let findings = unplainWords(in: example(text)).sorted { $0.line < $1.line }
        #expect(findings.map(\.line) == [3, 5])
        #expect(findings.first?.advice.contains("again") == true)
    }

    @Test(
        "a name and a part of a word are fine",
        arguments: [
            "let told = begun.told", "/// Calls `tell`, then `bring`.", "let a = \"#told\"", "// foretell, telltale",
            "/// - Parameter tell: gets each line.", "// by hand on the disk", "// the time taken, in seconds",
        ])
    func allowedSource(_ text: String) { #expect(unplainWords(in: example(text)).isEmpty) }

    @Test("one is found in a document")
    func brokenDocument() {
        let text = "# A title\n\nThe index is made anew.\n"
        #expect(unplainWords(in: TextFile(path: "docs/example.md", text: text)).map(\.line) == [3])
        #expect(unplainWords(in: TextFile(path: "docs/example.md", text: "It is rebuilt with `anew`.\n")).isEmpty)
    }

    private func example(_ text: String) -> SourceFile { SourceFile(path: "Sources/Model/Example.swift", text: text) }
}

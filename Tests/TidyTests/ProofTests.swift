import Testing

/// What may end the program, or hide a data race, if a thought behind it was wrong.
private let daring = ["try!", "fatalError(", "@unchecked Sendable", "nonisolated(unsafe)"]

/// Daring code without a comment `Proof:` that says why it cannot go wrong.
///
/// The comment stands on the same line or directly above; one above an unbroken run of such lines is for all of them.
func unproven(in file: SourceFile) -> [Finding] {
    if file.isGenerated { return [] }
    let code = file.source.code
    return code.indices.flatMap { index in
        let found = daringCode(in: code[index])
        return found.isEmpty || isProven(index, in: file.source)
            ? []
            : found.map {
                Finding(
                    path: file.path, line: index + 1,
                    advice: "\($0) without a proof: handle the case, or say why it cannot be (// Proof: …)")
            }
    }
}

private func daringCode(in line: String) -> [String] {
    daring.filter(line.hasWord) + (forcesAnUnwrap(line) ? ["a force unwrap"] : [])
}

/// Whether an identifier, `)` or `]` is followed directly by `!` that is not a part of `!=`.
private func forcesAnUnwrap(_ line: String) -> Bool {
    guard line.utf8.contains(UInt8(ascii: "!")) else { return false }
    let characters = Array(line)
    return characters.indices.dropFirst().contains { index in
        guard characters[index] == "!", index + 1 == characters.count || characters[index + 1] != "=" else {
            return false
        }
        let before = characters[index - 1]
        guard before.isPartOfIdentifier || ")]`".contains(before) else { return false }
        return !String(characters[..<index]).endsWithWord("try")
    }
}

private func isProven(_ index: Int, in source: SourceText) -> Bool {
    if source.comments[index].contains("Proof:") { return true }
    for above in source.code.indices[..<index].reversed() {
        if source.comments[above].contains("Proof:") { return true }
        let isComment = !source.comments[above].allSatisfy(\.isWhitespace)
        let isOnlyComment = isComment && source.code[above].allSatisfy(\.isWhitespace)
        guard isOnlyComment || !daringCode(in: source.code[above]).isEmpty else { return false }
    }
    return false
}

extension String {
    fileprivate func endsWithWord(_ word: String) -> Bool {
        hasSuffix(word) && dropLast(word.count).last?.isPartOfIdentifier != true
    }
}

@Suite("Nothing dares without a proof")
struct ProofTests {
    @Test("the sources have no unproven trap, force or unchecked promise")
    func tree() { expectNone(Repository.sources.flatMap(unproven)) }

    @Test(
        "daring code is found",
        arguments: [
            "let a = try! f()",
            "default: fatalError(\"never\")",
            "final class A: @unchecked Sendable {",
            "nonisolated(unsafe) var a = 0",
            "let a = b!",
            "let a = b!.c",
            "let a = f(x)!",
            "let a = list[0]!",
            "a! += 1",
            "let a = \"text \\(b!)\"",
            "let a = b as! C",
            "var a: String!",
            "let a = try? f(b!)",
        ])
    func broken(_ line: String) {
        #expect(unproven(in: example("func x() {}\n\(line)\n")).map(\.line) == [2])
        #expect(unproven(in: example("// Proof: elsewhere.\nfunc x() {}\n\(line)\n")).map(\.line) == [3])
    }

    @Test(
        "what only looks daring is fine",
        arguments: [
            "if a != b, c!=d, !e { }",
            "let a = \"b!\" // c! try! fatalError(",
            "let a = /b!/",
            "let a = try f(), isTry = entry",
            "let a = #\"b! \\(c!)\"#",
        ])
    func allowed(_ line: String) { #expect(unproven(in: example(line)).isEmpty) }

    @Test("a proof covers its own line, and the unbroken run of daring lines below it")
    func proven() {
        #expect(unproven(in: example("let a = b! // Proof: b was checked.")).isEmpty)
        #expect(unproven(in: example("// Proof: they were checked\n// at the door.\nlet a = b!\nlet c = d!")).isEmpty)
        #expect(unproven(in: example("// Proof: b was checked.\nlet a = b!\nlet c = d\nlet e = f!")).map(\.line) == [4])
        #expect(unproven(in: example("// It works.\nlet a = b!")).map(\.line) == [2])
        #expect(unproven(in: example("let p = \"Proof:\"\nlet a = b!")).map(\.line) == [2])
    }

    private func example(_ text: String) -> SourceFile { SourceFile(path: "Sources/Model/Example.swift", text: text) }
}

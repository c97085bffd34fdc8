import Testing

/// Where kinds of questions differ.
private let home = "Sources/Model/Kinds/"
/// Where they have their names.
private let names = "Sources/Wording/Questions/QuestionKind+Words.swift"

private let parts = ["kind", "form", ".choice", ".boolean", ".ranking", ".matching", ".matrix", ".note"]

/// Code that compares kinds of questions outside their table.
func comparedKinds(in file: SourceFile) -> [Finding] {
    if file.path.hasPrefix(home) || file.path == names { return [] }
    return file.findings { line in
        // Few lines have one of these: the patterns take much longer.
        guard line.contains(anyOf: parts) else { return [] }
        let isComparison =
            line.contains(/question(s\[[^\]]*\])?[?!]?\.kind ([=!]=|\{|\?\?)/)
            || line.contains(/[ .(](kind|form)[?!]? [=!]= \.(boolean|date|time|dateTime|scale|note)\b/)
            || line.contains(/[ .(](kind|form)[?!]? [=!]= \.(ranking|matching|matrix)\b/)
            || line.contains(/(case|,|\(|[=!]=|~=) ?\.(choices?|boolean|ranking|matching|matrix|note)\b(?!\()/)
                && !line.contains("kind:")
        return isComparison ? ["a comparison of kinds: ask a property of Question.Kind, or switch on its input"] : []
    }
}

@Suite("Kinds of questions")
struct QuestionKindTests {
    @Test("only their table compares kinds of questions")
    func tree() { expectNone(Repository.sources.flatMap(comparedKinds)) }

    @Test(
        "a comparison of kinds is found",
        arguments: [
            "if question.kind == .number {}", "switch question.kind {", "let a = questions[index].kind != .text",
            "if kind == .choices {}", "case .choice, .choices: break", "guard question?.kind == .text else {}",
            "if item.form == .scale {}", "case .options where kind == .ranking:", "case .date, .matrix: true",
        ])
    func broken(_ line: String) {
        let text = "\n\(line)\n"
        #expect(comparedKinds(in: SourceFile(path: "Sources/Web/Example.swift", text: text)).map(\.line) == [2])
        #expect(comparedKinds(in: SourceFile(path: home + "Example.swift", text: text)).isEmpty)
    }

    @Test("a question that is made, and its input, are fine")
    func allowed() {
        for line in ["Question(id: id, text: text, kind: .choice)", "switch question.input {", "kind.isMultiple"] {
            #expect(comparedKinds(in: SourceFile(path: "Sources/Web/Example.swift", text: line)).isEmpty)
        }
    }
}

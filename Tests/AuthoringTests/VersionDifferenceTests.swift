import Model
import Testing

@testable import Authoring

@Suite("The differences of two versions")
struct VersionDifferenceTests {
    private func document(_ text: String) throws -> DraftDocument {
        DraftDocument(try DocumentCoding.decode(JSONValue.self, from: Array(text.utf8)))
    }

    private static let former = """
        {"id": "x", "title": "Old", "key": {"a": {"accept": [{"value": "p"}]}}, "updatedAt": "2026-01-01T00:00:00Z",
         "sections": [{"id": "s", "title": "Part", "questions": ["b"]}],
         "questions": [{"id": "a", "text": "A", "options": ["p", "q"]}, {"id": "b", "text": "B", "kind": "text"},
          {"id": "c", "text": "C", "kind": "text"}, {"id": "d", "text": "D", "kind": "text"}]}
        """

    @Test("members are named by the words of the forms, and no name of a member stands on a Russian screen")
    func words() throws {
        let former = try document(
            """
            {"id": "x", "title": "X", "sections": [{"id": "s", "title": "S", "questions": []}],
             "questions": [{"id": "a", "text": "A", "kind": "text"}]}
            """)
        let current = try document(
            """
            {"id": "x", "title": "X", "textFormat": "markdown", "locale": "ru", "translations": {"en": {}},
             "shuffle": {"questions": true}, "release": {"score": "never"}, "availability": {"late": "mark"},
             "sections": [{"id": "s", "title": "S", "questions": [], "media": [{"path": "a.png"}], "condition": {}, "repeat": {}}],
             "questions": [{"id": "a", "text": "A", "kind": "text", "scale": {"min": 1}, "gaps": {"1": {}}, "other": true,
              "constraint": {"min": 1}, "multiple": true, "multiline": false, "keepLast": ["a"], "accept": ".pdf", "capture": "camera",
              "maxFiles": 2, "condition": {}, "media": [{"path": "a.png"}]}]}
            """)
        let difference = VersionDifference(from: former, to: current)
        func texts(_ language: Language) -> String {
            DifferenceWords(language: language).model(difference).flatMap { item in
                (item["changes"] as? [[String: any Sendable]] ?? []).compactMap { $0["text"] as? String }
            }.joined(separator: "\n")
        }
        #expect(texts(.english).contains("Other changes: Limits of the answer"))
        let russian = texts(.russian).replacing("Markdown", with: "")
        #expect(!russian.contains { $0.isASCII && $0.isLetter }, "\(russian)")
        // A member of another program has no other name.
        var foreign = former
        foreign.members["x-more"] = .integer(1)
        let words = DifferenceWords(language: .russian).model(VersionDifference(from: former, to: foreign))
        #expect("\(words)".contains("“x-more”"))
    }

    @Test("a place of a document is named by the words of the forms")
    func places() {
        let (english, russian) = (DifferenceWords(language: .english), DifferenceWords(language: .russian))
        #expect(english.place("title") == "Title" && russian.place("title") == "Название")
        #expect(english.place("questions[q2].text") == "Question q2 · Text")
        #expect(russian.place("questions[q2].options") == "Вопрос q2 · Варианты")
        #expect(english.place("sections[s1]") == "Section: s1" && russian.place("questions") == "Вопросы")
        #expect(english.place("questions[q2].x[1]") == "Question q2 · “x[1]”" && english.place("]x[") == "“]x[”")
    }

    @Test("nothing is different from itself, nor from a later save of the same")
    func same() throws {
        let document = try document(Self.former)
        #expect(VersionDifference(from: document, to: document).isEmpty)
        var later = document
        later.members["updatedAt"] = .string("2026-02-02T00:00:00Z")
        #expect(VersionDifference(from: document, to: later).isEmpty)
    }

    @Test("each question says what is different about it, and one that moved is one, not all that it passed")
    func questions() throws {
        let former = try document(Self.former)
        let current = try document(
            """
            {"id": "x", "title": "New", "key": {"a": {"accept": [{"value": "q"}], "explanation": "Why"}},
             "sections": [{"id": "s", "title": "Part", "questions": ["d"]}],
             "questions": [{"id": "d", "text": "D", "kind": "text"}, {"id": "a", "text": "A", "options": ["p", "r"], "points": 2},
              {"id": "b", "text": "B!", "kind": "text", "required": true}, {"id": "e", "text": "E", "kind": "note"}]}
            """)
        let items = VersionDifference(from: former, to: current).items
        func changes(_ subject: VersionDifference.Subject) -> [VersionDifference.Change] {
            items.first { $0.subject == subject }?.changes ?? []
        }
        #expect(changes(.settings) == [.text(.title, from: "Old", to: "New")])
        #expect(
            changes(.question("a")) == [
                .text(.points, from: nil, to: "2"), .options(added: ["r"], removed: ["q"]), .key, .explanation,
            ])
        #expect(
            changes(.question("b")) == [
                .text(.text, from: "B", to: "B!"), .text(.required, from: nil, to: "true"),
                .section(from: "Part", to: nil),
            ])
        #expect(changes(.question("d")) == [.section(from: nil, to: "Part"), .moved])
        #expect(changes(.question("e")) == [.added])
        #expect(changes(.question("c")) == [.removed])
        #expect(items.count == 6)
    }

    @Test("a key alone is said to be a key alone")
    func keyOnly() throws {
        let former = try document(Self.former)
        var current = former
        current.setKey(["accept": .array([.object(["value": .string("q")])])], of: "a")
        #expect(VersionDifference(from: former, to: current).isOfKeyOnly)
        current.members["title"] = .string("New")
        #expect(!VersionDifference(from: former, to: current).isOfKeyOnly)
    }
}

import Model
import Testing

@testable import Authoring

@Suite("The translated descriptions of pictures follow the pictures")
struct MediaEditTests {
    private static let text = """
        {"id": "x", "title": "X", "locale": "en",
         "sections": [{"id": "s", "title": "S", "questions": ["q"], "media": [{"path": "media/a.png", "alt": "A"}]}],
         "questions": [{"id": "q", "text": "Q", "kind": "text", "media": [{"path": "media/a.png", "alt": "A"}, {"path": "media/b.png", "alt": "B"}]}],
         "translations": {
          "de": {"questions": {"q": {"text": "F", "media": ["Nur eins"]}}},
          "ru": {"title": "Икс", "x-more": 1, "questions": {"q": {"text": "В", "media": ["А", "Б"]}}, "sections": {"s": {"media": ["А"]}}}}}
        """

    private func document(_ edits: MediaEdit..., place: MediaPlace = .question("q")) throws -> DraftDocument {
        let document = DraftDocument(try DocumentCoding.decode(JSONValue.self, from: Array(Self.text.utf8)))
        return DraftEdit.all(edits.map { .media(place, $0) }).applied(to: document)
    }

    private func texts(_ document: DraftDocument, _ language: String = "ru") throws -> [String: JSONValue] {
        try #require(document.members["translations"]?.members?[language]?.members)
    }

    private func descriptions(_ document: DraftDocument, _ language: String = "ru") throws -> [String]? {
        try texts(document, language)["questions"]?.members?["q"]?.members?["media"]?.texts
    }

    @Test("a picture that moves, goes or comes takes its translated descriptions along")
    func question() throws {
        #expect(try descriptions(try document(.up(1))) == ["Б", "А"])
        #expect(try descriptions(try document(.up(0))) == ["А", "Б"])
        #expect(try descriptions(try document(.remove(0))) == ["Б"])
        #expect(try descriptions(try document(.remove(7))) == ["А", "Б"])
        let added = try document(.add(path: "media/c.png", type: "image/png", alt: "C"))
        #expect(try descriptions(added) == ["А", "Б", "C"])
        #expect(try descriptions(try document(.describe([0: "New"]))) == ["А", "Б"])
        let empty = try document(.remove(0), .remove(0))
        #expect(try descriptions(empty) == nil)
        #expect(try texts(empty)["questions"]?.members?["q"]?.members == ["text": .string("В")])
        // Descriptions of another number of pictures stay as they are.
        #expect(try descriptions(added, "de") == ["Nur eins"])
        #expect(try texts(added)["x-more"] == .integer(1))
    }

    @Test("so do those of a section, and the page shows them")
    func section() throws {
        let added = try document(.add(path: "media/b.png", type: "image/png", alt: "B"), .up(1), place: .section("s"))
        #expect(try texts(added)["sections"]?.members?["s"]?.members?["media"]?.texts == ["B", "А"])
        #expect(try descriptions(added) == ["А", "Б"])
        let read = try Questionnaire(json: try document(.up(1)).bytes).translated(to: "ru")
        #expect(read.questions[0].media.map(\.alt) == ["Б", "А"])
        #expect(read.questions[0].media.map(\.path) == ["media/b.png", "media/a.png"])
    }
}

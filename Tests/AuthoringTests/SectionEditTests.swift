import HTTPServing
import Model
import Testing

@testable import Authoring

@Suite("Sections of a draft")
struct SectionEditTests {
    private static let text = """
        {"id": "d", "title": "D", "x-own": 1,
         "sections": [{"id": "s", "title": "First", "questions": ["b", "c"], "x-sec": {"deep": 1}},
          {"id": "t", "questions": ["e"], "repeat": {"label": "Person", "x-rep": true}, "pick": 1}],
         "translations": {"ru": {"sections": {"s": {"title": "Первый"}, "t": {"label": "Человек"}}}},
         "questions": [{"id": "a", "text": "A", "kind": "text"}, {"id": "b", "text": "B", "kind": "text"},
          {"id": "c", "text": "C", "kind": "text"}, {"id": "d", "text": "D", "kind": "text"}, {"id": "e", "text": "E", "kind": "text"}]}
        """

    private func document() throws -> DraftDocument {
        DraftDocument(try DocumentCoding.decode(JSONValue.self, from: Array(Self.text.utf8)))
    }

    /// The questions as people see them: `a (b c) d (e)`.
    private func order(_ document: DraftDocument) -> String {
        document.blocks.map { block in
            let ids = block.questions.map(\.id).joined(separator: " ")
            return block.section == nil ? ids : "(\(ids))"
        }.joined(separator: " ")
    }

    @Test("a form that is sent as it was shown changes nothing")
    func unchanged() throws {
        let document = try document()
        for section in document.sections {
            #expect(DraftEdit.changeSection(section.id, SectionFields(section)).applied(to: document) == document)
        }
    }

    @Test(
        "a question that is dropped on another one takes its place, and belongs to its section",
        arguments: [
            ("a", "c", "(b c a) d (e)"), ("d", "b", "a (d b c) (e)"), ("b", "a", "b a (c) d (e)"),
            ("b", "d", "a (c) d b (e)"), ("c", "b", "a (c b) d (e)"), ("e", "d", "a (b c) e d ()"),
            ("a", "a", "a (b c) d (e)"), ("a", "none", "a (b c) d (e)"),
        ])
    func drops(_ id: String, _ other: String, _ expected: String) throws {
        let document = DraftEdit.drop(id, on: other).applied(to: try document())
        #expect(order(document) == expected)
        #expect(document.questions.map(\.id) == document.blocks.flatMap(\.questions).map(\.id))
    }

    @Test(
        "a question is moved into a section at its edge, through it, and out of it again",
        arguments: [
            (["a down"], "(a b c) d (e)"), (["a down", "a down"], "(b a c) d (e)"), (["b up"], "a b (c) d (e)"),
            (["b up", "b down"], "a (b c) d (e)"), (["c down"], "a (b) c d (e)"), (["d up", "d up"], "a (b d c) (e)"),
            (["d down"], "a (b c) (d e)"), (["e down"], "a (b c) d e ()"), (["a up"], "a (b c) d (e)"),
        ])
    func moves(_ steps: [String], _ expected: String) throws {
        var document = try document()
        for step in steps {
            let parts = step.split(separator: " ").map(String.init)
            document = DraftEdit.move(parts[0], by: parts[1] == "up" ? -1 : 1).applied(to: document)
        }
        #expect(order(document) == expected)
        // The list of the document is in the order in which people see it.
        #expect(document.questions.map(\.id) == document.blocks.flatMap(\.questions).map(\.id))
    }

    @Test("a question is put into a section by name, and out of all")
    func put() throws {
        let document = try document()
        #expect(order(DraftEdit.put("a", section: "t").applied(to: document)) == "(b c) d (e a)")
        #expect(order(DraftEdit.put("b", section: "t").applied(to: document)) == "a (c) d (e b)")
        #expect(order(DraftEdit.put("b", section: nil).applied(to: document)) == "a (c) b d (e)")
        #expect(DraftEdit.put("b", section: "s").applied(to: document) == document)
        #expect(DraftEdit.put("b", section: "gone").applied(to: document) == document)
        let added = DraftEdit.addSection("u", title: "").applied(to: document)
        #expect(order(DraftEdit.put("c", section: "u").applied(to: added)) == "a (b) (c) d (e)")
    }

    @Test("a section moves with its questions; deleted, its questions stay where they are")
    func sections() throws {
        let document = try document()
        #expect(order(DraftEdit.moveSection("s", by: -1).applied(to: document)) == "(b c) a d (e)")
        #expect(order(DraftEdit.moveSection("t", by: -1).applied(to: document)) == "a (b c) (e) d")
        #expect(DraftEdit.moveSection("t", by: 1).applied(to: document) == document)
        let deleted = DraftEdit.deleteSection("s").applied(to: document)
        #expect(order(deleted) == "a b c d (e)")
        let russian = deleted.members["translations"]?.members?["ru"]?.members?["sections"]?.members
        #expect(russian?["s"] == nil && russian?["t"] != nil)
        #expect(DraftEdit.deleteSection("t").applied(to: deleted).members["sections"] == nil)
    }

    @Test("the form sets title, passage, draw and repetition, and keeps what it does not show")
    func fields() throws {
        let document = try document()
        let form = FormFields(
            "title=Second&text=Read%0D%0Athis.&pick=1&repeats=1&least=0&most=4&label=Guest&cq.0=a&cr.0=answered")
        let changed = try #require(
            DraftEdit.changeSection("s", SectionFields(form)).applied(to: document).section("s"))
        #expect(changed.members["text"]?.text == "Read\nthis.")
        #expect(changed.members["pick"] == .integer(1))
        #expect(
            changed.members["repeat"] == .object(["min": .integer(0), "max": .integer(4), "label": .string("Guest")]))
        #expect(changed.members["condition"]?.members?["question"]?.text == "a")
        #expect(changed.members["x-sec"] != nil)
        let repeated = DraftEdit.changeSection("t", SectionFields(FormFields("repeats=1"))).applied(to: document)
        #expect(repeated.section("t")?.members["repeat"] == .object(["x-rep": .bool(true)]))
        let once = DraftEdit.changeSection("t", SectionFields(FormFields(""))).applied(to: document)
        #expect(once.section("t")?.members["repeat"] == nil && once.section("t")?.members["pick"] == nil)
    }
}

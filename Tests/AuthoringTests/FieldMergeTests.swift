import Model
import Testing

@testable import Authoring

@Suite("Two authors' changes of one form meet field by field")
struct FieldMergeTests {
    private static let document = """
        {"id": "d", "title": "D", "sections": [{"id": "s1", "questions": []}],
         "key": {"q": {"accept": [{"value": "b"}]}, "t": {"accept": [{"value": {"r1": "x", "r2": "y"}}]}},
         "questions": [
          {"id": "q", "text": "Which?", "kind": "choice", "options": ["a", "b", "c"], "points": 2, "extra": 1},
          {"id": "w", "text": "Words", "kind": "text"},
          {"id": "t", "text": "Table", "kind": "matching", "rows": ["r1", "r2"], "options": ["x", "y"]},
          {"id": "g", "text": "{{1}} and {{2}}", "kind": "gaps", "gaps": {"1": {"kind": "text"}, "2": {"kind": "text"}}}]}
        """

    private let base: DraftDocument

    init() throws {
        base = DraftDocument(try DocumentCoding.decode(JSONValue.self, from: Array(Self.document.utf8)))
    }

    private func state(_ id: String, _ change: (inout QuestionState) -> Void = { _ in }) throws -> QuestionState {
        var state = try #require(QuestionState(id, in: base))
        change(&state)
        return state
    }

    /// What is saved after another author saved `theirs`, by an author who saw the base.
    private func merged(
        _ id: String, _ theirs: (inout QuestionState) -> Void, _ mine: (inout QuestionState) -> Void,
        choosing side: MergeSide? = nil, withoutBase: Bool = false
    ) throws -> (document: DraftDocument, conflicts: [String], hasOthers: Bool) {
        func edit(_ state: QuestionState) -> DraftEdit {
            .all([.change(id, state.fields), .put(id, section: state.section.isEmpty ? nil : state.section)])
        }
        let document = edit(try state(id, theirs)).applied(to: base)
        let later = try #require(QuestionState(id, in: document))
        let former = withoutBase ? nil : try state(id)
        let typed = try state(id, mine).fitted(to: later, from: former, in: document)
        let parts = QuestionState.parts(base: former, theirs: later, mine: typed)
        let merge = FieldMerge(base: former, theirs: later, mine: typed, parts: parts) { _ in side }
        return (
            edit(merge.fields).applied(to: document), merge.conflicts.map(\.name).sorted(), merge.hasOtherChanges
        )
    }

    @Test("what only one of both changed is in the result, without a question")
    func apart() throws {
        let (document, conflicts, hasOthers) = try merged("q") {
            $0.fields.text = "Which one?"
            $0.fields.options[0].text = "A"
            $0.fields.options[2].isRight = true
        } _: {
            $0.fields.points = "3"
            $0.fields.options[1].text = "B"
            $0.fields.options.append(.init(text: "d"))
            $0.section = "s1"
        }
        let question = try #require(document.question("q"))
        #expect(conflicts == [] && hasOthers)
        #expect(question.text == "Which one?" && question.members.number("points") == "3")
        #expect(question.options == ["A", "B", "c", "d"] && question.members["extra"] != nil)
        let fields = QuestionFields(question, in: document)
        #expect(fields.options.map(\.isRight) == [false, true, true, false])
        #expect(document.section(of: "q")?.id == "s1")
    }

    @Test("what both changed in the same way is no conflict; in another way it is one, and each choice is taken")
    func together() throws {
        let theirs: (inout QuestionState) -> Void = {
            $0.fields.text = "Theirs"
            $0.fields.hint = "The same"
            $0.fields.options[1].text = "bee"
            $0.fields.isRequired = true
        }
        let mine: (inout QuestionState) -> Void = {
            $0.fields.text = "Mine"
            $0.fields.hint = "The same"
            $0.fields.options[1].text = "be"
            $0.fields.options[1].isRight = false
        }
        #expect(try merged("q", theirs, mine).conflicts == ["option.1", "text"])
        for (side, text, option) in [
            (MergeSide.mine, "Mine", "be"), (.theirs, "Theirs", "bee"),
        ] {
            let (document, conflicts, _) = try merged("q", theirs, mine, choosing: side)
            let question = try #require(document.question("q"))
            #expect(conflicts == [] && question.text == text && question.options == ["a", option, "c"])
            #expect(question.isRequired && question.members["hint"]?.text == "The same")
            #expect(!QuestionFields(question, in: document).options[1].isRight)
        }
    }

    @Test("lines that one moved or removed are one field for both, and a renamed option stays the same one")
    func lists() throws {
        let moving: (inout QuestionState) -> Void = { $0.fields.options.swapAt(0, 2) }
        // One alone: no question.
        #expect(try merged("q", { $0.fields.text = "T" }, moving).document.question("q")?.options == ["c", "b", "a"])
        #expect(try merged("q", moving) { $0.fields.text = "T" }.document.question("q")?.options == ["c", "b", "a"])
        // Both: they are asked, and the key stays with its option.
        let renaming: (inout QuestionState) -> Void = { $0.fields.options[1].text = "bee" }
        #expect(try merged("q", renaming, moving).conflicts == ["options"])
        #expect(try merged("q", moving, renaming).conflicts == ["options"])
        let document = try merged("q", renaming, moving, choosing: .mine).document
        #expect(document.question("q")?.options == ["c", "b", "a"])
        #expect(document.key(of: "q")["accept"]?.elements?.first?.members?["value"]?.text == "b")
        // Removed here, renamed there.
        #expect(try merged("q", renaming) { $0.fields.options.remove(at: 1) }.conflicts == ["options"])
        // Added by both.
        func adding(_ text: String) -> (inout QuestionState) -> Void {
            { $0.fields.options.append(.init(text: text)) }
        }
        #expect(try merged("q", adding("d"), adding("e")).conflicts == ["newoptions"])
        let chosen = try merged("q", adding("d"), adding("e"), choosing: .mine)
        #expect(chosen.document.question("q")?.options == ["a", "b", "c", "e"])
    }

    @Test("another kind goes with its own fields; a change of the former ones beside it is asked about")
    func kinds() throws {
        let becoming: (inout QuestionState) -> Void = { $0.fields.kind = .text }
        let text = try merged("q", becoming) { $0.fields.text = "Why?" }
        #expect(
            text.conflicts == [] && text.document.question("q")?.kind == .text
                && text.document.question("q")?.text == "Why?")
        #expect(try merged("q", becoming) { $0.fields.options[0].text = "A" }.conflicts == ["kind"])
        let kept = try merged("q", becoming, { $0.fields.options[0].text = "A" }, choosing: .mine).document
        #expect(kept.question("q")?.kind == .choice && kept.question("q")?.options == ["A", "b", "c"])
        #expect(kept.key(of: "q")["accept"]?.elements?.first?.members?["value"]?.text == "b")
        let gone = try merged("q", becoming, { $0.fields.options[0].text = "A" }, choosing: .theirs).document
        #expect(gone.question("q")?.kind == .text && gone.question("q")?.options == [])
    }

    @Test("rows of a table and gaps of a text are fields of their own")
    func rowsAndGaps() throws {
        let table = try merged("t") {
            $0.fields.rows[0].text = "one"
        } _: {
            $0.fields.rows[1].right = [0]
        }
        #expect(table.conflicts == [] && table.document.question("t")?.rows == ["one", "r2"])
        let value = table.document.key(of: "t")["accept"]?.elements?.first?.members?["value"]?.members
        #expect(value?["one"]?.text == "x" && value?["r2"]?.text == "x")
        // Rows name options by their places: with other options they are one field.
        let both = try merged("t") {
            $0.fields.options.swapAt(0, 1)
        } _: {
            $0.fields.rows[1].right = [0]
        }
        #expect(both.conflicts == ["table"])
        let gaps = try merged("g") {
            $0.fields.gaps[0].accepted = "A"
        } _: {
            $0.fields.gaps[1].accepted = "B"
        }
        let right = gaps.document.key(of: "g")["accept"]?.elements?.first?.members?["value"]?.members
        #expect(gaps.conflicts == [] && right?["1"] != nil && right?["2"] != nil, "\(gaps)")
        #expect(
            try merged("g") {
                $0.fields.gaps[0].accepted = "A"
            } _: {
                $0.fields.gaps[0].accepted = "B"
            }.conflicts
                == ["gap.1"])
    }

    @Test("where the state that an author saw is not kept any more, every difference is shown")
    func withoutBase() throws {
        let (_, conflicts, _) = try merged("w", { $0.fields.text = "Theirs" }, { _ in }, withoutBase: true)
        #expect(conflicts == ["text"])
        #expect(try merged("w", { _ in }, { _ in }, withoutBase: true).conflicts == [])
    }

    @Test("any two changes: nothing that one alone changed is asked about or lost")
    func anyChanges() throws {
        typealias Change = (name: String, change: (inout QuestionState) -> Void)
        let changes: [Change] = [
            ("text", { $0.fields.text += "!" }), ("hint", { $0.fields.hint += "h" }),
            ("required", { $0.fields.isRequired.toggle() }), ("points", { $0.fields.points = "5" }),
            ("explanation", { $0.fields.explanation += "e" }), ("section", { $0.section = "s1" }),
            ("other", { $0.fields.allowsOther.toggle() }), ("option.0", { $0.fields.options[0].text = "A" }),
            ("option.2", { $0.fields.options[2].text = "C" }), ("mark.0", { $0.fields.options[0].isRight.toggle() }),
            ("newoptions", { $0.fields.options.append(.init(text: "d")) }),
            ("condition", { $0.fields.condition.rows = [.init(question: "w")] }),
        ]
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            let order = changes.shuffled(using: &generator)
            let place = Int.random(in: 0...order.count, using: &generator)
            let (first, second) = (order[..<place], order[place...])
            func doing(_ changes: some Sequence<Change>) -> (inout QuestionState) -> Void {
                { state in for change in changes { change.change(&state) } }
            }
            let result = try merged("q", doing(first), doing(second))
            let all = try merged("q", doing([]), doing(order))
            #expect(result.conflicts == [], "\(first.map(\.name)) and \(second.map(\.name))")
            #expect(
                QuestionState("q", in: result.document) == QuestionState("q", in: all.document),
                "\(first.map(\.name)) and \(second.map(\.name))")
        }
    }

    @Test("settings and sections have their fields, too; a form without some leaves them as they are")
    func others() throws {
        var (theirs, mine) = (SettingsFields(base), SettingsFields(base))
        theirs.title = "Theirs"
        theirs.release["score"] = "never"
        mine.attempts = "2"
        mine.release["score"] = "closed"
        mine.hasTopics = false
        mine.subject = ""
        theirs.subject = "Maths"
        let typed = mine.fitted(from: SettingsFields(base))
        let merge = FieldMerge(base: SettingsFields(base), theirs: theirs, mine: typed, parts: SettingsFields.parts)
        #expect(merge.conflicts.map(\.name) == ["release.score"] && merge.hasOtherChanges)
        #expect(merge.fields.title == "Theirs" && merge.fields.attempts == "2" && merge.fields.subject == "Maths")

        let section = try #require(base.section("s1"))
        var (one, other) = (SectionFields(section), SectionFields(section))
        one.text = "A passage"
        other.pick = "2"
        other.title = "T"
        let sections = FieldMerge(base: SectionFields(section), theirs: one, mine: other, parts: SectionFields.parts)
        #expect(sections.conflicts == [] && sections.fields.text == "A passage" && sections.fields.pick == "2")
    }
}

import HTTPServing
import Model
import Testing

@testable import Authoring

@Suite("Rows of a spreadsheet, and conditions from lists")
struct PastedQuestionsTests {
    private var document: DraftDocument { DraftDocument(id: "new", title: "New", locale: "en") }

    @Test("rows with tabs or semicolons become questions with their keys, under the heads of the columns or without")
    func rows() throws {
        let text = """
            Kind\tText\tOptions\tRight\tPoints
            One of several options\tCapital of Italy?\tRome | Milan\tRome\t2
            \tWhich are cities?\tRome|Oslo|Tiber\tRome|Oslo\t
            Число\tHow many hills?\t\t7\t1,5
            boolean\tAncient?\t\tyes\t
            note\t"Read; ""this"" now"\t\t\t
            """
        let tabs = PastedQuestions(text)
        #expect(tabs.faults.isEmpty)
        let edited = DraftEdit.paste(tabs.items).applied(to: document)
        #expect(edited.questions.map(\.kind.rawValue) == ["choice", "choices", "number", "boolean", "note"])
        #expect(DraftFinding.all(in: edited).isEmpty, "\(DraftFinding.all(in: edited))")
        let key = try AnswerKey(json: edited.bytes)
        #expect(key.keys["q3"]?.accept.first?.match == .value(.integer(7)))
        #expect(edited.question("q3")?.members.number("points") == "1.5")
        #expect(edited.questions.last?.text == "Read; \"this\" now")
        #expect(PastedQuestions("text;Why?;;;3").items.map(\.points) == ["3"])
    }

    @Test("a wrong row is named, and nothing is added by it")
    func faults() {
        let pasted = PastedQuestions("choice;Which?;a|b;c;1\nriddle;What?\nnumber;How many?;;many;x\ntext;;;;")
        #expect(
            pasted.faults == [
                .init(line: 1, reason: .keyIsNoOption("c")), .init(line: 2, reason: .unknownKind("riddle")),
                .init(line: 3, reason: .notANumber("x")), .init(line: 3, reason: .notANumber("many")),
                .init(line: 4, reason: .noText),
            ])
        #expect(PastedQuestions("text;\"Why?").faults == [.init(line: 1, reason: .openQuote)])
        #expect(PastedQuestions("").items.isEmpty)
    }

    @Test("a condition is made of lists, and one of another form stays as it is")
    func conditions() throws {
        let pasted = PastedQuestions("choice;Which?;a|b;a;1\nnumber;How many?\nboolean;Sure?\ntext;Why?")
        var document = DraftEdit.paste(pasted.items).applied(to: document)
        let form = FormFields(
            "shown=text&kind=text&text=Why%3F&cq.0=q1&cr.0=is&cv.0=b&cq.1=q2&cr.1=above&cv.1=2%2C5&cq.2=q3&cr.2=is&cv.2=true&anyof=1"
        )
        document = DraftEdit.change("q4", QuestionFields(form)).applied(to: document)
        let rules = try QuestionnaireRules(json: document.bytes)
        let condition = try #require(rules.questions[3].condition)
        #expect(condition.holds { $0 == "q1" ? .string("b") : nil })
        #expect(condition.holds { $0 == "q2" ? .number(3) : nil })
        #expect(condition.holds { $0 == "q3" ? .bool(true) : nil })
        #expect(!condition.holds { $0 == "q1" ? .string("a") : nil })
        let question = try #require(document.question("q4"))
        // A number is shown as it is stored.
        let shown = QuestionFields(question, in: document).condition
        #expect(shown.rows.map(\.value) == ["b", "2.5", "true"] && shown.rows.map(\.question) == ["q1", "q2", "q3"])
        #expect(shown.rows.map(\.relation) == ConditionFields(form).rows.map(\.relation) && shown.isAny)
        // Without a comparison that lists have, the form changes nothing of it.
        let other: JSONValue = .object(["not": .object(["question": .string("q1"), "is": .string("a")])])
        var questions = document.questions
        questions[3].members["condition"] = other
        document.questions = questions
        let plain = FormFields("shown=text&kind=text&text=Why+not%3F")
        document = DraftEdit.change("q4", QuestionFields(plain)).applied(to: document)
        #expect(document.question("q4")?.members["condition"] == other)
        #expect(document.question("q4")?.text == "Why not?")
    }
}

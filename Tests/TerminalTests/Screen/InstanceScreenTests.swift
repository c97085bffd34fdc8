import Model
import Testing

@testable import Terminal

@Suite("Repeated sections at the terminal")
struct InstanceScreenTests {
    private static let document = """
        {"id": "home", "title": "Home", "sections": [
          {"id": "people", "questions": ["name", "school"], "repeat": {"max": 3, "label": "Person"}},
          {"id": "pets", "questions": ["pet"], "repeat": {"min": 0, "label": "Pet"}}],
         "questions": [{"id": "street", "text": "Street?", "kind": "text"}, {"id": "name", "text": "Name?", "kind": "text"},
          {"id": "school", "text": "School?", "kind": "text", "condition": {"question": "name", "is": "Ben"}},
          {"id": "pet", "text": "Which animal?", "kind": "text"}]}
        """

    private func screen() throws -> TakeScreen {
        let document = try Questionnaire(json: Array(Self.document.utf8))
        let record = Samples.record(document)
        return Samples.screen(document.arranged(for: record), record, rows: 30)
    }

    private func names(_ screen: TakeScreen) -> [String] {
        screen.test.record.answers.map { "\(QuestionInstance.written($0.questionId)) \($0.texts[0])" }
    }

    @Test("instances are added, moved and removed, and one with answers only when that is confirmed")
    func edits() throws {
        var screen = try screen()
        screen.press(.control("n"))
        screen.write("Anna")
        #expect(screen.layout.hints.groups.joined().contains { $0.key == "Ctrl-G" && $0.does == "Person 1…" })
        screen.press(.control("g"))
        #expect(screen.message?.text == "Person 1 of 1: + adds one, - removes this one, < and > move it.")
        #expect(screen.press(.character("+")) == [.save])
        #expect(screen.test.questionnaire.section(of: screen.editor.question?.id ?? "")?.title == "Person 2")
        screen.write("Ben")
        #expect(names(screen) == ["name[1] Anna", "name[2] Ben"])
        #expect(screen.test.visible.count == 4, "the second person has a school")
        screen.press(.control("g"), .character("<"))
        #expect(screen.message?.text == "Person 2 is now Person 1.")
        #expect(screen.test.record.instances == ["people": [2, 1]])
        screen.press(.control("g"), .character("-"))
        #expect(screen.confirmation == .removingInstance("people", 2))
        screen.press(.character("n"))
        #expect(names(screen).count == 2 && screen.message?.text == "Nothing was removed.")
        screen.press(.control("g"), .character("-"), .character("y"))
        #expect(names(screen) == ["name[1] Anna"] && screen.message?.text == "Person 1 was removed.")
        screen.press(.control("g"), .character("-"), .character("y"))
        #expect(names(screen) == ["name[1] Anna"] && screen.message?.text == "There must be 1 at least.")
        for _ in 0..<3 { screen.press(.control("g"), .character("+")) }
        #expect(screen.message?.text == "There may be 3 at most.")
    }

    @Test("a section without an instance gets its first one from the review, line by line, too")
    func first() throws {
        var screen = try screen()
        _ = LineInput(":r").enter(into: &screen)
        screen.reviewRow = screen.test.visible.count
        _ = LineInput(":i").enter(into: &screen)
        #expect(screen.message?.text == "Pet: + adds one.")
        #expect(LineInput("+").enter(into: &screen) == [.save])
        #expect(screen.test.questionnaire.questions.last.map { QuestionInstance.written($0.id) } == "pet[1]")
        #expect(screen.layout.review.titles.map(\.text).contains("Pet 1"))
    }
}

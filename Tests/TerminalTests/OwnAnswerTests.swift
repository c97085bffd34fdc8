import Model
import Testing

@testable import Terminal

@Suite("An answer that no option of this version says, at the terminal")
struct OwnAnswerTests {
    private static let answers = [
        Answer(questionId: "capital", value: .one("Cuzco"), optionIndexes: [1]),
        Answer(questionId: "primes", value: .several(["9", "11"]), optionIndexes: [0, 1]),
    ]

    private func screen() -> TakeScreen {
        Samples.screen(
            Samples.mixed, Samples.record(Samples.mixed, Self.answers, resume: ResumePosition(question: "capital")))
    }

    @Test("it is shown, nothing else is ticked, and going on leaves it")
    func goingOn() {
        var screen = screen()
        #expect(screen.chosen(of: Samples.mixed.questions[0]).isEmpty)
        let shown = screen.layout.contentLines.map(\.text).joined(separator: "\n")
        #expect(shown.contains("Your answer: “Cuzco”. It is not among the options of this version."))
        screen.press(.enter)
        #expect(screen.place == .question(1))
        screen.press(.tab, .backTab)
        #expect(screen.test.record.answers == Self.answers)
        #expect(screen.chosen(of: Samples.mixed.questions[1]) == [3])
    }

    @Test("choosing is the decision that replaces one answer, and keeps it beside several until all are cleared")
    func choosing() {
        var screen = screen()
        screen.press(.character(" "))
        #expect(screen.answer("capital") == ["Quito"])
        screen.press(.tab, .character("1"))
        #expect(screen.answer("primes") == ["2", "9", "11"])
        screen.press(.backspace)
        #expect(screen.answer("primes") == nil)
    }

    @Test("an answer on a line keeps its spaces, and a command has none")
    func spaces() throws {
        var talk = LineConversation(session: TakeSession(Samples.screen(isPlain: true)) { _ in })
        for line in [":n ", ":n\r", "  if x:  \r"] { _ = try talk.take(line) }
        #expect(talk.session.screen.answer("why") == ["  if x:  "])
    }

    @Test("indentation and blank lines of questions and options are shown as they are")
    func spacing() {
        let question = Question(
            id: "q", text: "What is printed?\n\n    if x:\n        y", kind: .choice, options: ["  a\n\n    b", "c"])
        let screen = Samples.screen(Questionnaire(id: "code", title: "Code", questions: [question]))
        let lines = screen.layout.contentLines.map(\.text)
        let start = lines.firstIndex { $0.contains("What is printed?") } ?? 0
        #expect(lines.dropFirst(start + 1).prefix(3).map { String($0) } == ["", "    if x:", "        y"])
        let option = lines.firstIndex { $0.contains(")   a") } ?? 0
        #expect(option > 0 && lines[option + 1].isEmpty || lines[option + 1].allSatisfy { $0 == " " })
        #expect(lines[option + 2].hasSuffix("    b"))
    }
}

import Model
import Testing

@testable import Terminal

@Suite("A test on a terminal that only prints")
struct LineConversationTests {
    private func conversation(_ questionnaire: Questionnaire = Samples.mixed, rows: Int = 24) -> LineConversation {
        LineConversation(session: TakeSession(Samples.screen(questionnaire, rows: rows, isPlain: true)) { _ in })
    }

    @Test("lines answer all kinds of questions, to the end")
    func wholeTest() throws {
        var talk = conversation()
        #expect(talk.prompt().contains("What is the capital of Peru?"))
        for line in ["2", "1, 3", "because  ", "3,5", "27"] { #expect(try talk.take(line) == nil) }
        #expect(talk.session.screen.place == .review)
        #expect(talk.prompt().contains("5 of 5 answered"))
        let outcome = try talk.take(":s")
        #expect(outcome == .finished(talk.session.screen.test.record))
        #expect(
            talk.session.screen.test.record.answers.map(\.texts) == [
                ["Lima"], ["2", "5"], ["because  "], ["3.5"], ["option 27"],
            ])
    }

    @Test(
        "a line that matches no option is reported, and nothing is chosen",
        arguments: ["4", "0", "x", "1 2", "99999999999999999999"])
    func wrong(_ line: String) throws {
        var talk = conversation()
        _ = talk.prompt()
        #expect(try talk.take(line) == nil)
        #expect(talk.session.screen.test.record.answers.isEmpty)
        #expect(talk.session.screen.place == .question(0))
        #expect(talk.prompt().count > 10)
    }

    @Test("a line that is not UTF-8 answers nothing, and the next prompt says so")
    func notUTF8() throws {
        var talk = conversation()
        _ = try talk.take(":n")
        _ = try talk.take("")
        let place = talk.session.screen.place
        _ = talk.prompt()
        #expect(try talk.take(bytes: [0x63, 0x61, 0x66, 0xE9]) == nil)
        #expect(talk.session.screen.test.record.answers.isEmpty && talk.session.screen.place == place)
        #expect(talk.prompt().contains("not UTF-8"))
        #expect(try talk.take(bytes: Array("café".utf8)) == nil)
        #expect(talk.session.screen.test.record.answers.map(\.texts) == [["café"]])
    }

    @Test("commands go back, on, to the review and out")
    func commands() throws {
        var talk = conversation()
        _ = try talk.take(":n")
        _ = try talk.take("")
        #expect(talk.session.screen.place == .question(2))
        _ = try talk.take(":b")
        #expect(talk.session.screen.place == .question(1))
        _ = try talk.take(":r")
        #expect(talk.session.screen.place == .review)
        _ = try talk.take("4")
        #expect(talk.session.screen.place == .question(3))
        #expect(try talk.take(":q") == .left(talk.session.screen.test.record))
    }

    @Test("a question longer than the terminal is printed whole, and answered")
    func long() throws {
        let text = (1...60).map { "Line \($0)." }.joined(separator: "\n")
        let question = Question(id: "q", text: text, kind: .choice, options: ["a", "b"])
        var talk = conversation(Questionnaire(id: "id", title: "t", questions: [question]), rows: 5)
        let prompt = talk.prompt()
        #expect(prompt.contains("Line 1.") && prompt.contains("Line 60.") && prompt.contains("2 ( ) b"))
        _ = try talk.take("2")
        #expect(talk.session.screen.answer("q") == ["b"])
    }

    @Test("what the remote wrote is harmless here too")
    func hostile() {
        let question = Question(id: "q", text: "a\u{1B}[2J", kind: .choice, options: ["\u{9B}x"])
        var talk = conversation(Questionnaire(id: "id", title: "\u{7}", questions: [question]))
        #expect(talk.prompt().unicodeScalars.allSatisfy { !isControl($0) })
    }
}

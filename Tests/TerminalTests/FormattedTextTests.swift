import Model
import Testing

@testable import Terminal

@Suite("Formatted texts on the terminal")
struct FormattedTextTests {
    private static let questionnaire: Questionnaire = {
        var questionnaire = Questionnaire(
            id: "code", title: "A *title*", description: "For *you*.",
            questions: [
                Question(
                    id: "q1",
                    text: "What does it **print**, and `why`?\n\n```\nif x:\n    print( 1 )\n```\n\n"
                        + "| a | b |\n|---|--:|\n| $\\frac{1}{2}$ | 10 |\n\nSee [here](https://a.example).",
                    kind: .choice, options: ["`x  =  1`", "*no*"]),
                Question(id: "q2", text: "Why?", kind: .text),
            ])
        questionnaire.textFormat = .markdown
        return questionnaire
    }()

    @Test("code keeps its columns, a table is drawn, a formula is a line, marks are gone")
    func screen() {
        let screen = Samples.screen(Self.questionnaire, columns: 60, rows: 40)
        #expect(
            screen.picture.contains(
                """
                  For you.

                  What does it print, and why?

                  if x:
                      print( 1 )

                  a   │  b
                  ────┼───
                  1/2 │ 10

                  See here (https://a.example).

                  › 1 ( ) x  =  1
                    2 ( ) no
                """))
        func style(_ text: String) -> Line.Style? {
            screen.frame.lines.flatMap(\.spans).first { $0.text.hasPrefix(text) }?.style
        }
        #expect(style("    print( 1 )") == .code && style("why") == .code)
        #expect(style("here") == .link && style("What does it") == .strong)
    }

    @Test("a terminal without symbols has tables of ASCII")
    func plain() {
        let screen = Samples.screen(Self.questionnaire, columns: 60, rows: 40, isPlain: true)
        #expect(screen.picture.contains("----+---") && screen.picture.contains("1/2 | 10"))
    }

    @Test("the review has the words of questions and options, and an answer as it was written")
    func review() {
        var screen = Samples.screen(Self.questionnaire, columns: 80, rows: 24)
        screen.press(.character("1"), .tab)
        screen.write("*a* `b`")
        screen.press(.control("r"))
        #expect(screen.picture.contains("What does it print, and why?"))
        #expect(screen.picture.contains("x = 1") && screen.picture.contains("*a* `b`"))
        #expect(screen.answer("q1") == ["`x  =  1`"])
    }

    @Test("the lines of a conversation have the same, and no control character")
    func conversation() {
        var questionnaire = Self.questionnaire
        questionnaire.questions[0].text = "a \u{1B}[31m`\u{202E}b`\n\n```\n\u{9B}c\n```"
        let screen = Samples.screen(questionnaire, isPlain: true)
        var conversation = LineConversation(session: TakeSession(screen) { _ in })
        let text = conversation.prompt()
        #expect(text.contains("1 ( ) x  =  1"))
        #expect(!text.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{9B}" || $0 == "\u{202E}" })
    }
}

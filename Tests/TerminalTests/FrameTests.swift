import Model
import Testing

@testable import Terminal

@Suite("What the screen shows")
struct FrameTests {
    private static let questionnaire: Questionnaire = {
        var questionnaire = Samples.mixed
        questionnaire.timeLimitSeconds = 600
        questionnaire.questions[0].media = [
            Media(path: "here.png", type: "image/png", alt: "A map"), Media(path: "m/x.ogg", type: "audio/ogg"),
        ]
        return questionnaire
    }()

    @Test("options with their marks, pictures, progress, time, notice and the network's state")
    func options() {
        var screen = Samples.screen(
            FrameTests.questionnaire, columns: 60, rows: 20, notice: "A newer version exists", network: "Offline")
        screen.press(.character("2"))
        screen.wasSaved(screen.test.record)
        #expect(
            screen.picture == """
                  All kinds of questions                           Offline
                  1 of 5  ━━━━━━━─────────────────────────────  10:00 left
                  ▲ A newer version exists

                  What is the capital of Peru?
                  Picture: /cache/here.png (A map)
                  Sound: m/x.ogg

                    1 ( ) Quito
                  › 2 (•) Lima
                    3 ( ) La Paz






                  Saved locally
                  ↑↓ move   1–3 choose   Enter next
                  Esc exit   ←→ other questions   Ctrl-R review
                """)
        #expect(!screen.frame.showsCursor)
        #expect(screen.frame.cursorRow == 9)
    }

    @Test("a text field with the cursor where it is written")
    func field() {
        var screen = Samples.screen(FrameTests.questionnaire, columns: 60, rows: 20, network: "Offline")
        screen.press(
            .tab, .tab, .paste("One line.\nAnother, which is longer than the column is wide, so it is broken."))
        #expect(
            screen.picture == """
                  All kinds of questions                           Offline
                  3 of 5  ━━━━━━━━━━━━━━━━━━━━━───────────────  10:00 left

                  Say why.

                  Your answer
                  ┃ One line.
                  ┃ Another, which is longer than the column is wide, so
                  ┃ it is broken.









                  Enter next   Alt-Enter new line
                  Esc exit   Shift-Tab back   Ctrl-R review   Ctrl-O flag
                """)
        #expect(screen.frame.showsCursor)
        #expect(screen.frame.cursorRow == 8)
        #expect(screen.frame.cursorColumn == 17)
    }

    @Test("the review with what is missing")
    func review() {
        var screen = Samples.screen(FrameTests.questionnaire, columns: 60, rows: 20)
        screen.press(.character("2"), .control("r"), .end, .enter)
        #expect(
            screen.picture == """
                  All kinds of questions
                  Review  ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━  10:00 left

                  1 of 5 answered

                    1 ✓ What is the capital of Per…  Lima
                    2 · Which are primes?            not answered
                    3 · Say why.                     not answered
                  › 4 ! How many?                    needs an answer
                    5 · One of many.                 not answered

                    [ Send ]





                  Question 4 still needs an answer.
                  Enter go to the question   ↑↓ move
                  Esc exit   ← back   Ctrl-O flag
                """)
    }

    @Test("a narrow and low terminal, in Russian, without symbols")
    func narrow() {
        var screen = Samples.screen(
            FrameTests.questionnaire, columns: 40, rows: 14, language: .russian, network: "Нет сети", isPlain: true)
        screen.press(.tab, .character("1"), .down, .character(" "))
        #expect(
            screen.picture == """
                  All kinds of questions      Нет сети
                  2 из 5  ####--------  осталось 10:00

                  Which are primes?
                  Выберите один или несколько
                  вариантов

                    1 [x] 2
                  > 2 [x] 4
                    3 [ ] 5
                    4 [ ] 9


                  Up/Down выбор   Esc выйти
                """)
        screen.press(.control("r"))
        #expect(
            screen.picture == """
                  All kinds of questions      Нет сети
                  Проверка ответов  осталось 10:00

                  отвечено: 1 из 5

                  > 1 . What is the capital of Peru?
                    2 + Which are primes?
                    3 . Say why.
                    4 ! How many?
                    5 . One of many.

                  v ещё

                  Enter к вопросу   Esc выйти
                """)
    }

    @Test("code keeps its columns and its blank lines, prose is wrapped around it")
    func code() {
        let text = """
            What will be printed by this piece of code, do you think?

            ```js
            if (a) {
                b();

              c()
            }
            ```
            """
        let question = Question(
            id: "q", text: text, kind: .choice, options: ["`1`\n`2`", "Nothing at all, since it fails"])
        let screen = Samples.screen(
            Questionnaire(id: "id", title: "Code", questions: [question]), columns: 36, rows: 24)
        #expect(
            screen.picture.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(3).prefix(16)
                .joined(separator: "\n") == """
                      What will be printed by this
                      piece of code, do you think?

                      ```js
                      if (a) {
                          b();

                        c()
                      }
                      ```

                      › 1 ( ) `1`
                              `2`
                        2 ( ) Nothing at all, since it
                              fails

                    """)
    }

    @Test("a very small terminal still shows where one is")
    func tiny() {
        let screen = Samples.screen(columns: 20, rows: 4)
        #expect(screen.frame.lines.count == 4)
        #expect(screen.picture.hasPrefix("1 of 5  ━━"))
        #expect(screen.picture.contains("What is the"))
    }

    @Test("only rows that changed are drawn again")
    func painting() {
        var screen = Samples.screen()
        var painter = Painter(usesColour: false)
        let whole = painter.paint(screen.frame, size: screen.size)
        #expect(whole.contains("\u{1B}[2J"))
        screen.press(.down)
        let change = painter.paint(screen.frame, size: screen.size)
        #expect(!change.contains("\u{1B}[2J"))
        #expect(change.contains("Quito") && change.contains("Lima"))
        #expect(!change.contains("capital"))
        #expect(painter.paint(screen.frame, size: screen.size) == "")
        painter.forget()
        #expect(painter.paint(screen.frame, size: screen.size).contains("capital"))
    }

    @Test("without colours no colour is sent, and nothing is shown by colour alone")
    func colours() {
        var screen = Samples.screen()
        screen.press(.character("2"))
        screen.wasNotSaved("disk full")
        var plain = Painter(usesColour: false)
        var coloured = Painter(usesColour: true)
        let bare = plain.paint(screen.frame, size: screen.size)
        #expect(!["[31m", "[32m", "[33m", "[1;31m", "[1;36m"].contains { bare.contains($0) })
        #expect(coloured.paint(screen.frame, size: screen.size).contains("\u{1B}[1;31mNot saved"))
        #expect(screen.picture.contains("› 2 (•) Lima"))
    }

    @Test("the environment decides about colours and symbols")
    func traits() {
        func traits(_ variables: [String: String]) -> TerminalTraits {
            TerminalTraits(isTerminal: true, columns: 80) { variables[$0] }
        }
        #expect(traits(["TERM": "xterm", "LANG": "ru_RU.UTF-8"]).usesColour)
        #expect(!traits(["TERM": "xterm", "NO_COLOR": "1"]).usesColour)
        #expect(traits(["TERM": "xterm", "NO_COLOR": ""]).usesColour)
        #expect(traits(["TERM": "dumb"]).isDumb)
        #expect(traits([:]).isDumb)
        #expect(!traits(["TERM": "xterm", "LANG": "en_US.utf8"]).isPlain)
        #expect(traits(["TERM": "xterm", "LANG": "C"]).isPlain)
        #expect(traits(["TERM": "xterm", "LC_ALL": "C", "LANG": "en_US.UTF-8"]).isPlain)
        #expect(traits(["TERM": "linux", "LANG": "en_US.UTF-8"]).isPlain)
    }

    @Test("the command to resume with names the very draft")
    func resumeCommand() {
        let record = Samples.record(Samples.mixed)
        #expect(Samples.request(Samples.mixed, record).resumeCommand == "quire take \(record.id)")
    }
}

import Model
import Testing

@testable import Terminal

@Suite("A test on the screen")
struct TakeScreenTests {
    // MARK: Choosing

    @Test("a number chooses, and Enter goes on")
    func chooseByNumber() {
        var screen = Samples.screen()
        #expect(screen.press(.character("2")) == [.save])
        #expect(screen.answer("capital") == ["Lima"])
        #expect(screen.test.record.answer(to: "capital")?.optionIndexes == [1])
        #expect(screen.place == .question(0))
        screen.press(.enter)
        #expect(screen.place == .question(1))
    }

    @Test("arrows move, Enter shows the mark first and goes on when it is pressed again")
    func chooseByArrows() {
        var screen = Samples.screen()
        screen.press(.down, .down, .enter)
        #expect(screen.answer("capital") == ["La Paz"])
        #expect(screen.place == .question(0))
        screen.press(.enter)
        #expect(screen.place == .question(1))
    }

    @Test("moving the highlight changes no answer")
    func highlightOnly() {
        var screen = Samples.screen()
        screen.press(.character("1"), .down, .down, .up, .end, .home)
        #expect(screen.answer("capital") == ["Quito"])
    }

    @Test("several options are marked and unmarked, and kept in the order of the options")
    func several() {
        var screen = Samples.screen()
        screen.press(.tab, .character("3"), .character("1"), .character("4"), .character(" "))
        #expect(screen.answer("primes") == ["2", "5"])
        screen.press(.enter)
        #expect(screen.place == .question(2))
    }

    @Test("a required question that a file answers does not hold up the end, also where it is attached meanwhile")
    func attached() {
        let well = Questionnaire(
            id: "well", title: "Well",
            questions: [Question(id: "photo", text: "Take a photo of the well", kind: .text, required: true)])
        var screen = Samples.screen(well)
        var review = screen
        review.press(.control("r"))
        #expect(review.picture.contains("needs an answer"))
        let file = Attachment(
            id: .random(), questionId: "photo", name: "well.jpg", mediaType: "image/jpeg", sizeBytes: 3,
            digest: Digest(sha256Of: []))
        screen.attach([file])
        #expect(!screen.isDirty && screen.test.answeredCount == 1)
        #expect(screen.picture.contains("Attached: well.jpg"))
        #expect(screen.finish(despiteGaps: false) == [.save, .finish])
    }

    @Test("Backspace takes an answer away")
    func clear() {
        var screen = Samples.screen()
        screen.press(.character("1"), .backspace)
        #expect(screen.test.record.answers.isEmpty)
    }

    @Test("two digits are one number, and a first digit waits only where a second can follow")
    func twoDigits() {
        var screen = Samples.screen(
            Samples.mixed, Samples.record(Samples.mixed, resume: ResumePosition(question: "many")))
        screen.press(.character("1"))
        #expect(screen.answer("many") == nil)
        #expect(screen.highlight == 0)
        screen.press(.character("2"))
        #expect(screen.answer("many") == ["option 12"])
        screen.press(.character("3"))
        #expect(screen.answer("many") == ["option 3"])
        screen.press(.character("2"))
        #expect(screen.settleDigits() == [.save])
        #expect(screen.answer("many") == ["option 2"])
        screen.press(.character("1"), .enter)
        #expect(screen.answer("many") == ["option 1"])
        #expect(screen.place == .review)
    }

    @Test("digits that make no number of an option are two choices, and a wrong number is reported")
    func wrongNumber() {
        var screen = Samples.screen(
            Samples.mixed, Samples.record(Samples.mixed, resume: ResumePosition(question: "many")))
        screen.press(.character("2"), .character("9"))
        #expect(screen.answer("many") == ["option 9"])
        screen.press(.character("0"))
        #expect(screen.message?.text == "There is no number 0, only 1 to 27.")
        #expect(screen.answer("many") == ["option 9"])
    }

    @Test("a chosen option is distinguished from another with the same text")
    func equalOptions() {
        let question = Question(id: "q", text: "?", kind: .choice, options: ["same", "same"])
        let questionnaire = Questionnaire(id: "id", title: "t", questions: [question])
        var screen = Samples.screen(questionnaire)
        screen.press(.character("2"))
        #expect(screen.chosen(of: question) == [1])
    }

    @Test("an answer that names its option by text alone is shown as chosen")
    func answerByText() {
        let record = Samples.record(Samples.mixed, [Answer(questionId: "capital", value: .one("Lima"))])
        let screen = Samples.screen(Samples.mixed, record)
        #expect(screen.chosen(of: Samples.mixed.questions[0]) == [1])
    }

    // MARK: Writing

    @Test("what is typed is in the record at once, Enter goes on, Alt-Enter breaks the line")
    func text() {
        var screen = Samples.screen()
        screen.press(.tab, .tab)
        screen.write("one")
        screen.press(.lineBreak)
        screen.write("q r 2")
        #expect(screen.answer("why") == ["one\nq r 2"])
        #expect(screen.isDirty)
        screen.press(.enter)
        #expect(screen.place == .question(3))
    }

    @Test("a paste keeps its line breaks and does not go on")
    func paste() {
        var screen = Samples.screen()
        screen.press(.tab, .tab, .paste("a\n  b\n"))
        #expect(screen.answer("why") == ["a\n  b\n"])
        #expect(screen.place == .question(2))
    }

    @Test("a number is checked when going on, and written with a point")
    func number() {
        var screen = Samples.screen()
        screen.press(.tab, .tab, .tab)
        screen.write("-")
        #expect(screen.press(.enter) == [.bell])
        #expect(screen.place == .question(3))
        #expect(screen.message?.text == "“-” is not a number. Correct it, or clear it with Ctrl-U.")
        screen.write("1x,5")
        #expect(screen.answer("size") == ["-1,5"])
        screen.press(.enter)
        #expect(screen.answer("size") == ["-1.5"])
    }

    @Test("what is no number yet survives going back, and stands in the way of finishing")
    func unfinishedNumber() {
        var screen = Samples.screen()
        screen.press(.tab, .tab, .tab, .character("-"), .backTab)
        #expect(screen.answer("size") == ["-"])
        screen.press(.control("r"), .end)
        #expect(screen.press(.enter) == [.bell])
        #expect(screen.message?.text == "The answer to question 4 is not a number.")
        screen.press(.enter)
        #expect(screen.place == .question(3))
        #expect(screen.editor.field.text == "-")
    }

    // MARK: Review and finishing

    @Test("finishing is refused while a required question has no answer, and names it")
    func required() {
        var screen = Samples.screen()
        screen.press(.control("r"), .end)
        #expect(screen.press(.enter) == [.bell])
        #expect(screen.message?.text == "Question 4 still needs an answer.")
        #expect(screen.highlight == 3)
        screen.press(.enter)
        #expect(screen.place == .question(3))
    }

    @Test("questions without an answer are reported once, and one more Enter finishes")
    func gaps() {
        var screen = Samples.screen(
            Samples.mixed, Samples.record(Samples.mixed, [Answer(questionId: "size", value: .one("1"))]))
        screen.press(.control("r"), .end)
        #expect(screen.press(.enter) == [])
        #expect(screen.message?.text == "4 questions have no answer. Press Enter again: Send.")
        #expect(screen.press(.enter) == [.save, .finish])
    }

    @Test("after the warning any other key stays and does what it does")
    func gapsThenStay() {
        var screen = Samples.screen(
            Samples.mixed, Samples.record(Samples.mixed, [Answer(questionId: "size", value: .one("1"))]))
        screen.press(.control("r"), .end, .enter, .home)
        #expect(screen.confirmation == nil)
        #expect(screen.highlight == 0)
        #expect(screen.press(.end, .enter) == [])
    }

    @Test("the review opens at the first question without an answer, and at the button when there is none")
    func reviewStart() {
        var screen = Samples.screen(
            Samples.mixed, Samples.record(Samples.mixed, [Answer(questionId: "capital", value: .one("Lima"))]))
        screen.press(.control("r"))
        #expect(screen.highlight == 1)
        let one = Questionnaire(id: "id", title: "t", questions: [Samples.mixed.questions[0]])
        var answered = Samples.screen(one)
        answered.press(.character("1"), .enter)
        #expect(answered.place == .review)
        #expect(answered.press(.enter) == [.save, .finish])
    }

    @Test("the sentences about missing answers name their questions in both languages")
    func sentences() {
        let english = TakeWords(language: .english)
        let russian = TakeWords(language: .russian)
        #expect(english.blocked(missing: [3, 7, 12], wrong: []) == "Questions 3, 7 and 12 still need an answer.")
        #expect(
            russian.blocked(missing: [3, 7], wrong: [5])
                == "Нужны ответы на вопросы 3 и 7. Ответ на вопрос 5 — не число.")
        #expect(english.blocked(missing: Array(1...20), wrong: []).contains("7, 8…"))
        #expect(russian.gaps(1, button: "б").hasPrefix("1 вопрос без"))
        #expect(russian.gaps(3, button: "б").hasPrefix("3 вопроса без"))
        #expect(russian.gaps(11, button: "б").hasPrefix("11 вопросов без"))
        #expect(russian.gaps(21, button: "б").hasPrefix("21 вопрос без"))
    }

    // MARK: Moving and leaving

    @Test(
        "every way forward and back leads through all questions to the review",
        arguments: [
            (Key.right, Key.left), (.tab, .backTab), (.control("n"), .control("p")), (.pageDown, .pageUp),
        ])
    func moving(_ forward: Key, _ back: Key) {
        let questions = (0..<4).map { Question(id: "\($0)", text: "?", kind: .choice, options: ["a"]) }
        let questionnaire = Questionnaire(id: "id", title: "t", questions: questions)
        var screen = Samples.screen(questionnaire)
        for index in 0..<4 {
            #expect(screen.place == .question(index))
            #expect(screen.press(forward).contains(.save))
        }
        #expect(screen.place == .review)
        for index in (0..<4).reversed() {
            screen.press(back)
            #expect(screen.place == .question(index))
        }
        #expect(screen.press(back) == [.bell])
    }

    @Test(
        "Esc and Ctrl-C leave from everywhere, q only where it is no letter",
        arguments: [Key.escape, .control("c"), .character("q"), .character("й")])
    func leaving(_ key: Key) {
        var screen = Samples.screen()
        #expect(screen.press(key) == [.save, .leave])
        screen.press(.tab, .tab)
        let isLetter = if case .character = key { true } else { false }
        #expect(screen.press(key) == (isLetter ? [] : [.save, .leave]))
    }

    @Test("an option that is not on the screen is shown before it is chosen")
    func unseenOption() {
        let text = (1...60).map { "Line \($0)." }.joined(separator: "\n")
        let question = Question(id: "q", text: text, kind: .choice, options: ["a", "b"])
        var screen = Samples.screen(Questionnaire(id: "id", title: "t", questions: [question]))
        screen.press(.enter)
        #expect(screen.test.record.answers.isEmpty)
        #expect(screen.layout.viewport.focusIsVisible)
        screen.press(.enter)
        #expect(screen.answer("q") == ["a"])
    }

    @Test("a long question is read by arrows and pages before anything moves on")
    func longQuestion() {
        let text = (1...60).map { "Line \($0)." }.joined(separator: "\n")
        let question = Question(id: "q", text: text, kind: .choice, options: ["a", "b"])
        var screen = Samples.screen(Questionnaire(id: "id", title: "t", questions: [question]))
        var seen: Set<Int> = []
        for _ in 0..<40 where screen.highlight == 0 {
            let frame = screen.picture
            for line in 1...60 where frame.contains("Line \(line).") { seen.insert(line) }
            screen.press(.down)
        }
        #expect(seen.count == 60)
        #expect(screen.highlight == 1)
        for _ in 0..<40 { screen.press(.up) }
        #expect(screen.scroll == 0)
        for _ in 0..<8 where screen.place == .question(0) { screen.press(.pageDown) }
        #expect(screen.place == .review)
    }

    // MARK: Time

    @Test("when the time is over it is reported and saved, and the test can still be finished")
    func timeLimit() {
        var questionnaire = Questionnaire(id: "id", title: "t", questions: [Samples.mixed.questions[0]])
        questionnaire.timeLimitSeconds = 90
        var screen = Samples.screen(questionnaire)
        #expect(screen.timeLeft == 90)
        #expect(screen.picture.contains("1:30 left"))
        #expect(screen.tick(Samples.started.adding(seconds: 89)) == [])
        #expect(screen.picture.contains("0:01 left"))
        #expect(screen.tick(Samples.started.adding(seconds: 91)) == [.save, .bell])
        #expect(screen.tick(Samples.started.adding(seconds: 92)) == [])
        #expect(screen.picture.contains("The time is over. Your answers are saved, and you can still finish."))
        #expect(screen.press(.character("2"), .enter, .enter) == [.save, .save, .save, .finish])
        #expect(screen.picture.contains("time is over"))
    }

    @Test("a clock that is set back gives no more time than the limit")
    func clockSetBack() {
        var questionnaire = Samples.mixed
        questionnaire.timeLimitSeconds = 60
        var screen = Samples.screen(questionnaire)
        _ = screen.tick(Samples.started.adding(seconds: -5000))
        #expect(screen.timeLeft == 60)
    }

    // MARK: Resuming

    @Test("a place that fits no more is forgotten: the end of the text, the first open question, the top")
    func staleResume() {
        let answers = [Answer(questionId: "capital", value: .one("Lima"), optionIndexes: [1])]
        func screen(_ resume: ResumePosition) -> TakeScreen {
            Samples.screen(Samples.mixed, Samples.record(Samples.mixed, answers, resume: resume))
        }
        #expect(screen(ResumePosition(question: "gone")).place == .question(1))
        #expect(screen(ResumePosition(question: "many", scroll: 740, cursor: 99, focus: "options")).highlight == 26)
        #expect(screen(ResumePosition(question: "primes", scroll: .nan, cursor: -4)).highlight == 0)
        #expect(screen(ResumePosition(question: "why", cursor: 50, focus: "text")).editor.field.cursor == 0)
        #expect(screen(ResumePosition(cursor: 77, focus: "review")).highlight == 5)
        #expect(screen(ResumePosition(scroll: 1e300, focus: "menu")).place == .question(1))
    }

    @Test("a questionnaire without questions is only a review")
    func empty() {
        var screen = Samples.screen(Questionnaire(id: "id", title: "t", questions: []))
        #expect(screen.place == .review)
        #expect(screen.press(.up, .down, .left, .pageUp, .pageDown) == [.bell, .bell, .bell])
        #expect(screen.press(.enter) == [.save, .finish])
    }

    @Test("an answer of one line gets no second one, neither by a key nor from the clipboard")
    func oneLine() {
        var question = Question(id: "name", text: "Name?", kind: .text)
        question.multiline = false
        var screen = Samples.screen(Questionnaire(id: "form", title: "Form", questions: [question]))
        #expect(!screen.layout.hints.groups.joined().contains { $0.key == "Alt-Enter" })
        screen.press(.character("A"), .lineBreak)
        #expect(screen.message?.text == "The answer to this question has one line.")
        screen.press(.paste("nn\r\nSmith\n"))
        #expect(screen.answer("name") == ["Ann Smith"])
    }

    @Test("a question of files says how they are attached, takes no keys as an answer, and is missing without one")
    func files() {
        var question = Question(id: "photo", text: "Photo?", kind: .file, required: true)
        question.maxFiles = 1
        var screen = Samples.screen(Questionnaire(id: "form", title: "Form", questions: [question]))
        let lines = screen.layout.contentLines.map(\.text).joined(separator: " ")
        #expect(lines.contains("quire attach") && lines.contains("photo FILE (at most 1 file)"))
        #expect(!screen.editor.isWriting && screen.press(.character("x")) == [.bell])
        #expect(screen.test.numbers(in: .missing) == [1] && screen.test.record.answers.isEmpty)
        func photo(_ name: String) -> Model.Attachment {
            Model.Attachment(
                id: .random(), questionId: "photo", name: name, mediaType: "image/png", sizeBytes: 1,
                digest: Digest(sha256Of: Array(name.utf8)))
        }
        screen.attach([photo("nest.png")])
        #expect(screen.test.numbers(in: .answered) == [1])
        screen.attach([photo("nest.png"), photo("egg.png")])
        screen.press(.enter)
        #expect(screen.message?.text == "Attach at most 1 file.")
    }

    @Test("typed coordinates are stored as a place; one that a device measured stays as it is")
    func location() {
        let question = Question(id: "where", text: "Where?", kind: .location)
        let form = Questionnaire(id: "form", title: "Form", questions: [question])
        var screen = Samples.screen(form)
        screen.write("55,75 x")
        #expect(screen.press(.enter) == [.bell] && screen.message?.text.contains("55.75, 37.62") == true)
        screen.press(.control("u"))
        screen.write("55.75, 37.62")
        screen.press(.enter)
        #expect(screen.test.record.answers.map(\.value) == [Location(latitude: 55.75, longitude: 37.62).value])
        let measured = Answer(
            questionId: "where",
            value: .object(["latitude": .integer(1), "longitude": .number(2.5), "by": .string("GPS")]))
        var other = Samples.screen(form, Samples.record(form, [measured], resume: ResumePosition(question: "where")))
        #expect(other.editor.field.text == "1, 2.5")
        other.press(.tab)
        #expect(other.test.record.answers == [measured])
    }
}

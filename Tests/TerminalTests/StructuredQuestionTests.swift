import Model
import Testing

@testable import Terminal

@Suite("Rankings, rows and gaps at the terminal")
struct StructuredQuestionTests {
    static let questionnaire: Questionnaire = {
        let json = """
            {"id": "geo", "title": "Geography", "questions": [
              {"id": "order", "kind": "ranking", "text": "By length", "options": ["Rhine", "Nile", "Volga"]},
              {"id": "seas", "kind": "matching", "text": "Where do they end?", "required": true,
               "rows": ["Danube", "Volga"], "options": ["Black Sea", "Caspian Sea", "Baltic Sea"]},
              {"id": "uses", "kind": "matrix", "multiple": true, "text": "When?", "rows": ["Walk", "Swim"], "options": ["Summer", "Winter"]},
              {"id": "facts", "kind": "gaps", "text": "Water boils at {{boils}} degrees; {{salt}} of it is salt, says {{who}}.",
               "gaps": {"boils": {"kind": "number"}, "salt": {"options": ["half", "most"]}, "who": {}}}]}
            """
        do { return try Questionnaire(json: Array(json.utf8)) } catch { return Samples.mixed }
    }()

    private func screen(
        at id: String, _ answers: [Answer] = [], columns: Int = 80, language: Language = .english
    ) -> TakeScreen {
        let record = Samples.record(Self.questionnaire, answers, resume: ResumePosition(question: id))
        return Samples.screen(Self.questionnaire, record, columns: columns, language: language)
    }

    private func value(_ screen: TakeScreen, _ id: String) -> Answer.Value? { screen.test.record.answer(to: id)?.value }

    // MARK: Rankings

    @Test("Space gives one option after another the next place")
    func placing() {
        var screen = screen(at: "order")
        #expect(screen.picture.contains("› –     Rhine"))
        screen.press(.down, .character(" "))
        #expect(value(screen, "order") == .several(["Nile"]))
        #expect(screen.picture.contains("  1     Nile"))
        #expect(screen.picture.contains("› –     Rhine"))
        screen.press(.character(" "), .character(" "))
        #expect(value(screen, "order") == .several(["Nile", "Rhine", "Volga"]))
        #expect(screen.test.state(of: Self.questionnaire.questions[0]) == .answered)
    }

    @Test("a placed option is picked up, moved by the arrows and put down; what was before can be restored")
    func moving() {
        let answer = Self.questionnaire.questions[0].answer(ranking: [0, 1, 2])
        var screen = screen(at: "order", [answer])
        screen.press(.character(" "))
        #expect(screen.editor.isMoving && screen.picture.contains("› 1  ↕  Rhine"))
        #expect(screen.press(.up) == [.bell])
        screen.press(.down, .down)
        #expect(value(screen, "order") == .several(["Nile", "Volga", "Rhine"]))
        #expect(screen.highlight == 2)
        screen.press(.escape)
        #expect(!screen.editor.isMoving)
        screen.press(.character("u"))
        #expect(value(screen, "order") == .several(["Nile", "Rhine", "Volga"]))
        screen.press(.character("г"))
        #expect(value(screen, "order") == answer.value)
        #expect(screen.press(.character("u")) == [.bell])
    }

    @Test("a digit is the place of the highlighted option, Backspace takes its place away")
    func digits() {
        var screen = screen(at: "order", [Self.questionnaire.questions[0].answer(ranking: [0, 1])])
        screen.press(.end, .character("1"))
        #expect(value(screen, "order") == .several(["Volga", "Rhine", "Nile"]))
        #expect(screen.highlight == 0)
        screen.press(.backspace)
        #expect(value(screen, "order") == .several(["Rhine", "Nile"]))
        #expect(screen.editor.rankedOptions[screen.highlight] == 2)
    }

    @Test("an incomplete ranking does not hold anyone up, and the review and the end name it")
    func incomplete() {
        var screen = screen(at: "order", [Self.questionnaire.questions[0].answer(ranking: [1])])
        screen.press(.enter)
        #expect(screen.place == .question(1))
        #expect(screen.test.numbers(in: .missing).contains(1))
        screen.press(.control("r"))
        #expect(screen.picture.contains("needs an answer"))
    }

    // MARK: Rows

    @Test("rows are answered one after another by digits, and the last one stays")
    func rows() {
        var screen = screen(at: "seas")
        #expect(screen.picture.contains("▸ Danube") && screen.picture.contains("  Volga → …"))
        screen.press(.character("1"))
        #expect(screen.editor.part == 1 && screen.picture.contains("  Danube → Black Sea"))
        screen.press(.character("2"))
        #expect(value(screen, "seas") == .object(["Danube": .string("Black Sea"), "Volga": .string("Caspian Sea")]))
        #expect(screen.place == .question(1))
        screen.press(.enter)
        #expect(screen.place == .question(2))
    }

    @Test("arrows go from row to row without changing an answer; Backspace clears a row, U restores it")
    func moves() {
        let answer = Answer(questionId: "seas", value: .object(["Danube": .string("Black Sea")]))
        var screen = screen(at: "seas", [answer])
        #expect(screen.editor.part == 1)
        screen.press(.up, .up, .up, .down)
        #expect(screen.editor.part == 0 && screen.test.record.answers == [answer])
        screen.press(.backspace)
        #expect(value(screen, "seas") == nil)
        screen.press(.character("u"))
        #expect(screen.test.record.answers == [answer])
        screen.press(.tab)
        #expect(screen.editor.part == 1)
        screen.press(.tab)
        #expect(screen.place == .question(2))
        #expect(screen.test.numbers(in: .missing) == [2])
    }

    @Test("a row with several options keeps the person there until they go on")
    func several() {
        var screen = screen(at: "uses")
        screen.press(.character("1"), .character("2"), .enter, .down, .character(" "))
        #expect(
            value(screen, "uses")
                == .object([
                    "Walk": .array([.string("Summer"), .string("Winter")]), "Swim": .array([.string("Winter")]),
                ]))
        #expect(screen.picture.contains("Walk → Summer, Winter"))
    }

    // MARK: Gaps

    @Test("gaps are filled field by field: a number, an option, a text")
    func gaps() {
        var screen = screen(at: "facts")
        #expect(screen.picture.contains("Water boils at [boils] degrees; [salt] of it is salt, says [who]."))
        screen.write("1a")
        screen.write("00")
        screen.press(.enter)
        #expect(screen.editor.part == 1 && !screen.editor.isWriting)
        screen.press(.character("2"))
        #expect(screen.editor.part == 2 && screen.editor.isWriting)
        screen.write("Ada u")
        #expect(
            value(screen, "facts")
                == .object(["boils": .string("100"), "salt": .string("most"), "who": .string("Ada u")]))
        screen.press(.enter)
        #expect(screen.place == .review)
        #expect(screen.picture.contains("Water boils at ____ degrees"))
    }

    @Test("what is no number stays in its gap, and the person is asked to correct it")
    func wrongNumber() {
        var screen = screen(at: "facts")
        screen.write("1,500")
        #expect(screen.press(.tab) == [.bell])
        #expect(screen.editor.part == 0 && screen.message != nil)
        screen.press(.control("r"))
        #expect(screen.test.numbers(in: .wrong) == [4])
        #expect(value(screen, "facts") == .object(["boils": .string("1,500")]))
    }

    // MARK: Everything around

    @Test("the person comes back to the row, the option and the cursor")
    func resume() {
        var screen = screen(at: "facts")
        screen.press(.control("n"), .backTab)
        screen.write("100")
        screen.press(.tab, .character("1"))
        screen.write("Ada")
        screen.press(.left)
        let again = Samples.screen(Self.questionnaire, screen.test.record)
        #expect(again.editor.part == 2 && again.editor.field.text == "Ada" && again.editor.field.cursor == 2)
        #expect(again.place == screen.place)
    }

    @Test("an answer in words is shown, and stays until the person answers in the new form")
    func words() {
        let answers = ["order", "seas"].map { Answer(questionId: $0, value: .one("as I like")) }
        var screen = screen(at: "order", answers)
        #expect(screen.picture.contains("Your earlier answer in words: “as I like”."))
        screen.press(.down, .tab, .tab, .backTab, .backTab)
        #expect(screen.test.record.answers == answers)
        screen.press(.control("p"))
        screen.press(.character(" "))
        #expect(value(screen, "order") == .several(["Rhine"]))
        #expect(!screen.picture.contains("earlier answer"))
        screen.press(.character("u"))
        #expect(value(screen, "order") == .one("as I like"))
        #expect(screen.picture.contains("earlier answer"))
    }

    @Test("lines answer a ranking by numbers, and rows and gaps one by one")
    func lines() throws {
        var talk = LineConversation(session: TakeSession(Samples.screen(Self.questionnaire, isPlain: true)) { _ in })
        #expect(talk.prompt().contains("1 Rhine\n2 Nile\n3 Volga\n"))
        #expect(try talk.take("2 2 1") == nil)
        #expect(talk.prompt().contains("2 is there twice"))
        #expect(try talk.take("2 3") == nil)
        #expect(talk.prompt().contains("Not in the order yet: “Rhine”."))
        for line in ["2 3 1", "1"] { #expect(try talk.take(line) == nil) }
        let prompt = talk.prompt()
        #expect(prompt.contains("* Volga") && prompt.contains("3 ( ) Baltic Sea"))
        for line in ["2", "1 2", "", "100", "2", "Ada"] {
            #expect(try talk.take(line) == nil)
            _ = talk.prompt()
        }
        let screen = talk.session.screen
        #expect(screen.place == .review)
        #expect(value(screen, "order") == .several(["Nile", "Volga", "Rhine"]))
        #expect(value(screen, "seas") == .object(["Danube": .string("Black Sea"), "Volga": .string("Caspian Sea")]))
        #expect(value(screen, "uses") == .object(["Walk": .array([.string("Summer"), .string("Winter")])]))
        #expect(
            value(screen, "facts")
                == .object(["boils": .string("100"), "salt": .string("most"), "who": .string("Ada")]))
    }

    @Test("keys are named for what they do here, in both languages and on a narrow screen", arguments: [80, 24])
    func hints(_ columns: Int) {
        var screen = screen(at: "order", columns: columns, language: .russian)
        #expect(screen.layout.hints.groups[0].map(\.does).contains("следующее место"))
        screen.press(.character(" "), .up, .character(" "))
        #expect(screen.layout.hints.groups[0].map(\.does).contains("поставить"))
        for id in ["order", "seas", "uses", "facts"] {
            let screen = self.screen(at: id, columns: columns)
            for line in screen.frame.lines { #expect(displayWidth(line.text) <= columns) }
        }
    }

    @Test("any keys leave every answer one of its options, in one place", arguments: 0..<12)
    func anyKeys(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var screen = Samples.screen(Self.questionnaire, columns: seed % 2 == 0 ? 80 : 20, rows: seed % 3 == 0 ? 24 : 6)
        for _ in 0..<200 {
            let keys = RandomKeysTests.moves + RandomKeysTests.others + [.character("u"), .character("3")]
            _ = screen.handle(keys.randomElement(using: &generator) ?? .up)
            #expect(screen.frame.lines.count == screen.size.rows)
            #expect(
                screen.editor.part >= 0
                    && (screen.editor.parts.isEmpty || screen.editor.part < screen.editor.parts.count))
            if let active = screen.editor.active, !screen.editor.isWriting {
                #expect(active.options.indices.contains(screen.highlight))
            }
            let ranking = Self.questionnaire.questions[0].ranking(of: screen.test.record.answer(to: "order"))
            #expect(ranking.own.isEmpty && Set(ranking.places).count == ranking.places.count)
            let restored = Samples.screen(Self.questionnaire, screen.test.record)
            #expect(
                restored.place == screen.place
                    && (screen.place == .review || restored.editor.part == screen.editor.part))
        }
    }
}

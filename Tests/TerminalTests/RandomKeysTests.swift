import Model
import Testing

@testable import Terminal

@Suite("Any keys whatever")
struct RandomKeysTests {
    static let questionnaire: Questionnaire = {
        var questionnaire = Samples.mixed
        questionnaire.timeLimitSeconds = 600
        questionnaire.description = "A description of two rows when the terminal is narrow."
        questionnaire.questions[2].text = (1...40).map { "Sentence \($0) of a long text, قطر, 中文." }.joined(
            separator: " ")
        questionnaire.questions[4].text = "```\n" + String(repeating: "let x = 1; ", count: 20) + "\n```"
        return questionnaire
    }()

    static let moves: [Key] = [
        .up, .down, .left, .right, .home, .end, .pageUp, .pageDown, .tab, .backTab, .control("n"), .control("p"),
        .control("r"), .wordLeft, .wordRight, .control("l"), .unknown, .control("z"), .alt("x"),
    ]
    static let others: [Key] = [
        .enter, .character(" "), .character("1"), .character("2"), .character("9"), .character("0"), .character("ж"),
        .character("q"), .character("\u{301}"), .character(","), .character("-"), .lineBreak, .backspace, .delete,
        .deleteWord, .control("u"), .control("w"), .control("k"), .paste("two\nlines 👩🏽‍🚀"), .paste("5"), .escape,
    ]

    /// The meaning of answers: a number may be rewritten, but never changed.
    private func meaning(_ screen: TakeScreen) -> [String: [String]] {
        var all: [String: [String]] = [:]
        for answer in screen.test.record.answers {
            let question = screen.test.questionnaire.question(answer.questionId)
            let settled = question?.kind == .number ? (try? question?.answer(answer.value))?.texts : nil
            all[answer.questionId] = settled ?? answer.texts
        }
        return all
    }

    @Test("leave every promise kept: places in bounds, no answer lost, the screen full and harmless", arguments: 0..<24)
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let sizes = [(80, 24), (40, 24), (20, 5), (120, 40), (1, 1), (60, 10)]
        let (columns, rows) = sizes[Int(seed) % sizes.count]
        var screen = Samples.screen(
            RandomKeysTests.questionnaire, columns: columns, rows: rows, language: seed % 2 == 0 ? .english : .russian,
            notice: seed % 3 == 0 ? "A newer version exists" : nil)
        for step in 0..<100 {
            if Int.random(in: 0..<20, using: &generator) == 0, let size = sizes.randomElement(using: &generator) {
                screen.resize(ScreenSize(columns: size.0, rows: size.1))
            }
            if Int.random(in: 0..<10, using: &generator) == 0 { screen.wasNotSaved("disk full") }
            if Int.random(in: 0..<5, using: &generator) == 0 { screen.wasSaved(screen.test.record) }
            let isMove = Bool.random(using: &generator)
            let key = (isMove ? RandomKeysTests.moves : RandomKeysTests.others).randomElement(using: &generator) ?? .up
            _ = screen.settleDigits()
            let before = meaning(screen)
            let effects = screen.handle(key)
            if isMove { #expect(meaning(screen) == before, "\(key) at step \(step)") }
            #expect(!effects.contains(.finish) || screen.test.numbers(in: .missing).isEmpty)
            check(screen)
            if step % 4 == 0 { try checkResume(screen) }
        }
    }

    private func check(_ screen: TakeScreen) {
        #expect(screen.scroll >= 0 && screen.scroll <= max(screen.layout.viewport.lastTop, 0) + 3)
        if let question = screen.editor.question, !screen.editor.isWriting {
            #expect(question.options.indices.contains(screen.highlight))
        } else if screen.place == .review {
            #expect((0...screen.test.questionnaire.questions.count).contains(screen.highlight))
        }
        #expect(screen.editor.field.cursor <= screen.editor.field.text.unicodeScalars.count)
        let frame = screen.frame
        #expect(frame.lines.count == screen.size.rows)
        #expect(frame.cursorRow < screen.size.rows)
        #expect(frame.cursorColumn < screen.size.columns)
        let painter = Painter(usesColour: false)
        for line in frame.lines {
            #expect(!line.text.unicodeScalars.contains { isControl($0) || $0 == "\n" })
            if screen.size.columns >= 20 { #expect(displayWidth(line.text) <= screen.size.columns, "\(line.text)") }
            let bare = Line(line.spans.map { Line.Span($0.text) })
            #expect(displayWidth(painter.encode(bare, columns: screen.size.columns)) <= screen.size.columns)
        }
    }

    /// A crash now: the same record on a terminal of the same size shows the same place.
    private func checkResume(_ screen: TakeScreen) throws {
        let bytes = try DocumentCoding.encode(screen.test.record)
        let record = try DocumentCoding.decode(TestRecord.self, from: bytes)
        #expect(record == screen.test.record)
        guard record.resume != nil else { return }
        let resumed = Samples.screen(
            screen.test.questionnaire, record, columns: screen.size.columns, rows: screen.size.rows,
            language: screen.words.language, notice: screen.notice)
        #expect(resumed.place == screen.place)
        // Nothing but white space is no answer, and is not kept.
        if !screen.editor.field.text.allSatisfy(\.isWhitespace) {
            #expect(resumed.editor.field.text == screen.editor.field.text)
            #expect(resumed.editor.field.cursor == screen.editor.field.cursor)
        }
        if !screen.editor.isWriting { #expect(resumed.highlight == screen.highlight) }
        if screen.message == nil, screen.confirmation == nil, screen.saveFault == nil,
            !screen.editor.isWriting || resumed.editor.field == screen.editor.field
        {
            #expect(resumed.scroll == min(screen.scroll, screen.layout.viewport.lastTop))
        }
    }
}

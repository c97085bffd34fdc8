import Model
import Testing

@testable import Terminal

@Suite("Languages of a questionnaire, and flags of questions, at the terminal")
struct LanguageAndFlagTests {
    private static let document = """
        {"id": "well", "title": "The well", "locale": "en", "questions": [
          {"id": "owner", "text": "Who owns it?", "options": ["The village", "Other"]},
          {"id": "signs", "text": "Which sign?", "kind": "matching", "rows": ["Smell", "Spots"], "options": ["Iron", "Salt"]},
          {"id": "why", "text": "Why?", "kind": "text"}],
         "translations": {"fr": {"title": "Le puits", "questions": {
          "owner": {"text": "À qui est-il ?", "options": ["Au village", "Autre"]},
          "signs": {"text": "Quel signe ?", "rows": ["Odeur", "Taches"], "options": ["Fer", "Sel"]}}}}}
        """

    private func screen(isPlain: Bool = false) throws -> TakeScreen {
        let document = try Questionnaire(json: Array(Self.document.utf8))
        return Samples.screen(document, Samples.record(document), rows: 30, isPlain: isPlain)
    }

    private func text(_ screen: TakeScreen) -> String { screen.layout.contentLines.map(\.text).joined(separator: "\n") }

    @Test("a key shows the questions in the next language; the answers stay the document's own")
    func language() throws {
        var screen = try screen()
        screen.press(.character("2"))
        #expect(screen.press(.control("y")) == [.save])
        #expect(screen.test.record.language == "fr" && screen.test.questionnaire.title == "Le puits")
        #expect(text(screen).contains("À qui est-il ?") && text(screen).contains("(•) Autre"))
        #expect(screen.test.record.answers[0].value == .one("Other"))
        screen.press(.tab)
        #expect(text(screen).contains("Odeur") && text(screen).contains("Sel"))
        screen.press(.character("2"))
        #expect(screen.test.record.answer(to: "signs")?.value == .object(["Smell": .string("Salt")]))
        #expect(text(screen).contains("Odeur → Sel"))
        screen.press(.control("r"))
        #expect(text(screen).contains("À qui est-il ?") && text(screen).contains("Autre"))
        screen.press(.control("y"))
        #expect(screen.test.record.language == "en" && text(screen).contains("Who owns it?"))
    }

    @Test("a questionnaire in one language has no key for it")
    func onlyOne() {
        var screen = Samples.screen()
        #expect(screen.press(.control("y")) == [.bell])
        #expect(!screen.layout.hints.groups.joined().contains { $0.key == "Ctrl-Y" })
        #expect(screen.test.record.language == nil)
    }

    @Test("a key flags a question, which the review shows; a flag is no answer")
    func flags() throws {
        var screen = try screen()
        #expect(screen.press(.control("o")) == [.save])
        #expect(screen.test.record.flagged == ["owner"] && screen.test.record.answers.isEmpty)
        #expect(screen.layout.headerLines.map(\.text).joined().contains("⚑"))
        screen.press(.control("r"))
        #expect(text(screen).contains("⚑ Who owns it?"))
        screen.press(.home, .control("o"))
        #expect(screen.test.record.flagged.isEmpty && !text(screen).contains("⚑"))
    }

    @Test("on a terminal that only prints, the same are :l and :f")
    func lines() throws {
        var screen = try screen(isPlain: true)
        #expect(LineInput(":l").enter(into: &screen) == [.save] && text(screen).contains("À qui est-il ?"))
        #expect(LineInput(":f").enter(into: &screen) == [.save] && screen.test.record.flagged == ["owner"])
    }
}

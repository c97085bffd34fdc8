import Model
import Testing

@testable import Terminal

@Suite("Sections at the terminal")
struct SectionScreenTests {
    private static let document = """
        {"id": "river", "title": "River", "shuffle": {"options": true}, "sections": [
          {"id": "s", "title": "The river", "text": "It is short.", "media": [{"path": "here.png"}], "questions": ["a", "b"]}],
         "questions": [{"id": "first", "text": "?", "options": ["o1", "o2", "o3", "o4", "o5"]},
          {"id": "a", "text": "Question a", "kind": "text"}, {"id": "b", "text": "Question b", "options": ["x", "y"]},
          {"id": "last", "text": "Last", "kind": "text"}]}
        """

    private func screen(isPlain: Bool = false) throws -> TakeScreen {
        let document = try Questionnaire(json: Array(Self.document.utf8))
        let record = Samples.record(document)
        return Samples.screen(document.arranged(for: record.id), record, rows: 30, isPlain: isPlain)
    }

    private func text(_ screen: TakeScreen) -> String { screen.layout.contentLines.map(\.text).joined(separator: "\n") }

    @Test("the passage is above the first question of its section, and a key shows it again")
    func passage() throws {
        var screen = try screen()
        #expect(!text(screen).contains("It is short."))
        #expect(screen.handle(.control("t")) == [.bell], "there is nothing to read here")
        screen.press(.tab)
        #expect(text(screen).contains("The river\nIt is short.\nPicture: /cache/here.png"))
        #expect(screen.layout.hints.groups.joined().contains { $0.key == "Ctrl-T" })
        screen.press(.tab)
        #expect(text(screen).contains("Question b") && !text(screen).contains("It is short."))
        screen.press(.control("t"))
        #expect(text(screen).contains("It is short."))
        screen.press(.control("t"))
        #expect(!text(screen).contains("It is short."))
        screen.press(.tab)
        #expect(screen.test.passage(of: screen.editor.question) == nil)
    }

    @Test("an option is chosen by its place on the screen, and stored by that in the document")
    func options() throws {
        var screen = try screen()
        let question = screen.test.questionnaire.questions[0]
        let place = question.optionPlaces[2]
        #expect(question.optionPlaces != [0, 1, 2, 3, 4])
        screen.press(.character("3"))
        #expect(screen.test.record.answers[0].optionIndexes == [place])
        #expect(screen.test.record.answers[0].texts == ["o\(place + 1)"])
        let row = try #require(screen.layout.contentLines.map(\.text).first { $0.contains("(•)") })
        #expect(row.contains("3 (•) o\(place + 1)"))
        var lines = try self.screen(isPlain: true)
        _ = LineInput("3").enter(into: &lines)
        #expect(lines.test.record.answers == screen.test.record.answers)
    }

    @Test("the review has the titles of sections, and its rows are where the keys say")
    func review() throws {
        var screen = try screen()
        screen.press(.control("r"))
        let lines = screen.layout.contentLines.map(\.text)
        let title = try #require(lines.firstIndex { $0.hasPrefix("The river") })
        #expect(lines[title + 1].contains("Question a") && lines[title + 2].contains("Question b"))
        for row in 0...4 {
            screen.reviewRow = row
            let at = screen.layout.viewport.focus.lowerBound
            #expect(screen.layout.contentLines[at].text.hasPrefix("›"), "row \(row)")
        }
        #expect(screen.layout.viewport.contentHeight == screen.layout.contentLines.count)
    }

    @Test("on a terminal that only prints, a command prints the passage again")
    func lines() throws {
        var talk = LineConversation(session: TakeSession(try screen(isPlain: true)) { _ in })
        _ = talk.prompt()
        for line in [":n", ":n"] {
            _ = try talk.take(line)
            if line == ":n", talk.session.screen.place == .question(1) {
                #expect(talk.prompt().contains("It is short."))
            }
        }
        #expect(!talk.prompt().contains("It is short."))
        _ = try talk.take(":t")
        #expect(talk.prompt().contains("It is short."))
    }
}

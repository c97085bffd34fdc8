import Model
import Testing

/// The same cases run in a browser against the app (`PhoneUpdateTests`).
@Suite("The shared vectors of taking a questionnaire")
struct TakingVectorTests {
    private struct ArrangementCase: Decodable {
        var name: String
        var test: TestID
        var orderOf: TestID?
        var questionnaire: JSONValue
        var order: [String]
        var options: [String: [Int]]
        var notDrawn: [String]
    }

    @Test("a test has the questions, their order and that of their options as the vectors say")
    func arrangements() throws {
        let cases = try VectorFile.cases("arrangements", ArrangementCase.self)
        #expect(cases.count > 20)
        for one in cases {
            guard case .object(var members) = one.questionnaire else { continue }
            members["id"] = .string("a")
            members["title"] = .string("A")
            let document = try VectorFile.decode(Questionnaire.self, VectorFile.text(JSONValue.object(members)))
            let arranged = document.arranged(for: one.orderOf ?? one.test)
            #expect(arranged.questions.map(\.id) == one.order, "\(one.name), \(one.test)")
            #expect(arranged.notDrawn == Set(one.notDrawn), "\(one.name), \(one.test)")
            var options: [String: [Int]] = [:]
            for question in arranged.questions { options[question.id] = question.optionOrder }
            #expect(options == one.options, "\(one.name), \(one.test)")
        }
    }

    private struct TranslationCase: Decodable {
        struct Shown: Decodable {
            var text: String
            var hint: String?
            var unit: String?
            var options: [String]
            var parts: [[String]]
            var shown: [String]
        }
        var name: String
        var tag: String
        var questionnaire: Questionnaire
        var answers: [String: Answer.Value]
        var languages: [String]
        var locale: String
        var title: String
        var description: String
        var sections: [[String]]
        var questions: [Shown]
    }

    @Test(
        "a questionnaire has the words of each of its languages, and answers stay the document's own, as the vectors say"
    )
    func translations() throws {
        let cases = try VectorFile.cases("translations", TranslationCase.self)
        #expect(cases.count == 5)
        for one in cases {
            let shown = one.questionnaire.translated(to: one.tag)
            let name = Comment(rawValue: "\(one.name), \(one.tag)")
            #expect(shown.languages == one.languages, name)
            #expect([shown.locale, shown.title, shown.description] == [one.locale, one.title, one.description], name)
            #expect(shown.sections.map { [$0.title ?? "", $0.text ?? ""] } == one.sections, name)
            #expect(shown.questions.map(\.options.count) == one.questionnaire.questions.map(\.options.count), name)
            for (question, wanted) in zip(shown.questions, one.questions) {
                #expect(
                    [question.text, question.hint, question.unit] == [wanted.text, wanted.hint, wanted.unit], name)
                #expect(question.optionLabels == wanted.options, name)
                #expect(question.parts.map { [$0.id, $0.text] + $0.optionLabels } == wanted.parts, name)
                let answer = one.answers[question.id].map { Answer(questionId: question.id, value: $0) }
                #expect(question.shown(answer) == wanted.shown, name)
            }
        }
    }

    private struct GapCase: Decodable {
        struct Piece: Decodable {
            var text: String?
            var gap: String?
        }
        var text: String?
        var pieces: [Piece]?
        var question: Question?
        var answer: Answer.Value?
        var blanks: String?
        var shown: [String]?
        var names: [String]?
    }

    @Test("a text has its gaps, and shows what was put into them, as the vectors say")
    func gaps() throws {
        let cases = try VectorFile.cases("gap-texts", GapCase.self)
        #expect(cases.count > 30)
        for one in cases {
            if let text = one.text {
                let wanted = one.pieces?.map { $0.gap.map(GapText.Piece.gap) ?? .text($0.text ?? "") }
                #expect(GapText.pieces(of: text) == wanted, "\(text)")
            } else if let question = one.question, let value = one.answer {
                #expect(question.textWithBlanks() == one.blanks)
                #expect(question.parts.map(\.id) == one.names)
                #expect(question.shown(Answer(questionId: question.id, value: value)) == one.shown)
            }
        }
    }
}

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

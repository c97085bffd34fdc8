import Foundation
import Model
import Testing
import Wording

/// The same table runs in a browser against the app (`PhoneUpdateTests`).
@Suite("Answers that move to a newer version")
struct AnswerTransferTests {
    private struct Case: Decodable {
        struct Entry: Decodable {
            var answer: Answer.Value
            var optionIndexes: [Int]?
        }
        var name: String
        var old: Question?
        var new: Question?
        var given: Entry
        /// `null` where it is left.
        var carried: Entry?
        var reason: AnswerTransfer.Reason?
        /// Whether the person is to look at it.
        var changed: Bool?
    }

    private static func cases() throws -> [Case] {
        let url = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Vectors/answer-transfer.json")
        return try JSONDecoder().decode([Case].self, from: Data(contentsOf: url))
    }

    @Test("every case of the table")
    func table() throws {
        for row in try Self.cases() {
            let given = Answer(questionId: "q", value: row.given.answer, optionIndexes: row.given.optionIndexes ?? [])
            func version(_ question: Question?) -> Questionnaire {
                Questionnaire(id: "a", title: "A", questions: question.map { [$0] } ?? [])
            }
            let transfer = AnswerTransfer([given], from: version(row.old), to: version(row.new))
            let wanted = row.carried.map {
                Answer(questionId: "q", value: $0.answer, optionIndexes: $0.optionIndexes ?? [])
            }
            #expect(transfer.carried == (wanted.map { [$0] } ?? []), "\(row.name)")
            #expect(transfer.left.map(\.reason) == (row.reason.map { [$0] } ?? []), "\(row.name)")
            #expect(transfer.left.map(\.answer) == (wanted == nil ? [given] : []), "\(row.name)")
            #expect(transfer.changes.isEmpty == !(row.changed ?? false), "\(row.name)")
        }
    }

    @Test("what changed is said with the former words and the new ones", arguments: Language.allCases)
    func words(_ language: Language) {
        func version(_ text: String, _ option: String) -> Questionnaire {
            Questionnaire(
                id: "a", title: "A",
                questions: [Question(id: "q", text: text, kind: .choice, options: [option, "Rice"])])
        }
        let transfer = AnswerTransfer(
            [Answer(questionId: "q", value: .one("Weat"), optionIndexes: [0])],
            from: version("Whats growing?", "Weat"), to: version("What is growing?", "Wheat"))
        let lines = transfer.changes.flatMap { $0.words(language) }
        #expect(lines.count == 2)
        for text in ["Whats growing?", "What is growing?"] { #expect(lines[0].contains(text)) }
        for text in ["Weat", "Wheat"] { #expect(lines[1].contains(text)) }
    }
}

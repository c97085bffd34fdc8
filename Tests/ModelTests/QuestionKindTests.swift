import Model
import Testing

@Suite("The table of question kinds")
struct QuestionKindTests {
    private func question(_ kind: Question.Kind) -> Question {
        Question(id: "q1", text: "?", kind: kind, options: kind.hasOptions ? ["Paris", "Rome"] : [])
    }

    /// What a person would give as an answer, as it is stored, and something that is none.
    private static let examples: [Question.Kind: (given: Answer.Value, stored: Answer.Value, wrong: Answer.Value?)] = [
        .choice: (.one("paris"), .one("Paris"), .one("Oslo")),
        .choices: (.several(["Rome", "Paris"]), .several(["Paris", "Rome"]), .several(["Oslo"])),
        .text: (.one(" a  b "), .one(" a  b "), nil),
        .number: (.one("3,5"), .one("3.5"), .one("about 3")),
    ]

    @Test(
        "each kind makes its answer, refuses what is none, and finds its own answer right",
        arguments: Question.Kind.allCases)
    func answers(_ kind: Question.Kind) throws {
        let question = question(kind)
        let example = try #require(Self.examples[kind])
        let answer = try question.answer(example.given)
        #expect(answer.value == example.stored)
        if let wrong = example.wrong { #expect(throws: AnswerFault.self) { try question.answer(wrong) } }
        #expect(kind.isRight(answer, accepted: example.stored.texts))
        #expect(!kind.isRight(answer, accepted: ["something else"]))
    }

    @Test(
        "several answers where one belongs are refused, except where several belong", arguments: Question.Kind.allCases)
    func several(_ kind: Question.Kind) throws {
        let question = question(kind)
        if kind.isMultiple {
            #expect(try question.answer(.several(["Paris", "Rome"])).texts.count == 2)
        } else {
            #expect(throws: AnswerFault.self) { try question.answer(.several(["1", "2"])) }
        }
    }

    @Test("a kind's properties follow from its input")
    func properties() {
        for kind in Question.Kind.allCases {
            #expect(kind.hasOptions == (kind.input == .option || kind.input == .options))
            #expect(kind.isMultiple == (kind.input == .options))
            #expect(kind.isNormalised == (kind.input == .decimal))
        }
    }
}

import Model
import Testing

@Suite("The table of question kinds")
struct QuestionKindTests {
    private func question(_ kind: Question.Kind) -> Question {
        let isListed = [.choice, .choices, .ranking, .matching, .matrix].contains(kind)
        var question = Question(id: "q1", text: "?", kind: kind, options: isListed ? ["Paris", "Rome"] : [])
        question.rows = kind.needsRows ? ["France"] : []
        if kind == .gaps { question.text = "Capital: {{1}}" }
        if kind == .scale {
            question.scale = Question.Scale(min: 1, max: 3, labels: ["1": "never"])
            question.options = ["1 – never", "2", "3"]
        }
        return question
    }

    /// What a person would give as an answer, as it is stored, and something that is none.
    private static let examples: [Question.Kind: (given: Answer.Value, stored: Answer.Value, wrong: Answer.Value?)] = [
        .choice: (.one("paris"), .one("Paris"), .one("Oslo")),
        .choices: (.several(["Rome", "Paris"]), .several(["Paris", "Rome"]), .several(["Oslo"])),
        .text: (.one(" a  b "), .one(" a  b "), nil),
        .number: (.one("3,5"), .one("3.5"), .one("about 3")),
        .boolean: (.one("yes"), .truth(true), .one("maybe")),
        .date: (.one("25.11.2026"), .one("2026-11-25"), .one("11/12/2026")),
        .time: (.one("2:30 pm"), .one("14:30"), .one("25:00")),
        .dateTime: (
            .one("25.11.2026 14:30 +03"), .one("2026-11-25T14:30:00+03:00"), .one("2026-11-25 14:30")
        ),
        .scale: (.one("never"), .number(1), .one("4")),
        .ranking: (.several(["rome", "Paris"]), .several(["Rome", "Paris"]), .one("Rome, Paris")),
        .matching: (
            .object(["france": .string("paris")]), .object(["France": .string("Paris")]), .one("France is Paris")
        ),
        .matrix: (
            .object(["France": .string("Rome")]), .object(["France": .string("Rome")]),
            .object(["Italy": .string("Rome")])
        ),
        .gaps: (.object(["1": .string(" Paris")]), .object(["1": .string(" Paris")]), .object(["2": .string("Paris")])),
        .file: (.one(""), .one(""), .one("x")),
        .location: (
            .one("55,5; 37,5"), .object(["latitude": .number(55.5), "longitude": .number(37.5)]), .one("x")
        ),
    ]

    @Test(
        "each kind makes its answer, refuses what is none, and finds its own answer right",
        arguments: Question.Kind.allCases)
    func answers(_ kind: Question.Kind) throws {
        guard kind.takesAnswer else { return }
        let question = question(kind)
        let example = try #require(Self.examples[kind])
        let answer = try question.answer(example.given)
        #expect(answer.value == example.stored)
        if let wrong = example.wrong { #expect(throws: AnswerFault.self) { try question.answer(wrong) } }
        #expect(kind.isRight(answer, accepted: example.stored.texts) == kind.hasKey)
        #expect(!kind.isRight(answer, accepted: ["something else"]))
    }

    @Test(
        "several answers where one belongs are refused, except where several belong", arguments: Question.Kind.allCases)
    func several(_ kind: Question.Kind) throws {
        let question = question(kind)
        if kind.isMultiple || question.input == .order {
            #expect(try question.answer(.several(["Paris", "Rome"])).texts.count == 2)
        } else {
            #expect(throws: AnswerFault.self) { try question.answer(.several(["1", "2"])) }
        }
    }

    @Test("a kind's properties follow from its input")
    func properties() {
        for kind in Question.Kind.allCases {
            let input = question(kind).input
            #expect(kind.hasOptions == (input == .option || input == .options))
            #expect(kind.isMultiple == (input == .options))
            #expect(input.isStructured == [.ranking, .matching, .matrix, .gaps].contains(kind))
            #expect(kind.isNormalised == [.number, .date, .time, .dateTime, .location].contains(kind))
            #expect(kind.takesAnswer == (kind != .note))
        }
    }
}

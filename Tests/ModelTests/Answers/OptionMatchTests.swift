import Testing

@testable import Model

@Suite("An answer is matched with the options by its text")
struct OptionMatchTests {
    private let several = Question(id: "q", text: "?", kind: .choices, options: ["A", "B", "A", "Café"])
    private let one = Question(id: "q", text: "?", kind: .choice, options: ["No", "Yes"])

    private func answer(_ texts: [String], _ places: [Int] = []) -> Answer {
        Answer(questionId: "q", value: .several(texts), optionIndexes: places)
    }

    @Test(
        "the place counts only where the option there says the same",
        arguments: [
            (["A"], [2], [2], []), (["A"], [0], [0], []), (["A"], [], [0], []), (["A", "A"], [2, 0], [0, 2], []),
            (["B"], [0], [1], []), (["Cafe\u{301}"], [], [3], []), (["A", "A", "A"], [], [0, 2], ["A"]),
            (["b"], [1], [], ["b"]), (["A", "Z"], [0], [0], ["Z"]), (["Z", "B"], [0, 1], [1], ["Z"]), ([], [], [], []),
            ([""], [], [], []), (["B"], [99], [1], []), (["B"], [-1], [1], []),
        ] as [([String], [Int], [Int], [String])])
    func places(_ texts: [String], _ named: [Int], _ places: [Int], _ own: [String]) {
        #expect(several.match(answer(texts, named)) == OptionMatch(places: places, own: own))
    }

    @Test("a question that takes one has one option, or the person's own answer, however many texts that has")
    func single() {
        #expect(one.match(Answer(questionId: "q", value: .one("Yes"), optionIndexes: [0])).places == [1])
        #expect(one.match(answer(["Yes", "No"], [1, 0])) == OptionMatch(places: [], own: ["Yes", "No"]))
        #expect(one.match(answer(["Yes"], [0])) == OptionMatch(places: [1], own: []))
        #expect(one.match(nil) == OptionMatch(places: [], own: []))
    }

    @Test("what is kept stands behind the options, and is matched the same way again")
    func keeping() {
        let made = several.answer(choosing: [1], keeping: ["Z"])
        #expect(made == Answer(questionId: "q", value: .several(["B", "Z"]), optionIndexes: [1]))
        #expect(several.match(made) == OptionMatch(places: [1], own: ["Z"]))
        #expect(one.answer(choosing: [], keeping: ["Z"]) == Answer(questionId: "q", value: .one("Z")))
        #expect(one.answer(choosing: [0], keeping: []).value == .one("No"))
    }
}

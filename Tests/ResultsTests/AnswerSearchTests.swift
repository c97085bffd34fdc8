import Model
import Testing

@testable import Results

@Suite("Free answers are found by words and their forms, and their words are counted")
struct AnswerSearchTests {
    private let questionnaire = ResultsFixture.questionnaire([
        Question(id: "why", text: "Why?", kind: .text), Question(id: "n", text: "How many?", kind: .number),
        Question(id: "more", text: "What else?", kind: .text),
    ])

    private func free(_ texts: [String]) -> FreeAnswers {
        let tests = texts.enumerated().map { place, text in
            ResultsFixture.test(
                place + 1, of: questionnaire, person: Person(id: "p\(place)", name: "Person \(place)"),
                answers: [Answer(questionId: "why", value: .one(text)), Answer(questionId: "n", value: .one("7"))])
        }
        return FreeAnswers(ResultsFixture.table(questionnaire, tests))
    }

    @Test("only questions that are answered in people's own words are searched, in the order of the table")
    func questions() {
        let free = free(["The trees are old.", " ", "A tree."])
        #expect(free.questions.map(\.column.id) == ["why", "more"])
        #expect(free.questions[0].answers.map(\.text) == ["The trees are old.", "A tree."])
        #expect(free.questions[0].answers.map(\.person?.name) == ["Person 0", "Person 2"])
        #expect(free.questions[1].answers.isEmpty && free.sizeBytes == 25)
    }

    @Test(
        "a word finds its other forms in the languages of the questionnaire; several words must all be there",
        arguments: [
            ("trees", ["en"], [0, 1]), ("tree old", ["en"], [0]), ("деревья", ["ru"], [2, 3]),
            ("ДЕРЕВО", ["ru"], [2, 3]),
            ("trees деревьев", ["en", "ru"], []), ("trees", [], [0]), ("зеленые", ["ru"], [3]),
            ("", ["en"], [0, 1, 2, 3]),
            (" , ", ["en"], [0, 1, 2, 3]), ("stone", ["en"], []),
        ] as [(String, [String], [Int])])
    func found(query: String, languages: [String], expected: [Int]) {
        let texts = ["The trees are old.", "One tree", "Деревья большие", "Много зелёных деревьев"]
        let answers = free(texts).questions[0].answers
        let search = AnswerSearch(query, languages: languages)
        #expect(search.hits(in: answers).map(\.text) == expected.map { texts[$0] })
        #expect(search.isEmpty == (expected.count == 4))
    }

    @Test("words are counted once for an answer, in all their forms, and shown in the form that is written most")
    func words() {
        let answers = free([
            "The teacher explained it well; the teacher was patient.", "Teachers explain too fast", "Our teachers!",
            "Нравится учитель", "Учителя объясняют", "It is OK",
        ]).questions[0].answers
        let words = AnswerSearch("", languages: ["en-GB", "ru"]).words(of: answers)
        #expect(words.map(\.text) == ["teachers", "explain", "учитель"], "\(words)")
        #expect(words.map(\.count) == [3, 2, 2])
        // Every answer that a word finds has it: it says nothing about them.
        let others = AnswerSearch("TEACHER", languages: ["en", "ru"]).words(of: answers)
        #expect(others.map(\.text) == ["explain", "учитель"], "\(others)")
        #expect(AnswerSearch("", languages: []).words(of: answers, most: 1).map(\.text) == ["teachers"])
    }
}

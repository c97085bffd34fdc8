import Foundation
import Localization
import Model
import Testing

@testable import Results

@Suite("The figures of results")
struct ResultStatisticsTests {
    /// Five persons, three questions of one point: worked out by hand.
    private static let byHand: (Questionnaire, [HandedInTest]) = {
        let questionnaire = ResultsFixture.questionnaire(
            (1...3).map { Question(id: "q\($0)", text: "?", kind: .choice, options: ["a", "b"]) })
        let points: [[Double]] = [[1, 1, 1], [1, 1, 0], [1, 0, 0], [0, 0, 0], [1, 1, 1]]
        let tests = points.enumerated().map { number, row in
            ResultsFixture.test(
                number + 1, of: questionnaire, person: Person(id: "p\(number)", name: "P\(number)"),
                answers: row.enumerated().map {
                    Answer(questionId: "q\($0 + 1)", value: .one($1 == 1 ? "a" : "b"), optionIndexes: [$1 == 1 ? 0 : 1])
                }, points: row.enumerated().map { ("q\($0 + 1)", $1, 1) })
        }
        return (questionnaire, tests)
    }()

    private func isNear(_ value: Double?, _ expected: Double, _ tolerance: Double = 1e-9) -> Bool {
        value.map { abs($0 - expected) < tolerance } ?? false
    }

    private func answers(_ texts: [String]) throws -> QuestionStatistics {
        let questionnaire = ResultsFixture.questionnaire([Question(id: "q", text: "?", kind: .number)])
        let tests = texts.enumerated().map { number, text in
            ResultsFixture.test(
                number + 1, of: questionnaire, person: nil, answers: [Answer(questionId: "q", value: .one(text))])
        }
        return try #require(ResultStatistics(ResultsFixture.table(questionnaire, tests)).questions.first)
    }

    @Test(
        "whatever numbers people answer, every figure is a number or is left out",
        arguments: [["1e308", "1e308"], ["1e200", "0"], ["1e300", "-1e300"], ["1.7976931348623157e308", "1"]])
    func greatest(_ texts: [String]) throws {
        let question = try answers(texts)
        let numbers = try #require(question.numbers)
        #expect(numbers.mean.isFinite && numbers.median.isFinite)
        #expect(numbers.standardDeviation?.isFinite ?? true)
        #expect(try !DocumentCoding.encode(numbers).isEmpty)
        let words = StatisticsWords(language: .english).figures(question).map { $0.value + $0.about }
        #expect(!words.joined().contains("inf") && !words.joined().contains("nan"), "\(words)")
    }

    @Test("answers that are small numbers are not rounded to nothing")
    func small() throws {
        let figures = StatisticsWords(language: .english).figures(try answers(["0.001", "0.002"]))
        let answers = try #require(figures.first { $0.name == "Answers" })
        #expect(answers.value == "0.0015")
        #expect(answers.about.contains("from 0.001 to 0.002"))
    }

    @Test("a class of five has the figures that were worked out by hand")
    func hand() throws {
        let statistics = ResultStatistics(ResultsFixture.table(Self.byHand.0, Self.byHand.1))
        #expect(statistics.tests == 5 && statistics.rated == 5 && statistics.waiting == 0)
        // The scores are 3, 2, 1, 0, 3.
        let scores = try #require(statistics.scores)
        #expect(isNear(scores.mean, 1.8) && scores.median == 2 && scores.minimum == 0 && scores.maximum == 3)
        // The squares of the deviations add up to 1.44 + 0.04 + 0.64 + 3.24 + 1.44 = 6.8; 6.8 / 4 = 1.7.
        #expect(isNear(scores.standardDeviation, 1.7.squareRoot()))
        #expect(statistics.histogram.map(\.count) == [1, 0, 0, 1, 0, 0, 1, 0, 0, 2])
        // The variances of the questions are 0.2, 0.3 and 0.3: 3/2 · (1 − 0.8/1.7).
        #expect(isNear(statistics.reliability?.alpha, 1.5 * (1 - 0.8 / 1.7)))
        #expect(statistics.reliability?.questions == 3)
        let difficulties = statistics.questions.map { $0.difficulty ?? -1 }
        #expect(zip(difficulties, [0.8, 0.6, 0.4]).allSatisfy { isNear($0, $1) })
        // Question 1 with the rest 2, 1, 0, 0, 2: the products add up to 1, the squares to 0.8 and 4.
        #expect(isNear(statistics.questions[0].discrimination, 1 / (0.8 * 4.0).squareRoot()))
        // A third of five is one: the weakest has nothing, the strongest all.
        #expect(statistics.third == 1)
        #expect(statistics.questions[1].strongest == 1 && statistics.questions[1].weakest == 0)
        #expect(statistics.questions[2].choices.map(\.count) == [2, 3])
        #expect(statistics.questions[2].choices.map(\.strongest) == [1, 0])
        #expect(statistics.questions[2].choices.map(\.weakest) == [0, 1])
    }

    @Test("a final figure takes no test that waits for a person, and says how many wait")
    func waiting() {
        let (questionnaire, tests) = Self.byHand
        let open = ResultsFixture.test(
            9, of: questionnaire, person: Person(id: "p9", name: "P9"),
            points: [("q1", 1, 1), ("q2", nil, 1), ("q3", 1, 1)],
            status: .checking)
        let statistics = ResultStatistics(ResultsFixture.table(questionnaire, tests + [open]))
        #expect(statistics.tests == 6 && statistics.rated == 5 && statistics.waiting == 1)
        #expect(statistics.scores?.count == 5 && isNear(statistics.scores?.mean, 1.8))
        #expect(statistics.questions.map(\.waiting) == [0, 1, 0])
    }

    @Test("no tests, one test and equal tests have no figures that cannot be computed")
    func few() {
        let (questionnaire, tests) = Self.byHand
        let none = ResultStatistics(ResultsFixture.table(questionnaire, []))
        #expect(none.scores == nil && none.reliability == nil && none.histogram.isEmpty && none.third == 0)
        #expect(none.questions.allSatisfy { $0.difficulty == nil && $0.discrimination == nil })
        let one = ResultStatistics(ResultsFixture.table(questionnaire, [tests[0]]))
        #expect(one.scores?.mean == 3 && one.scores?.standardDeviation == nil && one.reliability == nil)
        let equal = (1...4).map {
            ResultsFixture.test(
                $0, of: questionnaire, person: Person(id: "\($0)", name: "\($0)"),
                points: [("q1", 0.1, 1), ("q2", 0.2, 1), ("q3", 0.7, 1)])
        }
        let same = ResultStatistics(ResultsFixture.table(questionnaire, equal))
        #expect(same.reliability == nil && same.questions.allSatisfy { $0.discrimination == nil })
    }

    @Test("a survey has counts, means of its numbers and the number of free answers")
    func survey() throws {
        var scale = Question(id: "s", text: "How much?", kind: .scale)
        scale.scale = .init(min: 1, max: 5)
        scale.options = ["1", "2", "3", "4", "5"]
        var colour = Question(id: "c", text: "Colour?", kind: .choice, options: ["red", "blue"])
        colour.allowsOther = true
        let questionnaire = ResultsFixture.questionnaire([scale, colour, Question(id: "t", text: "Why?", kind: .text)])
        let given: [(Double, String, String)] = [(1, "red", "so"), (4, "blue", ""), (4, "mauve", "because")]
        let tests = given.enumerated().map { number, row in
            ResultsFixture.test(
                number + 1, of: questionnaire, person: nil,
                answers: [
                    Answer(questionId: "s", value: .number(row.0)), Answer(questionId: "c", value: .one(row.1)),
                    Answer(questionId: "t", value: .one(row.2)),
                ], status: .sent)
        }
        let statistics = ResultStatistics(ResultsFixture.table(questionnaire, tests))
        #expect(statistics.scores == nil && statistics.tests == 3)
        #expect(statistics.questions[0].choices.map(\.count) == [1, 0, 0, 2, 0])
        #expect(statistics.questions[0].numbers?.mean == 3 && statistics.questions[0].numbers?.median == 4)
        #expect(statistics.questions[1].choices.map(\.text) == ["red", "blue", "mauve"])
        #expect(statistics.questions[1].choices.map(\.isOther) == [false, false, true])
        #expect(statistics.questions[1].freeAnswers == 1)
        #expect(statistics.questions[2].answered == 2 && statistics.questions[2].freeAnswers == 2)
    }

    @Test(
        "three generated classes have the figures that numpy computes",
        arguments: [(25, 8, 7), (60, 20, 11), (143, 5, 3)])
    func numpy(_ persons: Int, _ questions: Int, _ seed: UInt64) throws {
        let (questionnaire, tests) = ResultsFixture.generatedClass(persons: persons, questions: questions, seed: seed)
        let table = ResultsFixture.table(questionnaire, tests)
        let rows = table.rows.map { row in row.cells.map { $0.points ?? .nan } }
        let maxima = table.rows[0].cells.map { $0.maximum ?? .nan }
        guard let expected = try Self.python(rows, maxima) else { return }
        let statistics = ResultStatistics(table)
        #expect(isNear(statistics.scores?.mean, expected.mean))
        #expect(isNear(statistics.scores?.median, expected.median))
        #expect(isNear(statistics.scores?.standardDeviation, expected.deviation))
        #expect(isNear(statistics.reliability?.alpha, expected.alpha))
        for (question, (difficulty, discrimination)) in zip(
            statistics.questions, zip(expected.difficulty, expected.discrimination))
        {
            #expect(isNear(question.difficulty, difficulty))
            #expect(isNear(question.discrimination, discrimination))
        }
        #expect(statistics.histogram.map(\.count) == expected.histogram)
    }

    private struct Expected: Decodable {
        var mean, median, deviation, alpha: Double
        var difficulty, discrimination: [Double]
        var histogram: [Int]
    }

    /// The same figures by other formulas, of numpy's functions.
    ///
    /// - Returns: `nil` where this machine has no numpy: then the values that were worked out by hand have to do.
    private static func python(_ rows: [[Double]], _ maxima: [Double]) throws -> Expected? {
        let script = """
            import json, sys
            import numpy as np
            data = json.load(sys.stdin)
            p, m = np.array(data["rows"]), np.array(data["maxima"])
            total = p.sum(axis=1)
            cov = np.cov(p, rowvar=False)
            k = p.shape[1]
            alpha = k / (k - 1) * (1 - np.trace(cov) / cov.sum())
            disc = [float(np.corrcoef(p[:, i], np.delete(p, i, axis=1).sum(axis=1))[0, 1]) for i in range(k)]
            quarters = np.rint(total * 4).astype(int) * 10 // int(m.sum() * 4)
            hist = np.bincount(np.minimum(quarters, 9), minlength=10)
            print(json.dumps({"mean": float(np.mean(total)), "median": float(np.median(total)),
              "deviation": float(np.std(total, ddof=1)), "alpha": float(alpha),
              "difficulty": [float(x) for x in (p / m).mean(axis=0)], "discrimination": disc,
              "histogram": [int(x) for x in hist]}))
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        struct Input: Encodable {
            var rows: [[Double]]
            var maxima: [Double]
        }
        // A Python without numpy ends before it has read all.
        try? input.fileHandleForWriting.write(contentsOf: JSONEncoder().encode(Input(rows: rows, maxima: maxima)))
        try? input.fileHandleForWriting.close()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            print("python3 with numpy is not here: the comparison with it is skipped")
            return nil
        }
        return try JSONDecoder().decode(Expected.self, from: data)
    }
}

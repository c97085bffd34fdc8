import Model

@testable import Results

/// Tests of a questionnaire as a host has them.
enum ResultsFixture {
    static func id(_ number: Int) -> TestID {
        let digits = String(number)
        return TestID("00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits)
            ?? .random()
    }

    static func questionnaire(_ questions: [Question]) -> Questionnaire {
        Questionnaire(id: "exam", title: "Exam", questions: questions)
    }

    /// - Parameters:
    ///   - points: of each question that got some or waits; the second value is the maximum.
    static func test(
        _ number: Int, of questionnaire: Questionnaire, person: Person?, answers: [Answer] = [],
        points: [(String, Double?, Double)] = [], status: TestStatus = .rated
    ) -> HandedInTest {
        let reference = QuestionnaireReference(
            id: questionnaire.id, title: questionnaire.title, digest: Digest(sha256Of: Array("\(questionnaire)".utf8)))
        var record = TestRecord(
            id: id(number), questionnaire: reference, dateStarted: .epoch, answers: answers, deviceId: "d",
            sequence: number)
        record.person = person
        var receipt = Receipt(
            test: record.id, status: status, receivedAt: Timestamp(millisecondsSinceEpoch: Int64(number) * 1000))
        if !points.isEmpty {
            receipt.evaluation = Evaluation(
                score: 0, maximum: 0,
                questions: points.map { .init(questionId: $0.0, correct: nil, points: $0.1, maximum: $0.2) }
            ).totalled()
        }
        return HandedInTest(record: record, receipt: receipt, version: questionnaire)
    }

    static func table(_ questionnaire: Questionnaire, _ tests: [HandedInTest]) -> ResultTable {
        ResultTable(id: questionnaire.id, current: questionnaire, tests: tests)
    }

    /// A class that answers questions of different difficulty, each person by a strength of their own.
    ///
    /// - Parameter seed: the same class for the same seed, on every machine.
    static func generatedClass(persons: Int, questions: Int, seed: UInt64) -> (Questionnaire, [HandedInTest]) {
        var state = seed
        func random() -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double(state >> 11) / Double(1 << 53)
        }
        let questionnaire = self.questionnaire(
            (1...questions).map { Question(id: "q\($0)", text: "Question \($0)", kind: .text) })
        let tests = (1...persons).map { person in
            let strength = random()
            let points = (1...questions).map { question -> (String, Double?, Double) in
                let maximum = Double(question % 3 + 1)
                let wanted = strength * 0.7 + random() * 0.5 - Double(question) / Double(questions) * 0.2
                return ("q\(question)", (max(0, min(1, wanted)) * maximum * 4).rounded() / 4, maximum)
            }
            return test(
                person, of: questionnaire, person: Person(id: "p\(person)", name: "Person \(person)"), points: points)
        }
        return (questionnaire, tests)
    }
}

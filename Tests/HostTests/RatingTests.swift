import Foundation
import HummingbirdTesting
import Model
import Simulation
import Testing

@testable import Host

@Suite("Tests are rated by the key")
struct RatingTests {
    private func rate(_ answers: [Answer]) throws -> Evaluation {
        let published = try PublishedQuestionnaire(json: Array(coloursJSON.utf8))
        return try #require(
            Rating.evaluate(answers, to: published.questionnaire, by: published.key, at: ManualClock.start))
    }

    @Test("the score is the number of right answers among the questions with a key")
    func score() throws {
        let evaluation = try rate([
            Answer(questionId: "sky", value: .one("Blue")),
            Answer(questionId: "warm", value: .several(["Orange", "Red"])),
            Answer(questionId: "name", value: .one("лиса")), Answer(questionId: "essay", value: .one("I like green.")),
        ])
        #expect(evaluation.score == 2)
        #expect(evaluation.maximum == 4)
        #expect(evaluation.ratedBy == "key")
        #expect(evaluation.ratedAt == ManualClock.start)
        #expect(evaluation.questions.map(\.questionId) == ["sky", "warm", "name", "count", "essay"])
        #expect(evaluation.questions.map(\.correct) == [true, true, false, false, nil])
    }

    @Test(
        "an answer is compared by the kind of its question",
        arguments: [
            ("sky", Answer.Value.one("Blue"), true), ("sky", .one("blue"), false), ("sky", .one(""), false),
            ("sky", .several(["Blue"]), true), ("sky", .several(["Blue", "Green"]), false),
            ("warm", .several(["Red", "Orange"]), true), ("warm", .several(["Orange", "Red"]), true),
            ("warm", .several(["Red"]), false), ("warm", .several(["Red", "Orange", "Blue"]), false),
            ("warm", .several(["Red", "Orange", "Orange"]), false), ("warm", .several([]), false),
            ("warm", .one("Red"), false),
            ("name", .one("Ёж"), true), ("name", .one(" еж! "), true), ("name", .one("ЁЖ"), true),
            ("name", .one("ежик"), false),
            ("count", .one("7"), true), ("count", .one("7.0"), true), ("count", .one(" 7,0 "), true),
            ("count", .one("8"), false),
            ("count", .one("seven"), false), ("count", .one("nan"), false), ("count", .one("1e999"), false),
        ])
    func compare(_ question: String, _ value: Answer.Value, _ expected: Bool) throws {
        let evaluation = try rate([Answer(questionId: question, value: value)])
        #expect(evaluation.questions.first { $0.questionId == question }?.correct == expected)
    }

    @Test(
        "texts of signs alone are compared as they are",
        arguments: [("!", "!", true), ("!", "?", false), ("…", "-", false)])
    func signs(_ expected: String, _ given: String, _ isRight: Bool) {
        let question = Question(id: "q", text: "?", kind: .text)
        let answer = Answer(questionId: "q", value: .one(given))
        #expect(Rating.isRight(answer, to: question, expected: .one(expected)) == isRight)
    }

    @Test("where one answer belongs and the key names several, each is right")
    func alternatives() {
        let question = Question(id: "q", text: "?", kind: .text)
        for (text, expected) in [("colour", true), ("Color", true), ("hue", false)] {
            let answer = Answer(questionId: "q", value: .one(text))
            #expect(Rating.isRight(answer, to: question, expected: .several(["colour", "color"])) == expected)
        }
    }

    @Test("a letter in two ways of composing it is one letter")
    func composition() {
        let question = Question(id: "q", text: "?", kind: .choices, options: ["é", "e"])
        let answer = Answer(questionId: "q", value: .several(["e\u{301}"]))
        #expect(Rating.isRight(answer, to: question, expected: .several(["\u{E9}"])))
    }

    @Test("the first of two answers to one question counts, and a hundred thousand answers take no time")
    func hostile() throws {
        let many = (0..<100_000).map { Answer(questionId: "x\($0)", value: .one("x")) }
        let evaluation = try rate(
            [Answer(questionId: "sky", value: .one("Blue")), Answer(questionId: "sky", value: .one("Green"))] + many)
        #expect(evaluation.score == 1)
    }

    @Test(
        "without a key for any of its questions there is nothing to rate by",
        arguments: [
            "", #", "answerKey": {}"#, #", "answerKey": null"#, #", "answerKey": {"q1": null}"#,
            #", "answerKey": {"qx": "a"}"#,
        ])
    func noKey(_ members: String) throws {
        let published = try PublishedQuestionnaire(json: Array(questionnaireJSON(id: "a", members: members).utf8))
        #expect(Rating.evaluate([], to: published.questionnaire, by: published.key, at: .epoch) == nil)
    }

    @Test("a test of a questionnaire with a key is rated when it arrives", arguments: Way.allCases)
    func onArrival(_ way: Way) async throws {
        let fixture = try HostFixture()
        try fixture.publish("colours.json", coloursJSON)
        let test = try TestFile(answers: [Answer(questionId: "sky", value: .one("Blue"))])
        let receipt: Receipt = try await fixture.serve(way) { try await $0.deliver(test).decoded() }
        #expect(receipt.status == .rated)
        #expect(receipt.evaluation?.score == 1)
        #expect(receipt.evaluation?.maximum == 4)
    }

    /// Some hundred real questionnaires that lie beside the repository on machines that have them.
    private static let realQuestionnaires: [URL] = {
        let folder = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "../../../shared/data/questionnaires").standardizedFileURL
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".json") }.sorted().map { folder.appending(path: $0) }
    }()

    @Test(
        "every right answer of the real questionnaires scores, and none of their keys is published",
        .enabled(if: !realQuestionnaires.isEmpty, "there are none beside the repository"))
    func realData() throws {
        for file in Self.realQuestionnaires {
            let published = try PublishedQuestionnaire(json: Array(try Data(contentsOf: file)))
            #expect(published.content.firstRange(of: Array("nswerKey".utf8)) == nil)
            let answers = try published.questionnaire.questions.compactMap { question in
                try published.key.answers[question.id].map { try question.answer($0) }
            }
            let evaluation = try #require(
                Rating.evaluate(answers, to: published.questionnaire, by: published.key, at: ManualClock.start))
            #expect(evaluation.score == evaluation.maximum, "\(file.lastPathComponent)")
            #expect(evaluation.maximum == Double(published.key.answers.count), "\(file.lastPathComponent)")
        }
    }
}

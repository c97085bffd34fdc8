import Foundation
import HummingbirdTesting
import Model
import Results
import ServedApplication
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

    @Test("the score is that of the right answers, the maximum counts every question, and what has no key is open")
    func score() throws {
        let evaluation = try rate([
            Answer(questionId: "sky", value: .one("Blue")),
            Answer(questionId: "warm", value: .several(["Orange", "Red"])),
            Answer(questionId: "name", value: .one("лиса")), Answer(questionId: "essay", value: .one("I like green.")),
        ])
        #expect(evaluation.score == 2)
        #expect(evaluation.maximum == 5)
        #expect(evaluation.ratedBy == "key")
        #expect(evaluation.ratedAt == ManualClock.start)
        #expect(evaluation.questions.map(\.questionId) == ["sky", "warm", "name", "count", "essay"])
        #expect(evaluation.questions.map(\.correct) == [true, true, false, false, nil])
        #expect(evaluation.questions.map(\.points) == [1, 1, 0, 0, nil])
        #expect(evaluation.questions.map(\.maximum) == [1, 1, 1, 1, 1])
        #expect(!evaluation.isComplete)
    }

    private static func file(of question: String) -> Model.Attachment {
        Model.Attachment(
            id: .random(), questionId: question, name: "a.jpg", mediaType: "image/jpeg", sizeBytes: 1,
            digest: Digest(sha256Of: Array(question.utf8)))
    }

    @Test("a question that is asked because of a file counts, as on the device")
    func conditionOnFile() throws {
        let json = """
            {"id": "a", "title": "A", "answerKey": {"name": "oak"}, "questions": [
             {"id": "photo", "text": "?", "points": 0},
             {"id": "name", "text": "?", "condition": {"question": "photo", "answered": true}}]}
            """
        let published = try PublishedQuestionnaire(json: Array(json.utf8))
        for (files, questions) in [([], ["photo"]), (["photo"], ["photo", "name"])] as [([String], [String])] {
            let evaluation = try #require(
                Rating.evaluate(
                    [Answer(questionId: "name", value: .one("oak"))], attachments: files.map(Self.file),
                    to: published.questionnaire, by: published.key, at: .epoch))
            #expect(evaluation.questions.map(\.questionId) == questions)
        }
    }

    @Test("where nothing was given, there is nothing to read; a file is an answer")
    func unanswered() throws {
        let published = try PublishedQuestionnaire(json: Array(coloursJSON.utf8))
        for (answers, attached, isComplete) in [
            ([], [], true), ([Answer(questionId: "essay", value: .one("  "))], [], true),
            ([Answer(questionId: "essay", value: .one("x"))], [], false), ([], ["essay"], false),
        ] as [([Answer], Set<String>, Bool)] {
            let evaluation = try #require(
                Rating.evaluate(
                    answers, attachments: attached.map(Self.file), to: published.questionnaire, by: published.key,
                    at: .epoch))
            #expect(evaluation.isComplete == isComplete && evaluation.maximum == 5)
        }
    }

    @Test("a question is worth its points")
    func points() throws {
        let json = """
            {"id": "a", "title": "A", "answerKey": {"q1": "a", "q2": "b"}, "questions": [
             {"id": "q1", "text": "?", "options": ["a", "b"], "points": 2.5},
             {"id": "q2", "text": "?", "options": ["a", "b"]}, {"id": "q3", "text": "?", "points": 4}]}
            """
        let published = try PublishedQuestionnaire(json: Array(json.utf8))
        let evaluation = try #require(
            Rating.evaluate(
                [Answer(questionId: "q1", value: .one("a"))], to: published.questionnaire, by: published.key, at: .epoch
            ))
        #expect(evaluation.score == 2.5 && evaluation.maximum == 7.5)
        #expect(throws: DocumentFault.self) {
            try PublishedQuestionnaire(json: Array(json.replacing("2.5", with: "-1").utf8))
        }
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
        arguments: ["", #", "answerKey": {}"#, #", "answerKey": null"#, #", "answerKey": {"q1": null}"#])
    func noKey(_ members: String) throws {
        let published = try PublishedQuestionnaire(json: Array(questionnaireJSON(id: "a", members: members).utf8))
        #expect(Rating.evaluate([], to: published.questionnaire, by: published.key, at: .epoch) == nil)
    }

    @Test(
        "a key that cannot be met is a fault of the document, and its place is named",
        arguments: [
            (#""answerKey": {"q1": "Pariss"}"#, "answerKey.q1", "Pariss"),
            (#""answerKey": {"q22": "4"}"#, "answerKey.q22", "not there"),
            (#""multiAnswerKey": {"q2": ["a", "x"]}"#, "multiAnswerKey.q2", "x"),
            (#""multiAnswerKey": {"q2": []}"#, "multiAnswerKey.q2", "empty"),
            (#""answerKey": {"q3": "many"}"#, "answerKey.q3", "number"),
            (#""answerKey": {"q3": "1,500"}"#, "answerKey.q3", "number"),
            (#""answerKey": {"q4": " "}"#, "answerKey.q4", "blank"),
        ])
    func keyFaults(_ member: String, _ field: String, _ word: String) throws {
        let json = """
            {"id": "a", "title": "A", \(member), "questions": [
             {"id": "q1", "text": "?", "options": ["Paris", "London"]},
             {"id": "q2", "text": "?", "kind": "choices", "options": ["a", "b"]},
             {"id": "q3", "text": "?", "kind": "number"}, {"id": "q4", "text": "?"}]}
            """
        let fault = #expect(throws: DocumentFault.self) { try PublishedQuestionnaire(json: Array(json.utf8)) }
        #expect(fault?.field == field && fault?.reason.contains(word) == true, "\(String(describing: fault))")
    }

    @Test("a test of a questionnaire with a key is rated when it arrives", arguments: Way.allCases)
    func onArrival(_ way: Way) async throws {
        let fixture = try HostFixture()
        try fixture.publish("colours.json", coloursJSON)
        let test = try TestFile(answers: [Answer(questionId: "sky", value: .one("Blue"))])
        let receipt: Receipt = try await fixture.serve(way) { try await $0.deliver(test).decoded() }
        #expect(receipt.status == .rated)
        #expect(receipt.evaluation?.score == 1)
        #expect(receipt.evaluation?.maximum == 5)
    }

    @Test("a test is rated by the key of the version that it was taken with, and by no other", arguments: Way.allCases)
    func versions(_ way: Way) async throws {
        let fixture = try HostFixture()
        let answers = [Answer(questionId: "sky", value: .one("Blue"))]
        let reworded = coloursJSON.replacing("\"Blue\"", with: "\"Azure\"")
            .replacing("{\"id\": \"essay\"", with: "{\"id\": \"more\", \"text\": \"?\"}, {\"id\": \"essay\"")
        try fixture.publish("colours.json", coloursJSON)
        try await fixture.serve(way) { client in
            _ = try await client.get("/v1/questionnaires/colours")
            try fixture.publish("colours.json", reworded, isFresh: true)
            let published = try await client.get("/v1/questionnaires/colours").text
            #expect(published.contains("Azure"))
            let old: Receipt = try await client.deliver(try TestFile(answers: answers)).decoded()
            #expect(old.status == .rated && old.evaluation?.score == 1 && old.evaluation?.maximum == 5)
            let new: Receipt = try await client.deliver(try TestFile(version: published, answers: answers)).decoded()
            #expect(new.evaluation?.score == 0 && new.evaluation?.maximum == 6)
            // A version that was never seen here is left to a person.
            let unknown = try TestFile(version: "another", answers: answers)
            let left: Receipt = try await client.deliver(unknown).decoded()
            #expect(left.status == .checking && left.evaluation == nil && left.reasonCode == .unknownVersion)
            #expect(throws: HostError.self) {
                try fixture.archive().ratings.rate(unknown.id, TeacherRating(verdict: .byKey))
            }
            try fixture.remove(fixture.questionnaires.appending("colours.json"))
            let late: Receipt = try await client.deliver(try TestFile(answers: answers)).decoded()
            #expect(late.evaluation?.score == 1, "its questionnaire was deleted since")
        }
        // Also after the host was started again.
        let last: Receipt = try await fixture.serve(way) {
            try await $0.deliver(try TestFile(answers: answers)).decoded()
        }
        #expect(last.evaluation?.score == 1)
    }

    @Test("a test with answers that a person must read is being checked, and shows no score until each has points")
    func unread() async throws {
        let fixture = try HostFixture()
        try fixture.publish("colours.json", coloursJSON)
        let test = try TestFile(answers: [
            Answer(questionId: "sky", value: .one("Blue")), Answer(questionId: "essay", value: .one("Green, since…")),
        ])
        try await fixture.serve { client in
            let receipt: Receipt = try await client.deliver(test).decoded()
            #expect(receipt.status == .checking && receipt.evaluation == nil && receipt.reasonCode == .unreadAnswers)
            let archive = try fixture.archive()
            let listed = try archive.lists.list(TestLists.Filter(status: .checking)).tests
            #expect(listed.map(\.id) == [test.id] && listed[0].score == 1 && listed[0].maximum == 5)
            let rating = TeacherRating(
                verdict: .points(question: "essay", 0.5, maximum: nil), ratedBy: "Анна", comment: "Почему?")
            try archive.ratings.rate(test.id, rating)
            let rated: Receipt = try await client.get("/v1/tests/\(test.id)").decoded()
            #expect(rated.status == .rated && rated.reasonCode == nil && rated.evaluation?.ratedBy == "Анна")
            #expect(rated.evaluation?.score == 1.5 && rated.evaluation?.maximum == 5)
            let essay = rated.evaluation?.questions.last
            #expect(essay?.points == 0.5 && essay?.maximum == 1 && essay?.correct == nil && essay?.comment == "Почему?")
        }
    }

    @Test("with --verdicts never takers get the score alone, and what a person wrote", arguments: Way.allCases)
    func verdictsKeptBack(_ way: Way) async throws {
        let fixture = try HostFixture()
        try fixture.publish("colours.json", coloursJSON)
        var configuration = fixture.configuration()
        configuration.release = ReceiptRelease(verdicts: .never)
        let test = try TestFile(answers: [Answer(questionId: "sky", value: .one("Blue"))])
        try await fixture.serve(configuration, way) { client in
            let stored: Receipt = try await client.deliver(test).decoded()
            #expect(stored.evaluation?.score == 1 && stored.evaluation?.maximum == 5)
            #expect(stored.evaluation?.questions.isEmpty == true)
            let archive = try fixture.archive()
            try archive.ratings.rate(
                test.id, TeacherRating(verdict: .points(question: "name", 1, maximum: nil), comment: "Well, yes"))
            for path in ["/v1/tests/\(test.id)", "/v1/tests?ids=\(test.id)", "/v1/receipts?ids=\(test.id)"] {
                let text = try await client.get(path).text
                #expect(!text.contains("correct") && !text.contains("points") && text.contains("Well, yes"), "\(path)")
            }
            #expect(try await client.deliver(test).text.contains("correct") == false)
            #expect(try archive.received.stored(test.id)?.receipt.evaluation?.questions.count == 5)
        }
    }

    /// Some hundred real questionnaires that lie beside the repository on machines that have them.
    private static let realQuestionnaires: [URL] = {
        let folder = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "../../../../shared/data/questionnaires").standardizedFileURL
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
            #expect(evaluation.score == Double(published.key.answers.count), "\(file.lastPathComponent)")
            #expect(evaluation.maximum == Double(published.questionnaire.questions.count), "\(file.lastPathComponent)")
        }
    }
}

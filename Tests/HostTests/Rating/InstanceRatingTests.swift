import Model
import Testing

@testable import Host

@Suite("Rating a test with repeated sections")
struct InstanceRatingTests {
    static let document = """
        {"id": "home", "title": "Home", "sections": [{"id": "rooms", "questions": ["size", "why"], "repeat": {"max": 5}}],
         "key": {"size": {"accept": [{"value": 4}]}},
         "questions": [{"id": "size", "text": "Size?", "kind": "number", "points": 2},
           {"id": "why", "text": "Why?", "kind": "text", "points": 3, "condition": {"question": "size", "above": 4}}]}
        """

    @Test("the key rates each instance, a person gives points to one, and the maximum counts them all")
    func rating() async throws {
        let fixture = try HostFixture()
        try fixture.publish("home.json", Self.document)
        let published = try PublishedQuestionnaire(json: Array(Self.document.utf8))
        func id(_ question: String, _ number: Int) -> String {
            QuestionInstance(question: question, number: number).id
        }
        let answers = [
            Answer(questionId: id("size", 1), value: .one("4")), Answer(questionId: id("size", 2), value: .one("7")),
            Answer(questionId: id("why", 2), value: .one("It is large")),
        ]
        try await fixture.serve { client in
            let test = try TestFile(
                questionnaire: "home", version: String(decoding: published.content, as: UTF8.self), answers: answers)
            let receipt: Receipt = try await client.deliver(test).decoded()
            #expect(receipt.status == .checking)
            let stored = try #require(try fixture.archive().received.stored(test.id)?.receipt.evaluation)
            #expect(
                stored.questions.map { QuestionInstance.written($0.questionId) } == ["size[1]", "size[2]", "why[2]"])
            #expect(stored.questions.map(\.points) == [2, 0, nil] && stored.maximum == 7)
            try fixture.archive().ratings.rate(
                test.id,
                TeacherRating(verdict: .points(question: "why[2]", 1, maximum: nil), ratedBy: nil, comment: nil))
            let rated = try #require(try fixture.archive().received.stored(test.id)?.receipt)
            #expect(rated.status == .rated && rated.evaluation?.score == 3)
        }
    }

    @Test("instances beyond the most that the section may have are kept and count for nothing")
    func tooMany() async throws {
        let fixture = try HostFixture()
        try fixture.publish("home.json", Self.document)
        let published = try PublishedQuestionnaire(json: Array(Self.document.utf8))
        let answers = (1...100).map {
            Answer(questionId: QuestionInstance(question: "size", number: $0).id, value: .one("4"))
        }
        try await fixture.serve { client in
            let test = try TestFile(
                questionnaire: "home", version: String(decoding: published.content, as: UTF8.self), answers: answers)
            let receipt: Receipt = try await client.deliver(test).decoded()
            #expect(receipt.status == .rated && receipt.evaluation?.score == 10 && receipt.evaluation?.maximum == 10)
            let stored = try #require(try fixture.archive().received.stored(test.id))
            #expect(stored.record.answers == answers)
            let shown = published.questionnaire.arranged(for: stored.record)
            #expect(shown.questions.count { QuestionInstance($0.id).question == "size" } == 100)
            #expect(
                shown.withCountedInstances.questions.filter { QuestionInstance($0.id).question == "size" }
                    .map { QuestionInstance.written($0.id) } == (1...5).map { "size[\($0)]" })
            #expect(shown.withCountedInstances.sections.count == 5)
        }
    }

    @Test("a test of an older program, without instances, is rated as one with a single instance")
    func older() async throws {
        let fixture = try HostFixture()
        try fixture.publish("home.json", Self.document)
        let published = try PublishedQuestionnaire(json: Array(Self.document.utf8))
        try await fixture.serve { client in
            let test = try TestFile(
                questionnaire: "home", version: String(decoding: published.content, as: UTF8.self),
                answers: [Answer(questionId: "size", value: .one("4"))])
            let receipt: Receipt = try await client.deliver(test).decoded()
            #expect(receipt.status == .rated && receipt.evaluation?.score == 2)
            #expect(receipt.evaluation?.questions.map(\.questionId) == ["size"])
        }
    }
}

import Foundation
import HummingbirdTesting
import Model
import Testing

@testable import Host

@Suite("Marks, and what was there before")
struct RatingHistoryTests {
    private static let exam = """
        {"id": "exam", "title": "Exam", "answerKey": {"q1": "Paris"}, "questions": [
         {"id": "q1", "text": "Capital?", "options": ["Paris", "Rome"]}, {"id": "essay", "text": "Why?", "kind": "text"}]}
        """

    private func delivered(_ fixture: HostFixture) async throws -> TestID {
        try fixture.publish("exam.json", Self.exam)
        let test = try TestFile(
            questionnaire: "exam",
            version: String(decoding: try PublishedQuestionnaire(json: Array(Self.exam.utf8)).content, as: UTF8.self),
            answers: [Answer(questionId: "q1", value: .one("Rome")), Answer(questionId: "essay", value: .one("So."))])

        try await fixture.serve { _ = try await $0.deliver(test) }
        return test.id
    }

    @Test("every mark keeps who, when and what it was before; the last one that is missing rates the test")
    func history() async throws {
        let fixture = try HostFixture()
        let id = try await delivered(fixture)
        let archive = try fixture.archive()
        #expect(try archive.received.history(of: id).isEmpty)
        fixture.clock.advance(by: .seconds(60))
        let first = try archive.ratings.rate(
            id,
            TeacherRating(verdict: .points(question: "essay", 0.5, maximum: nil), ratedBy: "Анна", comment: "Short."))
        #expect(first.status == .rated && first.evaluation?.score == 0.5)
        let essay = try #require(first.evaluation?.questions.last)
        #expect(essay.ratedBy == "Анна" && essay.ratedAt == fixture.clock.now && essay.comment == "Short.")
        let second = try archive.ratings.rate(
            id, TeacherRating(verdict: .points(question: "q1", 1, maximum: nil), ratedBy: "Boris", reason: "Rome, too"))
        #expect(second.evaluation?.questions.first?.reason == "Rome, too" && second.evaluation?.score == 1.5)
        let history = try archive.received.history(of: id)
        #expect(history.map(\.number) == [1, 2])
        #expect(history.map(\.receipt.status) == [.checking, .rated])
        #expect(history[1].receipt == first)
        #expect(
            try fixture.names(fixture.data.appending("receipts").appending(id.description)) == ["1.json", "2.json"])
        // A rating by the key keeps the points that a person gave in its place.
        #expect(try archive.ratings.rate(id, TeacherRating(verdict: .byKey)).evaluation?.score == 1.5)
    }

    @Test("a mark that is based on an older receipt than the current one replaces nothing")
    func meanwhile() async throws {
        let fixture = try HostFixture()
        let id = try await delivered(fixture)
        let archive = try fixture.archive()
        let shown = try #require(try archive.handedIn(id)).receipt.state(question: "essay")
        let quick = try archive.ratings.rate(
            id, TeacherRating(verdict: .points(question: "essay", 1, maximum: nil), ratedBy: "Анна", basedOn: shown))
        let slow = TeacherRating(verdict: .points(question: "essay", 0, maximum: nil), ratedBy: "Boris", basedOn: shown)
        #expect(throws: HostError.ratedMeanwhile(test: id.description)) { try archive.ratings.rate(id, slow) }
        #expect(try archive.handedIn(id)?.receipt == quick)
        #expect(try archive.received.history(of: id).count == 1)
    }

    @Test("a former version's file with the greatest number there is none of the host's, and ends no mark")
    func hostileNumber() async throws {
        let fixture = try HostFixture()
        let id = try await delivered(fixture)
        let folder = fixture.data.appending("receipts").appending(id.description)
        try fixture.makeFolder(folder)
        try Data("{}".utf8).write(to: URL(fileURLWithPath: folder.appending("\(Int.max).json").string))
        let archive = try fixture.archive()
        try archive.ratings.rate(id, TeacherRating(verdict: .points(question: "essay", 1, maximum: nil)))
        #expect(try archive.received.history(of: id).map(\.number) == [1])
    }

    @Test("after a crash between the former version and the new one nothing is kept twice")
    func crash() async throws {
        let fixture = try HostFixture()
        let id = try await delivered(fixture)
        let archive = try fixture.archive()
        try archive.received.files.keepFormer(try #require(try archive.received.storedReceipt(of: id)).bytes, of: id)
        #expect(try archive.received.history(of: id).isEmpty)
        try archive.ratings.rate(id, TeacherRating(verdict: .points(question: "essay", 1, maximum: nil)))
        #expect(try archive.received.history(of: id).map(\.number) == [1])
        // The list follows the receipts, and not their former versions.
        #expect(try archive.lists.list().tests.map(\.score) == [1])
    }
}

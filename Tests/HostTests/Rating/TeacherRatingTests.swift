import HummingbirdTesting
import Model
import ServedApplication
import Testing

@testable import Host

@Suite("A teacher rates while the host runs")
struct TeacherRatingTests {
    @Test("a rating that is written beside the running host is in its next reply", arguments: Way.allCases)
    func rate(_ way: Way) async throws {
        let fixture = try HostFixture()
        let test = try TestFile(questionnaire: "essay")
        try await fixture.serve(way) { client in
            let first = try await client.deliver(test)
            #expect(try first.decoded(Receipt.self).status == .sent)
            let archive = try fixture.archive()
            try archive.ratings.rate(test.id, TeacherRating(verdict: .checking))
            #expect(try await client.get("/v1/tests/\(test.id)").decoded(Receipt.self).status == .checking)
            fixture.clock.advance(by: .seconds(60))
            try archive.ratings.rate(
                test.id, TeacherRating(verdict: .score(4, maximum: 5), ratedBy: "Анна", comment: "Хорошо"))
            let rated: Receipt = try await client.get("/v1/tests/\(test.id)").decoded()
            #expect(rated.status == .rated)
            #expect(rated.receivedAt == (try first.decoded(Receipt.self)).receivedAt)
            let evaluation = try #require(rated.evaluation)
            #expect(evaluation.score == 4)
            #expect(evaluation.maximum == 5)
            #expect(evaluation.ratedBy == "Анна")
            #expect(evaluation.comment == "Хорошо")
            #expect(evaluation.ratedAt == fixture.clock.now)
            #expect(try await client.deliver(test).decoded(Receipt.self) == rated, "a late retry hears the rating")
        }
    }

    @Test("a comment is added to a rating, and a new score keeps what the key said of the questions")
    func change() async throws {
        let fixture = try HostFixture()
        try fixture.publish("colours.json", coloursJSON)
        let test = try TestFile(answers: [Answer(questionId: "sky", value: .one("Blue"))])
        try await fixture.serve { _ = try await $0.deliver(test) }
        let archive = try fixture.archive()
        let commented = try archive.ratings.rate(test.id, TeacherRating(verdict: .unchanged, comment: "See q3"))
        #expect(commented.evaluation?.score == 1)
        #expect(commented.evaluation?.ratedBy == "key")
        let raised = try archive.ratings.rate(test.id, TeacherRating(verdict: .score(3, maximum: nil), ratedBy: "Анна"))
        #expect(raised.evaluation?.score == 3)
        #expect(raised.evaluation?.maximum == 5)
        #expect(raised.evaluation?.comment == "See q3")
        #expect(raised.evaluation?.questions.count == 5)
    }

    @Test("a test that came before its questionnaire is rated by the key later")
    func later() async throws {
        let fixture = try HostFixture()
        let test = try TestFile(answers: [Answer(questionId: "sky", value: .one("Blue"))])
        try await fixture.serve { _ = try await $0.deliver(test) }
        let archive = try fixture.archive()
        #expect(throws: HostError.self) { try archive.ratings.rate(test.id, TeacherRating(verdict: .byKey)) }
        try fixture.publish("colours.json", coloursJSON)
        #expect(try archive.ratings.rate(test.id, TeacherRating(verdict: .byKey)).evaluation?.maximum == 5)
    }

    @Test("without a key each question that was answered gets its points, and the test is rated with the last one")
    func questions() async throws {
        let fixture = try HostFixture()
        let survey = questionnaireJSON(id: "a").replacing(
            "\"questions\": [", with: "\"questions\": [{\"id\": \"q0\", \"text\": \"Why?\", \"points\": 4}, ")
        try fixture.publish("a.json", survey)
        let test = try TestFile(
            questionnaire: "a", version: survey,
            answers: ["q0", "q1"].map { Answer(questionId: $0, value: .one("a")) })
        let first: Receipt = try await fixture.serve { try await $0.deliver(test).decoded() }
        #expect(first.status == .sent)
        let archive = try fixture.archive()
        let half = try archive.ratings.rate(test.id, TeacherRating(verdict: .points(question: "q0", 3, maximum: nil)))
        #expect(half.status == .checking && half.evaluation?.score == 3 && half.evaluation?.maximum == 5)
        for (question, points) in [("q0", 5.0), ("q0", -1), ("qx", 1), ("q1", .nan)] {
            #expect(throws: HostError.self) {
                try archive.ratings.rate(
                    test.id, TeacherRating(verdict: .points(question: question, points, maximum: nil)))
            }
        }
        let full = try archive.ratings.rate(test.id, TeacherRating(verdict: .points(question: "q1", 2, maximum: 2)))
        #expect(full.status == .rated && full.evaluation?.score == 5 && full.evaluation?.maximum == 6)
        let changed = try archive.ratings.rate(
            test.id, TeacherRating(verdict: .points(question: "q0", 0, maximum: nil)))
        #expect(changed.status == .rated && changed.evaluation?.questions.map(\.correct) == [false, true])
    }

    @Test("a receipt of a host that gave no points keeps its verdicts; a score for the test as one is not undone")
    func formerReceipt() async throws {
        let fixture = try HostFixture()
        try fixture.publish("colours.json", coloursJSON)
        let test = try TestFile(answers: [Answer(questionId: "essay", value: .one("x"))])
        try await fixture.serve { _ = try await $0.deliver(test) }
        let archive = try fixture.archive()
        var former = try #require(try archive.received.stored(test.id)?.receipt)
        former.status = .rated
        former.evaluation = Evaluation(
            score: 1, maximum: 4, ratedBy: "key",
            questions: (["sky": true, "warm": false, "name": false, "count": false, "essay": nil] as [String: Bool?])
                .map {
                    .init(questionId: $0.key, correct: $0.value)
                })
        _ = try archive.received.write(former, after: archive.received.storedReceipt(of: test.id)?.version)
        #expect(throws: HostError.self) {
            try archive.ratings.rate(test.id, TeacherRating(verdict: .points(question: "sky", 0, maximum: nil)))
        }
        let rated = try archive.ratings.rate(
            test.id, TeacherRating(verdict: .points(question: "essay", 1, maximum: nil)))
        #expect(rated.status == .rated && rated.evaluation?.score == 2 && rated.evaluation?.maximum == 5)
    }

    @Test("points for one question replace no score that a person gave for the test as one")
    func pointsAfterScore() async throws {
        let fixture = try HostFixture()
        try fixture.publish("colours.json", coloursJSON)
        let test = try TestFile(answers: [Answer(questionId: "sky", value: .one("blue"))])
        try await fixture.serve { _ = try await $0.deliver(test) }
        let archive = try fixture.archive()
        let points = TeacherRating(verdict: .points(question: "sky", 0, maximum: nil))
        let scored = try archive.ratings.rate(test.id, TeacherRating(verdict: .score(17, maximum: 20), ratedBy: "Анна"))
        let error = #expect(throws: HostError.self) { try archive.ratings.rate(test.id, points) }
        #expect(error?.description.contains("--score") == true)
        #expect(try archive.received.stored(test.id)?.receipt == scored)
        // By the key every question has its points again, and one of them can be changed.
        let byKey = try archive.ratings.rate(test.id, TeacherRating(verdict: .byKey))
        let changed = try archive.ratings.rate(test.id, points)
        #expect(changed.status == .rated && changed.evaluation?.maximum == byKey.evaluation?.maximum)
        #expect(changed.evaluation?.questions.first { $0.questionId == "sky" }?.points == 0)
    }

    @Test(
        "what cannot be is refused and changes nothing",
        arguments: [
            TeacherRating.Verdict.score(6, maximum: 5), .score(-1, maximum: 5), .score(.nan, maximum: 5),
            .score(1, maximum: nil),
            .score(1, maximum: .infinity), .unchanged, .byKey,
        ])
    func refused(_ verdict: TeacherRating.Verdict) async throws {
        let fixture = try HostFixture()
        let test = try TestFile(questionnaire: "essay")
        let receipt = try await fixture.serve { try await $0.deliver(test) }
        #expect(throws: HostError.self) { try fixture.archive().ratings.rate(test.id, TeacherRating(verdict: verdict)) }
        #expect(try fixture.archive().receipt(of: test.id) == receipt.bytes)
    }

    @Test("a rated test does not go back to being checked")
    func noWayBack() async throws {
        let fixture = try HostFixture()
        try fixture.publish("colours.json", coloursJSON)
        let test = try TestFile()
        try await fixture.serve { _ = try await $0.deliver(test) }
        #expect(throws: HostError.self) {
            try fixture.archive().ratings.rate(test.id, TeacherRating(verdict: .checking))
        }
    }

    @Test("a test is named by as much of its id as is needed")
    func prefix() async throws {
        let fixture = try HostFixture()
        let first = try #require(TestID("aaaa1111-0000-4000-8000-000000000000"))
        let second = try #require(TestID("aaaa2222-0000-4000-8000-000000000000"))
        try await fixture.serve { client in
            for id in [first, second] { _ = try await client.deliver(try TestFile(id: id)) }
        }
        let archive = try fixture.archive()
        #expect(try archive.lists.test(startingWith: "AAAA1") == first)
        #expect(try archive.lists.test(startingWith: second.description) == second)
        #expect(throws: HostError.ambiguousTest("aaaa", count: 2)) { try archive.lists.test(startingWith: "aaaa") }
        #expect(throws: HostError.unknownTest("b")) { try archive.lists.test(startingWith: "b") }
        #expect(throws: HostError.self) { try archive.lists.test(startingWith: "") }
    }

    @Test("looking at the tests writes nothing: only the running host knows the keys")
    func readOnly() async throws {
        let fixture = try HostFixture()
        let test = try TestFile()
        try await fixture.serve { _ = try await $0.deliver(test) }
        try fixture.remove(fixture.data.appending("receipts/\(test.id).receipt.json"))
        #expect(try fixture.archive().lists.list().tests.map(\.status) == [.sent])
        #expect(try fixture.names(fixture.data.appending("receipts")).isEmpty)
    }

    @Test("a folder where no host has run is reported, and not filled")
    func noData() throws {
        let fixture = try HostFixture()
        #expect(throws: HostError.noData(fixture.data)) { try fixture.archive() }
        #expect(try fixture.names(fixture.root) == ["questionnaires"])
    }
}

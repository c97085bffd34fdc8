import Model
import Simulation
import Testing

@testable import Host

@Suite("Rating a test that drew its questions")
struct PoolRatingTests {
    static let document = """
        {"id": "pool", "title": "Pool", "sections": [{"id": "s", "questions": ["a", "b", "c", "d"], "pick": 2}],
         "key": {"a": {"accept": [{"value": "x"}]}, "b": {"accept": [{"value": "x"}]}, "c": {"accept": [{"value": "x"}]}},
         "questions": [{"id": "a", "text": "?", "points": 1}, {"id": "b", "text": "?", "points": 2},
           {"id": "c", "text": "?", "points": 4}, {"id": "d", "text": "?", "points": 8}]}
        """

    @Test("only the questions that the test drew count, whatever it answers; one without a key waits")
    func drawn() async throws {
        let fixture = try HostFixture()
        try fixture.publish("pool.json", Self.document)
        let published = try PublishedQuestionnaire(json: Array(Self.document.utf8))
        let worth = ["a": 1.0, "b": 2, "c": 4, "d": 8]
        let all = worth.keys.sorted().map { Answer(questionId: $0, value: .one("x")) }
        try await fixture.serve { client in
            var waited: Set<Bool> = []
            var generator = SeededGenerator(seed: 1)
            for _ in 0..<12 {
                let test = try TestFile(
                    id: .random(using: &generator), questionnaire: "pool",
                    version: String(decoding: published.content, as: UTF8.self), answers: all)
                let receipt: Receipt = try await client.deliver(test).decoded()
                let drawn = published.questionnaire.arranged(for: test.id).questions.map(\.id)
                waited.insert(drawn.contains("d"))
                #expect(receipt.status == (drawn.contains("d") ? .checking : .rated))
                let stored = try #require(try fixture.archive().received.stored(test.id)?.receipt.evaluation)
                #expect(stored.questions.map(\.questionId) == drawn)
                #expect(stored.maximum == drawn.reduce(0) { $0 + (worth[$1] ?? 0) })
                if !drawn.contains("d") { #expect(receipt.evaluation?.score == stored.maximum) }
            }
            #expect(waited == [true, false])
        }
    }
}

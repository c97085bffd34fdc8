import Foundation
import Model
import Results
import Testing

@testable import Host

@Suite("Keys that give points")
struct AnswerPointsTests {
    private static let document = """
        {"id": "lab", "title": "Lab", "key": {
          "city": {"accept": [{"value": "Paris", "feedback": "Right."}, {"pattern": "Par.+", "points": 0.5}]},
          "g": {"accept": [{"value": 9.81}], "tolerance": 0.05},
          "inner": {"accept": [{"value": "Venus"}, {"value": "Mars"}], "partial": true},
          "wet": {"accept": [{"value": true}]}, "day": {"accept": [{"value": "2026-11-25"}]},
          "how": {"accept": [{"value": 3}]}, "pairs": {"accept": [{"value": {"a": "x"}}]}},
         "questions": [
          {"id": "intro", "kind": "note", "text": "Read."},
          {"id": "city", "kind": "text", "text": "?"}, {"id": "g", "kind": "number", "text": "?", "points": 2},
          {"id": "inner", "kind": "choices", "text": "?", "options": ["Venus", "Mars", "Saturn"], "points": 2},
          {"id": "wet", "kind": "boolean", "text": "?"}, {"id": "day", "kind": "date", "text": "?"},
          {"id": "how", "kind": "scale", "text": "?", "scale": {"min": 1, "max": 5}},
          {"id": "dry", "kind": "text", "text": "?", "condition": {"question": "wet", "is": false}},
          {"id": "pairs", "kind": "matching", "text": "?", "rows": ["a"], "options": ["x", "y"]},
          {"id": "essay", "kind": "text", "text": "?"}]}
        """

    private func rate(_ answers: [Answer]) throws -> Evaluation {
        let published = try PublishedQuestionnaire(publishing: Array(Self.document.utf8))
        return try #require(Rating.evaluate(answers, to: published.questionnaire, by: published.key, at: .epoch))
    }

    @Test("points, tolerance, partial credit and feedback; what has no key, or was asked as text, waits for a person")
    func points() throws {
        let evaluation = try rate([
            Answer(questionId: "city", value: .one("Parma")), Answer(questionId: "g", value: .one("9.8")),
            Answer(questionId: "inner", value: .several(["Venus"]), optionIndexes: [0]),
            Answer(questionId: "wet", value: .truth(true)), Answer(questionId: "day", value: .one("2026-11-25")),
            Answer(questionId: "how", value: .number(3)), Answer(questionId: "pairs", value: .one("a is x")),
            Answer(questionId: "essay", value: .one("Rain.")),
        ])
        #expect(
            evaluation.questions.map(\.questionId) == ["city", "g", "inner", "wet", "day", "how", "pairs", "essay"])
        #expect(evaluation.questions.map(\.points) == [0.5, 2, 1, 1, 1, 1, nil, nil])
        #expect(evaluation.questions.map(\.maximum) == [1, 2, 2, 1, 1, 1, 1, 1])
        #expect(evaluation.questions.map(\.correct) == [nil, true, nil, true, true, true, nil, nil])
        #expect(!evaluation.isComplete)
        #expect(try rate([Answer(questionId: "city", value: .one("paris"))]).questions[0].feedback == "Right.")
    }

    @Test(
        "each part of a ranking, a matching, a matrix and a text with gaps is worth its share, by the kind of the gap")
    func parts() throws {
        let json = """
            {"id": "geo", "title": "Geo", "key": {
              "order": {"accept": [{"value": ["a", "b", "c"]}], "partial": true},
              "pairs": {"accept": [{"value": {"r": "a", "s": "b"}}]},
              "uses": {"accept": [{"value": {"r": ["a", "b"]}}]},
              "gaps": {"accept": [{"value": {"1": 9.5, "2": ["Spring", "source"]}}]}},
             "questions": [
              {"id": "order", "kind": "ranking", "text": "?", "options": ["c", "b", "a"], "points": 3},
              {"id": "pairs", "kind": "matching", "text": "?", "rows": ["r", "s"], "options": ["a", "b"], "points": 2},
              {"id": "uses", "kind": "matrix", "multiple": true, "text": "?", "rows": ["r"], "options": ["a", "b"]},
              {"id": "gaps", "kind": "gaps", "text": "{{1}} {{2}}", "gaps": {"1": {"kind": "number"}, "2": {}}, "points": 2}]}
            """
        let published = try PublishedQuestionnaire(publishing: Array(json.utf8))
        func points(_ values: [String: Answer.Value]) throws -> [Double?] {
            let answers = try published.questionnaire.questions.compactMap { question in
                try values[question.id].map { try question.answer($0) }
            }
            return try #require(Rating.evaluate(answers, to: published.questionnaire, by: published.key, at: .epoch))
                .questions.map(\.points)
        }
        let right: [String: Answer.Value] = [
            "order": .several(["a", "b", "c"]), "pairs": .object(["r": .string("a"), "s": .string("b")]),
            "uses": .object(["r": .array([.string("b"), .string("a")])]),
            "gaps": .object(["1": .string("9,50"), "2": .string("spring")]),
        ]
        #expect(try points(right) == [3, 2, 1, 2])
        let partly: [String: Answer.Value] = [
            "order": .several(["b", "a", "c"]), "pairs": .object(["r": .string("a")]),
            "uses": .object(["r": .array([.string("b")])]), "gaps": .object(["2": .string("source")]),
        ]
        #expect(try points(partly) == [2, 1, 0, 1])
        // In words from another program: a person reads them.
        let words = ["order", "pairs", "uses", "gaps"].map { Answer(questionId: $0, value: .one("a, b")) }
        let waiting = try #require(
            Rating.evaluate(words, to: published.questionnaire, by: published.key, at: .epoch))
        #expect(waiting.questions.allSatisfy { $0.points == nil } && !waiting.isComplete)
    }

    @Test("a hidden question and a note count for nothing; an unanswered one gets 0")
    func hidden() throws {
        let dry = try rate([Answer(questionId: "wet", value: .truth(false))])
        #expect(dry.questions.map(\.questionId).contains("dry"))
        #expect(dry.maximum == 11 && dry.score == 0 && dry.isComplete)
        #expect(try rate([Answer(questionId: "wet", value: .truth(true))]).maximum == 10)
    }

    @Test("the key is never sent")
    func isSecret() throws {
        let published = try PublishedQuestionnaire(publishing: Array(Self.document.utf8))
        #expect(!String(decoding: published.content, as: UTF8.self).contains("9.81"))
    }

    @Test(
        "what cannot be right is not published, and the place is named",
        arguments: [
            (#""condition": {"question": "z", "answered": true}"#, "questions[0].condition.question"),
            (#""condition": {"question": "q", "answered": true}"#, "questions[0].condition"),
            (#""constraint": {"min": 3, "max": 1}"#, "questions[0].constraint"),
            (#""constraint": {"pattern": "(?=x)"}"#, "questions[0].constraint.pattern"),
            (#""kind": "scale""#, "questions[0].scale"),
        ])
    func faults(_ members: String, _ place: String) throws {
        let json = #"{"id": "a", "title": "A", "questions": [{"id": "q", "text": "?", \#(members)}]}"#
        let fault = #expect(throws: DocumentFault.self) {
            try PublishedQuestionnaire(publishing: Array(json.utf8))
        }
        #expect(fault?.field == place)
        // A version that was published before stays readable.
        #expect(throws: Never.self) { try PublishedQuestionnaire(json: Array(json.utf8)) }
    }

    @Test("a key that no answer can meet is refused")
    func unmetKey() throws {
        let json =
            #"{"id": "a", "title": "A", "questions": [{"id": "q", "text": "?", "options": ["x"]}], "key": {"q": {"accept": [{"value": "y"}]}}}"#
        let fault = #expect(throws: DocumentFault.self) { try PublishedQuestionnaire(publishing: Array(json.utf8)) }
        #expect(fault?.field == "key.q.accept[0].value")
    }
}

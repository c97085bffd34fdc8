import Model
import Results
import Testing

@testable import Host

@Suite("What of a rating is given out, and when")
struct ReleaseTests {
    private static func document(_ release: String) -> String {
        """
        {"id": "quiz", "title": "Quiz", "availability": {"closesAt": "2026-12-24T12:00:00Z"}, "release": \(release),
         "key": {"a": {"accept": [{"value": "x", "feedback": "Well done."}, {"value": "X or x"}, {"value": "y", "points": 0.5}],
                   "explanation": "Because of x."},
           "b": {"accept": [{"value": "m"}, {"value": "n"}]}},
         "questions": [{"id": "a", "text": "?", "kind": "text"},
           {"id": "b", "text": "?", "kind": "choices", "options": ["l", "m", "n"]}]}
        """
    }

    private static let answers = [
        Answer(questionId: "a", value: .one("x")),
        Answer(questionId: "b", value: .several(["l", "m"]), optionIndexes: [0, 1]),
    ]

    private static func moment(_ text: String) throws -> Timestamp { try #require(Timestamp(text)) }

    /// The receipts before and after the questionnaire closes.
    private func receipts(
        _ release: String, bound: ReceiptRelease.Verdicts = .rated
    ) throws -> (before: Receipt, after: Receipt, stored: Receipt) {
        let version = try PublishedQuestionnaire(json: Array(Self.document(release).utf8))
        var stored = Receipt(test: .random(), digest: Digest(sha256Of: []), status: .rated)
        stored.evaluation = Rating.evaluate(
            Self.answers, to: version.questionnaire, by: version.key, at: .epoch)
        stored.evaluation?.questions[1].comment = "Nearly."
        let (rule, terms) = (ReceiptRelease(verdicts: bound), ReceiptRelease.Terms(version))
        let closing = try Self.moment("2026-12-24T12:00:00Z")
        return (
            rule.released(stored, by: terms, now: closing),
            rule.released(stored, by: terms, now: closing.adding(seconds: 1)), stored
        )
    }

    @Test("by default the score and the verdicts, and nothing that gives the right answer away")
    func byDefault() throws {
        let (before, after, stored) = try receipts("{}")
        #expect(before == stored && after == stored)
        #expect(before.evaluation?.questions[0].feedback == "Well done." && before.releasesAt == nil)
    }

    @Test("feedback and explanation are given out in each language of the key, each as its release says")
    func translations() throws {
        func receipts(_ release: String) throws -> (before: Receipt, after: Receipt) {
            let document = Self.document(release)
                .replacing(
                    #""feedback": "Well done."}"#,
                    with: #""feedback": "Well done.", "translations": {"ru": {"feedback": "Отлично."}}}"#
                )
                .replacing(
                    #""explanation": "Because of x."}"#,
                    with: #""explanation": "Because of x.", "translations": {"ru": {"explanation": "Из-за x."}}}"#)
            let version = try PublishedQuestionnaire(publishing: Array(document.utf8))
            var stored = Receipt(test: .random(), digest: Digest(sha256Of: []), status: .rated)
            stored.evaluation = Rating.evaluate(Self.answers, to: version.questionnaire, by: version.key, at: .epoch)
            // As it is stored and sent.
            stored = try DocumentCoding.decode(Receipt.self, from: try DocumentCoding.encodeLine(stored))
            let terms = ReceiptRelease.Terms(version)
            let closing = try Self.moment("2026-12-24T12:00:00Z")
            return (
                ReceiptRelease().released(stored, by: terms, now: closing),
                ReceiptRelease().released(stored, by: terms, now: closing.adding(seconds: 1))
            )
        }
        let (before, after) = try receipts(#"{"explanation": "closed"}"#)
        #expect(before.ratedQuestions(in: "ru")["a"]?.feedback == "Отлично.")
        #expect(before.ratedQuestions(in: "ru")["a"]?.explanation == nil)
        #expect(before.evaluation?.questions[0].translations["ru"] == KeyTexts(feedback: "Отлично."))
        #expect(after.ratedQuestions(in: "ru")["a"]?.explanation == "Из-за x.")
        #expect(after.ratedQuestions(in: "de")["a"]?.explanation == "Because of x.")
        #expect(after.ratedQuestions(in: nil)["a"]?.feedback == "Well done.")
        let (silent, _) = try receipts(#"{"verdicts": "never"}"#)
        #expect(silent.status == .rated && silent.ratedQuestions(in: "ru").isEmpty)
    }

    @Test("an explanation without a key is given out, and the answers wait for a person")
    func explanationAlone() throws {
        let document = Self.document(#"{"explanation": "rated"}"#).replacing(
            #""b": {"accept": [{"value": "m"}, {"value": "n"}]}"#, with: #""b": {"explanation": "m, or n."}"#)
        let version = try PublishedQuestionnaire(publishing: Array(document.utf8))
        let evaluation = try #require(
            Rating.evaluate(Self.answers, to: version.questionnaire, by: version.key, at: .epoch))
        #expect(evaluation.questions[0].points == 1 && evaluation.questions[1].points == nil)
        #expect(!evaluation.isComplete)
        var stored = Receipt(test: .random(), digest: Digest(sha256Of: []), status: .rated)
        stored.evaluation = evaluation
        stored.evaluation?.questions[1].points = 1
        let shown = ReceiptRelease(verdicts: .rated).released(stored, by: .init(version), now: .epoch)
        #expect(shown.evaluation?.questions[1].explanation == "m, or n.")
        #expect(shown.evaluation?.questions[1].rightAnswers == nil)
        let alone = document.replacing(
            #""a": {"accept": [{"value": "x", "feedback": "Well done."}, {"value": "X or x"}, {"value": "y", "points": 0.5}],"#,
            with: #""a": {"#)
        let unrated = try PublishedQuestionnaire(publishing: Array(alone.utf8))
        #expect(unrated.key.isEmpty)
        #expect(Rating.evaluate(Self.answers, to: unrated.questionnaire, by: unrated.key, at: .epoch) == nil)
    }

    @Test("at the closing: the right answers and why, each in the form that a test has it in")
    func closed() throws {
        let (before, after, _) = try receipts(#"{"correct": "closed", "explanation": "closed"}"#)
        #expect(before.evaluation?.questions.allSatisfy { $0.rightAnswers == nil && $0.explanation == nil } == true)
        #expect(before.releasesAt == (try Self.moment("2026-12-24T12:00:00Z")) && after.releasesAt == nil)
        let questions = try #require(after.evaluation?.questions)
        #expect(questions[0].rightAnswers == [.string("x"), .string("X or x")], "one that gets a part is none")
        #expect(questions[0].explanation == "Because of x." && questions[1].explanation == nil)
        #expect(questions[1].rightAnswers == [.array([.string("m"), .string("n")])])
    }

    @Test("a score that is kept back is in no number, and a person’s comment is given out")
    func noScore() throws {
        let (before, after, _) = try receipts(#"{"score": "closed"}"#)
        #expect(before.evaluation == nil && before.status == .rated)
        #expect(before.review?.map(\.correct) == [true, false])
        #expect(before.review?.allSatisfy { $0.points == nil && $0.maximum == nil } == true)
        #expect(before.review?[1].comment == "Nearly.")
        #expect(after.evaluation?.score == 1 && after.review == nil)
    }

    @Test("without verdicts there are no points of questions and no feedback")
    func noVerdicts() throws {
        let (before, _, _) = try receipts(#"{"verdicts": "never", "explanation": "rated"}"#)
        let questions = try #require(before.evaluation?.questions)
        #expect(before.evaluation?.score == 1)
        #expect(questions.allSatisfy { $0.correct == nil && $0.points == nil && $0.feedback == nil })
        #expect(questions.map(\.questionId) == ["a", "b"] && questions[0].explanation == "Because of x.")
    }

    @Test("the host’s own limit is not exceeded, and what a program does not know is not given out")
    func bounds() throws {
        let all = #"{"correct": "rated", "explanation": "rated"}"#
        let (before, after, _) = try receipts(all, bound: .never)
        #expect(before == after && before.evaluation?.score == 1 && before.releasesAt == nil)
        #expect(before.evaluation?.questions.map(\.questionId) == ["b"])
        #expect(before.evaluation?.questions.first?.rightAnswers == nil)
        let (unknown, later, _) = try receipts(#"{"score": "tomorrow"}"#)
        #expect(unknown.evaluation == nil && later.evaluation == nil)
    }

    @Test("over HTTP: one receipt, a list of them and a repeated delivery say the same, and change when it closes")
    func served() async throws {
        let fixture = try HostFixture()
        let closing = fixture.clock.now.adding(seconds: 60)
        let text = Self.document(
            #"{"score": "closed", "verdicts": "closed", "correct": "closed", "explanation": "closed"}"#
        )
        .replacing("2026-12-24T12:00:00Z", with: closing.description)
        try fixture.publish("quiz.json", text)
        let published = try PublishedQuestionnaire(json: Array(text.utf8))
        let test = try TestFile(
            questionnaire: "quiz", version: String(decoding: published.content, as: UTF8.self), answers: Self.answers)
        try await fixture.serve { client in
            for isClosed in [false, true] {
                if isClosed { fixture.clock.advance(by: .seconds(61)) }
                let replies = [
                    try await client.deliver(test), try await client.get("/v1/tests/\(test.id)"),
                    try await client.get("/v1/tests?ids=\(test.id)"),
                ]
                for reply in replies {
                    for secret in ["score", "Because of x.", "rightAnswers", "Well done.", "\"correct\""] {
                        #expect(reply.text.contains(secret) == isClosed, "\(secret)")
                    }
                }
            }
        }
    }

    @Test("where the time is extended, what waits for the end waits for the new one, also of former versions")
    func extended() async throws {
        let fixture = try HostFixture()
        let closing = fixture.clock.now.adding(seconds: 60)
        @Sendable func text(_ end: Timestamp) -> String {
            Self.document(#"{"correct": "closed", "explanation": "closed"}"#)
                .replacing("2026-12-24T12:00:00Z", with: end.description)
        }
        try fixture.publish("quiz.json", text(closing))
        let published = try PublishedQuestionnaire(json: Array(text(closing).utf8))
        let test = try TestFile(
            questionnaire: "quiz", version: String(decoding: published.content, as: UTF8.self), answers: Self.answers)
        try await fixture.serve { client in
            #expect(try await client.deliver(test).status == .created)
            let extended = text(closing.adding(seconds: 600)).replacing("\"Quiz\"", with: "\"Quiz, longer\"")
            try fixture.publish("quiz.json", extended, isFresh: true)
            for (seconds, isClosed) in [(61, false), (600, true)] {
                fixture.clock.advance(by: .seconds(seconds))
                let receipt = try await client.get("/v1/tests/\(test.id)").text
                #expect(receipt.contains("\"score\"") && receipt.contains("Because of x.") == isClosed)
                #expect(receipt.contains("rightAnswers") == isClosed)
            }
        }
    }
}

import Model
import Testing

@Suite("What a test has of its questionnaire")
struct ArrangementTests {
    private static let document = """
        {"id": "pool", "title": "Pool", "shuffle": {"questions": true, "options": true},
         "sections": [{"id": "river", "title": "The river", "text": "Read this.", "media": [{"path": "river.png"}],
           "questions": ["a", "b", "c", "d", "e"], "pick": 2}],
         "questions": [
          {"id": "first", "kind": "choice", "text": "?", "options": ["1", "2", "3", "4", "none"], "keepLast": ["none"]},
          {"id": "a", "text": "?", "kind": "text"}, {"id": "b", "text": "?", "kind": "text"},
          {"id": "c", "text": "?", "kind": "text", "required": true}, {"id": "d", "text": "?", "kind": "text"},
          {"id": "e", "text": "?", "kind": "text"},
          {"id": "last", "text": "?", "kind": "text", "condition": {"any": [
            {"question": "a", "answered": true}, {"question": "b", "answered": true}, {"question": "c", "answered": true},
            {"question": "d", "answered": true}, {"question": "e", "answered": true}]}}]}
        """

    private static func id(_ number: Int) -> TestID {
        // Proof: twelve digits end a UUID.
        // swift-format-ignore: NeverForceUnwrap
        TestID("00000000-0000-4000-8000-0000000000\(number + 10)")!
    }

    private func questionnaire() throws -> Questionnaire { try Questionnaire(json: Array(Self.document.utf8)) }

    private func record(_ number: Int, _ answers: [Answer] = []) -> TestRecord {
        TestRecord(
            id: Self.id(number),
            questionnaire: QuestionnaireReference(id: "pool", title: "Pool", digest: Digest(sha256Of: [])),
            dateStarted: .epoch, answers: answers, deviceId: "d", sequence: 1)
    }

    @Test(
        "the questions and the options are those of TestOrder, for any test, and options keep their places in answers")
    func order() throws {
        let document = try questionnaire()
        let rules = try QuestionnaireRules(json: Array(Self.document.utf8))
        var drawn: Set<[String]> = []
        for number in 0..<40 {
            let arranged = document.arranged(for: Self.id(number))
            let ids = arranged.questions.map(\.id)
            #expect(ids == rules.order(of: Self.id(number)) && ids.count == 4)
            #expect(arranged.notDrawn.count == 3 && arranged.notDrawn.isDisjoint(with: ids))
            #expect(arranged.arranged(for: Self.id(number + 1)) == arranged, "it is arranged once")
            drawn.insert(Array(ids[1...2]).sorted())
            let first = try #require(arranged.question("first"))
            #expect(first.optionPlaces == rules.optionOrder(of: rules.questions[0], in: Self.id(number)))
            #expect(first.options == ["1", "2", "3", "4", "none"] && first.optionPlaces.last == 4)
            let answer = first.answer(choosingShown: [0])
            #expect(answer.optionIndexes == [first.optionPlaces[0]])
            #expect(first.shownPlaces(of: first.match(answer).places) == [0])
        }
        #expect(drawn.count > 5)
    }

    @Test("an answer to a question that was not drawn shows nothing, is not required, and does not go along")
    func notDrawn() throws {
        let arranged = try questionnaire().arranged(for: Self.id(1))
        let stray = try #require(arranged.notDrawn.first)
        var record = record(
            1, [Answer(questionId: stray, value: .one("x")), Answer(questionId: "gone", value: .one("y"))])
        let hidden = arranged.hiddenQuestions(by: record.answers)
        #expect(hidden == arranged.notDrawn.union(["last"]), "a stray answer meets no condition")
        #expect(!arranged.unanswered(in: record).map(\.id).contains { arranged.notDrawn.contains($0) })
        record.leaveOutHidden(in: arranged)
        #expect(record.answers.map(\.questionId) == ["gone"])
        #expect(record.shown == arranged.questions.map(\.id).filter { $0 != "last" })
    }

    @Test("what was shown survives the file, and a test that continues another has the same questions")
    func continues() throws {
        var record = record(2)
        record.noteShown(of: try questionnaire())
        var next = self.record(3)
        next.orderOf = record.orderID
        next.noteShown(of: try questionnaire())
        #expect(next.shown == record.shown && record.shown?.count == 4)
        let read = try DocumentCoding.decode(TestRecord.self, from: try DocumentCoding.encode(next))
        #expect(read == next && read.orderID == record.id)
        let foreign = #"{"shown": 3, "orderOf": "x"}"#
        let text = String(decoding: try DocumentCoding.encode(self.record(4)), as: UTF8.self)
        let other = Array((foreign.dropLast() + ", " + text.drop { $0 != "{" }.dropFirst()).utf8)
        let kept = try DocumentCoding.decode(TestRecord.self, from: other)
        #expect(kept.shown == nil && kept.otherFields["shown"] == .integer(3), "another program's own member stays")
    }

    @Test("a document without sections and shuffling is shown as it is, and its tests have no list of questions")
    func plain() throws {
        let document = try Questionnaire(
            json: Array(
                #"{"id": "p", "title": "P", "questions": [{"id": "a", "text": "?"}, {"id": "b", "text": "?"}]}"#.utf8))
        #expect(document.arranged(for: Self.id(1)) == document)
        var record = record(5)
        record.leaveOutHidden(in: document)
        #expect(record.shown == nil)
    }

    @Test("passages are searched, and their media are the questionnaire's")
    func passages() throws {
        let document = try questionnaire()
        #expect(document.foldedText.contains("read this") && document.foldedText.contains("the river"))
        #expect(document.media.map(\.path) == ["river.png"])
    }

    @Test("questions stand together by their sections")
    func groups() throws {
        let arranged = try questionnaire().arranged(for: Self.id(1))
        let groups = arranged.groups(Array(arranged.questions.indices))
        #expect(groups.map { $0.section?.id } == [nil, "river", nil] && groups.map(\.places.count) == [1, 2, 1])
    }
}

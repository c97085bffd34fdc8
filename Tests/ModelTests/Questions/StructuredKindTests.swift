import Localization
import Model
import Testing
import Wording

@Suite("Rankings, matchings, matrices and gaps")
struct StructuredKindTests {
    private static let document = """
        {"id": "geo", "title": "Geography", "questions": [
          {"id": "order", "kind": "ranking", "text": "By size", "options": ["Malta", "France", "Italy"]},
          {"id": "pairs", "kind": "matching", "text": "Capitals", "required": true,
           "rows": ["France", "Italy"], "options": ["Rome", "Paris", "Oslo"]},
          {"id": "uses", "kind": "matrix", "text": "When", "multiple": true, "rows": ["Bus", "Bike"], "options": ["Work", "Leisure"]},
          {"id": "one", "kind": "matrix", "text": "How often", "rows": ["Bus"], "options": ["Never", "Daily"]},
          {"id": "text", "kind": "gaps", "text": "{{1}} lies on the {{river}}, founded in {{year}}.", "required": true,
           "gaps": {"1": {"options": ["Paris", "Rome"]}, "river": {}, "year": {"kind": "number"}}}]}
        """

    private func question(_ id: String) throws -> Question {
        try #require(try Questionnaire(json: Array(Self.document.utf8)).question(id))
    }

    @Test("what a document says of rows and gaps is read, and written in the same way")
    func document() throws {
        let read = try Questionnaire(json: Array(Self.document.utf8))
        #expect(try Questionnaire(json: DocumentCoding.encode(read)) == read)
        #expect(try question("order").input == .order)
        #expect(try question("pairs").input == .rows(isMultiple: false))
        #expect(try question("uses").input == .rows(isMultiple: true))
        #expect(try question("one").input == .rows(isMultiple: false))
        #expect(try question("text").input == .gaps)
        #expect(try question("text").parts.map(\.id) == ["1", "river", "year"])
        #expect(try question("text").parts.map(\.input) == [.option, .text, .decimal])
        #expect(try question("text").textWithBlanks() == "____ lies on the ____, founded in ____.")
    }

    @Test(
        "a question that lacks the options, rows or markers of its kind is still asked, as text",
        arguments: [
            #""kind": "ranking""#, #""kind": "matching", "rows": ["a"]"#, #""kind": "matrix", "options": ["a"]"#,
            #""kind": "gaps", "gaps": {"1": {}}"#, #""kind": "matrix", "rows": "a", "options": ["a"]"#,
        ])
    func incompleteDocument(_ members: String) throws {
        let json = #"{"id": "a", "title": "A", "questions": [{"id": "q", "text": "?", \#(members)}]}"#
        let question = try #require(try Questionnaire(json: Array(json.utf8)).questions.first)
        #expect(question.input == .text && question.isAskedAsText)
        #expect(try question.answer(.one("words")).value == .one("words"))
    }

    // MARK: Rankings

    @Test("a ranking is made option by option; each has one place, and a finished one has them all")
    func ranking() throws {
        let question = try question("order")
        let partial = question.answer(ranking: [1])
        #expect(partial.value == .several(["France"]) && partial.optionIndexes.isEmpty)
        #expect(question.ranking(of: partial) == .init(places: [1], rest: [0, 2], own: []))
        #expect(question.problem(with: partial) == .unranked(["Malta", "Italy"]))
        #expect(question.problem(with: partial)?.isIncomplete == true)
        #expect(throws: AnswerFault.self) { try question.check(partial) }
        let complete = try question.answer(.several(["italy", "Malta", "France"]))
        #expect(complete.value == .several(["Italy", "Malta", "France"]))
        #expect(question.problem(with: complete) == nil)
        #expect(question.line(complete) == "1. Italy, 2. Malta, 3. France")
        #expect(throws: AnswerFault.self) { try question.answer(.several(["Malta", "Malta"])) }
        #expect(question.problem(with: nil) == nil && question.answer(ranking: []).isBlank)
        let foreign = Answer(questionId: "order", value: .several(["Malta", "Malta", "France", "Italy"]))
        #expect(question.problem(with: foreign) == .notOption("Malta"))
    }

    @Test("options of a ranking are found by their texts, whatever their order in this version")
    func rankingElsewhere() throws {
        var question = try question("order")
        let answer = question.answer(ranking: [2, 0, 1])
        question.options = ["Italy", "France", "Malta"]
        #expect(question.ranking(of: answer).places == [0, 2, 1])
        question.options = ["Italy", "Spain"]
        #expect(question.ranking(of: answer) == .init(places: [0], rest: [1], own: ["Malta", "France"]))
    }

    @Test("a test's own order of options is that of a ranking without answers, and of each row, not the document's")
    func shuffled() throws {
        let json = """
            {"id": "q", "title": "Q", "shuffle": {"options": true}, "questions": [
              {"id": "order", "kind": "ranking", "text": "?", "options": ["1", "2", "3", "4", "5", "6"], "keepLast": ["1"]},
              {"id": "pairs", "kind": "matching", "text": "?", "rows": ["a", "b"], "options": ["1", "2", "3", "4", "5", "6"]}]}
            """
        let questionnaire = try Questionnaire(json: Array(json.utf8))
        var orders: Set<[Int]> = []
        for _ in 0..<20 {
            let questions = questionnaire.arranged(for: .random()).questions
            let order = questions[0].ranking(of: nil).rest
            #expect(order == questions[0].optionPlaces && order.last == 0)
            orders.insert(order)
            let some = questions[0].ranking(of: questions[0].answer(ranking: [order[2]]))
            #expect(some.rest == order.filter { $0 != order[2] })
            #expect(questions[1].parts.allSatisfy { $0.optionPlaces == questions[1].optionPlaces })
        }
        #expect(orders.count > 1)
    }

    // MARK: Rows

    @Test("rows are answered one by one, and cleared one by one")
    func rows() throws {
        let question = try question("pairs")
        let parts = question.parts
        var answer = question.answer(nil, setting: parts[1].answer(choosing: [0]))
        #expect(answer.value == .object(["Italy": .string("Rome")]))
        #expect(question.answer(of: parts[0], in: answer) == nil)
        #expect(parts[1].match(question.answer(of: parts[1], in: answer)).places == [0])
        #expect(question.problem(with: answer) == .missingRows(["France"]))
        let fault = #expect(throws: AnswerFault.self) { try question.check(answer) }
        #expect(fault?.reason.description == "Still to be answered: “France”.")
        answer = question.answer(answer, setting: parts[0].answer(choosing: [1]))
        #expect(question.line(answer) == "France → Paris; Italy → Rome")
        #expect(question.problem(with: answer) == nil)
        for part in parts { answer = question.answer(answer, setting: part.answer(choosing: [])) }
        #expect(answer.isBlank)
    }

    @Test("a row of a matrix that allows it has several options")
    func several() throws {
        let question = try question("uses")
        let answer = try question.answer(.object(["Bike": .array([.string("leisure"), .string("Work")])]))
        #expect(answer.value == .object(["Bike": .array([.string("Work"), .string("Leisure")])]))
        #expect(question.line(answer) == "Bike → Work, Leisure")
        // Not required: a row may stay open.
        #expect(question.problem(with: answer) == nil)
        #expect(throws: AnswerFault.self) {
            try self.question("one").answer(.object(["Bus": .array([.string("Never"), .string("Daily")])]))
        }
    }

    @Test(
        "what a script gives is refused with the row or gap named",
        arguments: [
            ("pairs", #"{"Spain": "Rome"}"#, "has no row “Spain”"),
            ("pairs", #"{"France": "Madrid"}"#, "row “France”: “Madrid” is not one of its options"),
            ("pairs", #"{"France": 3}"#, "row “France”: “3” is not one of its options"),
            ("pairs", #"{"France": [1]}"#, "row “France”: takes texts, and something else was given"),
            ("pairs", #""Rome""#, #"takes an object with an answer for each row: {"row": …}"#),
            ("text", #"{"year": "late"}"#, "gap “year”: “late” is not a number"),
            ("text", #"["Paris"]"#, #"takes an object with an answer for each gap: {"1": …}"#),
            ("order", #"{"1": "Malta"}"#, #"takes all its options in order, as a list: ["…", "…"]"#),
            ("order", #"["Spain"]"#, "“Spain” is not one of its options"),
        ])
    func refused(_ id: String, _ json: String, _ reason: String) throws {
        let value = try DocumentCoding.decode(Answer.Value.self, from: Array(json.utf8))
        let question = try question(id)
        let fault = #expect(throws: AnswerFault.self) { try question.answer(value) }
        #expect(fault?.reason.description == reason)
    }

    @Test("null and blank parts are no answers")
    func blank() throws {
        let question = try question("pairs")
        let answer = try question.answer(.object(["France": .null, "Italy": .string("")]))
        #expect(answer.isBlank && answer.value == .object([:]))
        #expect(Answer(questionId: "q", value: .object(["a": .string(" "), "b": .array([])])).isBlank)
        #expect(!Answer(questionId: "q", value: .object(["latitude": .number(0)])).isBlank)
    }

    // MARK: Gaps

    @Test("gaps have values of their own kinds; what is wrong or missing is named")
    func gaps() throws {
        let question = try question("text")
        var answer = try question.answer(.object(["1": .string("paris"), "year": .string("1 200")]))
        #expect(answer.value == .object(["1": .string("Paris"), "year": .string("1200")]))
        #expect(question.line(answer) == "Paris lies on the ____, founded in 1200.")
        #expect(question.problem(with: answer) == .missingGaps(["river"]))
        let parts = question.parts
        // A draft keeps what was typed.
        answer = question.answer(answer, setting: Answer(questionId: parts[2].id, value: .one("about 1200")))
        #expect(question.problem(with: answer) == .part("year", .notNumber("about 1200")))
        #expect(
            question.words(for: .part("year", .notNumber("about 1200")), .english)
                == "Gap year: “about 1200” is not a number.")
        #expect(throws: AnswerFault.self) { try question.check(answer) }
    }

    @Test("a gap for a date with a time takes the local one, and names what is none instead of dropping it")
    func localGap() throws {
        let json = #"{"id": "q", "kind": "gaps", "text": "At {{1}}.", "gaps": {"1": {"kind": "dateTime"}}}"#
        let question = try DocumentCoding.decode(Question.self, from: Array(json.utf8))
        func answer(_ text: String) throws -> Answer {
            try question.answer(.object(["1": .string(text)]), localOffset: { _ in 180 })
        }
        #expect(try answer("2026-12-01 09:30").value == .object(["1": .string("2026-12-01T09:30:00+03:00")]))
        let fault = #expect(throws: AnswerFault.self) { try answer("tomorrow") }
        #expect(fault?.reason.description.hasPrefix("gap “1”: “tomorrow”") == true)
    }

    @Test("the author's words around an answer can be shown in another form; the person's stay as they are")
    func formatted() throws {
        let answer = try question("text").answer(.object(["river": .string("*Seine*")]))
        let line = try question("text").line(answer) { $0.replacing("lies", with: "LIES") }
        #expect(line == "____ LIES on the *Seine*, founded in ____.")
    }

    // MARK: Words, and other versions

    @Test("an answer in words stays the person's own: it is shown, can be finished with, and is no ranking")
    func words() throws {
        for id in ["order", "pairs", "uses", "text"] {
            let question = try question(id)
            let answer = Answer(questionId: id, value: .one("first this,\nthen that"))
            #expect(question.ownText(of: answer) == "first this,\nthen that")
            #expect(question.problem(with: answer) == nil)
            #expect(question.line(answer) == "first this,\nthen that")
        }
        #expect(try question("order").ownText(of: question("order").answer(ranking: [0])) == nil)
        #expect(Question(id: "q", text: "?", kind: .text).ownText(of: Answer(questionId: "q", value: .one("a"))) == nil)
    }

    @Test("an unanswered row of another version stays in the answer, and is shown")
    func otherVersion() throws {
        let question = try question("pairs")
        let old = Answer(questionId: "pairs", value: .object(["Spain": .string("Madrid")]))
        let answer = question.answer(old, setting: question.parts[0].answer(choosing: [1]))
        #expect(question.shown(answer) == ["France → Paris", "Spain → Madrid"])
    }

    @Test("answers move to another version as far as their rows, gaps and options are still there")
    func transfer() throws {
        let old = try Questionnaire(json: Array(Self.document.utf8))
        let answers = [
            try question("order").answer(.several(["Malta", "Italy", "France"])),
            try question("pairs").answer(.object(["France": .string("Paris")])),
            try question("uses").answer(.object(["Bus": .array([.string("Work")])])),
            try question("text").answer(.object(["river": .string("Seine")])),
        ]
        func moved(_ former: String, _ now: String) throws -> AnswerTransfer {
            let json = Self.document.replacing(former, with: now)
            return AnswerTransfer(answers, from: old, to: try Questionnaire(json: Array(json.utf8)))
        }
        let same = try moved(#""Malta", "France", "Italy""#, #""Italy", "Malta", "France", "Spain""#)
        #expect(same.carried == answers && same.left.isEmpty && same.changes.isEmpty)
        #expect(try moved(#""Rome", "Paris", "Oslo""#, #""Paris", "Bern""#).carried == answers)
        #expect(try moved(#""Rome", "Paris", "Oslo""#, #""Bern", "Rome""#).left.map(\.reason) == [.noOption])
        #expect(try moved(#""Bus", "Bike""#, #""Bike", "Car""#).left.map(\.answer.questionId) == ["uses"])
        #expect(try moved(#""multiple": true, "#, "").left.isEmpty)
        #expect(try moved(#"{{river}}"#, "{{stream}}").left.map(\.answer.questionId) == ["text"])
        #expect(try moved(#""river": {}"#, #""river": {"kind": "number"}"#).left.map(\.reason) == [.otherKind])
    }
}

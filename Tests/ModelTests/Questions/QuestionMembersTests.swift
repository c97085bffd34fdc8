import Model
import Testing
import Wording

@Suite("Members of questions beyond text and options")
struct QuestionMembersTests {
    private static let document = """
        {"id": "form", "title": "Анкета", "locale": "ru",
         "sections": [{"id": "more", "questions": ["why"], "condition": {"question": "likes", "is": true}}],
         "questions": [
          {"id": "intro", "kind": "note", "text": "Прочтите."},
          {"id": "likes", "kind": "boolean", "text": "Нравится?", "required": true},
          {"id": "mark", "kind": "scale", "text": "Оценка", "scale": {"min": 0, "max": 0.3, "step": 0.1, "labels": {"0.1": "мало"}}},
          {"id": "why", "kind": "text", "text": "Почему?", "required": true, "hint": "Коротко", "multiline": true,
           "constraint": {"minLength": 3}, "constraintMessage": "Хотя бы три буквы"},
          {"id": "mass", "kind": "number", "text": "Масса", "unit": "кг", "points": 2,
           "condition": {"question": "likes", "isNot": true}, "constraint": {"min": 1}},
          {"id": "own", "kind": "choice", "text": "?", "options": ["a", "b"], "other": true},
          {"id": "next", "kind": "hologram", "text": "?"}]}
        """

    private func questionnaire() throws -> Questionnaire { try Questionnaire(json: Array(Self.document.utf8)) }
    private func question(_ id: String) throws -> Question { try #require(try questionnaire().question(id)) }

    @Test("what a document says is read, and written in the same way")
    func members() throws {
        let read = try questionnaire()
        #expect(try question("likes").options == ["Да", "Нет"])
        #expect(try question("mark").options == ["0", "0.1 – мало", "0.2", "0.3"])
        #expect(try question("why").hint == "Коротко")
        #expect(try question("mass").unit == "кг")
        #expect(try question("next").isAskedAsText && question("next").unknownKind == "hologram")
        let again = try Questionnaire(json: DocumentCoding.encode(read))
        #expect(again == read)
        #expect(again.sections.count == 1)
    }

    @Test("members of another type are the author's own: the document stays readable")
    func foreign() throws {
        let json = #"""
            {"id": "a", "title": "A", "sections": 3, "questions": [
              {"id": "q", "text": "?", "hint": 5, "condition": "x > 3", "constraint": [], "scale": "wide", "other": "yes"}]}
            """#
        let question = try #require(try Questionnaire(json: Array(json.utf8)).questions.first)
        #expect(question == Question(id: "q", text: "?", kind: .text))
    }

    @Test("a scale without steps, or with too many, takes a number")
    func wideScale() throws {
        for scale in [#"{"min": 0, "max": 1000}"#, #"{"min": 3, "max": 1}"#, "7"] {
            let json =
                #"{"id": "a", "title": "A", "questions": [{"id": "q", "text": "?", "kind": "scale", "scale": \#(scale)}]}"#
            let question = try #require(try Questionnaire(json: Array(json.utf8)).questions.first)
            #expect(question.kind == .number)
        }
    }

    @Test("answers of values are written as such, and shown in the words of their options")
    func values() throws {
        let likes = try question("likes")
        let answer = likes.answer(choosing: [0])
        #expect(answer.value == .truth(true) && likes.line(answer) == "Да")
        #expect(likes.match(answer).places == [0] && likes.match(answer).own.isEmpty)
        #expect(String(decoding: try DocumentCoding.encodeLine(answer), as: UTF8.self).contains(#""answer":true"#))
        let mark = try question("mark")
        #expect(mark.answer(choosing: [3]).value == .number(0.3))
        #expect(try mark.answer(.one("0,2")).value == .number(0.2))
        #expect(try mark.answer(.one("МАЛО")).value == .number(0.1))
        #expect(mark.line(try mark.answer(.number(0.1))) == "0.1 – мало")
    }

    @Test("an own text is an answer where the question allows one")
    func other() throws {
        let own = try question("own")
        #expect(try own.answer(.one("c")) == Answer(questionId: "own", value: .one("c")))
        #expect(try own.answer(.one("B")).optionIndexes == [1])
        #expect(own.problem(with: try own.answer(.one("c"))) == nil)
    }

    @Test("members of an answer that this version does not know survive")
    func unknown() throws {
        let json = #"{"answer":"x","questionId":"q","seconds":2}"#
        let answer = try DocumentCoding.decode(Answer.self, from: Array(json.utf8))
        #expect(answer.otherMembers == ["seconds": .integer(2)])
        let written = String(decoding: try DocumentCoding.encodeLine(answer), as: UTF8.self)
        #expect(written.filter { !$0.isNewline } == json)
    }

    @Test("an answer against the constraint is named in the author's words, else in ours", arguments: Language.allCases)
    func constraints(_ language: Language) throws {
        let why = try question("why")
        let problem = try #require(why.problem(with: Answer(questionId: "why", value: .one("да"))))
        #expect(why.words(for: problem, language) == "Хотя бы три буквы")
        #expect(why.problem(with: Answer(questionId: "why", value: .one("потому"))) == nil)
        #expect(why.problem(with: Answer(questionId: "why", value: .one(" "))) == nil)
        let mass = try question("mass")
        let small = try #require(mass.problem(with: Answer(questionId: "mass", value: .one("0,5"))))
        #expect(small == .violation(.belowMinimum))
        #expect(mass.words(for: small, language).contains("1"))
        #expect(throws: AnswerFault.self) { try mass.check(Answer(questionId: "mass", value: .one("0.5"))) }
    }

    @Test("hidden questions and notes are not missing; the hidden answer stays in the draft and leaves at the end")
    func hidden() throws {
        let form = try questionnaire()
        #expect(form.unanswered(by: []).map(\.id) == ["likes", "mark", "mass", "own", "next"])
        let answers = [
            Answer(questionId: "likes", value: .truth(true)), Answer(questionId: "mass", value: .one("3")),
        ]
        #expect(form.hiddenQuestions(by: answers) == ["mass"])
        #expect(form.unanswered(by: answers).map(\.id) == ["mark", "why", "own", "next"])
        var generator = SystemRandomNumberGenerator()
        var record = TestRecord(
            id: .random(using: &generator),
            questionnaire: QuestionnaireReference(id: "form", title: "", digest: Digest(sha256Of: [])),
            dateStarted: .epoch, answers: answers, deviceId: "", sequence: 1)
        record.leaveOutHidden(in: form)
        #expect(record.answers.map(\.questionId) == ["likes"])
    }

    @Test("a time without an offset has the local one")
    func offsets() throws {
        let question = Question(id: "q", text: "?", kind: .dateTime)
        let answer = try question.answer(.one("25.11.2026 14:30"), localOffset: { _ in 180 })
        #expect(answer.value == .one("2026-11-25T14:30:00+03:00"))
        #expect(throws: AnswerFault.self) { try question.answer(.one("25.11.2026 14:30")) }
    }

    @Test("near the days when clocks are changed, a time without an offset has the one of its hour")
    func clockChange() throws {
        // Clocks of a city west of Greenwich: forward at 07:00 UTC of 8 March, back at 06:00 UTC of 1 November.
        let summer = Timestamp(secondsSinceEpoch: 1_772_953_200)..<Timestamp(secondsSinceEpoch: 1_793_512_800)
        func offset(_ moment: Timestamp) -> Int { summer.contains(moment) ? -240 : -300 }
        let question = Question(id: "q", text: "?", kind: .dateTime)
        for (written, stored) in [
            ("2026-03-08 01:59", "2026-03-08T01:59:00-05:00"), ("2026-03-08 03:30", "2026-03-08T03:30:00-04:00"),
            ("2026-11-01 00:30", "2026-11-01T00:30:00-04:00"), ("2026-11-01 01:30", "2026-11-01T01:30:00-04:00"),
            ("2026-11-01 02:00", "2026-11-01T02:00:00-05:00"), ("2026-03-08 02:30", "2026-03-08T02:30:00-05:00"),
        ] {
            #expect(try question.answer(.one(written), localOffset: offset).value == .one(stored))
        }
        #expect(WrittenDate.localText("2026-11-01T01:30:00-05:00", localOffset: offset) == nil)
    }

    @Test("only a text whose document says so is written on one line")
    func oneLine() throws {
        #expect(try !question("why").isOneLine && !question("next").isOneLine)
        var question = Question(id: "q", text: "?", kind: .text)
        #expect(!question.isOneLine)
        question.multiline = false
        #expect(question.isOneLine)
        question.kind = .number
        #expect(!question.isOneLine)
    }

    @Test("a question of files has limits, says what a device offers, and takes no value")
    func files() throws {
        let document = """
            {"id": "f", "title": "F", "questions": [
             {"id": "photo", "kind": "file", "text": "?", "capture": "camera", "maxFiles": 3, "constraint": {"minCount": 2, "maxCount": 5}},
             {"id": "any", "kind": "file", "text": "?", "accept": ".pdf,image/*"},
             {"id": "odd", "kind": "file", "text": "?", "maxFiles": 0, "capture": "telescope", "accept": 4}]}
            """
        let questions = try Questionnaire(json: Array(document.utf8)).questions
        let (photo, any, odd) = (questions[0], questions[1], questions[2])
        #expect(photo.mostFiles == 3 && photo.offeredTypes == "image/*" && !photo.isAskedAsText)
        #expect(any.mostFiles == nil && any.offeredTypes == ".pdf,image/*")
        #expect(odd.mostFiles == nil && odd.offeredTypes == nil && odd.capture == nil)
        #expect(
            (0...4).map { photo.problem(withFiles: $0) } == [
                nil, .tooFewFiles(least: 2), nil, nil, .tooManyFiles(most: 3),
            ])
        #expect(photo.words(for: .tooManyFiles(most: 3), .english) == "Attach at most 3 files.")
        #expect(photo.words(for: .tooFewFiles(least: 2), .russian) == "Прикрепите хотя бы 2 файла.")
        #expect(throws: AnswerFault.self) { try photo.answer(.one("nest.png")) }
        #expect(try photo.answer(.one("")).isBlank)
        #expect(!photo.kind.hasKey)
        let again = try DocumentCoding.decode(Question.self, from: try DocumentCoding.encode(photo))
        #expect(again == photo)
    }
}

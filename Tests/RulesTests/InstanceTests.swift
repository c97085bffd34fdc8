import Model
import Testing
import Wording

@Suite("Repeated sections")
struct InstanceTests {
    private static let document = """
        {"id": "household", "title": "Household", "sections": [{"id": "people", "questions": ["name", "age", "school"],
           "repeat": {"min": 1, "max": 3, "label": "Person"}}],
         "questions": [{"id": "street", "text": "Street?", "kind": "text"},
           {"id": "name", "text": "Name?", "kind": "text", "required": true},
           {"id": "age", "text": "Age?", "kind": "number"},
           {"id": "school", "text": "School?", "kind": "text", "required": true, "condition": {"question": "age", "below": 18}}]}
        """

    private func questionnaire() throws -> Questionnaire { try Questionnaire(json: Array(Self.document.utf8)) }

    private func section() throws -> Section { try #require(try questionnaire().repeatedSection("people")) }

    private func answer(_ question: String, _ number: Int?, _ text: String) -> Answer {
        Answer(questionId: QuestionInstance(question: question, number: number).id, value: .one(text))
    }

    private func record(_ answers: [Answer] = []) -> TestRecord {
        TestRecord(
            id: .random(),
            questionnaire: QuestionnaireReference(id: "household", title: "Household", digest: Digest(sha256Of: [])),
            dateStarted: .epoch, answers: answers, deviceId: "d", sequence: 1)
    }

    private struct Case: Decodable {
        var about: String
        var questionnaire: JSONValue
        var record: JSONValue
        var ids: [String]
        var sections: [String]
        var titles: [String?]
        var hidden: [String]
    }

    @Test("a test has the questions of its instances, and hides some, as the shared vectors say")
    func vectors() throws {
        for one in try VectorFile.cases("instances", Case.self) {
            guard case .object(var document) = one.questionnaire, case .object(var fields) = one.record else {
                continue
            }
            (document["id"], document["title"]) = (.string("q"), .string("Q"))
            guard case .object(let plain) = try VectorFile.decode(JSONValue.self, try VectorFile.text(record())) else {
                continue
            }
            fields.merge(plain) { own, _ in own }
            let record = try VectorFile.decode(TestRecord.self, try VectorFile.text(JSONValue.object(fields)))
            let made = try VectorFile.decode(Questionnaire.self, try VectorFile.text(JSONValue.object(document)))
                .arranged(for: record)
            #expect(made.questions.map { QuestionInstance.written($0.id) } == one.ids, "\(one.about)")
            #expect(made.sections.map { QuestionInstance.written($0.id) } == one.sections, "\(one.about)")
            #expect(made.sections.map(\.title) == one.titles, "\(one.about)")
            let hidden = made.hiddenQuestions(by: record.answers).map(QuestionInstance.written).sorted()
            #expect(hidden == one.hidden, "\(one.about)")
        }
    }

    @Test("a file names an instance by a member of its own, and reads back the same")
    func coding() throws {
        var made = record([answer("street", nil, "Long"), answer("name", 2, "Ben")])
        made.instances = ["people": [2, 1]]
        made.resume = ResumePosition(question: QuestionInstance(question: "name", number: 2).id)
        let text = try VectorFile.text(made)
        #expect(text.contains(#"{"answer":"Ben","instance":2,"questionId":"name"}"#))
        #expect(text.contains(#""instances":{"people":[2,1]}"#) && text.contains(#"{"instance":2,"question":"name"}"#))
        #expect(!text.contains("\u{2060}"))
        #expect(try VectorFile.decode(TestRecord.self, text) == made)
        let verdict = Evaluation.QuestionEvaluation(
            questionId: QuestionInstance(question: "name", number: 2).id, correct: true, points: 1, maximum: 2)
        let said = try VectorFile.text(verdict)
        #expect(said.contains(#""instance":2"#) && said.contains(#""questionId":"name""#) && !said.contains("\u{2060}"))
        #expect(try VectorFile.decode(Evaluation.QuestionEvaluation.self, said) == verdict)
    }

    @Test("members of another program that only look like instances are kept")
    func others() throws {
        let text = #"{"questionId":"name[2]","answer":"x","instance":"second"}"#
        let read = try VectorFile.decode(Answer.self, text)
        #expect(read.questionId == "name[2]" && QuestionInstance(read.questionId).number == nil)
        #expect(try VectorFile.text(read).contains(#""instance":"second""#))
        var fields = try VectorFile.text(record())
        fields.removeLast()
        let other = try VectorFile.decode(TestRecord.self, fields + #","instances":"two"}"#)
        #expect(other.instances.isEmpty && other.otherFields["instances"] == .string("two"))
    }

    @Test("instances are added up to the most, moved, and removed with their answers, but not below the fewest")
    func edits() throws {
        let section = try section()
        var test = record([answer("name", 1, "Anna")])
        let added = [test.addInstance(of: section), test.addInstance(of: section), test.addInstance(of: section)]
        #expect(added == [2, 3, nil], "there are three at most")
        test.record(answer("name", 3, "Clara"))
        #expect(test.hasAnswers(inInstance: 3, of: section) && !test.hasAnswers(inInstance: 2, of: section))
        test.moveInstance(3, by: -2, of: section)
        #expect(section.instances(in: test) == [3, 1, 2])
        var isRemoved = test.removeInstance(1, of: section)
        #expect(isRemoved)
        #expect(section.instances(in: test) == [3, 2] && test.answers.map(\.questionId) == ["name\u{2060}[3]"])
        isRemoved = test.removeInstance(2, of: section)
        #expect(isRemoved)
        isRemoved = test.removeInstance(3, of: section) || test.removeInstance(7, of: section)
        #expect(!isRemoved, "one stays")
    }

    @Test("a file's greatest number is followed by the first free one")
    func greatest() throws {
        let section = try section()
        var test = record([answer("name", 1, "Anna")])
        test.instances[section.id] = [1, .max]
        #expect(test.addInstance(of: section) == 2)
    }

    @Test("an answer without an instance stays with the first one when others are moved before it")
    func plainAnswers() throws {
        let section = try section()
        var test = record([answer("name", nil, "Anna")])
        let arranged = try questionnaire().arranged(for: test)
        #expect(arranged.unanswered(in: test).filter(\.required).isEmpty)
        test.addInstance(of: section)
        test.moveInstance(2, by: -1, of: section)
        #expect(section.instances(in: test) == [2, 1] && test.answers[0].questionId == "name\u{2060}[1]")
    }

    @Test("each instance has required questions and conditions of its own")
    func required() throws {
        var test = record([answer("name", 1, "Anna"), answer("age", 1, "12"), answer("age", 2, "40")])
        test.addInstance(of: try section())
        let missing = try questionnaire().arranged(for: test).unanswered(in: test).filter(\.required)
        #expect(missing.map { QuestionInstance.written($0.id) } == ["school[1]", "name[2]", "name[3]"])
    }

    @Test("a finished test numbers its instances by their order, without the answers of removed and hidden ones")
    func finished() throws {
        var test = record([
            answer("name", 3, "Clara"), answer("name", 1, "Anna"), answer("name", 2, "gone"), answer("age", 1, "40"),
            answer("school", 1, "hidden"),
        ])
        test.instances = ["people": [3, 1]]
        test.leaveOutHidden(in: try questionnaire().arranged(for: test))
        #expect(test.instances == ["people": [1, 2]])
        #expect(
            test.answers.map { "\(QuestionInstance.written($0.questionId)) \($0.texts[0])" } == [
                "name[1] Clara", "name[2] Anna", "age[2] 40",
            ])
        #expect(test.shown == ["street", "name", "age"])
    }

    @Test("what the terminal changes while another program adds answers: both stay, and a removed instance is gone")
    func takeOver() throws {
        let section = try section()
        let former = record([answer("name", 1, "Anna"), answer("name", 2, "Ben")])
        var current = former
        current.removeInstance(1, of: section)
        var file = former
        file.record(answer("street", nil, "Long"))
        file.takeOver(changesFrom: former, to: current)
        #expect(file.answers.map { QuestionInstance.written($0.questionId) } == ["name[2]", "street"])
        #expect(section.instances(in: file) == [2])
    }

    @Test("a script names instances by a list of objects, or by a number in brackets")
    func given() throws {
        let json = #"{"street": "Long", "people": [{"name": "Anna"}, {"name": "Ben", "age": 12}], "name[3]": "Clara"}"#
        let given = try VectorFile.decode(GivenAnswers.self, json)
        var test = record([answer("name", nil, "former")])
        let placed = try given.placed(in: &test, of: try questionnaire().arranged(for: test))
        #expect(
            placed.keys.map(QuestionInstance.written).sorted() == [
                "age[2]", "name[1]", "name[2]", "name[3]", "street",
            ])
        #expect(try section().instances(in: test) == [1, 2, 3])
        for (name, reason) in [
            #"{"name[4]": "Dora"}"#: "asked at most 3 times", #"{"nme[1]": "Dora"}"#: "no such question",
            #"{"people": [{"street": "x"}]}"#: "no such question",
        ] {
            let given = try VectorFile.decode(GivenAnswers.self, name)
            let fault = #expect(throws: AnswerFault.self) { try given.placed(in: &test, of: try questionnaire()) }
            #expect(fault?.description.contains(reason) == true, "\(name)")
        }
    }

    @Test("answers move to a version that repeats a section, and to one that does so no more")
    func transfer() throws {
        let once = try Questionnaire(json: Array(Self.document.replacing(#""repeat": "#, with: #""x": "#).utf8))
        let repeated = try questionnaire()
        let there = AnswerTransfer([answer("name", nil, "Anna")], from: once, to: repeated)
        #expect(there.carried.map(\.questionId) == ["name"] && there.left.isEmpty)
        let back = AnswerTransfer([answer("name", 1, "Anna"), answer("name", 2, "Ben")], from: repeated, to: once)
        #expect(back.carried.map(\.questionId) == ["name"])
        #expect(back.left.map { QuestionInstance.written($0.answer.questionId) } == ["name[2]"])
        let same = AnswerTransfer([answer("name", 2, "Ben")], from: repeated, to: repeated)
        #expect(same.carried.map(\.questionId) == ["name\u{2060}[2]"])
    }

    @Test("a check names limits that cannot be, and a condition outside")
    func checks() throws {
        func findings(_ old: String, _ new: String) throws -> [String] {
            let text = Self.document.replacing(old, with: new)
            return QuestionnaireCheck.findings(in: try QuestionnaireRules(json: Array(text.utf8))).map(\.description)
        }
        #expect(try findings("", "").isEmpty)
        #expect(try findings(#""min": 1"#, #""min": 4"#) == ["sections[0].repeat: “min” is not below “max”"])
        #expect(try findings(#""max": 3"#, #""max": 300"#).first?.hasPrefix("sections[0].repeat.max") == true)
        let outside = try findings(
            #""text": "Street?""#, #""text": "?", "condition": {"question": "age", "above": 3}"#)
        #expect(outside.first?.contains("only questions of that section can depend on it") == true)
    }
}

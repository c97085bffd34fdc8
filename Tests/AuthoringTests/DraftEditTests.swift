import HTTPServing
import Model
import Testing

@testable import Authoring

@Suite("An edit of a draft is a value")
struct DraftEditTests {
    /// A document with a question of every kind, and with members that no program of ours knows.
    static let rich = """
        {"id": "rich", "title": "Rich", "x-school": {"a": [1, 2.5, "three"]}, "availability": {"attempts": 2, "x-av": true},
         "release": {"correct": "closed", "x-rel": 1}, "timeLimitSeconds": 90, "passScore": 0.6,
         "answerKey": {"old": "b", "oldNumber": "3,5"}, "multiAnswerKey": {"oldSeveral": ["a", "c"]},
         "key": {"choice": {"accept": [{"value": "a", "feedback": "Yes"}, {"value": "b", "points": 0, "feedback": "No"}], "x-key": 1},
          "several": {"accept": [{"value": "a", "points": 1.5}, {"value": "b", "points": -1}], "partial": true},
          "text": {"accept": [{"value": "Paris"}, {"value": "Lutetia", "points": 0.5}], "comparison": "exact", "explanation": "Old."},
          "pattern": {"accept": [{"pattern": "Par.s"}]}, "number": {"accept": [{"value": 3.5}], "tolerance": 0.1},
          "truth": {"accept": [{"value": true}]}, "date": {"accept": [{"value": "2026-11-25"}]}, "scale": {"accept": [{"value": 4}]},
          "rank": {"accept": [{"value": ["one", "two", "three"]}]}, "match": {"accept": [{"value": {"cat": "meows", "dog": "barks"}}]},
          "table": {"accept": [{"value": {"cat": ["big", "small"]}}], "partial": false},
          "gaps": {"accept": [{"value": {"1": ["red", "crimson"], "2": 4}}]}},
         "sections": [{"id": "s1", "title": "First", "questions": ["choice", "several"], "x-sec": 1}],
         "translations": {"ru": {"questions": {"choice": {"options": ["А", "Б", "В"], "text": "Что?"}}}},
         "questions": [
          {"id": "old", "text": "Old", "options": ["a", "b"]}, {"id": "oldNumber", "text": "Old number", "kind": "number"},
          {"id": "oldSeveral", "text": "Several", "kind": "choices", "options": ["a", "b", "c"]},
          {"id": "choice", "text": "One", "kind": "choice", "options": ["a", "b", "c"], "keepLast": ["c"], "x-q": {"deep": [null]}, "points": 2},
          {"id": "several", "text": "Several", "kind": "choices", "options": ["a", "b"], "other": true},
          {"id": "text", "text": "Text", "kind": "text", "multiline": true, "constraint": {"maxLength": 5, "pattern": "P.*"}},
          {"id": "pattern", "text": "Pattern", "kind": "text"},
          {"id": "number", "text": "Number", "kind": "number", "unit": "m", "constraint": {"min": 0, "max": 9, "integer": true, "step": 1}},
          {"id": "truth", "text": "Truth", "kind": "boolean", "options": ["Sure", "No way"]},
          {"id": "date", "text": "Date", "kind": "date", "constraint": {"after": "2020-01-01"}}, {"id": "time", "text": "Time", "kind": "time"},
          {"id": "dt", "text": "Moment", "kind": "dateTime"},
          {"id": "scale", "text": "Scale", "kind": "scale", "scale": {"min": 1, "max": 5, "labels": {"1": "never", "3": "so so", "5": "always"}}},
          {"id": "rank", "text": "Rank", "kind": "ranking", "options": ["one", "two", "three"]},
          {"id": "match", "text": "Match", "kind": "matching", "rows": ["cat", "dog"], "options": ["barks", "meows"]},
          {"id": "table", "text": "Table", "kind": "matrix", "rows": ["cat", "dog"], "options": ["big", "small"], "multiple": true},
          {"id": "gaps", "text": "{{1}} and {{2}}", "kind": "gaps", "gaps": {"1": {"kind": "text"}, "2": {"kind": "number", "x-gap": 1}}},
          {"id": "file", "text": "File", "kind": "file", "accept": "image/*", "capture": "camera", "maxFiles": 2},
          {"id": "place", "text": "Place", "kind": "location", "condition": {"question": "choice", "is": "b"}},
          {"id": "note", "text": "Read this", "kind": "note"}, {"id": "new", "text": "Future", "kind": "hologram", "beam": 7}]}
        """

    private func document() throws -> DraftDocument {
        DraftDocument(try DocumentCoding.decode(JSONValue.self, from: Array(Self.rich.utf8)))
    }

    @Test("a form that is sent as it was shown changes nothing, whatever the kind")
    func unchanged() throws {
        let document = try document()
        for question in document.questions {
            let fields = QuestionFields(question, in: document)
            #expect(DraftEdit.change(question.id, fields).applied(to: document) == document, "\(question.id)")
        }
        #expect(DraftEdit.settings(SettingsFields(document)).applied(to: document) == document)
    }

    @Test(
        "a value that is chosen while the list says “is answered” is compared; “is answered” that is chosen is not",
        arguments: [
            ("truth", "answered", "true", #"{"is":true,"question":"truth"}"#),
            ("several", "answered", "b", #"{"contains":"b","question":"several"}"#),
            ("choice", "answered", "", #"{"answered":true,"question":"choice"}"#),
            ("choice", "unanswered", "b", #"{"answered":false,"question":"choice"}"#),
        ])
    func conditionValues(_ question: String, _ relation: String, _ value: String, _ expected: String) throws {
        var document = try document()
        for (form, expected) in [
            ([("cq.0", question), ("cr.0", "answered")], #"{"answered":true,"question":"\#(question)"}"#),
            ([("cq.0", question), ("cr.0", relation), ("cv.0", value)], expected),
            // From a comparison back to “is answered”, with the value that the form still has.
            ([("cq.0", question), ("cr.0", "is"), ("cv.0", value.isEmpty ? "a" : value)], nil),
            (
                [("cq.0", question), ("cr.0", "answered"), ("cv.0", value.isEmpty ? "a" : value)],
                #"{"answered":true,"question":"\#(question)"}"#
            ),
        ] as [([(String, String)], String?)] {
            var fields = QuestionFields(try #require(document.question("dt")), in: document)
            fields.condition = ConditionFields(FormFields(form))
            document = DraftEdit.change("dt", fields).applied(to: document)
            guard let expected else { continue }
            let condition = try #require(document.question("dt")?.members["condition"])
            #expect(try String(decoding: DocumentCoding.encodeLine(condition).dropLast(), as: UTF8.self) == expected)
        }
    }

    @Test("the form shows each key but one of its file’s own form, which stays as it is")
    func keys() throws {
        let document = try document()
        for question in document.questions where question.unknownKind == nil {
            #expect(QuestionFields(question, in: document).showsKey == (question.id != "pattern"), "\(question.id)")
        }
        var fields = QuestionFields(try #require(document.question("pattern")), in: document)
        fields.text = "Another text"
        let edited = DraftEdit.change("pattern", fields).applied(to: document)
        #expect(edited.question("pattern")?.text == "Another text")
        #expect(edited.key(of: "pattern") == document.key(of: "pattern"))
    }

    @Test("what the form does not show survives an edit: unknown members, limits, labels, translations")
    func kept() throws {
        var document = try document()
        for question in document.questions {
            var fields = QuestionFields(question, in: document)
            fields.text += "!"
            fields.points = "3"
            document = DraftEdit.change(question.id, fields).applied(to: document)
        }
        let before = try self.document()
        for (former, question) in zip(before.questions, document.questions) {
            for name in former.members.keys where !["text", "points"].contains(name) {
                #expect(question.members[name] == former.members[name], "\(question.id).\(name)")
            }
            #expect(question.members["points"] == .integer(3))
        }
        #expect(document.members["x-school"] == before.members["x-school"])
        #expect(document.members["sections"] == before.members["sections"])
        #expect(document.key(of: "choice")["x-key"] == .integer(1))
    }

    @Test("a renamed option is followed by its key, the conditions and what stays last; translations move with it")
    func renamedOption() throws {
        let document = try document()
        var fields = QuestionFields(try #require(document.question("choice")), in: document)
        fields.options[1].text = "bee"
        fields.options[2].text = "none"
        fields = fields.doing("up.o.1")
        let edited = DraftEdit.change("choice", fields).applied(to: document)
        let question = try #require(edited.question("choice"))
        #expect(question.options == ["bee", "a", "none"])
        #expect(question.members["keepLast"]?.texts == ["none"])
        #expect(edited.question("place")?.members["condition"]?.members?["is"]?.text == "bee")
        let russian = edited.members["translations"]?.members?["ru"]?.members?["questions"]?.members?["choice"]
        #expect(russian?.members?["options"]?.texts == ["Б", "А", "В"])
        #expect(edited.key(of: "choice")["accept"]?.elements?.first?.members?["value"]?.text == "bee")
    }

    @Test("moving, duplicating and deleting keep sections and keys in step")
    func list() throws {
        let document = try document()
        let moved = DraftEdit.move("several", by: -1).applied(to: document)
        #expect(moved.questions.map(\.id).firstIndex(of: "several") == 3)
        #expect(moved.members["sections"]?.elements?[0].members?["questions"]?.texts == ["several", "choice"])
        #expect(DraftEdit.move("old", by: -1).applied(to: document) == document)
        let copied = DraftEdit.duplicate("choice", id: "q1").applied(to: document)
        #expect(copied.questions[4].id == "q1")
        #expect(copied.key(of: "q1") == document.key(of: "choice"))
        #expect(copied.members["sections"]?.elements?[0].members?["questions"]?.texts == ["choice", "q1", "several"])
        let deleted = DraftEdit.delete("choice").applied(to: document)
        #expect(deleted.question("choice") == nil)
        #expect(deleted.key(of: "choice").isEmpty)
        #expect(deleted.members["sections"]?.elements?[0].members?["questions"]?.texts == ["several"])
        #expect(DraftEdit.delete("oldSeveral").applied(to: document).members["multiAnswerKey"] == nil)
    }

    @Test("a question of every kind is written with its form and passes the check", arguments: Question.Kind.offered)
    func everyKind(_ kind: Question.Kind) throws {
        var document = DraftDocument(id: "new", title: "New", locale: "en")
        document = DraftEdit.add(kind, id: "q1", after: nil).applied(to: document)
        let form = FormFields(
            """
            shown=\(kind.rawValue)&kind=\(kind.rawValue)&text=\(kind == .gaps ? "%7B%7B1%7D%7D%20red" : "What%3F")&points=2&required=1\
            &o.0=one&r.0=1&o.1=two&f.1=No&o.2=&ordered=1&row.0=cat&rowr.0=1&row.1=dog&rowr.1=0&gap.0=1&gapk.0=text&gapa.0=red\
            &a.0=\(kind == .date ? "2026-11-25" : kind == .time ? "14:30" : kind == .dateTime ? "2026-11-25T14:30:00Z" : "4")\
            &least=1&most=9&maxfiles=2
            """)
        document = DraftEdit.change("q1", QuestionFields(form)).applied(to: document)
        // A gap is known when its text was saved.
        document = DraftEdit.change("q1", QuestionFields(form)).applied(to: document)
        let json = try #require(String(validating: document.bytes, as: UTF8.self))
        #expect(DraftFinding.all(in: document).isEmpty, "\(DraftFinding.all(in: document)) in \(json)")
        let questionnaire = try AnswerKey.checkedQuestionnaire(json: document.bytes)
        #expect(questionnaire.questions.first?.kind == kind)
        if kind.hasKey {
            let rules = try QuestionnaireRules(json: document.bytes)
            let right: JSONValue =
                switch kind.shape {
                case .option: .string("one")
                case .options: .array([.string("one")])
                case .order: .array([.string("one"), .string("two")])
                case .rows: .object(["cat": .string("two"), "dog": .string("one")])
                case .gaps: .object(["1": .string("red")])
                default:
                    kind == .boolean
                        ? .bool(true) : document.key(of: "q1")["accept"]?.elements?[0].members?["value"] ?? .null
                }
            #expect(rules.points(of: rules.questions[0])?.result(of: right)?.points == 2, "\(json)")
        }
    }

    @Test("each finding leads to the question or screen where it is settled")
    func findings() throws {
        var document = DraftDocument(id: "new", title: " ", locale: "en")
        document = DraftEdit.add(.choice, id: "a.b", after: nil).applied(to: document)
        document.setKey(["accept": .array([.object(["value": .string("gone")])])], of: "a.b")
        let findings = DraftFinding.all(in: document)
        #expect(findings.first == DraftFinding(problem: .noTitle, place: .settings))
        #expect(findings.contains { $0.problem == .noText && $0.place == .question("a.b") })
        #expect(findings.contains { $0.problem == .found(.keyIsNoOption("gone")) && $0.place == .question("a.b") })
        #expect(DraftFinding.all(in: DraftDocument(.object([:]))).contains { $0.isFault })
        let broken = DraftDocument(.object(["id": .string("x"), "title": .integer(3), "questions": .string("none")]))
        #expect(DraftFinding.all(in: broken).contains { $0.isFault })
    }
}

import Foundation
import Model
import Testing

@Suite("A questionnaire is read as people write it, and a fault names its field")
struct QuestionnaireTests {
    @Test("the fields are read, and the unknown ones are no obstacle")
    func fields() throws {
        let questionnaire = try Questionnaire(
            json: bytes(
                """
                {"id": "geo-1", "title": "География", "description": "Проверка", "locale": "ru", "version": 7,
                 "updatedAt": "2026-11-21T04:51:00Z", "timeLimitSeconds": 600, "answerKey": {"q1": "б"},
                 "questions": [
                   {"id": "q1", "text": "Выберите", "kind": "choice", "options": ["а", "б"], "required": true,
                    "media": [{"path": "media/a.jpg", "type": "image/jpeg", "alt": "Карта"}], "points": 2},
                   {"id": "q2", "text": "Напишите"}]}
                """))
        var first = Question(
            id: "q1", text: "Выберите", kind: .choice, options: ["а", "б"], required: true,
            media: [Media(path: "media/a.jpg", type: "image/jpeg", alt: "Карта")])
        first.points = 2
        #expect(
            questionnaire
                == Questionnaire(
                    id: "geo-1", title: "География", description: "Проверка", locale: "ru",
                    updatedAt: Timestamp("2026-11-21T04:51:00Z"), timeLimitSeconds: 600,
                    questions: [first, Question(id: "q2", text: "Напишите", kind: .text)]))
        #expect(questionnaire.question("q2")?.kind == .text)
        #expect(questionnaire.question("q3") == nil)
        #expect(questionnaire.media.map(\.path) == ["media/a.jpg"])
        #expect(questionnaire.searchableText == "Проверка\nВыберите\nа\nб\nНапишите")
    }

    @Test("what is written is read back the same, and twice alike")
    func roundTrip() throws {
        let questionnaire = Questionnaire(
            id: "a/b ?", title: "T", locale: "en", timeLimitSeconds: 1,
            // Steps are made from the scale, and a gap of yes and no has the words of the document's language.
            questions: Question.Kind.allCases.filter { $0 != .scale && $0 != .gaps }.map {
                Question(id: $0.rawValue, text: "?", kind: $0, options: ["1", "1"], media: [Media(path: "m")])
            })
        let text = try DocumentCoding.encode(questionnaire)
        #expect(try Questionnaire(json: text) == questionnaire)
        #expect(try DocumentCoding.encode(questionnaire) == text)
    }

    @Test(
        "the kind follows from what is stated",
        arguments: [
            (#"{"options": ["a"]}"#, Question.Kind.choice), (#"{"options": ["a"], "multiple": true}"#, .choices),
            (#"{"options": ["a"], "multiple": false}"#, .choice), (#"{}"#, .text), (#"{"options": []}"#, .text),
            (#"{"options": [], "multiple": true}"#, .text), (#"{"kind": "number"}"#, .number),
            (#"{"kind": "text", "options": ["a"]}"#, .text), (#"{"kind": "choices", "options": ["a"]}"#, .choices),
            (#"{"kind": "slider", "options": ["a"]}"#, .text), (#"{"kind": "slider"}"#, .text),
            (#"{"options": null, "multiple": null, "kind": null}"#, .text),
        ])
    func kinds(_ fields: String, _ kind: Question.Kind) throws {
        let rest = fields == "{}" ? "}" : ", " + fields.dropFirst()
        let question = try DocumentCoding.decode(Question.self, from: bytes(#"{"id": "q", "text": "t""# + rest))
        #expect(question.kind == kind)
    }

    @Test(
        "“language” stands for “locale”, which goes before it",
        arguments: [
            (#""language": "bg""#, "bg"), (#""locale": "ru", "language": "bg""#, "ru"),
            (#""locale": null, "language": "bg""#, "bg"),
        ])
    func language(_ field: String, _ expected: String) throws {
        let json = #"{"id": "a", "title": "", "questions": [], "# + field + "}"
        #expect(try Questionnaire(json: bytes(json)).locale == expected)
    }

    @Test(
        "texts are plain unless the document says that they are Markdown",
        arguments: [
            (#""textFormat": "markdown""#, TextFormat.markdown), (#""textFormat": "plain""#, .plain),
            (#""textFormat": "rtf""#, .plain), (#""textFormat": null"#, .plain), (#""textFormat": 5"#, .plain),
            (#""format": "markdown""#, .plain),
        ])
    func textFormat(_ field: String, _ expected: TextFormat) throws {
        let json = #"{"id": "a", "title": "", "questions": [], "# + field + "}"
        let questionnaire = try Questionnaire(json: bytes(json))
        #expect(questionnaire.textFormat == expected)
        let written = try DocumentCoding.encode(questionnaire)
        #expect(try Questionnaire(json: written) == questionnaire)
        #expect(String(decoding: written, as: UTF8.self).contains("textFormat") == (expected == .markdown))
    }

    @Test(
        "a fault names the field and says what is wrong",
        arguments: [
            (#"{"title": "t", "questions": []}"#, "id: is missing"),
            (#"{"id": 5, "title": "t", "questions": []}"#, "id: is not a text"),
            (#"{"id": null, "title": "t", "questions": []}"#, "id: is null where a text belongs"),
            (#"{"id": "", "title": "t", "questions": []}"#, "id: is empty"),
            (#"{"id": "..", "title": "t", "questions": []}"#, "id: is “..”, which a URL cannot carry"),
            (#"{"id": "a\u0000b", "title": "t", "questions": []}"#, "id: has a control character"),
            (#"{"id": "a\u009b31m", "title": "t", "questions": []}"#, "id: has a control character"),
            (#"{"id": "a", "questions": []}"#, "title: is missing"),
            (#"{"id": "a", "title": "t"}"#, "questions: is missing"),
            (#"{"id": "a", "title": "t", "questions": {}}"#, "questions: is not a list"),
            (#"{"id": "a", "title": "t", "questions": [{"id": "q"}]}"#, "questions[0].text: is missing"),
            (
                #"{"id": "a", "title": "t", "questions": [{"id": "q", "text": "?", "options": ["a", 5]}]}"#,
                "questions[0].options[1]: is not a text"
            ),
            (
                #"{"id": "a", "title": "t", "questions": [{"id": "q", "text": "?", "options": "a"}]}"#,
                "questions[0].options: is not a list"
            ),
            (
                #"{"id": "a", "title": "t", "questions": [{"id": "q", "text": "?", "required": "yes"}]}"#,
                "questions[0].required: is not true or false"
            ),
            (
                #"{"id": "a", "title": "t", "questions": [{"id": "q", "text": "?", "kind": "choice"}]}"#,
                "questions[0].options: a question of kind “choice” needs options"
            ),
            (
                #"{"id": "a", "title": "t", "questions": [{"id": "q", "text": "?"}, {"id": "q", "text": "!"}]}"#,
                "questions: two questions have the id “q”"
            ),
            (
                #"{"id": "a", "title": "t", "questions": [], "timeLimitSeconds": "long"}"#,
                "timeLimitSeconds: is not a whole number"
            ),
            (
                #"{"id": "a", "title": "t", "questions": [], "updatedAt": "soon"}"#,
                "updatedAt: “soon” is not a date like 2026-11-21T04:51:00Z"
            ),
            ("[]", "is not an object with named fields"),
            ("", "it is not JSON: the text ends in the middle (line 1, column 1)"),
            ("<html>", "it is not JSON: a value was expected (line 1, column 1)"),
        ])
    func faults(_ json: String, _ sentence: String) {
        let fault = #expect(throws: DocumentFault.self) { try Questionnaire(json: bytes(json)) }
        #expect(fault?.description == sentence)
    }

    @Test("a time limit runs from the start, ends at nothing, and is none where it is not positive")
    func timeLimit() throws {
        let start = try #require(Timestamp("2026-11-21T04:51:00Z"))
        var questionnaire = Questionnaire(id: "id", title: "t", questions: [])
        #expect(questionnaire.timeLeft(since: start, now: start) == nil)
        for (limit, passed, left) in [
            (90, 0, 90), (90, 0.4, 90), (90, 89.5, 1), (90, 90, 0), (90, 1e12, 0), (90, -5000, 90), (0, 0, nil),
            (-1, 0, nil), (Int.min, 0, nil), (.max, 0, .max), (.max, -1, .max), (1 << 53, 1, (1 << 53) - 1),
        ] as [(Int, Double, Int?)] {
            questionnaire.timeLimitSeconds = limit
            let now = start.adding(seconds: passed)
            #expect(questionnaire.timeLeft(since: start, now: now) == left, "\(limit) \(passed)")
            #expect((questionnaire.timeLimit == nil) == (limit <= 0))
        }
    }

    @Test("a number that overflows names its field, too")
    func overflow() {
        for number in ["1e400", "99999999999999999999", "1.5"] {
            let json = #"{"id": "a", "title": "t", "questions": [], "timeLimitSeconds": "# + number + "}"
            let fault = #expect(throws: DocumentFault.self) { try Questionnaire(json: bytes(json)) }
            #expect(fault?.description == "timeLimitSeconds: is not a whole number")
        }
        let fault = #expect(throws: DocumentFault.self) {
            try DocumentCoding.decode([Double].self, from: bytes("[1, 1e400]"))
        }
        #expect(fault?.reason.contains("too great") == true)
    }

    @Test("an id has at most 512 bytes")
    func longID() {
        #expect(Questionnaire.fault(inID: String(repeating: "й", count: 256)) == nil)
        #expect(Questionnaire.fault(inID: String(repeating: "й", count: 256) + "a") == "is longer than 512 bytes")
        for id in ["a", "../x", "Ж/ж", "a b", "e\u{301}", "...", "\u{1F600}", "NUL"] {
            #expect(Questionnaire.fault(inID: id) == nil)
        }
        for id in ["\n", "a\u{7F}", "\u{1B}[31m", "\u{85}", "\u{9B}31m"] {
            #expect(Questionnaire.fault(inID: id) == "has a control character")
        }
    }

    @Test("the real questionnaires are all read", .enabled(if: Samples.isThere))
    func realQuestionnaires() throws {
        let files = try Samples.questionnaires()
        #expect(files.count > 200)
        for (name, content) in files {
            let questionnaire = try Questionnaire(json: content)
            #expect(questionnaire.id + ".json" == name)
            #expect(!questionnaire.questions.isEmpty)
            #expect(questionnaire.locale != nil)
            let text = try JSONText(checking: content)
            let key = text.members.map(\.name).filter { $0 == "answerKey" || $0 == "multiAnswerKey" }
            let published = try JSONText(checking: text.removing(["answerKey", "multiAnswerKey"]))
            #expect(published.members.count == text.members.count - key.count)
            #expect(try Questionnaire(json: published.bytes) == questionnaire)
        }
    }
}

/// The collected data beside the package; tests that use it are skipped where it is not.
enum Samples {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("shared/data/questionnaires")

    static let isThere = FileManager.default.fileExists(atPath: folder.path)

    static func questionnaires() throws -> [(name: String, content: [UInt8])] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }.sorted().map {
            ($0, Array(try Data(contentsOf: folder.appendingPathComponent($0))))
        }
    }
}

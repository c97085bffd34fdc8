import Model
import Testing

@Suite("The files of changes")
struct ChangeFileTests {
    private let document = Array("{\"id\": \"a\", \"title\": \"A\", \"x\": 1.50, \"questions\": []}".utf8)

    @Test("a change's file is readable JSON, and its document survives to the letter")
    func roundTrip() throws {
        let change = QuestionnaireChange(
            id: .random(), action: .edit, questionnaire: "a", title: "A }", base: .init(etag: "\"3f\""),
            after: .random(),
            policy: .client, resolves: .random(), dateChanged: .epoch, deviceId: "d", sequence: 7, document: document)
        let file = try change.file()
        #expect(try QuestionnaireChange(file: file) == change)
        #expect(try JSONText(checking: file).members.last?.name == "document")
        let deletion = QuestionnaireChange(
            id: .random(), action: .delete, questionnaire: "a", title: "A", dateChanged: .epoch, deviceId: "d",
            sequence: 8)
        #expect(try QuestionnaireChange(file: try deletion.file()) == deletion)
    }

    @Test(
        "what is no change is refused by name",
        arguments: [
            ("\"action\": \"create\"", "\"action\": \"favorite\"", "action"), ("\"title\": \"A\", ", "", "title"),
            ("\"questionnaire\" : \"a\"", "\"questionnaire\" : \"\"", "questionnaire"),
        ])
    func refused(_ part: String, _ other: String, _ field: String) throws {
        let change = QuestionnaireChange(
            id: .random(), action: .create, questionnaire: "a", title: "A", dateChanged: .epoch, deviceId: "d",
            sequence: 1, document: document)
        let text = String(decoding: try change.file(), as: UTF8.self)
            .replacing("\"action\" : \"create\"", with: "\"action\": \"create\"").replacing(part, with: other)
        let fault = #expect(throws: DocumentFault.self) { try QuestionnaireChange(file: Array(text.utf8)) }
        #expect(fault?.field == field)
    }

    @Test("a document gets another id, and nothing else in it changes")
    func renamed() throws {
        let named = try QuestionnaireChange.document(document, named: "b\"c")
        #expect(
            String(decoding: named, as: UTF8.self)
                == "{\"id\": \"b\\\"c\", \"title\": \"A\", \"x\": 1.50, \"questions\": []}")
        let without = try QuestionnaireChange.document(Array("{\"title\": \"A\"}".utf8), named: "b")
        #expect(String(decoding: without, as: UTF8.self) == "{\"id\": \"b\", \"title\": \"A\"}")
    }

    @Test("two versions are compared field by field, questions by their ids")
    func differences() throws {
        func value(_ text: String) throws -> JSONValue {
            try DocumentCoding.decode(JSONValue.self, from: Array(text.utf8))
        }
        let mine = try value(
            #"{"id": "x", "title": "A", "questions": [{"id": "q1", "text": "1"}, {"id": "q2", "text": "2"}]}"#)
        let theirs = try value(
            #"{"id": "y", "title": "B", "questions": [{"id": "q2", "text": "two"}, {"id": "q3", "text": "3"}]}"#)
        let found = DocumentDifference.between(mine, theirs, ignoring: ["id"])
        #expect(found.map(\.field) == ["questions[q1]", "questions[q2].text", "questions[q3]", "title"])
        #expect(found[0].theirs == nil && found[2].mine == nil)
        #expect(DocumentDifference.between(mine, mine).isEmpty)
    }
}

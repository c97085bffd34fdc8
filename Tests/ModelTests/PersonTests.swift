import Model
import Simulation
import Testing

@Suite("A test names its person")
struct PersonTests {
    private func record(_ person: Person? = nil) throws -> TestRecord {
        var record = TestRecord(
            id: try #require(TestID("3fa85f64-5717-4562-b3fc-2c963f66afa6")),
            questionnaire: QuestionnaireReference(id: "geo", title: "Geo", digest: Digest(sha256Of: [])),
            dateStarted: .epoch, deviceId: "d1", sequence: 3)
        record.person = person
        return record
    }

    /// A test's line with a member more.
    private func text(with member: String) throws -> [UInt8] {
        bytes(String(decoding: try DocumentCoding.encodeLine(record()), as: UTF8.self).dropLast(2) + ",\(member)}\n")
    }

    /// A value as our own documents write it: `7.0` is `7` there.
    private func value(_ text: [UInt8]) throws -> JSONValue {
        let value = try DocumentCoding.decode(JSONValue.self, from: text)
        return try DocumentCoding.decode(JSONValue.self, from: DocumentCoding.encode(value))
    }

    @Test("with id, name and group, and nothing else is different")
    func members() throws {
        let plain = String(decoding: try DocumentCoding.encodeLine(record()), as: UTF8.self)
        let named = try DocumentCoding.encodeLine(record(Person(id: "ada", name: "Ада", group: "7б")))
        #expect(!plain.contains("person"))
        #expect(
            String(decoding: named, as: UTF8.self)
                == plain.replacing(
                    "\"questionnaire\"", with: #""person":{"group":"7б","id":"ada","name":"Ада"},"questionnaire""#)
        )
    }

    @Test("any person, with members of other programs, comes back as it was", arguments: 0..<50)
    func roundTrip(_ seed: UInt64) throws {
        var json = RandomJSON(seed: seed)
        func name() -> String {
            let parts = ["Ада", "Ó", "李", "e\u{301}", "\u{1F600}", " ", "\"", "\\", "'", ",", "/", "ـ", "O’Brien"]
            return "x" + (0..<json.number(below: 30)).map { _ in json.pick(parts) }.joined()
        }
        var person = Person(id: name(), name: name(), group: json.coin() ? name() : nil)
        person.otherFields = ["more": try value(json.object(depth: 2))]
        for person in [person, person.reference] {
            var record = try record(person)
            record.otherFields = ["zNew": try value(json.text(depth: 3))]
            record.record(Answer(questionId: "q1", value: .one(name())))
            let text = try DocumentCoding.encode(record)
            let back = try DocumentCoding.decode(TestRecord.self, from: text)
            #expect(back == record)
            #expect(try DocumentCoding.encode(back) == text)
        }
    }

    @Test(
        "a person in another form is kept and not used",
        arguments: [
            "null", "5", #""Ada""#, "[]", "{}", #"{"id":"ada"}"#, #"{"id":"","name":"Ada"}"#,
            #"{"id":"ada","name":" "}"#, #"{"id":"ada","name":"A\nB"}"#, #"{"group":7,"id":"ada","name":"Ada"}"#,
            #"{"id":7,"name":"Ada"}"#,
        ])
    func otherForms(_ value: String) throws {
        let text = try text(with: "\"zOther\":1,\"person\":\(value)")
        let back = try DocumentCoding.decode(TestRecord.self, from: text)
        #expect(back.person == nil)
        let again = try DocumentCoding.encodeLine(back)
        #expect(String(decoding: again, as: UTF8.self).contains("\"person\":\(value)"))
        #expect(try DocumentCoding.decode(TestRecord.self, from: again) == back)
    }

    @Test("a longer name than people have is not used")
    func longNames() throws {
        for (count, isUsed) in [(400, true), (401, false)] {
            let name = String(repeating: "a", count: count)
            let text = try text(with: #""person":{"id":"ada","name":"\#(name)"}"#)
            #expect(try (DocumentCoding.decode(TestRecord.self, from: text).person != nil) == isUsed)
        }
    }

    @Test("changes that a program applies to a draft leave its person alone")
    func takingOver() throws {
        var onDisk = try record(Person(id: "ada", name: "Ada"))
        var changed = try record()
        changed.record(Answer(questionId: "q1", value: .one("yes")))
        onDisk.takeOver(changesFrom: try record(), to: changed)
        #expect(onDisk.person?.id == "ada" && onDisk.answers.count == 1)
    }
}

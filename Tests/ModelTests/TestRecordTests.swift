import Model
import Simulation
import Testing

@Suite("A test's file keeps all that it holds")
struct TestRecordTests {
    private static let digest = Digest(sha256Of: "abc".utf8)

    private func record() throws -> TestRecord {
        var record = TestRecord(
            id: try #require(TestID("3fa85f64-5717-4562-b3fc-2c963f66afa6")),
            questionnaire: QuestionnaireReference(id: "geo/1", title: "География", digest: Self.digest),
            dateStarted: Timestamp(millisecondsSinceEpoch: 1_795_236_660_123), deviceId: "d1", sequence: 3)
        record.record(Answer(questionId: "q1", value: .one("да"), optionIndexes: [0]))
        return record
    }

    @Test("its text is readable, with sorted names, and the same each time")
    func bytesAreStable() throws {
        let text = String(decoding: try DocumentCoding.encode(record()), as: UTF8.self)
        #expect(
            text == """
                {
                  "answers" : [
                    {
                      "answer" : "да",
                      "optionIndexes" : [
                        0
                      ],
                      "questionId" : "q1"
                    }
                  ],
                  "dateStarted" : "2026-11-21T04:51:00.123Z",
                  "deviceId" : "d1",
                  "id" : "3fa85f64-5717-4562-b3fc-2c963f66afa6",
                  "questionnaire" : {
                    "digest" : "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                    "id" : "geo/1",
                    "title" : "География"
                  },
                  "sequence" : 3
                }

                """)
    }

    @Test("it comes back as it was, with everything filled in")
    func roundTrip() throws {
        var full = try record()
        full.dateFinished = Timestamp(millisecondsSinceEpoch: 1_795_236_661_000)
        full.parent = TestID.random()
        full.resume = ResumePosition(
            question: "q1", scroll: 12.5, cursor: 4, selection: .init(start: 1, end: 3), focus: "next")
        full.otherFields = ["x": .array([.null, .bool(false), .integer(1), .number(0.5), .string("é"), .object([:])])]
        for value in [full, try record()] {
            let text = try DocumentCoding.encode(value)
            let back = try DocumentCoding.decode(TestRecord.self, from: text)
            #expect(back == value)
            #expect(try DocumentCoding.encode(back) == text)
        }
    }

    @Test(
        "fields that are unknown survive a save, whatever they hold",
        arguments: [
            "null", "true", "0", "1", "-7", "0.1", "1e+100", "9223372036854775807", "\"\"", "\"é\\u0000\"", "[]", "{}",
            #"[1,[2,{"a":[null,true,"x"]}]]"#, #"{"":{"b":0.5},"true":false}"#,
        ])
    func unknownFields(_ value: String) throws {
        let text = String(decoding: try DocumentCoding.encodeLine(record()), as: UTF8.self).dropLast(2)
        let extended = bytes(text + #","zNew":"# + value + "}")
        var back = try DocumentCoding.decode(TestRecord.self, from: extended)
        #expect(try DocumentCoding.encodeLine(back) == extended + bytes("\n"))
        back.record(Answer(questionId: "q2", value: .one("x")))
        let again = try DocumentCoding.decode(TestRecord.self, from: DocumentCoding.encode(back))
        #expect(again.otherFields == back.otherFields)
        #expect(again.otherFields.count == 1)
    }

    @Test("an answer takes the place of the former one, and a blank one takes it away")
    func recording() throws {
        var record = try record()
        record.record(Answer(questionId: "q2", value: .several(["a"])))
        record.record(Answer(questionId: "q1", value: .one("нет")))
        #expect(record.answers.map(\.questionId) == ["q2", "q1"])
        #expect(record.answer(to: "q1")?.texts == ["нет"])
        record.record(Answer(questionId: "q1", value: .one("  ")))
        record.record(Answer(questionId: "q3", value: .one("")))
        #expect(record.answers.map(\.questionId) == ["q2"])
        #expect(record.answer(to: "q1") == nil)
    }

    @Test(
        "a field that is missing or wrong is named",
        arguments: [
            ("id", "\"x\"", "id: “x” is not a UUID"), ("dateStarted", "5", "dateStarted: is not a text"),
            ("questionnaire", "{}", "questionnaire.id: is missing"),
            ("questionnaire", "5", "questionnaire: is not an object with named fields"),
            ("answers", "{}", "answers: is not a list"),
            ("answers", #"[{"questionId":"q"}]"#, "answers[0].answer: is missing"),
            ("sequence", "1.5", "sequence: is not a whole number"), ("parent", "\"\"", "parent: “” is not a UUID"),
            ("resume", #"{"cursor":"x"}"#, "resume.cursor: is not a whole number"),
        ])
    func faults(_ name: String, _ value: String, _ sentence: String) throws {
        let json = try JSONText(checking: DocumentCoding.encodeLine(record())).removing([name])
        let text = "{\"\(name)\":\(value)," + String(decoding: json, as: UTF8.self).dropFirst()
        let fault = #expect(throws: DocumentFault.self) {
            try DocumentCoding.decode(TestRecord.self, from: bytes(text))
        }
        #expect(fault?.description == sentence)
    }

    @Test("what old or other programs leave out has a default")
    func defaults() throws {
        let json = try JSONText(checking: DocumentCoding.encodeLine(record())).removing([
            "deviceId", "sequence", "resume",
        ])
        let back = try DocumentCoding.decode(TestRecord.self, from: json)
        #expect(back.deviceId.isEmpty && back.sequence == 0 && back.resume == nil)
    }

    @Test("a receipt comes back as it was, and its text is the same each time")
    func receipt() throws {
        let receipt = Receipt(
            test: TestID.random(), digest: Self.digest, status: .rated, receivedAt: .epoch,
            evaluation: Evaluation(
                score: 1.5, maximum: 2, ratedAt: .epoch, ratedBy: "key", comment: "Хорошо",
                questions: [
                    .init(questionId: "q1", correct: true), .init(questionId: "q2", correct: nil, comment: "?"),
                ]),
            delivery: .init(
                attempts: 2, firstAttempt: .epoch, lastAttempt: .epoch, reason: "no network", mayHaveArrived: true,
                httpStatus: 503, problem: .object(["title": .string("busy")])))
        let text = try DocumentCoding.encode(receipt)
        let back = try DocumentCoding.decode(Receipt.self, from: text)
        #expect(back == receipt)
        #expect(try DocumentCoding.encode(back) == text)
    }

    @Test("damaged files are refused or read, never a crash", arguments: 0..<20)
    func damaged(_ seed: UInt64) throws {
        var json = RandomJSON(seed: seed)
        let text = try DocumentCoding.encode(record())
        for _ in 0..<100 {
            if let back = try? DocumentCoding.decode(TestRecord.self, from: json.damaged(text)) {
                #expect(try DocumentCoding.decode(TestRecord.self, from: DocumentCoding.encode(back)) == back)
            }
        }
    }
}

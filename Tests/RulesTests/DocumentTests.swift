import Model
import Testing

@Suite("Rules in documents")
struct DocumentTests {
    @Test(
        "what is read is written, with members that are unknown here",
        arguments: [
            #"{"is":"yes","question":"q1"}"#, #"{"answered":false,"note":"later","question":"q1"}"#,
            #"{"all":[{"atLeast":3,"question":"q"},{"not":{"matches":"a+","question":"r"}}],"x":[1,{"y":null}]}"#,
            #"{"any":[]}"#, #"{"isNot":["a","b"],"question":"q"}"#,
        ])
    func conditions(_ json: String) throws {
        #expect(try VectorFile.text(VectorFile.decode(Condition.self, json)) == json)
    }

    @Test("the other forms are written as they were read")
    func others() throws {
        func same<Value: Codable>(_ type: Value.Type, _ json: String) throws {
            #expect(try VectorFile.text(VectorFile.decode(type, json)) == json)
        }
        try same(
            Constraint.self,
            #"{"after":"2026-01-01","before":"2027-01-01","integer":true,"max":10,"maxCount":3,"maxLength":9,"min":0.5,"minCount":1,"minLength":2,"pattern":"a+","step":0.5,"why":"x"}"#
        )
        try same(
            Section.self,
            #"{"condition":{"is":1,"question":"q"},"id":"s","media":[{"path":"a.png"}],"pick":2,"questions":["a","b"],"repeat":{"label":"Person","max":9,"min":1,"order":"age"},"text":"Read this.","title":"One","x":true}"#
        )
        try same(
            QuestionKey.self,
            #"{"accept":[{"feedback":"Yes","note":1,"points":0.5,"translations":{"ru":{"feedback":"Да","x":1}},"value":"a"},{"pattern":"b+"}],"belowZero":true,"comparison":"exact","explanation":"Because","partial":true,"tolerance":0.01,"x":{}}"#
        )
        try same(
            Availability.self,
            #"{"attempts":2,"closesAt":"2026-12-01T00:00:00.000Z","late":"mark","opensAt":"2026-11-01T00:00:00.000Z","zone":"x"}"#
        )
        try same(Release.self, #"{"correct":"closed","explanation":"rated","score":"never","verdicts":"closed","x":1}"#)
    }

    @Test(
        "a member of a key that is called “translations” and has another form is kept as it is",
        arguments: [#"{"fr":"Oui"}"#, #"["fr"]"#, #""fr""#, #"{"fr":{"feedback":1}}"#])
    func otherTranslations(_ form: String) throws {
        let json = #"{"accept":[{"translations":\#(form),"value":"a"}],"translations":\#(form)}"#
        let key = try VectorFile.decode(QuestionKey.self, json)
        #expect(key.translations.isEmpty && key.accept.allSatisfy(\.translations.isEmpty))
        #expect(try VectorFile.text(key) == json)
    }

    @Test(
        "a fault names its place",
        arguments: [
            (#"{"id":"q","text":"?","condition":{}}"#, "questions[0].condition: is no condition"),
            (
                #"{"id":"q","text":"?","condition":{"all":[{"question":"a","is":1,"above":2}]}}"#,
                "questions[0].condition.all[0]: asks “a” for several things"
            ),
            (
                #"{"id":"q","text":"?","condition":{"not":{"question":"a","above":true}}}"#,
                "questions[0].condition.not.above: is neither a number"
            ),
            (
                #"{"id":"q","text":"?","condition":{"all":[],"any":[]}}"#,
                "questions[0].condition: has both “all” and “any”"
            ),
            (#"{"id":"q","text":"?","condition":{"question":"a","is":null}}"#, "questions[0].condition.is: is null"),
            (#"{"id":"q","text":"?","constraint":{"min":"1"}}"#, "questions[0].constraint.min: is not a number"),
            (#"{"id":"q","text":"?","constraint":{"maxLength":-1}}"#, "questions[0].constraint.maxLength: is negative"),
            (
                #"{"id":"q","text":"?","constraint":{"before":"1.1.2026"}}"#,
                "questions[0].constraint.before: is not a date"
            ),
        ])
    func faults(_ question: String, _ expected: String) {
        #expect {
            _ = try QuestionnaireRules(json: Array("{\"questions\": [\(question)]}".utf8))
        } throws: { error in
            let isRight = "\(error)".hasPrefix(expected)
            if !isRight { Issue.record("\(error)") }
            return isRight
        }
    }

    @Test("a condition that is nested as deep as documents may be is read and evaluated")
    func deep() throws {
        let depth = 20
        let json =
            String(repeating: #"{"not":"#, count: depth) + #"{"question":"q","answered":true}"#
            + String(repeating: "}", count: depth)
        let condition = try VectorFile.decode(Condition.self, json)
        #expect(!condition.holds { _ in nil })
        #expect(condition.questions == ["q"])
    }

    @Test("the older members of a key are read as keys")
    func olderKey() throws {
        let rules = try QuestionnaireRules(
            json: Array(
                """
                {"questions": [{"id": "a", "text": "?", "options": ["x", "y"]},
                {"id": "b", "text": "?", "options": ["x", "y"], "multiple": true}, {"id": "c", "text": "?", "kind": "number"}],
                "answerKey": {"a": "x", "c": "1 500,5"}, "multiAnswerKey": {"b": ["x", "y"]}}
                """.utf8))
        func points(_ id: String, _ answer: JSONValue) throws -> Double? {
            let item = try #require(rules.questions.first { $0.id == id })
            return rules.points(of: item)?.result(of: answer)?.points
        }
        #expect(try points("a", .string("x")) == 1 && points("a", .string("y")) == 0)
        #expect(try points("b", .array([.string("y"), .string("x")])) == 1 && points("b", .array([.string("x")])) == 0)
        #expect(try points("c", .string("1500.50")) == 1)
        #expect(QuestionnaireCheck.findings(in: rules).isEmpty)
    }

    // MARK: Time

    private let close = Timestamp(secondsSinceEpoch: 1_800_000_000)

    @Test("a questionnaire is open between its times, and as often as it says")
    func access() {
        let open = Availability(opensAt: close.adding(seconds: -100), closesAt: close, attempts: 2, late: .refuse)
        #expect(open.access(now: close.adding(seconds: -101), attempt: 1) == .opens(at: close.adding(seconds: -100)))
        #expect(open.access(now: close.adding(seconds: -100), attempt: 2) == .open)
        #expect(open.access(now: close, attempt: 1) == .open)
        #expect(open.access(now: close.adding(seconds: 1), attempt: 1) == .closed(since: close))
        #expect(open.access(now: close, attempt: 3) == .noAttemptLeft(of: 2))
        let late = Availability(closesAt: close, late: .mark)
        #expect(late.access(now: close.adding(seconds: 1), attempt: 9) == .late(since: close))
        #expect(Availability().access(now: close, attempt: 1) == .open)
    }

    @Test("lateness is proven by active time and the server's times, never by the device's clock")
    func lateness() {
        let availability = Availability(closesAt: close)
        func lateness(
            active: Double? = nil, from: Double? = nil, to: Double? = nil, received: Double = -1, limit: Int? = nil
        ) -> Availability.Lateness {
            let timing = TestTiming(
                activeSeconds: active, startedBefore: from.map { close.adding(seconds: $0) },
                finishedAfter: to.map { close.adding(seconds: $0) })
            return availability.lateness(
                timing: timing, limitSeconds: limit, receivedAt: close.adding(seconds: received))
        }
        #expect(lateness() == .onTime)
        #expect(lateness(active: 60, limit: 60) == .onTime)
        #expect(lateness(active: 61, limit: 60) == .late(byTimeLimit: true, byClosing: false))
        #expect(lateness(from: -100, to: -39, limit: 60) == .late(byTimeLimit: true, byClosing: false))
        #expect(lateness(active: 10, from: -100, to: -41, limit: 60) == .onTime)
        #expect(lateness(active: 10_000, limit: 0) == .onTime)
        #expect(lateness(received: 500) == .unproven)
        #expect(lateness(to: -1, received: 500) == .unproven)
        #expect(lateness(to: 1, received: 500) == .late(byTimeLimit: false, byClosing: true))
        #expect(lateness(active: 99, to: 1, received: 500, limit: 60) == .late(byTimeLimit: true, byClosing: true))
        #expect(availability.lateness(timing: nil, limitSeconds: 60, receivedAt: close) == .onTime)
    }

    @Test("what is released depends on the rating and the end")
    func release() {
        func isReleased(_ moment: Release.Moment, isRated: Bool = true, after: Double) -> Bool {
            Release.isReleased(moment, isRated: isRated, closesAt: close, now: close.adding(seconds: after))
        }
        #expect(isReleased(.rated, after: -1) && !isReleased(.rated, isRated: false, after: 1))
        #expect(
            !isReleased(.closed, after: 0) && isReleased(.closed, after: 1)
                && !isReleased(.closed, isRated: false, after: 1))
        #expect(!isReleased(.never, after: 1))
        #expect(Release.isReleased(.closed, isRated: true, closesAt: nil, now: close))
    }

    @Test("markers of gaps are found, and what resembles them is text")
    func gaps() {
        #expect(GapText.pieces(of: "a {{1}} b {{2}}") == [.text("a "), .gap("1"), .text(" b "), .gap("2")])
        #expect(GapText.pieces(of: "{{1}}{{1}}") == [.gap("1"), .gap("1")])
        for text in ["", "{{}}", "{{ 1}}", "{1}", "{{1}", "{{a{b}}", "}}{{", "{{\n}}"] {
            #expect(GapText.pieces(of: text) == [.text(text)], "“\(text)”")
        }
        #expect(GapText.pieces(of: "{{{1}}}") == [.text("{"), .gap("1"), .text("}")])
        #expect(GapText.names(in: String(repeating: "{", count: 100_000)).isEmpty)
    }
}

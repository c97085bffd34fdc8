import Model
import Testing

/// One document for each problem: where it is found, and that nothing else is.
@Suite("What cannot be right in a questionnaire")
struct CheckTests {
    typealias Problem = QuestionnaireCheck.Problem

    private func findings(_ json: String) throws -> [QuestionnaireCheck.Finding] {
        QuestionnaireCheck.findings(in: try QuestionnaireRules(json: Array(json.utf8)))
    }

    private func expect(
        _ json: String, _ problem: Problem, at place: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        // What is not translated is a test of its own.
        let found = try findings(json).filter { $0.problem != .untranslated && $0.problem != .localeMissing }
        #expect(found == [.init(problem: problem, place: place)], sourceLocation: sourceLocation)
    }

    private let two = #"{"id": "a", "text": "?", "options": ["x", "y"]}, {"id": "b", "text": "?"}"#

    @Test("conditions: circles, missing questions and options, expressions")
    func conditions() throws {
        try expect(
            #"{"questions": [{"id": "a", "text": "?", "condition": {"question": "b", "answered": true}}, {"id": "b", "text": "?", "condition": {"not": {"question": "a", "is": "1"}}}]}"#,
            .conditionCycle(["a", "b"]), at: "questions[0].condition")
        try expect(
            #"{"questions": [\#(two)], "sections": [{"id": "s", "questions": ["a"], "condition": {"all": [{"question": "a", "is": "x"}]}}]}"#,
            .conditionCycle(["a"]), at: "questions[0].condition")
        try expect(
            #"{"questions": [\#(two), {"id": "c", "text": "?", "condition": {"any": [{"question": "a", "is": "x"}, {"question": "z", "is": "x"}]}}]}"#,
            .conditionOnMissingQuestion("z"), at: "questions[2].condition.any[1].question")
        try expect(
            #"{"questions": [\#(two), {"id": "c", "text": "?", "condition": {"question": "a", "is": "X"}}]}"#,
            .conditionOnMissingOption("X", question: "a"), at: "questions[2].condition.is")
        try expect(
            #"{"questions": [\#(two), {"id": "c", "text": "?", "condition": {"question": "b", "matches": "(?=x)"}}]}"#,
            .invalidPattern("(?=x)", .unsupported(at: 0)), at: "questions[2].condition.matches")
    }

    @Test("constraints: reversed limits, expressions, members of other kinds")
    func constraints() throws {
        func question(_ kind: String, _ constraint: String) -> String {
            #"{"questions": [{"id": "a", "text": "?", "kind": "\#(kind)", "options": ["x", "y"], "constraint": \#(constraint)}]}"#
        }
        let place = "questions[0].constraint"
        try expect(
            question("number", #"{"min": 0.3, "max": 0.1}"#), .limitsReversed(lower: "min", upper: "max"), at: place)
        try expect(
            question("text", #"{"minLength": 3, "maxLength": 1}"#),
            .limitsReversed(lower: "minLength", upper: "maxLength"), at: place)
        try expect(
            question("choices", #"{"minCount": 3, "maxCount": 1}"#),
            .limitsReversed(lower: "minCount", upper: "maxCount"), at: place)
        try expect(
            question("date", #"{"after": "2026-01-02", "before": "2026-01-01"}"#),
            .limitsReversed(lower: "after", upper: "before"), at: place)
        try expect(
            question("date", #"{"after": "2026-01-02", "before": "10:00"}"#),
            .limitsReversed(lower: "after", upper: "before"), at: place)
        try expect(question("number", #"{"step": 0}"#), .stepNotPositive, at: place + ".step")
        try expect(
            question("text", #"{"pattern": "a("}"#), .invalidPattern("a(", .invalid(at: 1)), at: place + ".pattern")
        try expect(
            question("number", #"{"maxLength": 3}"#), .constraintOfOtherKind("maxLength", .number),
            at: place + ".maxLength")
        #expect(try findings(question("number", #"{"min": 1, "max": 1, "step": 0.5, "integer": true}"#)).isEmpty)
    }

    @Test("keys that no answer meets")
    func keys() throws {
        func key(_ question: String, _ key: String) -> String {
            #"{"questions": [{"id": "q", "text": "{{1}}", \#(question)}], "key": {"q": {"accept": [\#(key)]}}}"#
        }
        let options = #""options": ["x", "y"]"#
        try expect(
            #"{"questions": [\#(two)], "key": {"z": {"accept": [{"value": "x"}]}}}"#, .keyOfMissingQuestion("z"),
            at: "key.z")
        try expect(key(options, ""), .emptyKey, at: "key.q")
        try expect(key(options, #"{"value": "x"}, {"value": "X"}"#), .keyIsNoOption("X"), at: "key.q.accept[1].value")
        try expect(
            key(#""kind": "choices", \#(options)"#, #"{"value": ["x", "z"]}"#), .keyIsNoOption("z"),
            at: "key.q.accept[0].value")
        try expect(
            key(#""kind": "number""#, #"{"value": "many"}"#), .keyIsNoNumber("many"), at: "key.q.accept[0].value")
        try expect(
            key(#""kind": "date""#, #"{"value": "14:30"}"#), .keyIsNoDate("14:30", .date), at: "key.q.accept[0].value")
        try expect(key(#""kind": "note""#, #"{"value": "x"}"#), .keyOfUnratedKind(.note), at: "key.q")
        try expect(
            key(#""kind": "matching", "rows": ["r"], \#(options)"#, #"{"value": {"s": "x"}}"#), .keyOfMissingPart("s"),
            at: "key.q.accept[0].value")
        try expect(
            key(#""kind": "matching", "rows": ["r"], \#(options)"#, #"{"value": "x"}"#), .keyOfAnotherForm(.matching),
            at: "key.q.accept[0].value")
        try expect(
            key(#""kind": "gaps", "gaps": {"1": {"options": ["a"]}}"#, #"{"value": {"1": "b"}}"#), .keyIsNoOption("b"),
            at: "key.q.accept[0].value")
        try expect(
            key(#""kind": "text""#, #"{"pattern": "["}"#), .invalidPattern("[", .invalid(at: 0)),
            at: "key.q.accept[0].pattern")
        try expect(key(#""kind": "text""#, #"{"value": " "}"#), .emptyKey, at: "key.q.accept[0].value")
        try expect(#"{"questions": [\#(two)], "answerKey": {"a": "z"}}"#, .keyIsNoOption("z"), at: "answerKey.a")
        #expect(try findings(key(#""kind": "choices", "other": true, \#(options)"#, #"{"value": "mine"}"#)).isEmpty)
        #expect(try findings(key(#""kind": "boolean""#, #"{"value": false}"#)).isEmpty)
        // A person rates the answers, and the explanation is shown with the points.
        func explained(_ kind: String, _ explanation: String) -> String {
            #"{"questions": [{"id": "q", "text": "?", "kind": "\#(kind)"}], "key": {"q": {"explanation": "\#(explanation)"}}}"#
        }
        #expect(try findings(explained("text", "Why.")).isEmpty && findings(explained("file", "Why.")).isEmpty)
        try expect(explained("text", " "), .emptyKey, at: "key.q")
        try expect(explained("note", "Why."), .keyOfUnratedKind(.note), at: "key.q")
    }

    @Test("gaps without markers and markers without gaps")
    func gaps() throws {
        func gaps(_ text: String, _ gaps: String) -> String {
            #"{"questions": [{"id": "q", "text": "\#(text)", "kind": "gaps", "gaps": \#(gaps)}]}"#
        }
        try expect(gaps("a {{1}}", #"{"1": {}, "2": {}}"#), .gapWithoutMarker("2"), at: "questions[0].gaps.2")
        try expect(gaps("a {{1}} {{2}}", #"{"1": {}}"#), .markerWithoutGap("2"), at: "questions[0].text")
        try expect(gaps("a {{1}} {{1}}", #"{"1": {}}"#), .markerTwice("1"), at: "questions[0].text")
        try expect(
            gaps("a {{1}}", #"{"1": {"kind": "choice"}}"#), .missingOptions(.choice), at: "questions[0].gaps.1.options")
        try expect(
            gaps("a {{1}}", #"{"1": {"kind": "ranking", "options": ["a"]}}"#), .gapOfOtherKind(.ranking),
            at: "questions[0].gaps.1.kind")
        try expect(gaps("a", "{}"), .noGaps, at: "questions[0].text")
    }

    @Test("rows, and options of a ranking, that have the same text")
    func twice() throws {
        func question(_ members: String) -> String { #"{"questions": [{"id": "q", "text": "?", \#(members)}]}"# }
        try expect(
            question(#""kind": "ranking", "options": ["a", "b", "a"]"#), .textTwice("a"),
            at: "questions[0].options[2]")
        for kind in ["matching", "matrix"] {
            try expect(
                question(#""kind": "\#(kind)", "rows": ["r", "r"], "options": ["a"]"#), .textTwice("r"),
                at: "questions[0].rows[1]")
        }
        #expect(try findings(question(#""options": ["a", "a"]"#)).isEmpty)
    }

    @Test("sections, pools and translations")
    func sections() throws {
        func sections(_ sections: String, _ more: String = "") -> String {
            #"{"questions": [\#(two), {"id": "n", "text": "!", "kind": "note"}], "sections": [\#(sections)]\#(more)}"#
        }
        try expect(
            sections(#"{"id": "s", "questions": ["a", "n"], "pick": 2}"#), .pickTooLarge(pick: 2, questions: 1),
            at: "sections[0].pick")
        try expect(sections(#"{"id": "s", "questions": ["a"], "pick": 0}"#), .pickTooSmall(0), at: "sections[0].pick")
        try expect(
            sections(#"{"id": "s", "questions": ["a", "z"]}"#), .sectionWithMissingQuestion("z"),
            at: "sections[0].questions[1]")
        try expect(
            sections(#"{"id": "s", "questions": ["a"]}, {"id": "s", "questions": ["b"]}"#), .sectionTwice("s"),
            at: "sections[1].id")
        try expect(
            sections(#"{"id": "s", "questions": ["a"]}, {"id": "t", "questions": ["a"]}"#),
            .questionInTwoSections("a", other: "s"), at: "sections[1].questions[0]")
        try expect(
            sections(#"{"id": "s", "questions": ["a"], "repeat": {"min": 3, "max": 2}}"#),
            .limitsReversed(lower: "min", upper: "max"), at: "sections[0].repeat")
        let s = #"{"id": "s", "questions": ["a"]}"#
        try expect(
            sections(s, #", "translations": {"ru": {"questions": {"z": {"text": "?"}}}}"#),
            .translationOfMissingQuestion("z"), at: "translations.ru.questions.z")
        try expect(
            sections(s, #", "translations": {"ru": {"sections": {"t": {"title": "?"}}}}"#),
            .translationOfMissingSection("t"), at: "translations.ru.sections.t")
        try expect(
            sections(s, #", "translations": {"ru": {"questions": {"a": {"options": ["1"]}}}}"#),
            .translationOfOtherCount(found: 1, expected: 2), at: "translations.ru.questions.a.options")
    }

    @Test("a translation names each text that it lacks, as a likely mistake and no fault")
    func untranslated() throws {
        let document = """
            {"locale": "en", "questions": [
              {"id": "a", "text": "?", "options": ["x", "y"]},
              {"id": "g", "text": "{{1}} and {{2}}", "kind": "gaps", "gaps": {"1": {"options": ["p"]}, "2": {}}}],
             "sections": [{"id": "s", "title": "S", "text": "T", "questions": ["a"]}], "translations": {"ru": RU}}
            """
        func places(_ texts: String) throws -> [String] {
            let found = try findings(document.replacing("RU", with: texts))
            #expect(found.allSatisfy { !$0.isFault && $0.problem == .untranslated })
            return found.map { $0.place.replacing("translations.ru.", with: "") }
        }
        let none = try places("{}")
        #expect(
            none == [
                "title", "sections.s.title", "sections.s.text", "questions.a.text", "questions.a.options",
                "questions.g.text", "questions.g.gaps.1.options",
            ])
        let all = """
            {"title": "t", "sections": {"s": {"title": "t", "text": "t"}}, "questions": {"a": {"text": "t", "options": ["1", "2"]},
             "g": {"text": "{{2}} {{1}}", "gaps": {"1": {"options": ["p"]}}}}}
            """
        #expect(try places(all).isEmpty)
        let wrong = try findings(document.replacing("RU", with: all.replacing("{{2}} {{1}}", with: "{{1}} {{3}}")))
        #expect(wrong.map(\.problem) == [.gapWithoutMarker("2"), .markerWithoutGap("3")])
        let silent = document.replacing("\"locale\": \"en\", ", with: "").replacing("RU", with: all)
        #expect(try findings(silent).map(\.problem) == [.localeMissing])
    }

    @Test(
        "every text that people read is looked for in a translation: hints, units, messages, labels, descriptions, and what the key says"
    )
    func untranslatedMembers() throws {
        let document = """
            {"locale": "en", "title": "T", "description": "D", "questions": [
              {"id": "n", "text": "?", "kind": "number", "hint": "H", "unit": "m", "constraintMessage": "M",
               "media": [{"path": "a.png", "alt": "A"}]},
              {"id": "s", "text": "?", "kind": "scale", "scale": {"min": 1, "max": 3, "labels": {"1": "low", "3": "high"}}}],
             "sections": [{"id": "p", "questions": ["n"], "repeat": {"label": "Person"}, "media": [{"path": "b.png", "alt": "B"}]}],
             "key": {"n": {"accept": [{"value": 1, "feedback": "Yes."KEY}], "explanation": "E"EXPLAINED}},
             "translations": {"ru": RU}}
            """
        func places(_ texts: String, key: String = "", explained: String = "") throws -> [String] {
            let json = document.replacing("RU", with: texts).replacing("KEY", with: key)
            let found = try findings(json.replacing("EXPLAINED", with: explained))
            #expect(found.allSatisfy { !$0.isFault && $0.problem == .untranslated })
            return found.map { $0.place.replacing("translations.ru.", with: "") }
        }
        #expect(
            try places(#"{"title": "t", "questions": {"n": {"text": "t"}, "s": {"text": "t", "labels": {"1": "t"}}}}"#)
                == [
                    "description", "sections.p.label", "sections.p.media", "questions.n.hint", "questions.n.unit",
                    "questions.n.constraintMessage", "questions.n.media", "questions.s.labels.3",
                    "key.n.accept[0].feedback", "key.n.explanation",
                ])
        let all = """
            {"title": "t", "description": "t", "sections": {"p": {"label": "t", "media": ["t"]}}, "questions":
             {"n": {"text": "t", "hint": "t", "unit": "t", "constraintMessage": "t", "media": ["t"]},
              "s": {"text": "t", "labels": {"1": "t", "3": "t"}}}}
            """
        #expect(
            try places(
                all, key: #", "translations": {"ru": {"feedback": "t"}}"#,
                explained: #", "translations": {"ru": {"explanation": "t"}}"#
            ).isEmpty)
    }

    @Test("missing parts of kinds, and numbers out of range")
    func others() throws {
        func question(_ members: String, _ more: String = "") -> String {
            #"{"questions": [{"id": "q", "text": "?", \#(members)}]\#(more)}"#
        }
        try expect(question(#""kind": "ranking""#), .missingOptions(.ranking), at: "questions[0].options")
        try expect(question(#""kind": "matrix", "options": ["x"]"#), .missingRows(.matrix), at: "questions[0].rows")
        try expect(question(#""kind": "scale""#), .missingScale, at: "questions[0].scale")
        try expect(
            question(#""kind": "scale", "scale": {"min": 5, "max": 1}"#), .limitsReversed(lower: "min", upper: "max"),
            at: "questions[0].scale")
        try expect(
            question(#""kind": "scale", "scale": {"min": 1, "max": 5, "step": 0}"#), .stepNotPositive,
            at: "questions[0].scale.step")
        try expect(
            question(#""options": ["x"], "keepLast": ["y"]"#), .keepLastIsNoOption("y"), at: "questions[0].keepLast")
        try expect(
            question(#""kind": "file", "accept": "image/*, pdf""#), .acceptsNoType("pdf"), at: "questions[0].accept")
        try expect(question(#""points": -1"#), .numberOutOfRange(-1, 0...1e9), at: "questions[0].points")
        try expect(question(#""kind": "text""#, #", "passScore": 60"#), .numberOutOfRange(60, 0...1), at: "passScore")
        try expect(
            question(#""kind": "text""#, #", "availability": {"opensAt": "2026-02-01", "closesAt": "2026-01-01"}"#),
            .limitsReversed(lower: "opensAt", upper: "closesAt"), at: "availability")
        try expect(
            question(#""kind": "text""#, #", "availability": {"attempts": -1}"#), .numberOutOfRange(-1, 0...1e9),
            at: "availability.attempts")
        try expect(
            question(#""kind": "text""#, #", "timeLimitSeconds": -5"#), .numberOutOfRange(-5, 0...1e9),
            at: "timeLimitSeconds")
        #expect(
            try findings(question(#""kind": "text""#, #", "availability": {"attempts": 0}, "timeLimitSeconds": 0"#))
                .isEmpty, "0 is none")
        try expect(
            question(#""kind": "text""#, #", "finishAtTimeLimit": true"#), .endWithoutTimeLimit,
            at: "finishAtTimeLimit")
        #expect(try findings(question(#""kind": "from the future""#)).isEmpty)
    }

    @Test("a likely mistake does not keep a document from being published")
    func severity() {
        #expect(!QuestionnaireCheck.Finding(problem: .markerTwice("1"), place: "").isFault)
        #expect(QuestionnaireCheck.Finding(problem: .conditionCycle(["a"]), place: "").isFault)
    }
}

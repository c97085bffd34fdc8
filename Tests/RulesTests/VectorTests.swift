import Model
import Testing

@Suite("The shared vectors of the rules")
struct VectorTests {
    private struct ConditionCase: Decodable {
        var condition: Condition?
        var answers: [String: JSONValue]
        var holds: Bool?
        var questions: [QuestionnaireRules.Item]?
        var sections: [Section]?
        var hidden: [String]?
    }

    @Test("conditions hold, and questions are hidden, as the vectors say")
    func conditions() throws {
        let cases = try VectorFile.cases("conditions", ConditionCase.self)
        #expect(cases.count > 130)
        for (index, one) in cases.enumerated() {
            if let condition = one.condition {
                #expect(condition.holds { one.answers[$0] } == one.holds, "case \(index): \(condition)")
            } else if let questions = one.questions {
                let hidden = try VectorTests.visibility(questions, one.sections ?? []).hidden { one.answers[$0] }
                #expect(hidden.sorted() == one.hidden?.sorted(), "case \(index)")
            }
        }
    }

    private static func visibility(
        _ questions: [QuestionnaireRules.Item], _ sections: [Section]
    ) throws -> Visibility {
        var rules = try QuestionnaireRules(json: Array(#"{"questions": []}"#.utf8))
        rules.questions = questions
        rules.sections = sections
        return rules.visibility
    }

    private struct ConstraintCase: Decodable {
        var constraint: Constraint?
        var answer: JSONValue?
        var violations: [String]?
        var pattern: String?
        var text: String?
        var matches: Bool?
    }

    @Test("constraints are violated, and expressions match, as the vectors say")
    func constraints() throws {
        let cases = try VectorFile.cases("constraints", ConstraintCase.self)
        #expect(cases.count > 150)
        for (index, one) in cases.enumerated() {
            if let constraint = one.constraint {
                let given = constraint.violations(of: one.answer).map(\.rawValue)
                #expect(given == one.violations, "case \(index): \(String(describing: one.answer))")
            } else if let pattern = one.pattern {
                #expect(
                    (try? TextPattern(pattern))?.matches(one.text ?? "") == one.matches, "case \(index): \(pattern)")
            }
        }
    }

    private struct DateCase: Decodable {
        var kind: QuestionKindName?
        var written: String?
        var offset: Int?
        var text: String?
        var ambiguous: [String]?
        var first: String?
        var second: String?
        var order: Int?
        var stored: String?
        var local: String?

        enum QuestionKindName: String, Decodable {
            case date
            case time
            case dateTime
        }
    }

    @Test("dates and times are read, and compared, as the vectors say")
    func dates() throws {
        let cases = try VectorFile.cases("dates", DateCase.self)
        #expect(cases.count > 130)
        for (index, one) in cases.enumerated() {
            if let first = one.first, let second = one.second {
                #expect(RuleValue.order(.string(first), .string(second)) == one.order, "case \(index): \(first)")
                continue
            }
            if let stored = one.stored {
                let local = WrittenDate.localText(stored) { _ in one.offset ?? 0 }
                #expect(local == one.local, "case \(index): “\(stored)”")
                continue
            }
            let written = one.written ?? ""
            let given: WrittenDate =
                switch one.kind {
                case .date: .date(written)
                case .time: .time(written)
                case .dateTime: .dateTime(written, offsetMinutes: one.offset)
                case nil: .none
                }
            let expected = one.ambiguous.map(WrittenDate.ambiguous) ?? one.text.map(WrittenDate.canonical) ?? .none
            #expect(given == expected, "case \(index): “\(written)”")
        }
    }

    private struct PointsCase: Decodable {
        var question: QuestionnaireRules.Item
        var key: QuestionKey
        var answer: JSONValue?
        var points: Double?
        var verdict: PointsRule.Result.Verdict?
        var matched: [Int]?
    }

    @Test("answers get the points that the vectors say")
    func points() throws {
        let cases = try VectorFile.cases("points", PointsCase.self)
        #expect(cases.count > 130)
        for (index, one) in cases.enumerated() {
            let rule = PointsRule(
                form: one.question.form, maximum: one.question.points ?? 1, key: one.key,
                gaps: one.question.gaps.mapValues(\.form))
            let result = rule.result(of: one.answer)
            #expect(result?.points == one.points, "case \(index): \(one)")
            #expect(result?.verdict == one.verdict, "case \(index)")
            if let matched = one.matched { #expect(result?.matched == matched, "case \(index)") }
        }
    }

    private struct OrderCase: Decodable {
        var test: TestID
        var count: Int?
        var purpose: String?
        var places: [Int]?
        var question: Options?
        var questionnaire: QuestionnaireRules?
        var order: [String]?

        struct Options: Decodable {
            var id: String
            var options: [String]
            var keepLast: [String]
        }
    }

    @Test("a test's UUID gives the order and the pool that the vectors say")
    func orders() throws {
        let cases = try VectorFile.cases("orders", OrderCase.self)
        #expect(cases.count > 80)
        for (index, one) in cases.enumerated() {
            if let rules = one.questionnaire {
                #expect(rules.order(of: one.test) == one.order, "case \(index)")
            } else if let question = one.question {
                let places = TestOrder(one.test).options(
                    question.options, keepLast: question.keepLast, of: question.id)
                #expect(places == one.places, "case \(index)")
            } else {
                let places = TestOrder(one.test).permutation(one.count ?? 0, for: one.purpose ?? "")
                #expect(places == one.places, "case \(index)")
            }
        }
    }
}

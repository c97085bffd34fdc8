/// When a question or a section is shown.
///
///     {"question": "q1", "is": "yes"}      {"all": […]}      {"any": […]}      {"not": …}
package struct Condition: Hashable, Sendable {
    package indirect enum Form: Hashable, Sendable {
        case question(String, Test)
        case all([Condition])
        case any([Condition])
        case not(Condition)
    }

    /// What is asked of an answer.
    package enum Test: Hashable, Sendable {
        case answered(Bool)
        case comparison(Comparison, JSONValue)
    }

    package enum Comparison: String, Hashable, Sendable, CaseIterable {
        case equal = "is"
        case notEqual = "isNot"
        case above
        case atLeast
        case below
        case atMost
        case contains
        case matches
    }

    package var form: Form
    package var otherMembers: [String: JSONValue]

    package init(_ form: Form, otherMembers: [String: JSONValue] = [:]) {
        self.form = form
        self.otherMembers = otherMembers
    }

    /// The questions that it asks about, each once, in order.
    package var questions: [String] {
        var seen: Set<String> = []
        return allQuestions.filter { seen.insert($0).inserted }
    }

    private var allQuestions: [String] {
        switch form {
        case .question(let id, _): [id]
        case .all(let conditions), .any(let conditions): conditions.flatMap(\.allQuestions)
        case .not(let condition): condition.allQuestions
        }
    }

    // MARK: Evaluation

    /// Whether it holds.
    ///
    /// A question that is hidden or blank has no answer: no comparison with it holds, so `isNot` does, which is the
    /// opposite of `is`.
    ///
    /// - Parameter answer: the answer to a question that is shown.
    package func holds(_ answer: (String) -> JSONValue?) -> Bool {
        switch form {
        case .all(let conditions): conditions.allSatisfy { $0.holds(answer) }
        case .any(let conditions): conditions.contains { $0.holds(answer) }
        case .not(let condition): !condition.holds(answer)
        case .question(let id, let test): test.holds(answer(id))
        }
    }
}

extension Condition.Test {
    func holds(_ answer: JSONValue?) -> Bool {
        let given = RuleValue.isBlank(answer) ? nil : answer
        switch self {
        case .answered(let isWanted): return (given != nil) == isWanted
        case .comparison(.notEqual, let value): return !(given.map { RuleValue.isSame($0, value) } ?? false)
        case .comparison(let comparison, let value): return given.map { comparison.holds($0, value) } ?? false
        }
    }
}

extension Condition.Comparison {
    fileprivate func holds(_ answer: JSONValue, _ value: JSONValue) -> Bool {
        switch self {
        case .equal: return RuleValue.isSame(answer, value)
        case .notEqual: return !RuleValue.isSame(answer, value)
        case .above: return RuleValue.order(answer, value).map { $0 > 0 } ?? false
        case .atLeast: return RuleValue.order(answer, value).map { $0 >= 0 } ?? false
        case .below: return RuleValue.order(answer, value).map { $0 < 0 } ?? false
        case .atMost: return RuleValue.order(answer, value).map { $0 <= 0 } ?? false
        case .contains: return RuleValue.contains(answer, value)
        case .matches:
            guard case .string(let source) = value, let pattern = try? TextPattern(source) else { return false }
            return RuleValue.matches(answer, pattern)
        }
    }
}

extension Condition: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: AnyKey.self)
        func fault(_ reason: String) -> DecodingError {
            DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: reason))
        }
        let comparisons = Comparison.allCases.filter { container.contains(AnyKey($0.rawValue)) }
        let forms = ["question", "all", "any", "not"].filter { container.contains(AnyKey($0)) }
        guard let name = forms.first, forms.count == 1 else {
            throw fault(
                forms.isEmpty
                    ? "is no condition: it needs “question”, “all”, “any” or “not”"
                    : "has both “\(forms[0])” and “\(forms[1])”: one of them is enough")
        }
        var known = [AnyKey(name)]
        if name == "question" {
            let id = try container.decode(String.self, forKey: AnyKey("question"))
            let isAnswered = container.contains(AnyKey("answered"))
            guard comparisons.count + (isAnswered ? 1 : 0) == 1 else {
                throw fault(
                    "asks “\(id)” for \(comparisons.isEmpty && !isAnswered ? "nothing" : "several things"): one of “is”, "
                        + "“isNot”, “above”, “atLeast”, “below”, “atMost”, “contains”, “matches” or “answered” belongs here"
                )
            }
            if let comparison = comparisons.first {
                known.append(AnyKey(comparison.rawValue))
                let value = try container.decode(JSONValue.self, forKey: AnyKey(comparison.rawValue))
                if let reason = comparison.fault(in: value) {
                    throw DecodingError.dataCorruptedError(
                        forKey: AnyKey(comparison.rawValue), in: container, debugDescription: reason)
                }
                form = .question(id, .comparison(comparison, value))
            } else {
                known.append(AnyKey("answered"))
                form = .question(id, .answered(try container.decode(Bool.self, forKey: AnyKey("answered"))))
            }
        } else if name == "not" {
            form = .not(try container.decode(Condition.self, forKey: AnyKey("not")))
        } else {
            let conditions = try container.decode([Condition].self, forKey: AnyKey(name))
            form = name == "all" ? .all(conditions) : .any(conditions)
        }
        otherMembers = try UnknownMembers.decode(from: decoder, known: known)
    }

    package func encode(to encoder: any Encoder) throws {
        try UnknownMembers.encode(otherMembers, to: encoder)
        var container = encoder.container(keyedBy: AnyKey.self)
        switch form {
        case .all(let conditions): try container.encode(conditions, forKey: AnyKey("all"))
        case .any(let conditions): try container.encode(conditions, forKey: AnyKey("any"))
        case .not(let condition): try container.encode(condition, forKey: AnyKey("not"))
        case .question(let id, let test):
            try container.encode(id, forKey: AnyKey("question"))
            switch test {
            case .answered(let isWanted): try container.encode(isWanted, forKey: AnyKey("answered"))
            case .comparison(let comparison, let value):
                try container.encode(value, forKey: AnyKey(comparison.rawValue))
            }
        }
    }
}

extension Condition.Comparison {
    fileprivate func fault(in value: JSONValue) -> String? {
        switch (self, value) {
        case (_, .null): return "is null: use “answered” to ask whether there is an answer"
        case (.matches, .string), (.above, .string), (.atLeast, .string), (.below, .string), (.atMost, .string):
            return nil
        case (.matches, _): return "is not a text with a regular expression"
        case (.above, _), (.atLeast, _), (.below, _), (.atMost, _):
            return RuleValue.isNumber(value) ? nil : "is neither a number nor a date or time"
        default: return nil
        }
    }
}

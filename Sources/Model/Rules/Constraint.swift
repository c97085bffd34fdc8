/// What an answer must be to be valid, beyond its kind.
///
/// `min`, `max`, `step` and `integer` are for numbers, `minLength`, `maxLength` (in Unicode scalars) and `pattern` for texts,
/// `minCount` and `maxCount` for lists, `before` and `after` for dates and times; all but those two include their limit.
package struct Constraint: Hashable, Sendable {
    package var min: JSONValue?
    package var max: JSONValue?
    package var step: JSONValue?
    package var integer = false
    package var minLength: Int?
    package var maxLength: Int?
    package var pattern: String?
    package var minCount: Int?
    package var maxCount: Int?
    package var before: String?
    package var after: String?
    package var otherMembers: [String: JSONValue] = [:]

    package init() {}

    /// What is wrong with an answer. The raw values are the codes that `rules.js` gives, too.
    package enum Violation: String, Hashable, Sendable, CaseIterable {
        case notNumber = "number"
        case belowMinimum = "min"
        case aboveMaximum = "max"
        case notStep = "step"
        case notInteger = "integer"
        case tooShort = "minLength"
        case tooLong = "maxLength"
        case notPattern = "pattern"
        case tooFew = "minCount"
        case tooMany = "maxCount"
        case notDate = "date"
        case notBefore = "before"
        case notAfter = "after"
    }

    /// Everything that is wrong with an answer, in the order of the members. A blank answer violates nothing: whether a
    /// question must be answered is `required`.
    package func violations(of answer: JSONValue?) -> [Violation] {
        guard let answer, !RuleValue.isBlank(answer) else { return [] }
        return numberViolations(of: answer) + textViolations(of: answer) + countViolations(of: answer)
            + dateViolations(of: answer)
    }

    private func numberViolations(of answer: JSONValue) -> [Violation] {
        guard min != nil || max != nil || step != nil || integer else { return [] }
        guard let number = DecimalNumber(answer) else { return [.notNumber] }
        var violations: [Violation] = []
        let least = min.flatMap(DecimalNumber.init(_:))
        if let least, number < least { violations.append(.belowMinimum) }
        if let most = max.flatMap(DecimalNumber.init(_:)), number > most { violations.append(.aboveMaximum) }
        if let step = step.flatMap(DecimalNumber.init(_:)), step > .zero,
            !(number - (least ?? .zero)).isMultiple(of: step)
        {
            violations.append(.notStep)
        }
        if integer, !number.isInteger { violations.append(.notInteger) }
        return violations
    }

    private func textViolations(of answer: JSONValue) -> [Violation] {
        guard case .string(let text) = answer else { return [] }
        var violations: [Violation] = []
        let length = text.unicodeScalars.count
        if let minLength, length < minLength { violations.append(.tooShort) }
        if let maxLength, length > maxLength { violations.append(.tooLong) }
        if let pattern, (try? TextPattern(pattern))?.matches(text) == false { violations.append(.notPattern) }
        return violations
    }

    private func countViolations(of answer: JSONValue) -> [Violation] {
        let count: Int
        switch answer {
        case .array(let values): count = values.count
        case .object(let members): count = members.count
        default: return []
        }
        var violations: [Violation] = []
        if let minCount, count < minCount { violations.append(.tooFew) }
        if let maxCount, count > maxCount { violations.append(.tooMany) }
        return violations
    }

    private func dateViolations(of answer: JSONValue) -> [Violation] {
        guard before != nil || after != nil else { return [] }
        guard case .string(let text) = answer, let order = WrittenDate.order(text) else { return [.notDate] }
        var violations: [Violation] = []
        if let limit = before.flatMap(WrittenDate.order), order.isBefore(limit) == false {
            violations.append(.notBefore)
        }
        if let limit = after.flatMap(WrittenDate.order), limit.isBefore(order) == false { violations.append(.notAfter) }
        return violations
    }
}

extension Constraint: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case min, max, step, integer, minLength, maxLength, pattern, minCount, maxCount, before, after
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        func number(_ key: Key) throws -> JSONValue? {
            guard let value = try container.decodeIfPresent(JSONValue.self, forKey: key) else { return nil }
            guard RuleValue.isNumber(value), DecimalNumber(value) != nil else {
                throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: "is not a number")
            }
            return value
        }
        func count(_ key: Key) throws -> Int? {
            let value = try container.decodeIfPresent(Int.self, forKey: key)
            if let value, value < 0 {
                throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: "is negative")
            }
            return value
        }
        func date(_ key: Key) throws -> String? {
            let value = try container.decodeIfPresent(String.self, forKey: key)
            if let value, WrittenDate.order(value) == nil {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: container,
                    debugDescription: "is not a date like 2026-11-25, a time like 14:30, or 2026-11-25T14:30:00Z")
            }
            return value
        }
        min = try number(.min)
        max = try number(.max)
        step = try number(.step)
        integer = try container.decodeIfPresent(Bool.self, forKey: .integer) ?? false
        minLength = try count(.minLength)
        maxLength = try count(.maxLength)
        pattern = try container.decodeIfPresent(String.self, forKey: .pattern)
        minCount = try count(.minCount)
        maxCount = try count(.maxCount)
        before = try date(.before)
        after = try date(.after)
        otherMembers = try UnknownMembers.decode(from: decoder, known: Key.allCases)
    }

    /// The members that are stated.
    var members: [String] {
        let stated: [(Key, Bool)] = [
            (.min, min != nil), (.max, max != nil), (.step, step != nil), (.integer, integer),
            (.minLength, minLength != nil), (.maxLength, maxLength != nil), (.pattern, pattern != nil),
            (.minCount, minCount != nil), (.maxCount, maxCount != nil), (.before, before != nil),
            (.after, after != nil),
        ]
        return stated.filter(\.1).map(\.0.rawValue)
    }

    package func encode(to encoder: any Encoder) throws {
        try UnknownMembers.encode(otherMembers, to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(min, forKey: .min)
        try container.encodeIfPresent(max, forKey: .max)
        try container.encodeIfPresent(step, forKey: .step)
        if integer { try container.encode(integer, forKey: .integer) }
        try container.encodeIfPresent(minLength, forKey: .minLength)
        try container.encodeIfPresent(maxLength, forKey: .maxLength)
        try container.encodeIfPresent(pattern, forKey: .pattern)
        try container.encodeIfPresent(minCount, forKey: .minCount)
        try container.encodeIfPresent(maxCount, forKey: .maxCount)
        try container.encodeIfPresent(before, forKey: .before)
        try container.encodeIfPresent(after, forKey: .after)
    }
}

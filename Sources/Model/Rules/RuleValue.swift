/// Answers as rules compare them: JSON values in the form that a test has them in.
///
/// `rules.js` compares in the same way; both pass the cases of `Tests/Vectors`.
package enum RuleValue {
    /// Nothing chosen and nothing written.
    package static func isBlank(_ value: JSONValue?) -> Bool {
        switch value {
        case nil, .null: true
        case .string(let text): text.unicodeScalars.allSatisfy(isSpace)
        case .array(let values): values.isEmpty
        case .object(let members): members.isEmpty
        default: false
        }
    }

    /// The white space of JavaScript's `trim`.
    static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09...0x0D, 0xFEFF, 0x2028, 0x2029: true
        default: scalar.properties.generalCategory == .spaceSeparator
        }
    }

    /// Whether an answer is a value. Texts are the same where they are canonically equivalent, numbers where they are equal
    /// decimals, lists where they have the same elements in any order, objects where each member is.
    package static func isSame(_ answer: JSONValue, _ value: JSONValue) -> Bool {
        switch (answer, value) {
        case (.array(let answers), .array(let values)): counts(answers) == counts(values)
        case (.array(let answers), _): answers.count == 1 && isScalar(value) && isSame(answers[0], value)
        case (.object(let answers), .object(let values)):
            answers.count == values.count
                && values.allSatisfy { name, value in answers[name].map { isSame($0, value) } ?? false }
        case (.string(let text), .string(let other)): text == other
        case (.bool(let truth), .bool(let other)): truth == other
        case (.bool(let truth), .string(let text)), (.string(let text), .bool(let truth)): text == String(truth)
        default:
            if isNumber(answer) || isNumber(value), let left = DecimalNumber(answer), let right = DecimalNumber(value) {
                left == right
            } else {
                false
            }
        }
    }

    static func isScalar(_ value: JSONValue) -> Bool {
        switch value {
        case .array, .object: false
        default: true
        }
    }

    /// A text, a truth or a number in plain form; empty for others.
    package static func text(_ value: JSONValue) -> String {
        switch value {
        case .string(let text): text
        case .bool(let truth): String(truth)
        case .integer, .number: DecimalNumber(value)?.description ?? ""
        case .null, .array, .object: ""
        }
    }

    static func isNumber(_ value: JSONValue) -> Bool {
        switch value {
        case .integer, .number: true
        default: false
        }
    }

    /// How often each element occurs.
    private static func counts(_ values: [JSONValue]) -> [JSONValue: Int] {
        values.reduce(into: [:]) { counts, value in
            let key: JSONValue = isNumber(value) ? DecimalNumber(value).map { .string($0.description) } ?? value : value
            counts[key, default: 0] += 1
        }
    }

    /// Whether a list has an element, an object a member of this value, or a text this part, scalar by scalar.
    package static func contains(_ answer: JSONValue, _ value: JSONValue) -> Bool {
        switch (answer, value) {
        case (.array(let answers), _): answers.contains { isSame($0, value) }
        case (.object(let answers), _):
            answers.values.contains { isSame($0, value) || !isScalar($0) && contains($0, value) }
        case (.string(let text), .string(let part)):
            !part.isEmpty && Array(text.utf8).contains(Array(part.utf8))
        default: isSame(answer, value)
        }
    }

    /// The order of two numbers, or of two dates or times of one form: below 0, 0, above 0; `nil` for others.
    package static func order(_ answer: JSONValue, _ value: JSONValue) -> Int? {
        if let left = DecimalNumber(answer), let right = DecimalNumber(value) {
            return left < right ? -1 : left == right ? 0 : 1
        }
        guard case .string(let text) = answer, case .string(let other) = value,
            let left = WrittenDate.order(text), let right = WrittenDate.order(other)
        else { return nil }
        return left.isBefore(right).map { $0 ? -1 : left == right ? 0 : 1 }
    }

    /// Whether a text, a number in plain form, or an element of a list matches an expression.
    package static func matches(_ answer: JSONValue, _ pattern: TextPattern) -> Bool {
        switch answer {
        case .string(let text): pattern.matches(text)
        case .integer, .number: DecimalNumber(answer).map { pattern.matches($0.description) } ?? false
        case .array(let values): values.contains { isScalar($0) && matches($0, pattern) }
        default: false
        }
    }
}

/// The points of an answer by the key of its question. `rules.js` computes the same; `Tests/Vectors/points.json` has the cases.
///
/// With `m` as the question's maximum:
///
/// - One value (choice, boolean, text, number, date, time, dateTime, scale): the first accepted answer that matches gives
///   its points, or `m`. None: 0.
/// - Choices, accepted options with points: the sum of the points of the chosen options.
/// - Choices, accepted options without points: `m` for exactly these; with `partial`, `m × (right − wrong) ÷ all right ones`.
///   An accepted list is a complete answer.
/// - Ranking: `m` for the accepted order; with `partial`, `m × pairs in the right order ÷ all pairs`.
/// - Matching, matrix and gaps: `m × right parts ÷ all parts of the key`; without `partial`, `m` where all are right.
///
/// The result is never above `m`, and never below 0, or with `belowZero` below `−m`. It is rounded to a millionth.
package struct PointsRule: Sendable {
    package var form: Question.Kind
    package var maximum: Double
    package var key: QuestionKey
    /// The forms of gaps, by name; text where none is stated.
    package var gaps: [String: Question.Kind]

    package init(form: Question.Kind, maximum: Double, key: QuestionKey, gaps: [String: Question.Kind] = [:]) {
        self.form = form
        self.maximum = maximum
        self.key = key
        self.gaps = gaps
    }

    package struct Result: Hashable, Sendable {
        package enum Verdict: String, Hashable, Sendable, Codable {
            case right
            case partly
            case wrong
        }

        package var points: Double
        package var maximum: Double
        /// The places of the accepted answers that matched, for their feedback.
        package var matched: [Int]

        package var verdict: Verdict { points >= maximum ? .right : points > 0 ? .partly : .wrong }
    }

    /// The points of an answer; `nil` where a person has to give them: the key is empty, or the kind has none.
    package func result(of answer: JSONValue?) -> Result? {
        guard form.hasKey, !key.accept.isEmpty else { return nil }
        guard let answer, !RuleValue.isBlank(answer) else { return Result(points: 0, maximum: maximum, matched: []) }
        let (points, matched): (Double, [Int]) =
            switch form.shape {
            case .options: choices(answer)
            case .order: ranking(answer)
            case .rows, .gaps: parts(answer)
            default: single(answer)
            }
        return Result(points: bounded(points), maximum: maximum, matched: matched)
    }

    private func bounded(_ points: Double) -> Double {
        let least = key.belowZero ? -maximum : 0
        let rounded = ((min(max(points, least), maximum)) * 1e6 + 0.5).rounded(.down) / 1e6
        return min(max(rounded, least), maximum)
    }

    private func worth(_ acceptance: QuestionKey.Acceptance) -> Double { acceptance.points ?? maximum }

    // MARK: One value

    private func single(_ answer: JSONValue) -> (Double, [Int]) {
        for (index, acceptance) in key.accept.enumerated() where matches(answer, acceptance.match, form) {
            return (worth(acceptance), [index])
        }
        return (0, [])
    }

    private func matches(_ answer: JSONValue, _ match: QuestionKey.Acceptance.Match, _ form: Question.Kind) -> Bool {
        switch match {
        case .value(let value): return isSame(answer, value, form)
        case .pattern(let source):
            guard let pattern = try? TextPattern(source) else { return false }
            return RuleValue.matches(answer, pattern)
        }
    }

    /// Whether an answer is an accepted value, by the rules of its kind.
    private func isSame(_ answer: JSONValue, _ value: JSONValue, _ form: Question.Kind) -> Bool {
        switch form.valueForm {
        case .number:
            guard let left = DecimalNumber(answer), let right = DecimalNumber(value) else { return false }
            return (left - right).magnitude <= (key.tolerance.flatMap(DecimalNumber.init(_:)) ?? .zero)
        case .moment:
            guard case .string(let text) = answer, case .string(let other) = value, let left = WrittenDate.order(text),
                let right = WrittenDate.order(other)
            else { return false }
            return left == right
        case .text:
            guard case .string(let text) = answer, case .string(let other) = value else {
                return RuleValue.isSame(answer, value)
            }
            return key.comparison == .folded
                ? AnswerText.isSame(text, other) : Self.trimmed(text) == Self.trimmed(other)
        default: return RuleValue.isSame(answer, value)
        }
    }

    private static func trimmed(_ text: String) -> String {
        var scalars = Substring(text).unicodeScalars
        while let first = scalars.first, RuleValue.isSpace(first) { scalars.removeFirst() }
        while let last = scalars.last, RuleValue.isSpace(last) { scalars.removeLast() }
        return String(Substring(scalars))
    }

    // MARK: Several values

    private func choices(_ answer: JSONValue) -> (Double, [Int]) {
        let chosen = Self.elements(answer)
        var options: [(index: Int, acceptance: QuestionKey.Acceptance, value: JSONValue)] = []
        for (index, acceptance) in key.accept.enumerated() {
            guard case .value(let value) = acceptance.match else { continue }
            if RuleValue.isScalar(value) {
                options.append((index, acceptance, value))
            } else if RuleValue.isSame(.array(chosen), value) {
                return (worth(acceptance), [index])
            }
        }
        let matched = options.filter { option in chosen.contains { RuleValue.isSame($0, option.value) } }
        let places = matched.map(\.index)
        if options.contains(where: { $0.acceptance.points != nil }) {
            return (matched.reduce(0) { $0 + ($1.acceptance.points ?? 0) }, places)
        }
        guard !options.isEmpty else { return completeParts(chosen, places) }
        return share(right: matched.count, wrong: chosen.count - matched.count, of: options.count, places)
    }

    /// The key has complete answers alone: the first of them is the right one, as far as an answer is partly right.
    private func completeParts(_ chosen: [JSONValue], _ places: [Int]) -> (Double, [Int]) {
        guard let first = key.accept.first, case .value(.array(let values)) = first.match else { return (0, []) }
        let right = values.filter { value in chosen.contains { RuleValue.isSame($0, value) } }.count
        return share(right: right, wrong: chosen.count - right, of: values.count, places)
    }

    private func share(right: Int, wrong: Int, of count: Int, _ places: [Int]) -> (Double, [Int]) {
        if right == count, wrong == 0 { return (maximum, places) }
        guard key.partial == true, count > 0 else { return (0, places) }
        return (maximum * Double(right - wrong) / Double(count), places)
    }

    private static func elements(_ value: JSONValue) -> [JSONValue] {
        if case .array(let values) = value { values } else { [value] }
    }

    private func ranking(_ answer: JSONValue) -> (Double, [Int]) {
        let given = Self.elements(answer)
        var best: (points: Double, places: [Int]) = (0, [])
        for (index, acceptance) in key.accept.enumerated() {
            guard case .value(.array(let values)) = acceptance.match, values.count > 1 else { continue }
            let positions = values.map { value in given.firstIndex { RuleValue.isSame($0, value) } }
            let isRight = given.count == values.count && positions == values.indices.map { $0 }
            var points = isRight ? worth(acceptance) : 0
            if !isRight, key.partial == true {
                var ordered = 0
                for first in values.indices {
                    for second in (first + 1)..<max(values.count, first + 1) {
                        if let left = positions[first], let right = positions[second], left < right { ordered += 1 }
                    }
                }
                points = worth(acceptance) * Double(ordered) / Double(values.count * (values.count - 1) / 2)
            }
            if points > best.points { best = (points, isRight ? [index] : []) }
        }
        return best
    }

    private func parts(_ answer: JSONValue) -> (Double, [Int]) {
        guard case .object(let given) = answer else { return (0, []) }
        var best: (points: Double, places: [Int]) = (0, [])
        for (index, acceptance) in key.accept.enumerated() {
            guard case .value(.object(let expected)) = acceptance.match, !expected.isEmpty else { continue }
            let right = expected.filter { name, value in given[name].map { isRightPart($0, value, name) } ?? false }
                .count
            let isRight = right == expected.count
            var points = isRight ? worth(acceptance) : 0
            if !isRight, key.partial != false { points = worth(acceptance) * Double(right) / Double(expected.count) }
            if points > best.points { best = (points, isRight ? [index] : []) }
        }
        return best
    }

    /// A gap accepts each element of a list; a row of a matrix has all of them.
    private func isRightPart(_ given: JSONValue, _ expected: JSONValue, _ name: String) -> Bool {
        guard form.shape == .gaps else { return RuleValue.isSame(given, expected) }
        let form = gaps[name] ?? .text
        return Self.elements(expected).contains { isSame(given, $0, form) }
    }
}

/// Finds what no answer to a question can meet in its key.
struct KeyCheck {
    let item: QuestionnaireRules.Item
    let key: QuestionKey
    let place: String

    typealias Finding = QuestionnaireCheck.Finding
    typealias Problem = QuestionnaireCheck.Problem

    func findings() -> [Finding] {
        // A person rates the answers, and the explanation is shown with the points.
        if key.accept.isEmpty, item.form.takesAnswer, !(key.explanation ?? "").allSatisfy(\.isWhitespace) { return [] }
        guard item.form.hasKey else { return [Finding(problem: .keyOfUnratedKind(item.form), place: place)] }
        guard !key.accept.isEmpty else { return [Finding(problem: .emptyKey, place: place)] }
        let isNew = place.hasPrefix("key.")
        return key.accept.enumerated().flatMap { index, acceptance in
            let place = isNew ? "\(place).accept[\(index)]" : place
            return problems(acceptance).map { problem, member in
                Finding(problem: problem, place: isNew ? place + "." + member : place)
            }
        }
    }

    private func problems(_ acceptance: QuestionKey.Acceptance) -> [(Problem, String)] {
        switch acceptance.match {
        case .pattern(let source):
            do throws(TextPattern.Fault) { _ = try TextPattern(source) } catch {
                return [(.invalidPattern(source, error), "pattern")]
            }
            return item.form.hasParts || item.form.shape == .order ? [(.keyOfAnotherForm(item.form), "pattern")] : []
        case .value(let value): return valueProblems(value).map { ($0, "value") }
        }
    }

    private func valueProblems(_ value: JSONValue) -> [Problem] {
        switch item.form.shape {
        case .options: return elements(value).flatMap { option($0, item.options, item.allowsOther) }
        case .order:
            guard case .array(let values) = value, values.count > 1 else { return [.keyOfAnotherForm(item.form)] }
            return values.flatMap { option($0, item.options, false) }
        case .rows:
            guard case .object(let rows) = value, !rows.isEmpty else { return [.keyOfAnotherForm(item.form)] }
            return rows.sorted { $0.key < $1.key }.flatMap { row, value -> [Problem] in
                guard item.rows.contains(row) else { return [.keyOfMissingPart(row)] }
                return elements(value).flatMap { option($0, item.options, false) }
            }
        case .gaps:
            guard case .object(let gaps) = value, !gaps.isEmpty else { return [.keyOfAnotherForm(item.form)] }
            return gaps.sorted { $0.key < $1.key }.flatMap { name, value -> [Problem] in
                guard let gap = item.gaps[name] else { return [.keyOfMissingPart(name)] }
                return elements(value).flatMap { scalarProblems($0, gap.form, gap.options, false) }
            }
        default: return scalarProblems(value, item.form, item.options, item.allowsOther)
        }
    }

    private func scalarProblems(
        _ value: JSONValue, _ form: Question.Kind, _ options: [String], _ allowsOther: Bool
    ) -> [Problem] {
        guard RuleValue.isScalar(value), value != .null else { return [.keyOfAnotherForm(form)] }
        if form.shape == .option { return option(value, options, allowsOther) }
        switch form.valueForm {
        case .number: return DecimalNumber(value) == nil ? [.keyIsNoNumber(RuleValue.text(value))] : []
        case .truth:
            let isTruth =
                value == .bool(true) || value == .bool(false) || ["true", "false"].contains(RuleValue.text(value))
            return isTruth ? [] : [.keyOfAnotherForm(form)]
        case .moment(let moment):
            guard case .string(let text) = value, WrittenDate.order(text)?.form == moment else {
                return [.keyIsNoDate(RuleValue.text(value), form)]
            }
            return []
        default: return RuleValue.isBlank(value) ? [.emptyKey] : []
        }
    }

    private func option(_ value: JSONValue, _ options: [String], _ allowsOther: Bool) -> [Problem] {
        let isMet = allowsOther || options.contains { RuleValue.isSame(.string($0), value) }
        return isMet ? [] : [.keyIsNoOption(RuleValue.text(value))]
    }

    private func elements(_ value: JSONValue) -> [JSONValue] {
        if case .array(let values) = value { values } else { [value] }
    }
}

import Model

/// The lists from which a condition is chosen.
struct ConditionList {
    let page: DraftPage
    /// The questions that it cannot ask about: its own.
    let excluded: Set<String>
    let fields: ConditionFields

    private var language: Language { page.language }

    func add(to model: inout [String: any Sendable]) {
        let others = page.document.questions.filter { !excluded.contains($0.id) && $0.takesAnswer }
        guard fields.isShown, !others.isEmpty || !fields.rows.isEmpty else { return }
        let rows = fields.rows + [ConditionFields.Row()]
        model["hasCondition"] = true
        model["conditionOpen"] = !fields.rows.isEmpty
        model["several"] = fields.rows.count > 1
        model["anyOf"] = fields.isAny
        model["conditions"] = rows.prefix(ConditionFields.mostRows).enumerated().map { place, row in
            self.row(row, place, others)
        }
    }

    private func row(_ row: ConditionFields.Row, _ place: Int, _ others: [DraftQuestion]) -> [String: any Sendable] {
        let number = place + 1
        let known = others.contains { $0.id == row.question }
        var names = others.map { (id: $0.id, name: name($0)) }
        // What the condition names stays chosen, also when it is gone.
        if !known, !row.question.isEmpty { names.append((row.question, row.question)) }
        var model: [String: any Sendable] = [
            "n": "\(place)", "value": row.value, "isFilled": !row.question.isEmpty,
            "questionLabel": language.text("Condition \(number): question"),
            "relationLabel": language.text("Condition \(number): relation"),
            "valueLabel": language.text("Condition \(number): value"),
            "questions": names.map {
                ["value": $0.id, "name": $0.name, "current": $0.id == row.question] as [String: any Sendable]
            },
            "relations": ConditionFields.Relation.allCases.map {
                ["value": $0.rawValue, "name": name($0), "current": $0 == row.relation] as [String: any Sendable]
            },
        ]
        let choices = choices(of: row.question, others)
        if !choices.isEmpty {
            let all =
                choices.contains { $0.value == row.value } || row.value.isEmpty
                ? choices : choices + [(row.value, row.value)]
            model["choices"] = all.map {
                ["value": $0.value, "name": $0.name, "current": $0.value == row.value] as [String: any Sendable]
            }
        }
        model["hasChoices"] = !choices.isEmpty
        return model
    }

    /// A comparison in words.
    func sentence(_ row: ConditionFields.Row) -> String {
        let others = page.document.questions
        let question = others.first { $0.id == row.question }.map(name) ?? row.question
        let value = choices(of: row.question, others).first { $0.value == row.value }?.name ?? row.value
        let words = "“\(question)” \(name(row.relation))"
        return row.relation.takesValue ? "\(words) “\(value)”" : words
    }

    private func name(_ other: DraftQuestion) -> String {
        let number = (page.document.place(of: other.id) ?? 0) + 1
        return "\(number). " + page.document.textFormat.line(of: other.text).prefix(80)
    }

    /// The values to choose from; none where a value is typed.
    private func choices(of id: String, _ others: [DraftQuestion]) -> [(value: String, name: String)] {
        guard let other = others.first(where: { $0.id == id }) else { return [] }
        switch other.kind.fieldGroup {
        case .truth:
            let words = other.options.count == 2 ? other.options : [language.text("Yes"), language.text("No")]
            return [("true", words[0]), ("false", words[1])]
        case .options: return other.options.map { ($0, page.document.textFormat.line(of: $0)) }
        default: return []
        }
    }

    private func name(_ relation: ConditionFields.Relation) -> String {
        switch relation {
        case .answered: language.text("has an answer")
        case .unanswered: language.text("has no answer")
        case .equal: language.text("is", context: "condition")
        case .notEqual: language.text("is not", context: "condition")
        case .contains: language.text("contains", context: "condition")
        case .above: language.text("is above")
        case .atLeast: language.text("is at least")
        case .below: language.text("is below")
        case .atMost: language.text("is at most")
        }
    }
}

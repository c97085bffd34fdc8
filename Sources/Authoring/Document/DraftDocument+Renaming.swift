import Model

extension DraftDocument {
    /// Gives options of a question other texts wherever they are named.
    mutating func rename(_ names: [String: String], of id: String) {
        guard !names.isEmpty else { return }
        func renamed(_ value: JSONValue) -> JSONValue {
            switch value {
            case .string(let text): .string(names[text] ?? text)
            case .array(let values): .array(values.map(renamed))
            default: value
            }
        }
        func condition(_ value: JSONValue) -> JSONValue {
            guard var members = value.members else { return value }
            for name in ["all", "any"] { members[name] = members[name]?.elements.map { .array($0.map(condition)) } }
            members["not"] = members["not"].map(condition)
            if members["question"]?.text == id {
                for name in ["is", "isNot", "contains"] { members[name] = members[name].map(renamed) }
            }
            return .object(members)
        }
        var questions = questions
        for place in questions.indices {
            questions[place].members["condition"] = questions[place].members["condition"].map(condition)
            if questions[place].id == id {
                questions[place].members["keepLast"] = questions[place].members["keepLast"].map(renamed)
            }
        }
        self.questions = questions
        guard let sections = members["sections"]?.elements else { return }
        members["sections"] = .array(
            sections.map { section in
                guard var members = section.members else { return section }
                members["condition"] = members["condition"].map(condition)
                return .object(members)
            })
    }
}

import HTTPServing
import Model

/// When a question is shown, as it is chosen from lists: comparisons of which all, or any, must hold.
struct ConditionFields: Hashable, Sendable {
    /// One comparison with the answer to another question.
    struct Row: Hashable, Sendable {
        var question = ""
        var relation = Relation.answered
        var value = ""
    }

    enum Relation: String, CaseIterable, Hashable, Sendable {
        case answered, unanswered
        case equal = "is"
        case notEqual = "isNot"
        case contains, above, atLeast, below, atMost

        var takesValue: Bool { self != .answered && self != .unanswered }
    }

    var rows: [Row] = []
    /// Whether one of several comparisons is enough.
    var isAny = false
    /// Whether lists can show it; otherwise it stays as it is.
    var isShown = true

    init() {}

    init(_ condition: JSONValue?) {
        guard let condition else { return }
        let members = condition.members ?? [:]
        let list = members["all"]?.elements ?? members["any"]?.elements
        isAny = members["any"] != nil
        rows = (list ?? [condition]).compactMap(Self.row)
        let isWhole = rows.count == (list?.count ?? 1) && rows.count < Self.mostRows
        isShown = isWhole && (list == nil || members.count == 1 && !rows.isEmpty)
    }

    init(_ form: FormFields) {
        isAny = form["anyof"] == "1"
        rows = (0..<Self.mostRows).compactMap { number in
            guard let question = form["cq.\(number)"], !question.isEmpty else { return nil }
            let relation = form["cr.\(number)"].flatMap(Relation.init(rawValue:)) ?? .answered
            return Row(question: question, relation: relation, value: form["cv.\(number)"] ?? "")
        }
    }

    static let mostRows = 20

    private static func row(_ json: JSONValue) -> Row? {
        guard let members = json.members, members.count == 2, let question = members["question"]?.text else {
            return nil
        }
        if let isAnswered = members["answered"]?.truth {
            return Row(question: question, relation: isAnswered ? .answered : .unanswered)
        }
        guard let relation = Relation.allCases.first(where: { $0.takesValue && members[$0.rawValue] != nil }),
            let value = members[relation.rawValue],
            let text = value.text ?? value.numberText ?? value.truth.map({ "\($0)" })
        else { return nil }
        return Row(question: question, relation: relation, value: text)
    }

    /// A value that is chosen where the list still says “is answered” is meant: the answer is this one, or has it among others.
    func withChosenValues(after former: ConditionFields, in document: DraftDocument) -> ConditionFields {
        var fields = self
        for place in rows.indices where rows[place].relation == .answered && !rows[place].value.isEmpty {
            // Otherwise “is answered” was chosen, and the value is the former one.
            guard former.rows.indices.contains(place), former.rows[place].relation == .answered else { continue }
            let isMultiple = document.question(rows[place].question)?.kind.isMultiple ?? false
            fields.rows[place].relation = isMultiple ? .contains : .equal
        }
        return fields
    }

    /// The member of the document; `nil` for no condition.
    func written(in document: DraftDocument) -> JSONValue? {
        let conditions = rows.map { row -> JSONValue in
            // Before a value is chosen the condition asks for any answer.
            guard row.relation.takesValue, !row.value.isEmpty else {
                return .object(["question": .string(row.question), "answered": .bool(row.relation != .unanswered)])
            }
            return .object(["question": .string(row.question), row.relation.rawValue: Self.value(row, document)])
        }
        if conditions.count > 1 { return .object([isAny ? "any" : "all": .array(conditions)]) }
        return conditions.first
    }

    /// In the form that answers to the question have.
    private static func value(_ row: Row, _ document: DraftDocument) -> JSONValue {
        let kind = document.question(row.question)?.kind
        switch kind?.fieldGroup {
        case .number, .scale: return JSONValue(number: row.value) ?? .string(row.value)
        case .truth: return row.value == "true" ? .bool(true) : row.value == "false" ? .bool(false) : .string(row.value)
        default: return .string(row.value)
        }
    }
}

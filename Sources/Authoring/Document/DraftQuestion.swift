import Model

/// A question of a draft. Members that this program does not know are kept.
struct DraftQuestion: Hashable, Sendable {
    var members: [String: JSONValue]

    init(_ members: [String: JSONValue]) { self.members = members }

    /// An empty question of a kind.
    init(id: String, kind: Question.Kind) {
        members = ["id": .string(id), "text": .string(""), "kind": .string(kind.rawValue)]
        if kind.needsOptions { members["options"] = .array([]) }
        if kind.needsRows { members["rows"] = .array([]) }
        if kind.isScale { members["scale"] = .object(["min": .integer(1), "max": .integer(5)]) }
    }

    var id: String { members["id"]?.text ?? "" }

    var text: String {
        get { members["text"]?.text ?? "" }
        set { members["text"] = .string(newValue) }
    }

    /// As readers of the document understand it.
    var kind: Question.Kind {
        Question.Kind(
            stated: members["kind"]?.text, hasOptions: !options.isEmpty,
            isMultiple: members["multiple"]?.truth ?? false)
    }

    /// A kind that this program does not know; `nil` for all others.
    var unknownKind: String? {
        members["kind"]?.text.flatMap { Question.Kind(rawValue: $0) == nil ? $0 : nil }
    }

    var options: [String] {
        get { members["options"]?.texts ?? [] }
        set {
            members["options"] = newValue.isEmpty && !kind.needsOptions ? nil : .array(newValue.map(JSONValue.string))
        }
    }

    var rows: [String] {
        get { members["rows"]?.texts ?? [] }
        set { members["rows"] = newValue.isEmpty && !kind.needsRows ? nil : .array(newValue.map(JSONValue.string)) }
    }

    var isRequired: Bool { members["required"]?.truth ?? false }
    var takesAnswer: Bool { kind.takesAnswer }
}

extension DraftQuestion {
    /// The members that say something about the kinds that have them.
    private static let membersOfKinds: Set<String> = [
        "options", "rows", "scale", "gaps", "multiple", "other", "unit", "multiline", "constraint", "accept", "capture",
        "maxFiles", "keepLast",
    ]

    /// Gives the question another kind. What the new kind does not have is removed; undoing returns it.
    mutating func become(_ kind: Question.Kind) {
        let former = self.kind
        let fresh = DraftQuestion(id: id, kind: kind)
        let isAlike = former.needsOptions && kind.needsOptions
        for name in Self.membersOfKinds {
            if isAlike, name == "options" || name == "keepLast" || name == "rows" && kind.needsRows { continue }
            members[name] = fresh.members[name]
        }
        if kind.needsRows, members["rows"] == nil { members["rows"] = .array([]) }
        members["kind"] = .string(kind.rawValue)
    }
}

import Model

/// A field of a form, or a few that belong together: what two authors may each have changed.
struct FieldPart<Fields> {
    /// The name of the choice in a form.
    let name: String
    let isSame: (Fields, Fields) -> Bool
    /// Copies it from the first to the second.
    let copy: (Fields, inout Fields) -> Void
    let value: (Fields) -> FieldValue

    init(
        _ name: String, value: @escaping (Fields) -> FieldValue, isSame: @escaping (Fields, Fields) -> Bool,
        copy: @escaping (Fields, inout Fields) -> Void
    ) {
        (self.name, self.isSame, self.copy, self.value) = (name, isSame, copy, value)
    }

    init<Value: Equatable>(
        _ name: String, _ path: WritableKeyPath<Fields, Value>, _ value: @escaping (Value) -> FieldValue
    ) {
        self.init(
            name, value: { value($0[keyPath: path]) }, isSame: { $0[keyPath: path] == $1[keyPath: path] },
            copy: { $1[keyPath: path] = $0[keyPath: path] })
    }

    static func typed(_ name: String, _ path: WritableKeyPath<Fields, String>) -> FieldPart {
        FieldPart(name, path) { .text($0) }
    }

    static func flag(_ name: String, _ path: WritableKeyPath<Fields, Bool>) -> FieldPart {
        FieldPart(name, path) { .flag($0) }
    }
}

/// What a field has, for people.
enum FieldValue: Hashable, Sendable {
    /// A line of a list.
    struct Line: Hashable, Sendable {
        var text: String
        /// Whether it is a right answer.
        var isMarked = false
        var points = ""
        var feedback = ""
    }

    case text(String)
    case flag(Bool)
    case kind(Question.Kind?, [Line])
    case lines([Line])
    case moment(String)
    /// A choice from a list, by the value of its option.
    case choice(String)
    case condition(ConditionFields)
    /// A section by its id; empty for none.
    case section(String)
    /// It was deleted.
    case deleted
}

/// A form that was filled in over a state that another author has changed meanwhile, merged with that change field by field.
struct FieldMerge<Fields> {
    /// With all that is decided: what one of both changed, and what was chosen.
    private(set) var fields: Fields
    /// Fields that both changed, each in another way, and of which none was chosen.
    private(set) var conflicts: [FieldConflict] = []
    /// Whether the other author changed anything else than the form.
    private(set) var hasOtherChanges = false

    /// - Parameters:
    ///   - base: what its author saw; `nil` where that is not kept any more: then every difference is a conflict.
    ///   - choice: the side that was chosen for a field.
    init(
        base: Fields?, theirs: Fields, mine: Fields, parts: [FieldPart<Fields>],
        choice: (FieldPart<Fields>) -> MergeSide? = { _ in nil }
    ) {
        fields = theirs
        for part in parts {
            let isTheirs = base.map { !part.isSame($0, theirs) } ?? true
            let isMine = base.map { !part.isSame($0, mine) } ?? true
            if isTheirs, base != nil { hasOtherChanges = true }
            if part.isSame(theirs, mine) || !isMine { continue }
            switch isTheirs ? choice(part) : .mine {
            case .mine: part.copy(mine, &fields)
            case .theirs: break
            case nil:
                conflicts.append(
                    FieldConflict(
                        name: part.name, base: base.map(part.value), theirs: part.value(theirs), mine: part.value(mine))
                )
            }
        }
    }
}

/// The author whose change of a field counts.
enum MergeSide: String, Hashable, Sendable { case theirs, mine }

/// A field that two authors changed at once.
struct FieldConflict: Hashable, Sendable {
    var name: String
    /// What it was before; `nil` where that is not kept any more.
    var base: FieldValue?
    var theirs: FieldValue
    var mine: FieldValue
}

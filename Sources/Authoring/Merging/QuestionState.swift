import Model

/// What the form of a question changes: its fields, and the section that it stands in.
struct QuestionState: Hashable, Sendable {
    var fields: QuestionFields
    /// The section's id; empty for none.
    var section: String

    init(_ fields: QuestionFields, section: String) {
        self.fields = fields
        self.section = section
    }

    /// - Returns: `nil` where there is no such question.
    init?(_ id: String, in document: DraftDocument) {
        guard let question = document.question(id) else { return nil }
        self.init(QuestionFields(question, in: document), section: document.section(of: id)?.id ?? "")
    }

    // MARK: Merging

    /// Fits a form that was filled in over `base` to the later state `theirs`, which it is to be merged with: the places of options
    /// are those of the later state, and what the form could not show is as it was.
    func fitted(to theirs: QuestionState, from base: QuestionState?, in document: DraftDocument) -> QuestionState {
        var state = self
        state.fields = fields.filled
        state.fields.showsKey = theirs.fields.showsKey
        let former = base ?? theirs
        state.fields.condition =
            former.fields.condition.isShown
            ? fields.condition.withChosenValues(after: former.fields.condition, in: document)
            : former.fields.condition
        func places(_ mine: [String], _ later: [String]) -> (Int?) -> Int? {
            { was in
                guard let was, mine.indices.contains(was) else { return nil }
                if let place = later.firstIndex(of: mine[was]) { return place }
                // Renamed in its place.
                return was < later.count && !mine.contains(later[was]) ? was : nil
            }
        }
        guard let base else { return state }
        let options = places(base.fields.options.map(\.text), theirs.fields.options.map(\.text))
        for place in state.fields.options.indices {
            state.fields.options[place].was = options(state.fields.options[place].was)
        }
        let rows = places(base.fields.rows.map(\.text), theirs.fields.rows.map(\.text))
        for place in state.fields.rows.indices {
            state.fields.rows[place].was = rows(state.fields.rows[place].was)
        }
        return state
    }

    /// The parts in which two changes of one question are compared.
    static func parts(base: QuestionState?, theirs: QuestionState, mine: QuestionState) -> [FieldPart<QuestionState>] {
        var parts: [FieldPart<QuestionState>] = [
            .typed("text", \.fields.text), .typed("hint", \.fields.hint), .flag("required", \.fields.isRequired),
            .typed("points", \.fields.points), .typed("explanation", \.fields.explanation),
            FieldPart("condition", \.fields.condition) { .condition($0) },
            FieldPart("section", \.section) { .section($0) },
        ]
        let states = [base, theirs, mine].compactMap(\.self).map(\.fields)
        let isOneKind = Set(states.map(\.kind)).count == 1
        guard isOneKind, let kind = theirs.fields.kind else { return parts + [kindPart] }
        parts += ownParts(of: kind)
        switch kind.fieldGroup {
        case .options, .truth: parts += optionParts(base?.fields, theirs.fields, mine.fields)
        case .table:
            let isOfSameOptions = Set(states.map { $0.options.map(\.text) }).count == 1
            parts += isOfSameOptions ? rowParts(base?.fields, theirs.fields, mine.fields) : [tablePart]
        case .gaps:
            let names = states.flatMap { $0.gaps.map(\.name) }
            var seen: Set<String> = []
            parts += names.filter { seen.insert($0).inserted }.map(gapPart)
        default: parts.append(FieldPart("accepted", \.fields.accepted) { .lines($0.map(\.line)) })
        }
        return parts
    }

    /// The fields of a kind that are no lists.
    private static func ownParts(of kind: Question.Kind) -> [FieldPart<QuestionState>] {
        let all: [FieldPart<QuestionState>] = [
            .flag("partial", \.fields.isPartial), .flag("other", \.fields.allowsOther),
            .flag("ordered", \.fields.isOrdered), .flag("exact", \.fields.isExact),
            .flag("multiple", \.fields.isMultiple), .flag("multiline", \.fields.isMultiline),
            .flag("whole", \.fields.isWhole), .typed("tolerance", \.fields.tolerance), .typed("unit", \.fields.unit),
            .typed("least", \.fields.least), .typed("most", \.fields.most), .typed("step", \.fields.step),
            .typed("leastlabel", \.fields.leastLabel), .typed("mostlabel", \.fields.mostLabel),
            .typed("longest", \.fields.longest), .typed("after", \.fields.after), .typed("before", \.fields.before),
            FieldPart("accept", \.fields.fileTypes) { .choice($0) },
            FieldPart("capture", \.fields.capture) { .choice($0) }, .typed("mostfiles", \.fields.mostFiles),
        ]
        // A field that the form of a kind lacks is sent empty.
        let names: Set<String> =
            switch kind.fieldGroup {
            case .options where kind.shape == .order: ["ordered", "partial"]
            case .options: ["other", "partial"]
            case .table: kind.isTable ? ["multiple", "partial"] : ["partial"]
            case .gaps: ["partial"]
            case .number: ["least", "most", "unit", "whole", "tolerance"]
            case .text: ["multiline", "longest", "exact"]
            case .moment: ["after", "before"]
            case .scale: ["least", "most", "step", "leastlabel", "mostlabel"]
            case .file: ["accept", "capture", "mostfiles"]
            case .truth, .none: []
            }
        return all.filter { names.contains($0.name) }
    }

    /// Kind, options, key and limits as one: one of both chose another kind.
    private static var kindPart: FieldPart<QuestionState> {
        func without(_ fields: QuestionFields) -> QuestionFields {
            var fields = fields
            (fields.text, fields.hint, fields.isRequired, fields.points, fields.explanation) = ("", "", false, "", "")
            fields.condition = ConditionFields()
            fields.shownKind = nil
            for place in fields.options.indices { fields.options[place].was = nil }
            for place in fields.rows.indices { fields.rows[place].was = nil }
            return fields
        }
        return FieldPart("kind") { state in
            let fields = state.fields
            let lines = fields.options.map(\.line) + fields.accepted.map(\.line)
            return .kind(fields.kind, lines + fields.rows.map { .init(text: $0.text) })
        } isSame: {
            without($0.fields) == without($1.fields)
        } copy: { source, target in
            let kept = target.fields
            target.fields = source.fields
            (target.fields.text, target.fields.hint, target.fields.isRequired) = (kept.text, kept.hint, kept.isRequired)
            (target.fields.points, target.fields.explanation) = (kept.points, kept.explanation)
            target.fields.condition = kept.condition
        }
    }
}

extension QuestionFields.Option {
    var line: FieldValue.Line { .init(text: text, isMarked: isRight, points: points, feedback: feedback) }
}

extension QuestionFields.Accepted {
    var line: FieldValue.Line { .init(text: value, isMarked: true, points: points, feedback: feedback) }
}

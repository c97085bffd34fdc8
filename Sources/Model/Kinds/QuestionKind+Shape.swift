/// What rules ask of the kinds of questions.
extension Question.Kind {
    /// The kind that a document states; one from the future is answered as text.
    package init(stated: String?, hasOptions: Bool, isMultiple: Bool) {
        self =
            stated.map { Question.Kind(rawValue: $0) ?? .text }
            ?? (hasOptions ? isMultiple ? .choices : .choice : .text)
    }

    /// What an answer, and the key of it, is made of.
    package enum Shape: Hashable, Sendable {
        /// One of the options.
        case option
        /// Any number of the options.
        case options
        /// All options in an order.
        case order
        /// Options for each row.
        case rows
        /// A value for each gap.
        case gaps
        /// One text, number, truth or date.
        case value
        /// Nothing that a program can give points for.
        case other
    }

    package var shape: Shape {
        switch self {
        case .choice: .option
        case .choices: .options
        case .ranking: .order
        case .matching, .matrix: .rows
        case .gaps: .gaps
        case .boolean, .text, .number, .date, .time, .dateTime, .scale: .value
        case .file, .location, .note: .other
        }
    }

    /// What a single value of an answer is.
    package enum ValueForm: Hashable, Sendable {
        case text
        case number
        case truth
        case moment(WrittenDate.Order.Form)
    }

    /// `nil` for a kind whose answers are chosen among options, have parts, or have no value.
    package var valueForm: ValueForm? {
        switch self {
        case .text: .text
        case .number, .scale: .number
        case .boolean: .truth
        case .date: .moment(.date)
        case .time: .moment(.time)
        case .dateTime: .moment(.dateTime)
        case .choice, .choices, .ranking, .matching, .matrix, .gaps, .file, .location, .note: nil
        }
    }

    /// Whether its numbers are the steps of a scale.
    package var isScale: Bool { self == .scale }

    /// Whether people write its numbers in their own ways.
    package var isWrittenNumber: Bool { self == .number }

    /// Whether its answers are files.
    package var takesFiles: Bool { self == .file }

    /// Whether an answer has the form that rules expect of the kind: one that was asked as text has not.
    package func fits(_ answer: Answer.Value) -> Bool {
        switch (shape, answer) {
        case (.rows, .object), (.gaps, .object), (.order, .several): true
        case (.rows, _), (.gaps, _), (.order, _): false
        default: true
        }
    }

    /// Whether a gap of a text can be of this kind: it is answered by one value.
    package var fitsGap: Bool { shape == .option || shape == .value && self != .scale }

    /// Whether its rows are those of a table.
    package var isTable: Bool { self == .matrix }
    package var needsOptions: Bool { [.option, .options, .order, .rows].contains(shape) }
    /// Whether a row may have several options, where the question says so.
    var mayHaveSeveralPerRow: Bool { self == .matrix }
    package var needsRows: Bool { shape == .rows }
    /// Whether its options may be shown in another order.
    package var shufflesOptions: Bool { needsOptions && self != .matrix }
    /// Whether a program can give points for its answers.
    package var hasKey: Bool { shape != .other }
    /// Whether an answer has several parts, each worth something of its own.
    package var hasParts: Bool { shape == .rows || shape == .gaps }

    /// Whether a member of a constraint limits answers of this kind.
    func uses(constraint member: String) -> Bool {
        switch member {
        case "min", "max", "step", "integer": self == .number || self == .scale
        case "minLength", "maxLength", "pattern": shape == .option || [.text, .date, .time, .dateTime].contains(self)
        case "minCount", "maxCount": [.options, .order, .rows, .gaps].contains(shape) || self == .file
        case "before", "after": self == .date || self == .time || self == .dateTime
        default: true
        }
    }
}

extension Question.Kind {
    /// In the order in which authors are offered them: first those that are answered by choosing.
    package static let offered: [Question.Kind] = {
        let first = allCases.filter { $0.shape == .option } + allCases.filter { $0.shape == .options }
        let often: [Question.Kind] = [.boolean, .text, .number, .scale, .date, .time, .dateTime]
        let rest = allCases.filter { !first.contains($0) && !often.contains($0) && $0.takesAnswer }
        return first + often + rest + allCases.filter { !$0.takesAnswer }
    }()
}

/// The kinds of questions that documents may have, as rules see them. What an interface does with a kind is in the table of
/// `Question.Kind`.
package enum QuestionForm: String, Hashable, Sendable, CaseIterable {
    case choice
    case choices
    case boolean
    case text
    case number
    case date
    case time
    case dateTime
    case scale
    case ranking
    case matching
    case matrix
    case gaps
    case file
    case location
    case note

    /// The form of a document's `kind`; a kind from the future is answered as text.
    package init(kind: String?, hasOptions: Bool, isMultiple: Bool) {
        self =
            kind.map { QuestionForm(rawValue: $0) ?? .text }
            ?? (hasOptions ? isMultiple ? .choices : .choice : .text)
    }

    package var needsOptions: Bool { [.choice, .choices, .ranking, .matching, .matrix].contains(self) }
    package var needsRows: Bool { self == .matching || self == .matrix }
    /// Whether its options may be shown in another order.
    package var shufflesOptions: Bool { [.choice, .choices, .ranking, .matching].contains(self) }
    /// Whether a program can give points for its answers.
    package var hasKey: Bool { ![.file, .location, .note].contains(self) }
    /// Whether an answer has several parts, each worth something of its own.
    package var hasParts: Bool { [.matching, .matrix, .gaps].contains(self) }
}

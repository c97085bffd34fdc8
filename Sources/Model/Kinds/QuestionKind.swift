extension Question {
    /// How a question is answered. Everything that differs between kinds is in this folder, one file for each kind; no
    /// other code compares kinds.
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// One of the options.
        case choice
        /// Any number of the options.
        case choices
        /// Yes or no.
        case boolean
        /// Free text.
        case text
        /// A number.
        case number
        /// A day.
        case date
        /// A time of the day.
        case time
        /// A day with a time and its offset from UTC.
        case dateTime
        /// One of the steps between two numbers.
        case scale
        /// All options in an order.
        case ranking
        /// An option for each row.
        case matching
        /// One option, or several, for each row.
        case matrix
        /// A text with gaps.
        case gaps
        /// A file.
        case file
        /// A place on the earth.
        case location
        /// Instructions, which take no answer.
        case note

        /// The table of kinds.
        var rules: QuestionRules {
            switch self {
            case .choice: .choice
            case .choices: .choices
            case .boolean: .boolean
            case .text: .text
            case .number: .number
            case .date: .date
            case .time: .time
            case .dateTime: .dateTime
            case .scale: .scale
            case .note: .note
            case .ranking: .ranking
            case .matching: .matching
            case .matrix: .matrix
            case .gaps: .gaps
            case .file: .file
            case .location: .location
            }
        }
    }
}

/// The control in which a person enters an answer. Interfaces switch on `Question.input`.
///
/// | input | shown from | answer made by |
/// | --- | --- | --- |
/// | `option`, `options` | `match(_:)` | `answer(choosing:keeping:)` |
/// | `text`, `decimal`, `moment` | `answer.texts` | `answer(_:)` |
/// | `order` | `ranking(of:)` | `answer(ranking:)` |
/// | `rows`, `gaps` | `parts` and `answer(of:in:)` | `answer(_:setting:)` with an answer to one of the parts |
///
/// An answer in words to a question with one of the last three inputs is `ownText(of:)`: an interface shows it, and replaces
/// it only when the person answers in the new form.
package enum AnswerInput: Hashable, Sendable {
    /// One of the options.
    case option
    /// Any number of the options.
    case options
    /// Lines of text.
    case text
    /// A number on one line.
    case decimal
    /// A date, a time, or both, on one line.
    case moment(WrittenDate.Order.Form)
    /// All options, which the person puts in order.
    case order
    /// For each row one of the options, or any number of them.
    case rows(isMultiple: Bool)
    /// A value for each gap of the question's text, whose places `GapText.pieces` finds.
    case gaps
    /// Coordinates of a place, written or found by the device.
    case location
    /// Files, which are attached to the test.
    case files
    /// None: there is nothing to answer.
    case nothing
}

extension AnswerInput {
    /// Whether an answer has several fields, each with a name of its own.
    package var hasNamedFields: Bool {
        switch self {
        case .rows, .gaps, .location: true
        case .option, .options, .text, .decimal, .moment, .order, .files, .nothing: false
        }
    }
    /// Whether an answer is made of an order, of rows or of gaps.
    package var isStructured: Bool {
        switch self {
        case .order, .rows, .gaps: true
        case .option, .options, .text, .decimal, .moment, .location, .files, .nothing: false
        }
    }

    /// Whether the answer is written in a field.
    package var isWritten: Bool {
        switch self {
        case .text, .decimal, .moment, .location: true
        case .option, .options, .order, .rows, .gaps, .files, .nothing: false
        }
    }
}

extension Question {
    /// How a person enters the answer. A question that lacks the options, rows or gaps of its kind is answered as text.
    package var input: AnswerInput {
        switch kind.rules.input {
        case .order where options.isEmpty: .text
        case .rows where rows.isEmpty || options.isEmpty: .text
        case .rows: .rows(isMultiple: multiple && kind.mayHaveSeveralPerRow)
        case .gaps where GapText.names(in: text).isEmpty: .text
        case let input: input
        }
    }

    /// The behaviour of the question's kind, or that of a text.
    var rules: QuestionRules { isAskedAsText ? .askedAsText : kind.rules }
}

extension Question.Kind {
    /// The input of a complete question of the kind.
    private var input: AnswerInput { rules.input }

    /// Whether the question lists options.
    package var hasOptions: Bool { input == .option || input == .options }

    /// Whether it has options although a document lists none.
    var hasOwnOptions: Bool { rules.options != nil }

    /// Whether an answer may have several values.
    package var isMultiple: Bool { input == .options }

    /// Whether there is something to answer.
    package var takesAnswer: Bool { input != .nothing }

    /// Whether this program asks questions of the kind as such. Others are answered as text.
    package var isAsked: Bool { rules.isAsked }

    /// Whether input is normalised. Incomplete input may be no valid answer: a draft keeps it, and the test cannot be
    /// finished with it.
    package var isNormalised: Bool { rules.isNormalised }

    /// Why a key's answer is invalid; `nil` for a valid one.
    func keyFault(_ texts: [String], in question: Question) -> String? { rules.keyFault(texts, question) }

    /// Whether an answer is correct. For a single answer, each answer of the key is correct.
    package func isRight(_ answer: Answer, accepted: [String]) -> Bool { rules.isRight(answer, accepted) }
}

/// The behaviour of one kind of question.
struct QuestionRules: Sendable {
    var input: AnswerInput
    var isNormalised = false
    var isAsked = true
    /// Whether input without an offset is completed by the local one.
    var isLocal = false
    /// The options that a question has although its document lists none.
    var options: (@Sendable (Question) -> [String])?
    /// The value of each option, where it is not the option's text.
    var values: (@Sendable (Question) -> [Answer.Value])?
    /// Makes an answer of a person's or a script's input.
    var answer: @Sendable (Question, Answer.Value) throws(AnswerFault) -> Answer
    /// Why the texts of a key cannot be the answer; there is at least one text.
    var keyFault: @Sendable (_ texts: [String], Question) -> String?
    /// Compares an answer that is not blank with those of the key.
    var isRight: @Sendable (Answer, _ accepted: [String]) -> Bool

    /// Compares the single text of an answer with each accepted one.
    static func isOne(
        of accepted: [String], _ answer: Answer, _ isSame: (String, String) -> Bool
    ) -> Bool {
        guard answer.texts.count == 1, let text = answer.texts.first else { return false }
        return accepted.contains { isSame(text, $0) }
    }
}

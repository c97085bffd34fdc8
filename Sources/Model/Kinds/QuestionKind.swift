extension Question {
    /// How a question is answered. Everything that differs between kinds is in this folder, one file for each kind; no
    /// other code compares kinds.
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// One of the options.
        case choice
        /// Any number of the options.
        case choices
        /// Free text.
        case text
        /// A number.
        case number

        /// The table of kinds.
        var rules: QuestionRules {
            switch self {
            case .choice: .choice
            case .choices: .choices
            case .text: .text
            case .number: .number
            }
        }
    }
}

/// The control in which a person enters an answer. Interfaces switch on this.
package enum AnswerInput: Hashable, Sendable {
    /// One of the options.
    case option
    /// Any number of the options.
    case options
    /// Lines of text.
    case text
    /// A number on one line.
    case decimal
}

extension Question.Kind {
    package var input: AnswerInput { rules.input }

    /// Whether the question lists options.
    package var hasOptions: Bool { input == .option || input == .options }

    /// Whether an answer may have several values.
    package var isMultiple: Bool { input == .options }

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

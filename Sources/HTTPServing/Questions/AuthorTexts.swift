import Model
import RichText

/// The texts of a questionnaire as the templates show them: formatted where its author says so. What people answer is
/// never formatted.
package struct AuthorTexts: Sendable {
    package let format: TextFormat
    package let locale: String?

    package init(_ questionnaire: Questionnaire?) {
        format = questionnaire?.textFormat ?? .plain
        locale = questionnaire?.locale
    }

    /// The value of `dir`: the direction of the language where that is known to run from the right.
    package var direction: String { TextDirection(of: locale)?.rawValue ?? "auto" }

    /// Adds the text of a question: `text`, and where it is formatted `heading` and `body`.
    ///
    /// - Parameter hasGaps: whether the text has gaps, each of which is a line to write on where there are no fields.
    package func add(question text: String, hasGaps: Bool = false, to model: inout [String: any Sendable]) {
        model["locale"] = locale
        model["dir"] = direction
        model["text"] = hasGaps ? GapText.filled(text) { _ in nil } : text
        let gap: FormattedText.Gap? =
            hasGaps
            ? { _, writer in
                writer.text(GapText.blank)
                return true
            } : nil
        guard let tree = format.tree(of: text) else { return }
        let question = QuestionText(tree)
        var formatted: [String: any Sendable] = [:]
        formatted["heading"] = question.heading?.inlineHTML(gap: gap)
        if !question.body.blocks.isEmpty { formatted["body"] = question.body.html(gap: gap) }
        model["formatted"] = formatted
    }

    /// A text as a tree, also where it is plain.
    package func tree(_ text: String) -> FormattedText { format.tree(of: text) ?? FormattedText(plain: text) }

    /// An option as HTML; `nil` where it is plain.
    package func html(option text: String) -> String? { format.tree(of: text)?.inlineHTML() }

    /// A description or a hint as HTML; `nil` where it is plain.
    package func html(text: String) -> String? { format.tree(of: text)?.html(headingLevel: 2) }

    package func line(_ text: String) -> String { format.line(of: text) }

    /// An answer in words, with its options as lines; `nil` for none.
    package func line(_ answer: Answer?, to question: Question?) -> String? {
        guard let answer, !answer.isBlank else { return nil }
        return question?.line(answer, author: line) ?? answer.texts.joined(separator: ", ")
    }

    /// The texts of an answer as HTML, each option formatted; `nil` where none of them is.
    package func chosen(_ answer: Answer?, of question: Question?) -> [[String: any Sendable]]? {
        guard format != .plain, let answer, let question else { return nil }
        let texts = question.shown(answer)
        guard texts.contains(where: { isOption($0, of: question) }) else { return nil }
        return texts.map { text in
            var writer = HTMLWriter()
            if isOption(text, of: question), let tree = format.tree(of: text) {
                tree.writeInline(to: &writer)
            } else {
                writer.text(text)
            }
            return ["html": writer.html]
        }
    }

    private func isOption(_ text: String, of question: Question?) -> Bool {
        question.map { $0.kind.hasOptions && $0.optionLabels.contains(text) } ?? false
    }
}

import Localization
import Model

extension TestRecord {
    private static let longestAnswer = 40
    private static let longestSummary = 80

    /// The first answers, shortened, on one line: it distinguishes tests of one questionnaire.
    ///
    /// - Parameters:
    ///   - questions: the ids of the questions in their order; without them the answers keep their own order.
    ///   - language: that of the words for yes and no.
    package func summary(questions: [String] = [], _ language: Language = .english) -> String {
        let places = Dictionary(questions.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let given = answers.filter { !$0.isBlank }.enumerated().sorted {
            let (one, other) = (places[$0.element.questionId] ?? .max, places[$1.element.questionId] ?? .max)
            return (one, $0.offset) < (other, $1.offset)
        }
        let texts = given.map { Self.text(of: $0.element, language) } + attachments.map(\.name)
        var summary = ""
        for text in texts {
            let shown = Self.shortened(text, to: Self.longestAnswer)
            let longer = summary.isEmpty ? shown : summary + " · " + shown
            if longer.count > Self.longestSummary { break }
            summary = longer
        }
        return summary
    }

    private static func text(of answer: Answer, _ language: Language) -> String {
        if case .truth(let truth) = answer.value { return truth ? language.yes : language.no }
        return answer.texts.joined(separator: ", ")
    }

    private static func shortened(_ text: String, to length: Int) -> String {
        // A bounded prefix, however long the answer is.
        let words = text.prefix(length * 8).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return words.count > length ? words.prefix(length - 1) + "…" : words
    }
}

import Localization
import Model

extension Language {
    /// Says that a question of a kind that is not asked here is answered as text, with what a person has to know for that.
    package func askedAsText(_ question: Question) -> String {
        let kind = question.unknownKind ?? question.kind.rawValue
        var words = text("This program does not have this kind of question (\(kind.prefix(40))): answer in words.")
        for (title, texts) in [
            (text("Rows"), question.rows), (text("Options"), question.options),
        ]
        where !texts.isEmpty {
            words += " \(title): \(texts.joined(separator: "; "))."
        }
        return words
    }
}

extension Language {
    /// Says that a question of a kind that is not asked here is answered as text, with what a person has to know for that.
    package func askedAsText(_ question: Question) -> String {
        let kind = question.unknownKind ?? question.kind.rawValue
        var words = pick(
            "This program does not have this kind of question (\(kind.prefix(40))): answer in words.",
            "В этой программе нет вопросов такого вида (\(kind.prefix(40))): ответьте словами.")
        for (title, texts) in [
            (pick("Rows", "Строки"), question.rows), (pick("Options", "Варианты"), question.options),
        ]
        where !texts.isEmpty {
            words += " \(title): \(texts.joined(separator: "; "))."
        }
        return words
    }
}

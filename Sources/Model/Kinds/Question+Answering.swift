extension Question {
    /// Converts a person's or a script's input to an answer to this question.
    ///
    /// Options are matched by their exact text first, then by their folded text.
    ///
    /// - Throws: `AnswerFault` for an unknown option, a value that is not a number, or several values for a single
    ///   answer.
    package func answer(_ value: Answer.Value) throws(AnswerFault) -> Answer { try kind.rules.answer(self, value) }

    /// The answer made of the options at these indexes.
    package func answer(choosing indexes: [Int]) -> Answer {
        let places = Set(indexes).filter(options.indices.contains).sorted()
        let texts = places.map { options[$0] }
        return Answer(
            questionId: id, value: kind.isMultiple ? .several(texts) : .one(texts.first ?? ""), optionIndexes: places)
    }

    /// The one text of a value.
    func single(_ value: Answer.Value) throws(AnswerFault) -> String {
        switch value {
        case .one(let text): return text
        case .several(let texts):
            guard texts.count <= 1 else {
                throw AnswerFault(questionId: id, reason: "takes one answer, and \(texts.count) were given")
            }
            return texts.first ?? ""
        }
    }

    /// The index of the option with this text, except those already chosen.
    func optionIndex(of text: String, except taken: [Int]) throws(AnswerFault) -> Int {
        let free = options.indices.filter { !taken.contains($0) }
        if let exact = free.first(where: { options[$0].utf8.elementsEqual(text.utf8) }) { return exact }
        if let equivalent = free.first(where: { options[$0] == text }) { return equivalent }
        let wanted = TextFolding.fold(text)
        let similar = free.filter { !wanted.isEmpty && TextFolding.fold(options[$0]) == wanted }
        if similar.count == 1, let index = similar.first { return index }
        let isTwice = taken.contains {
            options[$0] == text || !wanted.isEmpty && TextFolding.fold(options[$0]) == wanted
        }
        throw AnswerFault(
            questionId: id,
            reason: "“\(text.prefix(60))” is " + (isTwice ? "given more than once" : "not one of its options"))
    }
}

extension Question {
    /// Converts a person's or a script's input to an answer to this question.
    ///
    /// Options are matched by their exact text first, then by their folded text.
    ///
    /// - Parameter localOffset: the offset of a date with a time that states none, in minutes east of UTC at a moment.
    /// - Throws: `AnswerFault` for an unknown option, a value that is not a number, or several values for a single
    ///   answer.
    package func answer(
        _ value: Answer.Value, localOffset: ((Timestamp) -> Int)? = nil
    ) throws(AnswerFault) -> Answer {
        guard kind.rules.isLocal, let localOffset, case .one(let text) = value,
            let complete = WrittenDate.dateTime(text, localOffset: localOffset).text
        else { return try kind.rules.answer(self, value) }
        return try kind.rules.answer(self, .one(complete))
    }

    /// The options that a document leaves to the kind; empty for those that the document lists.
    var ownOptions: [String] { kind.rules.options?(self) ?? [] }

    /// The value of each option, where it is not the option's text.
    var optionValues: [Answer.Value]? { kind.rules.values?(self) }

    /// An answer as people read it: the words of an option for a value that stands for it.
    package func shown(_ answer: Answer?) -> [String] {
        guard let answer, !answer.isBlank else { return [] }
        guard let place = optionValues?.firstIndex(of: answer.value), options.indices.contains(place) else {
            return answer.texts
        }
        return [options[place]]
    }

    /// An answer as people read it, on one line.
    package func line(_ answer: Answer?) -> String { shown(answer).joined(separator: ", ") }

    /// The answer made of the options at these indexes.
    package func answer(choosing indexes: [Int]) -> Answer {
        let places = Set(indexes).filter(options.indices.contains).sorted()
        if let values = optionValues {
            let place = places.first.flatMap { values.indices.contains($0) ? $0 : nil }
            return Answer(questionId: id, value: place.map { values[$0] } ?? .one(""))
        }
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
        case .number, .truth: return value.texts.first ?? ""
        case .object: throw AnswerFault(questionId: id, reason: "takes one answer, and an object was given")
        }
    }

    /// The index of an option; `nil` for a text of the person's own, where the question allows that.
    func place(of text: String, except taken: [Int]) throws(AnswerFault) -> Int? {
        do throws(AnswerFault) {
            return try optionIndex(of: text, except: taken)
        } catch {
            if allowsOther { return nil }
            throw error
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

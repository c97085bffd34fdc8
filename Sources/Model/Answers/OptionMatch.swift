/// The position of an answer among the options of a question.
///
/// Options are matched by their text, never by their index alone: the answer may belong to another version of the
/// question, with options in another order, or of another kind.
package struct OptionMatch: Hashable, Sendable {
    /// Indexes of the chosen options, in order.
    package var places: [Int]
    /// Texts of the answer that match no option. They stay the person's own answer until the person decides otherwise.
    package var own: [String]
}

extension Question {
    /// Matches an answer with the options. The answer's index decides between options with the same text.
    package func match(_ answer: Answer?) -> OptionMatch {
        guard let answer, !answer.isBlank else { return OptionMatch(places: [], own: []) }
        if let place = optionValues?.firstIndex(of: answer.value), options.indices.contains(place) {
            return OptionMatch(places: [place], own: [])
        }
        var places: [Int] = []
        var own: [String] = []
        for (number, text) in answer.texts.enumerated() where !(text.isEmpty && answer.optionIndexes.isEmpty) {
            let free = options.indices.filter { !places.contains($0) && options[$0] == text }
            let named = answer.optionIndexes.indices.contains(number) ? answer.optionIndexes[number] : nil
            if let place = free.first(where: { $0 == named }) ?? free.first {
                places.append(place)
            } else {
                own.append(text)
            }
        }
        // Several answers to a question that now has a single answer: none of them is the answer by itself.
        if input == .option, places.count + own.count > 1 { return OptionMatch(places: [], own: answer.texts) }
        return OptionMatch(places: places.sorted(), own: own)
    }

    /// The answer made of options, and of the person's own texts that are kept.
    package func answer(choosing indexes: [Int], keeping own: [String]) -> Answer {
        var answer = answer(choosing: indexes)
        if own.isEmpty { return answer }
        if kind.isMultiple {
            answer.value = .several(answer.texts + own)
        } else {
            answer = Answer(questionId: id, value: own.count == 1 ? .one(own[0]) : .several(own))
        }
        return answer
    }
}

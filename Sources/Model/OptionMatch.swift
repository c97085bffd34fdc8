/// Where an answer stands among the options of a question.
///
/// Options are matched by their text, never by their place alone: the answer may have been given to another version of the question, with its
/// options in another order, or of another kind.
package struct OptionMatch: Hashable, Sendable {
    /// Places of the chosen options, in order.
    package var places: [Int]
    /// What the person answered and no option says: it stays the person's own answer until they decide otherwise.
    package var own: [String]
}

extension Question {
    /// Matches an answer with the options; of options that read the same, the place that the answer names is taken.
    package func match(_ answer: Answer?) -> OptionMatch {
        guard let answer, !answer.isBlank else { return OptionMatch(places: [], own: []) }
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
        // Several answers to a question that now takes one: none of them is the answer by itself.
        if kind.input == .option, places.count + own.count > 1 { return OptionMatch(places: [], own: answer.texts) }
        return OptionMatch(places: places.sorted(), own: own)
    }

    /// The answer made of options, and of what the person answered before and keeps.
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

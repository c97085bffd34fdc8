/// What becomes of answers when their test moves to another version of its questionnaire: a function of values, which
/// the app for phones has too.
///
/// An answer is carried over where its question is there under the same id, asks the same but for its spelling, and can
/// take it. Nothing in it changes that is not listed; what does not fit is left, with the reason.
public struct AnswerTransfer: Hashable, Sendable {
    /// An answer that is carried over though something around it is different.
    public struct Change: Hashable, Sendable, Codable {
        package var questionId: String
        /// The question before and now, where its text is different.
        public var formerQuestion: String?
        public var question: String
        /// The answer before and now, where an option's text is different.
        public var formerAnswer: String?
        public var answer: String
    }

    package struct Left: Hashable, Sendable {
        package var answer: Answer
        /// As the former version asked it.
        package var question: String
        package var reason: Reason
    }

    /// Why an answer is left.
    public enum Reason: String, Hashable, Sendable, Codable {
        /// The question is not there any more.
        case noQuestion
        /// The id asks something else.
        case otherQuestion
        /// It is answered in another way.
        case otherKind
        /// No option says the same.
        case noOption
    }

    package var carried: [Answer] = []
    package var changes: [Change] = []
    package var left: [Left] = []

    package init(_ answers: [Answer], from old: Questionnaire, to new: Questionnaire) {
        for answer in answers {
            guard let former = old.question(answer.questionId), let question = new.question(answer.questionId) else {
                // What never had a question stays with the person.
                left.append(
                    Left(
                        answer: answer, question: old.question(answer.questionId)?.text ?? answer.questionId,
                        reason: .noQuestion))
                continue
            }
            switch Self.transfer(answer, from: former, to: question) {
            case .success(let transferred):
                carried.append(transferred)
                if let change = Self.change(answer, former, transferred, question) { changes.append(change) }
            case .failure(let obstacle):
                left.append(Left(answer: answer, question: former.text, reason: obstacle.reason))
            }
        }
    }

    private struct Obstacle: Error { var reason: Reason }

    private static func transfer(
        _ answer: Answer, from former: Question, to question: Question
    ) -> Result<Answer, Obstacle> {
        var same = former
        // Whether it must be answered changes nothing in an answer.
        same.required = question.required
        if same == question { return .success(answer) }
        guard TextSimilarity.isSameQuestion(former.text, question.text) else {
            return .failure(Obstacle(reason: .otherQuestion))
        }
        switch (former.kind.input, question.kind.input) {
        case (.text, .text), (.decimal, .decimal), (.decimal, .text): return .success(answer)
        case (.option, .text):
            return .success(Answer(questionId: answer.questionId, value: .one(answer.texts.first ?? "")))
        case (.option, .option), (.options, .options), (.option, .options): break
        case (.options, .option): if answer.texts.count > 1 { return .failure(Obstacle(reason: .otherKind)) }
        default: return .failure(Obstacle(reason: .otherKind))
        }
        var places: [Int] = []
        for (index, text) in answer.texts.enumerated() {
            // Where an answer names no option, it is what the person wrote.
            let place = index < answer.optionIndexes.count ? answer.optionIndexes[index] : nil
            guard let found = Self.place(of: text, at: place, former.options, question.options, taken: places) else {
                return .failure(Obstacle(reason: .noOption))
            }
            places.append(found)
        }
        return .success(question.answer(choosing: places))
    }

    /// The option that says what a former one said: to the letter, else as search sees it, else with its spelling
    /// corrected at the same place. Each must be the only one.
    private static func place(
        of text: String, at former: Int?, _ before: [String], _ now: [String], taken: [Int]
    ) -> Int? {
        func only(_ isSame: (Int) -> Bool) -> Int? {
            let found = now.indices.filter { !taken.contains($0) && isSame($0) }
            if found.count == 1 { return found[0] }
            // Two options may have one text: then the place tells them apart.
            return former.flatMap { found.contains($0) ? $0 : nil }
        }
        if let exact = only({ now[$0].utf8.elementsEqual(text.utf8) }) { return exact }
        // What was another option before is not this one now.
        let others = Set(before.filter { $0 != text })
        let folded = TextFolding.fold(text)
        if !folded.isEmpty, let similar = only({ !others.contains(now[$0]) && TextFolding.fold(now[$0]) == folded }) {
            return similar
        }
        guard let former, now.indices.contains(former), !taken.contains(former), !others.contains(now[former]),
            TextSimilarity.isSameOption(text, now[former])
        else { return nil }
        return former
    }

    private static func change(
        _ before: Answer, _ former: Question, _ after: Answer, _ question: Question
    ) -> Change? {
        let isReworded = former.text != question.text || former.media != question.media
        let (was, now) = (before.texts.joined(separator: ", "), after.texts.joined(separator: ", "))
        // Several choices come in the order of the options, which says nothing.
        let isSame = before.texts.sorted() == after.texts.sorted()
        guard isReworded || !isSame else { return nil }
        return Change(
            questionId: before.questionId, formerQuestion: isReworded ? former.text : nil, question: question.text,
            formerAnswer: isSame ? nil : was, answer: now)
    }
}

extension AnswerTransfer.Reason {
    public func words(_ language: Language) -> String {
        switch self {
        case .noQuestion: language.pick("the question was removed", "такого вопроса больше нет")
        case .otherQuestion: language.pick("it is a different question now", "теперь это другой вопрос")
        case .otherKind: language.pick("it is answered differently now", "теперь на него отвечают иначе")
        case .noOption: language.pick("this option was removed", "такого варианта больше нет")
        }
    }
}

extension AnswerTransfer.Change {
    /// What the person should look at.
    package func words(_ language: Language) -> [String] {
        var lines: [String] = []
        if let formerQuestion {
            lines.append(
                formerQuestion == question
                    ? language.pick(
                        "“\(question)” shows another picture or sound.", "«\(question)»: другая картинка или звук.")
                    : language.pick(
                        "The question was “\(formerQuestion)” and is “\(question)”.",
                        "Вопрос был «\(formerQuestion)», стал «\(question)»."))
        }
        if let formerAnswer {
            lines.append(
                language.pick(
                    "The answer was “\(formerAnswer)” and is “\(answer)”.",
                    "Ответ был «\(formerAnswer)», стал «\(answer)»."))
        }
        return lines
    }
}

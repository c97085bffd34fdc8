/// Decides how answers move to another version of their questionnaire. A pure function, which the phone app implements,
/// too.
///
/// An answer is carried over if the new version has a question with the same id that asks the same, except for
/// spelling, and accepts the answer. Every change is listed; answers that do not fit are left out, with the reason.
package struct AnswerTransfer: Hashable, Sendable {
    /// An answer that is carried over although its question or option has changed.
    package struct Change: Hashable, Sendable, Codable {
        package var questionId: String
        /// The question before and now, if its text has changed.
        package var formerQuestion: String?
        package var question: String
        /// The answer before and now, if the text of an option has changed.
        package var formerAnswer: String?
        package var answer: String
    }

    package struct Left: Hashable, Sendable {
        package var answer: Answer
        /// As the former version asked it.
        package var question: String
        package var reason: Reason
    }

    /// The reason why an answer is not carried over.
    package enum Reason: String, Hashable, Sendable, Codable {
        /// The question no longer exists.
        case noQuestion
        /// The id belongs to a different question.
        case otherQuestion
        /// The question has a different kind.
        case otherKind
        /// No option has the same text.
        case noOption
    }

    package var carried: [Answer] = []
    package var changes: [Change] = []
    package var left: [Left] = []

    package init(_ answers: [Answer], from old: Questionnaire, to new: Questionnaire) {
        for answer in answers {
            guard let former = old.question(answer.questionId), let question = Self.question(answer.questionId, in: new)
            else {
                // Answers without a question stay with the person.
                left.append(
                    Left(
                        answer: answer, question: old.question(answer.questionId)?.text ?? answer.questionId,
                        reason: .noQuestion))
                continue
            }
            switch Self.transfer(answer, from: former, to: question) {
            case .success(let transferred):
                var transferred = transferred
                transferred.questionId = question.id
                carried.append(transferred)
                if let change = Self.change(answer, former, transferred, question) { changes.append(change) }
            case .failure(let obstacle):
                left.append(Left(answer: answer, question: former.text, reason: obstacle.reason))
            }
        }
    }

    /// A section that is repeated no more keeps the answers of its first instance.
    private static func question(_ id: String, in new: Questionnaire) -> Question? {
        if let question = new.question(id) { return question }
        let place = QuestionInstance(id)
        return place.number == 1 && new.repeatedSection(ofQuestion: id) == nil ? new.question(place.question) : nil
    }

    private struct Obstacle: Error { var reason: Reason }

    private static func transfer(
        _ answer: Answer, from former: Question, to question: Question
    ) -> Result<Answer, Obstacle> {
        var same = former
        // Whether an answer is required does not affect the answer.
        same.required = question.required
        if same == question { return .success(answer) }
        guard TextSimilarity.isSameQuestion(former.text, question.text) else {
            return .failure(Obstacle(reason: .otherQuestion))
        }
        // Words that were given where another form belongs stay the person's own.
        if former.kind == question.kind, former.ownText(of: answer) != nil { return .success(answer) }
        switch (former.input, question.input) {
        case (.text, .text), (.decimal, .decimal), (.decimal, .text), (.moment, .text), (.nothing, .nothing),
            (.files, .files), (.location, .location):
            return .success(answer)
        case (.moment(let one), .moment(let other)) where one == other: return .success(answer)
        case (.option, .text):
            // In the words that the person saw, also where a value stands for them.
            return .success(Answer(questionId: answer.questionId, value: .one(former.shown(answer).first ?? "")))
        // Options that stand for values: the value is the same, or there is none.
        case (.option, .option) where former.optionValues != nil || question.optionValues != nil:
            guard question.optionValues?.contains(answer.value) == true else {
                return .failure(Obstacle(reason: former.kind == question.kind ? .noOption : .otherKind))
            }
            return .success(answer)
        case (.option, .options) where former.optionValues != nil:
            return .failure(Obstacle(reason: .otherKind))
        case (.options, .option) where question.optionValues != nil:
            return .failure(Obstacle(reason: .otherKind))
        case (.order, .order), (.option, .option), (.options, .options), (.option, .options): break
        case (.rows, .rows):
            return transferParts(answer, from: former, to: question, areEqual: false)
        case (.gaps, .gaps): return transferParts(answer, from: former, to: question, areEqual: true)
        case (.options, .option): if answer.texts.count > 1 { return .failure(Obstacle(reason: .otherKind)) }
        default: return .failure(Obstacle(reason: .otherKind))
        }
        var places: [Int] = []
        var own: [String] = []
        for (index, text) in answer.texts.enumerated() {
            // An answer that names no option is the person's own text.
            let place = index < answer.optionIndexes.count ? answer.optionIndexes[index] : nil
            if let found = Self.place(of: text, at: place, former.options, question.options, taken: places) {
                places.append(found)
            } else if question.allowsOther, former.allowsOther, !former.options.contains(text) {
                own.append(text)
            } else {
                return .failure(Obstacle(reason: .noOption))
            }
        }
        if question.input == .order { return .success(question.answer(ranking: places)) }
        return .success(question.answer(choosing: places, keeping: own))
    }

    /// Rows and gaps are found by their names; all that have an answer must still be there and take it.
    ///
    /// - Parameter areEqual: whether a part must be as it was: its name alone says nothing about what it asks.
    private static func transferParts(
        _ answer: Answer, from former: Question, to question: Question, areEqual: Bool
    ) -> Result<Answer, Obstacle> {
        let (before, now) = (former.parts, question.parts)
        var made = Answer(questionId: answer.questionId, value: .object([:]))
        made.otherMembers = answer.otherMembers
        if case .object(let members) = answer.value {
            // Of an even older version: it is shown at no row of this one.
            let names = Set(before.map(\.id))
            let isStray = members.contains { name, json in
                !names.contains(name) && Answer.Value(json: json).map { !$0.isBlank } ?? (json != .null)
            }
            if isStray { return .failure(Obstacle(reason: .noOption)) }
        }
        for old in before {
            guard let given = former.answer(of: old, in: answer), !given.isBlank else { continue }
            guard let part = now.first(where: { $0.id == old.id }) else {
                return .failure(Obstacle(reason: .noOption))
            }
            if areEqual, part.kind != old.kind { return .failure(Obstacle(reason: .otherKind)) }
            switch transfer(given, from: old, to: part) {
            case .success(let transferred): made = question.answer(made, setting: transferred)
            case .failure(let obstacle): return .failure(obstacle)
            }
        }
        return .success(made)
    }

    /// The index of the option that matches a former one: by its exact text, else by its folded text, else by corrected
    /// spelling at the same index. Each match must be unique.
    private static func place(
        of text: String, at former: Int?, _ before: [String], _ now: [String], taken: [Int]
    ) -> Int? {
        func only(_ isSame: (Int) -> Bool) -> Int? {
            let found = now.indices.filter { !taken.contains($0) && isSame($0) }
            if found.count == 1 { return found[0] }
            // Two options may have the same text: then the index distinguishes them.
            return former.flatMap { found.contains($0) ? $0 : nil }
        }
        if let exact = only({ now[$0].utf8.elementsEqual(text.utf8) }) { return exact }
        // A text that belonged to a different option before does not match this one.
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
        func words(_ answer: Answer, _ question: Question) -> String {
            question.input.isStructured ? question.line(answer) : answer.texts.joined(separator: ", ")
        }
        let (was, now) = (words(before, former), words(after, question))
        // Several choices and rows follow the order of the document, which is irrelevant; a ranking's lines have numbers.
        let isSame =
            question.input.isStructured
            ? former.shown(before).sorted() == question.shown(after).sorted()
            : before.texts.sorted() == after.texts.sorted()
        guard isReworded || !isSame else { return nil }
        return Change(
            questionId: QuestionInstance.written(before.questionId), formerQuestion: isReworded ? former.text : nil,
            question: question.text,
            formerAnswer: isSame ? nil : was, answer: now)
    }
}

extension QuestionRules {
    /// Files, such as photos and recordings: the test's attachments, and no value of an answer.
    static let file = QuestionRules(
        input: .files,
        answer: { question, value throws(AnswerFault) in
            let answer = Answer(questionId: question.id, value: value)
            if answer.isBlank { return answer }
            throw AnswerFault(questionId: question.id, reason: .notFile(question: question.id))
        },
        keyFault: { _, _ in "takes files, which a person rates" }, isRight: { _, _ in false })
}

extension Question {
    /// What a device records a file with.
    package enum Capture: String, Hashable, Sendable {
        case camera
        case microphone
        case signature
    }

    /// The most files of an answer; `nil` where the author sets no limit.
    package var mostFiles: Int? {
        input == .files ? [maxFiles, constraint?.maxCount].compactMap(\.self).min() : nil
    }

    /// The types of files that a browser offers, as its field has them: `image/*,.pdf`.
    package var offeredTypes: String? {
        guard input == .files else { return nil }
        if let accept { return accept }
        return switch capture {
        case .camera, .signature: "image/*"
        case .microphone: "audio/*"
        case nil: nil
        }
    }

    /// The fault of the files of an answer; `nil` where there are none.
    package func problem(withFiles count: Int) -> AnswerProblem? {
        guard input == .files, count > 0 else { return nil }
        if let most = mostFiles, count > most { return .tooManyFiles(most: most) }
        if let least = constraint?.minCount, count < least { return .tooFewFiles(least: least) }
        return nil
    }
}

extension TestRecord {
    /// The fault of what answers a question, a value or files; `nil` for a valid answer, and for none.
    package func problem(with question: Question) -> AnswerProblem? {
        question.problem(with: answer(to: question.id))
            ?? question.problem(withFiles: attachments(to: question.id).count)
    }
}

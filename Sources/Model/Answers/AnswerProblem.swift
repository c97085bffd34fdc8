/// The fault of an answer that a draft keeps, and that a test cannot be finished with.
package enum AnswerProblem: Hashable, Sendable {
    case notNumber(String)
    /// Numbers or dates that a text may mean.
    case ambiguous(String, readings: [String])
    case notMoment(String, WrittenDate.Order.Form)
    case violation(Constraint.Violation)
    /// A ranking has no place for these options yet.
    case unranked([String])
    /// A ranking has a text that is none of the options, or has it twice.
    case notOption(String)
    /// Rows of a required question that have no answer.
    case missingRows([String])
    /// Gaps of a required question that have no answer.
    case missingGaps([String])
    /// The problem with a part: a row or a gap.
    indirect case part(String, AnswerProblem)

    case notLocation(String)
    /// No place has this latitude or longitude.
    case notOnEarth
    case tooManyFiles(most: Int)
    case tooFewFiles(least: Int)

    /// Whether the answer is right as far as it goes, and not complete.
    package var isIncomplete: Bool {
        switch self {
        case .unranked, .missingRows, .missingGaps: true
        default: false
        }
    }
}

extension Question {
    /// The fault of an answer; `nil` for a valid or a blank one.
    package func problem(with answer: Answer?) -> AnswerProblem? {
        guard let answer, !answer.isBlank else { return nil }
        let text = answer.texts.joined(separator: ", ")
        switch input {
        case .decimal:
            switch WrittenNumber(text) {
            case .number: break
            case .ambiguous(let fraction, let whole): return .ambiguous(text, readings: [whole, fraction])
            case .none: return .notNumber(text)
            }
        case .moment(let form):
            switch WrittenDate(text, form) {
            case .canonical: break
            case .ambiguous(let readings): return .ambiguous(text, readings: readings)
            case .none: return .notMoment(text, form)
            }
        case .order: if let problem = rankingProblem(answer) { return problem }
        case .rows, .gaps: if let problem = partProblem(answer) { return problem }
        case .location: if let problem = locationProblem(answer) { return problem }
        case .option, .options, .text, .files, .nothing: break
        }
        return constraint?.violations(of: settled(answer).value.json).first.map(AnswerProblem.violation)
    }

    private func rankingProblem(_ answer: Answer) -> AnswerProblem? {
        guard ownText(of: answer) == nil else { return nil }
        let ranking = ranking(of: answer)
        if let text = ranking.own.first { return .notOption(text) }
        return ranking.rest.isEmpty ? nil : .unranked(ranking.rest.map { optionLabels[$0] })
    }

    /// What is wrong with a row or a gap, else what is missing where an answer is required.
    private func partProblem(_ answer: Answer) -> AnswerProblem? {
        guard ownText(of: answer) == nil else { return nil }
        var missing: [String] = []
        for part in parts {
            let given = self.answer(of: part, in: answer)
            if let problem = part.problem(with: given) { return .part(part.text, problem) }
            if given?.isBlank ?? true { missing.append(part.text) }
        }
        guard required, !missing.isEmpty else { return nil }
        return input == .gaps ? .missingGaps(missing) : .missingRows(missing)
    }

    private func locationProblem(_ answer: Answer) -> AnswerProblem? {
        if let location = Location(answer) { return location.isOnEarth ? nil : .notOnEarth }
        let text = answer.texts.joined(separator: ", ")
        return switch WrittenLocation(text) {
        case .location: nil
        case .outOfRange: .notOnEarth
        case .none: .notLocation(text)
        }
    }

    /// The answer in the form that rules compare; as it is where it cannot be read.
    package func settled(_ answer: Answer) -> Answer {
        kind.isNormalised ? (try? self.answer(answer.value)) ?? answer : answer
    }

    /// Checks an answer before a test is finished.
    ///
    /// - Throws: `AnswerFault` for an answer that a test cannot be finished with.
    package func check(_ answer: Answer) throws(AnswerFault) {
        guard let problem = problem(with: answer) else { return }
        if kind.isNormalised { _ = try self.answer(answer.value) }
        throw AnswerFault(questionId: id, reason: .problem(problem, self))
    }
}

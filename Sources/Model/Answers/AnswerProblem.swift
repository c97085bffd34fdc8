/// The fault of an answer that a draft keeps, and that a test cannot be finished with.
package enum AnswerProblem: Hashable, Sendable {
    case notNumber(String)
    /// Numbers or dates that a text may mean.
    case ambiguous(String, readings: [String])
    case notMoment(String, WrittenDate.Order.Form)
    case violation(Constraint.Violation)
}

extension Question {
    /// The fault of an answer; `nil` for a valid or a blank one.
    package func problem(with answer: Answer?) -> AnswerProblem? {
        guard let answer, !answer.isBlank else { return nil }
        let text = answer.texts.joined(separator: ", ")
        switch kind.input {
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
        case .option, .options, .text, .nothing: break
        }
        return constraint?.violations(of: settled(answer).value.json).first.map(AnswerProblem.violation)
    }

    /// The answer in the form that rules compare.
    private func settled(_ answer: Answer) -> Answer {
        kind.isNormalised ? (try? self.answer(answer.value)) ?? answer : answer
    }

    /// Checks an answer before a test is finished.
    ///
    /// - Throws: `AnswerFault` for an answer that a test cannot be finished with.
    package func check(_ answer: Answer) throws(AnswerFault) {
        guard let problem = problem(with: answer) else { return }
        if kind.isNormalised { _ = try self.answer(answer.value) }
        throw AnswerFault(questionId: id, reason: words(for: problem, .english))
    }

    /// A problem in words: the author's, where a constraint has some.
    package func words(for problem: AnswerProblem, _ language: Language) -> String {
        switch problem {
        case .notNumber(let text):
            return language.text("“\(text.prefix(40))” is not a number.")
        case .ambiguous(let text, let readings):
            let list = readings.joined(separator: language.text(" or "))
            return language.text("“\(text.prefix(40))” may mean \(list): write one of them.")
        case .notMoment(let text, let form):
            return language.text("“\(text.prefix(40))” is no \(form.words(language)).")
        case .violation(let violation):
            return constraintMessage ?? constraint?.words(for: violation, language) ?? ""
        }
    }
}

extension Constraint {
    /// The demand of the constraint that an answer violates, in words.
    package func words(for violation: Violation, _ language: Language) -> String {
        func text(_ text: LocalizedText) -> String { language.text(text) }
        func number(_ value: JSONValue?) -> String { value.flatMap(DecimalNumber.init(_:))?.description ?? "" }
        switch violation {
        case .notNumber: return text("Enter a number.")
        case .belowMinimum: return text("Enter at least \(number(min)).")
        case .aboveMaximum: return text("Enter at most \(number(max)).")
        case .notStep: return text("Enter a number in steps of \(number(step)).")
        case .notInteger: return text("Enter a whole number.")
        case .tooShort:
            return text("Write at least \(minLength ?? 0) characters.")
        case .tooLong:
            return text("Write at most \(maxLength ?? 0) characters.")
        case .notPattern:
            return text("The answer does not have the expected form.")
        case .tooFew:
            return text("Choose at least \(minCount ?? 0).")
        case .tooMany:
            return text("Choose at most \(maxCount ?? 0).")
        case .notDate: return text("Enter a date or a time.")
        case .notBefore: return text("It must be before \(before ?? "").")
        case .notAfter: return text("It must be after \(after ?? "").")
        }
    }
}

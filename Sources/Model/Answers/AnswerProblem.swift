/// What is wrong with an answer that a draft keeps, and that a test cannot be finished with.
package enum AnswerProblem: Hashable, Sendable {
    case notNumber(String)
    /// Numbers or dates that a text may mean.
    case ambiguous(String, readings: [String])
    case notMoment(String, WrittenDate.Order.Form)
    case violation(Constraint.Violation)
}

extension Question {
    /// What is wrong with an answer; `nil` for a valid or a blank one.
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
            return language.pick("“\(text.prefix(40))” is not a number.", "«\(text.prefix(40))» — не число.")
        case .ambiguous(let text, let readings):
            return language.pick(
                "“\(text.prefix(40))” may mean \(readings.joined(separator: " or ")): write one of them.",
                "«\(text.prefix(40))» можно понять как \(readings.joined(separator: " или ")): напишите одно из двух.")
        case .notMoment(let text, let form):
            return language.pick(
                "“\(text.prefix(40))” is no \(form.words(.english)).",
                "«\(text.prefix(40))» не подходит: нужна \(form.words(.russian)).")
        case .violation(let violation):
            return constraintMessage ?? constraint?.words(for: violation, language) ?? ""
        }
    }
}

extension Constraint {
    /// What an answer has to be, in words.
    package func words(for violation: Violation, _ language: Language) -> String {
        func pick(_ english: String, _ russian: String) -> String { language.pick(english, russian) }
        func text(_ value: JSONValue?) -> String { value.flatMap(DecimalNumber.init(_:))?.description ?? "" }
        switch violation {
        case .notNumber: return pick("Enter a number.", "Введите число.")
        case .belowMinimum: return pick("Enter at least \(text(min)).", "Введите число не меньше \(text(min)).")
        case .aboveMaximum: return pick("Enter at most \(text(max)).", "Введите число не больше \(text(max)).")
        case .notStep: return pick("Enter a number in steps of \(text(step)).", "Введите число с шагом \(text(step)).")
        case .notInteger: return pick("Enter a whole number.", "Введите целое число.")
        case .tooShort:
            return pick("Write at least \(minLength ?? 0) characters.", "Нужно символов, не меньше: \(minLength ?? 0).")
        case .tooLong:
            return pick(
                "Write at most \(maxLength ?? 0) characters.", "Символов должно быть не больше: \(maxLength ?? 0).")
        case .notPattern:
            return pick("The answer does not have the expected form.", "Ответ записан не в том виде, который нужен.")
        case .tooFew:
            return pick("Choose at least \(minCount ?? 0).", "Выберите вариантов, не меньше: \(minCount ?? 0).")
        case .tooMany:
            return pick("Choose at most \(maxCount ?? 0).", "Выберите вариантов, не больше: \(maxCount ?? 0).")
        case .notDate: return pick("Enter a date or a time.", "Введите дату или время.")
        case .notBefore: return pick("It must be before \(before ?? "").", "Должно быть раньше, чем \(before ?? "").")
        case .notAfter: return pick("It must be after \(after ?? "").", "Должно быть позже, чем \(after ?? "").")
        }
    }
}

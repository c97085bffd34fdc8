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
        case .unranked(let options):
            return language.text("Not in the order yet: \(list(options, language)).")
        case .notOption(let text):
            return language.text("“\(text.prefix(40))” is not one of the options, or has two places.")
        case .missingRows(let rows):
            return language.text("Still to be answered: \(list(rows, language)).")
        case .missingGaps(let names):
            return language.text("Gaps still to be filled in: \(list(names, language)).")
        case .part(let name, let problem):
            let words = words(for: problem, language)
            return input == .gaps
                ? language.text("Gap \(name.prefix(40)): \(words)") : "\(name.prefix(60)): \(words)"
        case .violation(let violation):
            return constraintMessage ?? constraint?.words(for: violation, language) ?? ""
        case .notLocation(let text):
            return language.text("“\(text.prefix(40))” is no pair of coordinates like 55.75, 37.62.")
        case .notOnEarth:
            return language.text("A latitude is from -90 to 90 degrees, and a longitude from -180 to 180.")
        case .tooManyFiles(let most):
            return language.plural(most, one: "Attach at most 1 file.", other: "Attach at most \(most) files.")
        case .tooFewFiles(let least):
            return constraintMessage
                ?? language.plural(least, one: "Attach at least 1 file.", other: "Attach at least \(least) files.")
        }
    }
}

extension Question {
    /// The first of them, in quotation marks.
    private func list(_ texts: [String], _ language: Language) -> String {
        let shown = texts.prefix(4).map { language.text("“\($0.prefix(40))”") }
        return shown.joined(separator: ", ") + (texts.count > shown.count ? "…" : "")
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

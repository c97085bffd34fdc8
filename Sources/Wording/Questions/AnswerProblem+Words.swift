import Localization
import Model

extension Question {
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

import Model

/// Findings in words for authors.
struct FindingWords {
    let language: Language

    func text(_ finding: DraftFinding) -> String {
        switch finding.problem {
        case .found(let problem): text(problem)
        case .refused(let reason): language.text("This cannot be read: \(reason)")
        case .noTitle: language.text("The questionnaire has no title.")
        case .noQuestions: language.text("There are no questions yet.")
        case .noText: language.text("The question has no text.")
        case .oneOption: language.text("There is only one option to choose from.")
        case .optionTwice(let text): language.text("The option “\(short(text))” is there twice.")
        case .noFile(let number):
            language.text(
                "File \(number) of its pictures and sounds is missing: remove it, or add it again.")
        }
    }

    private func marker(_ name: String) -> String { "{{" + name + "}}" }

    private func short(_ text: String) -> String { String(text.prefix(60)) }

    private func text(_ problem: QuestionnaireCheck.Problem) -> String {
        switch problem {
        case .conditionCycle, .conditionOnMissingQuestion, .conditionOnMissingOption: condition(problem)
        case .invalidPattern(let source, _): language.text("“\(short(source))” is not a regular expression.")
        case .keyOfMissingQuestion, .keyOfUnratedKind, .emptyKey, .keyIsNoOption, .keyIsNoNumber, .keyIsNoDate,
            .keyOfAnotherForm, .keyOfMissingPart:
            key(problem)
        case .gapWithoutMarker(let name):
            language.text("The text has no place for the gap: write \(marker(name)) in it.")
        case .markerWithoutGap(let name):
            language.text("The gap \(marker(name)) has no settings yet: save the question.")
        case .markerTwice(let name): language.text("The gap \(marker(name)) is there twice.")
        case .gapOfOtherKind: language.text("A gap cannot have an answer of this kind.")
        case .noGaps: language.text("The text has no gaps: write \(marker("1")) where one is to be.")
        case .missingOptions: language.text("There is nothing to choose from: add options.")
        case .missingRows: language.text("There are no rows: add some.")
        case .missingScale: language.text("The scale needs a first and a last number.")
        case .endWithoutTimeLimit: language.text("A test can only end by itself where there is a time limit.")
        case .stepNotPositive: language.text("The step must be above 0.")
        case .textTwice(let text): language.text("“\(short(text))” is there twice: give each its own text.")
        case .keepLastIsNoOption(let text): language.text("“\(short(text))” is to stay last, but is not an option.")
        case .acceptsNoType(let text):
            language.text("“\(short(text))” is neither an ending like .pdf nor a type like image/*.")
        case .constraintOfOtherKind: language.text("A limit does not fit the kind of the question.")
        case .limitsReversed: language.text("The lower limit is not below the upper one.")
        case .numberOutOfRange(let number, let range):
            language.text(
                "\(PlainNumber.text(number)) is not from \(PlainNumber.text(range.lowerBound)) to \(PlainNumber.text(range.upperBound))."
            )
        default: rest(problem)
        }
    }

    private func condition(_ problem: QuestionnaireCheck.Problem) -> String {
        switch problem {
        case .conditionOnMissingQuestion: language.text("The condition asks about a question that is not there.")
        case .conditionOnMissingOption(let text, _):
            language.text("The condition never holds: “\(short(text))” is not an option of that question.")
        default: language.text("The conditions of these questions depend on each other in a circle.")
        }
    }

    private func key(_ problem: QuestionnaireCheck.Problem) -> String {
        switch problem {
        case .keyOfMissingQuestion: language.text("There is a key for a question that is not there.")
        case .keyOfUnratedKind: language.text("A question of this kind is marked by a teacher: it has no key.")
        case .emptyKey: language.text("The key has no right answer.")
        case .keyIsNoOption(let text): language.text("The right answer “\(short(text))” is not an option.")
        case .keyIsNoNumber(let text): language.text("The right answer “\(short(text))” is not a number.")
        case .keyIsNoDate(let text, _):
            language.text("The right answer “\(short(text))” is not a date or time such as 2026-11-25 or 14:30.")
        case .keyOfMissingPart(let name):
            language.text("There is a right answer for “\(short(name))”, which is not there.")
        default: language.text("The right answer does not fit the kind of the question.")
        }
    }

    private func rest(_ problem: QuestionnaireCheck.Problem) -> String {
        switch problem {
        case .pickTooLarge(let pick, let count):
            language.text("The section draws \(pick) questions, but has only \(count).")
        case .pickTooSmall: language.text("The section must draw at least one question.")
        case .sectionWithMissingQuestion: language.text("The section names a question that is not there.")
        case .sectionTwice: language.text("Two sections have the same id.")
        case .questionInTwoSections: language.text("A question is in two sections.")
        case .translationOfMissingQuestion, .translationOfMissingSection:
            language.text("There is a translation of something that is not there.")
        case .translationOfOtherCount:
            language.text("A translation has another number of options or rows than the question.")
        default: problem.description
        }
    }
}

/// Numbers in findings.
private enum PlainNumber {
    static func text(_ number: Double) -> String { DecimalNumber(.number(number))?.description ?? "\(number)" }
}

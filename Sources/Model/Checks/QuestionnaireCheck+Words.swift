extension QuestionnaireCheck.Finding: CustomStringConvertible {
    /// The place and what is wrong there.
    package var description: String { "\(place): \(problem)" }
}

extension QuestionnaireCheck.Problem: CustomStringConvertible {
    /// What is wrong, and what to do, in one sentence for authors.
    package var description: String {
        switch self {
        case .conditionCycle(let ids):
            "the conditions of \(Self.list(ids)) depend on each other in a circle: remove one of them"
        case .conditionOnMissingQuestion(let id): "there is no question “\(id)”"
        case .conditionOnRepeatedQuestion(let id, let section):
            "“\(id)” is asked in each instance of “\(section)”: only questions of that section can depend on it"
        case .conditionOnMissingOption(let text, let question):
            "“\(text.prefix(60))” is none of the options of “\(question)”, so this never holds"
        case .invalidPattern(let source, let fault): Self.words(source, fault)
        case .keyOfMissingQuestion: "is the key of a question that is not there"
        case .keyOfUnratedKind(let kind): "a question of kind “\(kind.rawValue)” is rated by a person: remove its key"
        case .emptyKey: "is empty: name the right answer, or leave the question out of the key"
        case .keyIsNoOption(let text): "“\(text.prefix(60))” is none of the question's options"
        case .keyIsNoNumber(let text): "“\(text.prefix(60))” is not a number in plain form, such as -12.5"
        case .keyIsNoDate(let text, let kind):
            "“\(text.prefix(60))” is no \(kind.rawValue) in the form of answers, such as "
                + "2026-11-25, 14:30 or 2026-11-25T14:30:00Z"
        case .keyOfAnotherForm(let kind): "answers of the kind “\(kind.rawValue)” never have this form"
        case .keyOfMissingPart(let name): "the question has no “\(name.prefix(60))”"
        case .gapWithoutMarker(let name): "the text has no marker {{\(name)}}"
        case .markerWithoutGap(let name): "the marker {{\(name)}} has no gap: add it to “gaps”"
        case .markerTwice(let name): "the marker {{\(name)}} stands there twice"
        case .pickTooLarge(let pick, let questions): "draws \(pick) of \(questions) questions: lower it"
        case .pickTooSmall(let pick): "draws \(pick) questions: name at least 1"
        case .sectionWithMissingQuestion(let id): "there is no question “\(id)”"
        case .sectionTwice(let id): "two sections have the id “\(id)”"
        case .questionInTwoSections(let id, let other): "“\(id)” is in the section “\(other)” already"
        case .translationOfMissingQuestion: "is the translation of a question that is not there"
        case .translationOfMissingSection: "is the translation of a section that is not there"
        case .translationOfOtherCount(let found, let expected): "has \(found) texts, and the question has \(expected)"
        case .untranslated: "is not translated: the text of the document is shown"
        case .localeMissing: "is missing: name the language of the document, beside its translations"
        case .limitsReversed(let lower, let upper): "“\(lower)” is not below “\(upper)”"
        case .stepNotPositive: "must be above 0"
        case .constraintOfOtherKind(let member, let kind):
            "“\(member)” limits no answer of the kind “\(kind.rawValue)”"
        case .keepLastIsNoOption(let text): "“\(text.prefix(60))” is none of the question's options"
        case .acceptsNoType(let text):
            "“\(text.prefix(60))” is neither an ending like .pdf nor a media type like image/*, and is ignored"
        case .missingOptions(let kind): "a question of kind “\(kind.rawValue)” needs options"
        case .missingRows(let kind): "a question of kind “\(kind.rawValue)” needs rows"
        case .textTwice(let text): "“\(text.prefix(60))” is there twice: give each a text of its own"
        case .gapOfOtherKind(let kind):
            "a gap cannot be of kind “\(kind.rawValue)”: use choice, boolean, text, number, date, time or dateTime"
        case .noGaps: "a question of kind “gaps” needs a marker such as {{1}} in its text"
        case .missingScale: "a scale needs numbers for “min” and “max”"
        case .endWithoutTimeLimit: "ends a test by a time limit, and there is none: name “timeLimitSeconds”"
        case .numberOutOfRange(let number, let range):
            "\(number) is not from \(range.lowerBound) to \(range.upperBound)"
        }
    }

    private static func list(_ ids: [String]) -> String { ids.map { "“\($0)”" }.joined(separator: ", ") }

    private static func words(_ source: String, _ fault: TextPattern.Fault) -> String {
        let shown = "“\(source.prefix(60))”"
        return switch fault {
        case .invalid(let place): "\(shown) is no regular expression: see its character \(place + 1)"
        case .unsupported(let place):
            "\(shown) has at character \(place + 1) what expressions here do not have, such as lookaround"
        case .tooLarge: "\(shown) is too large an expression"
        }
    }
}

extension QuestionnaireCheck {
    /// Checks a document as an author wrote it, with its key.
    ///
    /// - Throws: `DocumentFault` with the place of the first fault.
    package static func check(json: [UInt8]) throws(DocumentFault) {
        let findings = findings(in: try QuestionnaireRules(json: json))
        guard let fault = findings.first(where: \.isFault) else { return }
        throw DocumentFault(field: fault.place, reason: "\(fault.problem)")
    }
}

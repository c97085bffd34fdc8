import Model

/// The names of the kinds of questions.
enum KindWords {
    /// In the order in which they are offered: first those that are answered by choosing.
    static let offered: [Question.Kind] = {
        let first =
            Question.Kind.allCases.filter { $0.shape == .option }
            + Question.Kind.allCases.filter { $0.shape == .options }
        let often: [Question.Kind] = [.boolean, .text, .number, .scale, .date, .time, .dateTime]
        let rest = Question.Kind.allCases.filter { !first.contains($0) && !often.contains($0) && $0 != .note }
        return first + often + rest + [.note]
    }()

    static func name(_ kind: Question.Kind, _ language: Language) -> String {
        switch kind.shape {
        case .option: language.text("One of several options")
        case .options: language.text("Several options")
        case .order: language.text("Put in order")
        case .rows: kind.isTable ? language.text("Table", context: "kind") : language.text("Match pairs")
        case .gaps: language.text("Gaps in a text")
        case .value, .other: nameOfValue(kind, language)
        }
    }

    private static func nameOfValue(_ kind: Question.Kind, _ language: Language) -> String {
        switch kind {
        case .boolean: language.text("Yes or no")
        case .number: language.text("Number", context: "kind")
        case .scale: language.text("Scale", context: "kind")
        case .date: language.text("Date", context: "kind")
        case .time: language.text("Time", context: "kind")
        case .dateTime: language.text("Date and time", context: "kind")
        case .file: language.text("File", context: "kind")
        case .location: language.text("Place on a map")
        case .note: language.text("Text to read, without an answer")
        default: language.text("Text", context: "kind")
        }
    }
}

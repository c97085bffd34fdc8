/// The names of the kinds, for authors.
extension Question.Kind {
    /// In the order in which they are offered: first those that are answered by choosing.
    package static let offered: [Question.Kind] = {
        let first = allCases.filter { $0.shape == .option } + allCases.filter { $0.shape == .options }
        let often: [Question.Kind] = [.boolean, .text, .number, .scale, .date, .time, .dateTime]
        let rest = allCases.filter { !first.contains($0) && !often.contains($0) && $0.takesAnswer }
        return first + often + rest + allCases.filter { !$0.takesAnswer }
    }()

    package func name(_ language: Language) -> String {
        switch self {
        case .choice: language.text("One of several options")
        case .choices: language.text("Several options")
        case .ranking: language.text("Put in order")
        case .matching: language.text("Match pairs")
        case .matrix: language.text("Table", context: "kind")
        case .gaps: language.text("Gaps in a text")
        case .boolean: language.text("Yes or no")
        case .text: language.text("Text", context: "kind")
        case .number: language.text("Number", context: "kind")
        case .scale: language.text("Scale", context: "kind")
        case .date: language.text("Date", context: "kind")
        case .time: language.text("Time", context: "kind")
        case .dateTime: language.text("Date and time", context: "kind")
        case .file: language.text("File", context: "kind")
        case .location: language.text("Place on a map")
        case .note: language.text("Text to read, without an answer")
        }
    }
}

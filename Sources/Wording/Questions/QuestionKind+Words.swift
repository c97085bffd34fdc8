import Localization
import Model

/// The names of the kinds, for authors.
extension Question.Kind {
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

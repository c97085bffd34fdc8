import Localization
import Model

extension WrittenDate.Order.Form {
    /// The expected form, with an example.
    package func words(_ language: Language) -> String {
        switch self {
        case .date: language.text("date like 2026-11-25")
        case .time: language.text("time like 14:30")
        case .dateTime:
            language.text("date with a time and offset like 2026-11-25T14:30+03:00")
        }
    }
}

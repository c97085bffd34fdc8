import Host
import Model
import Results

/// The request and the host's services that every screen uses.
struct DeskContext: Sendable {
    let request: DeskRequest
    let services: HostServices

    var language: Language { request.language }

    /// A number with the decimal sign of the language.
    func number(_ number: Double) -> String { StatisticsWords(language: language).number(number) }

    /// A number in a field, with all its digits.
    func written(_ number: Double) -> String {
        CSVText.number(number).replacing(".", with: language.decimalSeparator).replacing("-", with: "−")
    }

    /// A number that was typed into a field; `nil` for what is none.
    static func number(typed text: String) -> Double? {
        WrittenNumber(text).plain.flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil }
    }

    /// `2.5 of 3`
    func points(_ points: Double, _ maximum: Double) -> String {
        StatisticsWords(language: language).points(points, maximum)
    }

    func waiting(_ count: Int) -> String { language.text("\(count) to be marked") }
}

extension TestStatus {
    /// The class of a fact that shows it.
    var kind: String {
        switch self {
        case .rated: "good"
        case .checking: "newer"
        default: "calm"
        }
    }
}

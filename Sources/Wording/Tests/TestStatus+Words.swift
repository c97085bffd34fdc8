import Localization
import Model

extension TestStatus {
    /// The status in the words that people see, the same in all interfaces.
    ///
    /// - Parameters:
    ///   - reason: why it was rejected, if known.
    ///   - isKept: whether a medium on the way holds it for delivery.
    ///   - medium: the medium that holds it then.
    package func words(
        _ language: Language, reason: String? = nil, isKept: Bool = false, medium: DeliveryMedium = .hub
    ) -> String {
        switch self {
        case .done where isKept: medium.kept(language)
        case .empty, .inProgress: language.text("Draft, saved locally")
        case .done: language.text("Saved locally, waiting to be sent")
        case .sending: language.text("Sending…")
        case .sent: language.text("Sent")
        case .checking: language.text("Being checked")
        case .rated: language.text("Rated")
        case .conflict: language.text("Changed elsewhere")
        case .rejected: reason.map { language.text("Not accepted: \($0)") } ?? language.text("Not accepted")
        }
    }
}

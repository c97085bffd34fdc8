/// A language of the user interface.
public enum Language: String, Sendable, Codable, CaseIterable {
    case english = "en"
    case russian = "ru"

    /// Chooses by a locale such as `ru_RU.UTF-8` or a language tag such as `ru-RU`; English for any other.
    public init(locale: String) {
        let tag = locale.lowercased().prefix { $0 != "_" && $0 != "-" && $0 != "." && $0 != "@" }
        self = tag == "ru" ? .russian : .english
    }

    /// An English count: `1 draft`, `2 drafts`.
    package static func count(_ number: Int, _ one: String) -> String { "\(number) \(one)\(number == 1 ? "" : "s")" }

    /// Confirms that input is stored.
    package var savedLocally: String { pick("Saved locally", "Сохранено локально") }

    /// Selects one of two texts.
    package func pick(_ english: String, _ russian: String) -> String { self == .russian ? russian : english }
}

extension TestStatus {
    /// The status in the words that people see, the same in all interfaces.
    ///
    /// - Parameters:
    ///   - reason: why it was rejected, if known.
    ///   - isKept: whether a medium on the way holds it for delivery.
    ///   - medium: the medium that holds it then.
    public func words(
        _ language: Language, reason: String? = nil, isKept: Bool = false, medium: DeliveryMedium = .hub
    ) -> String {
        switch self {
        case .done where isKept: medium.kept(language)
        case .empty, .inProgress: language.pick("Draft, saved locally", "Черновик, сохранён локально")
        case .done: language.pick("Saved locally, waiting to be sent", "Сохранено локально, ждёт отправки")
        case .sending: language.pick("Sending…", "Отправляется…")
        case .sent: language.pick("Sent", "Отправлено")
        case .checking: language.pick("Being checked", "На проверке")
        case .rated: language.pick("Rated", "Проверено")
        case .conflict: language.pick("Changed elsewhere", "Изменено в другом месте")
        case .rejected:
            reason.map { language.pick("Not accepted: \($0)", "Не принято: \($0)") }
                ?? language.pick("Not accepted", "Не принято")
        }
    }
}

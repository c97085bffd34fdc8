/// A language that Quire speaks.
public enum Language: String, Sendable, Codable, CaseIterable {
    case english = "en"
    case russian = "ru"

    /// Chooses by a locale such as `ru_RU.UTF-8` or a language tag such as `ru-RU`; English where it is another.
    public init(locale: String) {
        let tag = locale.lowercased().prefix { $0 != "_" && $0 != "-" && $0 != "." && $0 != "@" }
        self = tag == "ru" ? .russian : .english
    }

    /// An English count: `1 draft`, `2 drafts`.
    package static func count(_ number: Int, _ one: String) -> String { "\(number) \(one)\(number == 1 ? "" : "s")" }

    /// That what was typed is stored.
    package var savedLocally: String { pick("Saved locally", "Сохранено локально") }

    /// One of two texts.
    package func pick(_ english: String, _ russian: String) -> String { self == .russian ? russian : english }
}

extension TestStatus {
    /// The state in the words that a person sees, the same wherever it is shown.
    ///
    /// - Parameters:
    ///   - reason: why it was not accepted, when that is known.
    ///   - isKept: whether it lies somewhere on its way, and is handed on from there.
    ///   - medium: what holds it then.
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

import Model

/// The languages that a questionnaire can be read in, as buttons of the test's form.
struct LanguageChoice {
    private let languages: [String]
    private let current: String?

    init(_ questionnaire: Questionnaire) {
        languages = questionnaire.languages
        current = questionnaire.locale
    }

    private static let prefix = "language-"

    /// The language that a button names: `language-ru`.
    static func tag(_ go: String?) -> String? {
        go.flatMap { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : nil }
    }

    /// `nil` where there is no choice.
    func model(_ words: PageWords) -> [String: any Sendable]? {
        guard languages.count > 1 else { return nil }
        return [
            "about": words.text("Language of the questions"),
            "items": languages.map { tag -> [String: any Sendable] in
                [
                    "tag": tag, "value": Self.prefix + tag, "name": Language.name(ofTag: tag),
                    "pressed": tag == current ? "true" : "false",
                ]
            },
        ]
    }
}

/// A language of the user interface.
///
/// English texts stand in the sources; each other language has a catalog in `Texts`.
public enum Language: String, Sendable, Codable, CaseIterable {
    case english = "en"
    case russian = "ru"

    /// Chooses by a locale such as `ru_RU.UTF-8` or a language tag such as `ru-RU`; English for a language without a
    /// catalog.
    public init(locale: String) {
        let tag = locale.lowercased().prefix { $0 != "_" && $0 != "-" && $0 != "." && $0 != "@" }
        self = Language(rawValue: String(tag)) ?? .english
    }

    /// The catalog; `nil` for English.
    package var catalog: TextCatalog? { TextCatalog(language: rawValue) }

    /// The language's own name.
    package var name: String { catalog?.setting("name") ?? "English" }

    /// The own name of any language, where it is known; else its tag.
    package static func name(ofTag tag: String) -> String {
        let primary = String(tag.lowercased().prefix { $0 != "-" && $0 != "_" })
        if let language = Language(rawValue: primary) { return language.name }
        let names = [
            "ar": "العربية", "de": "Deutsch", "es": "Español", "fa": "فارسی", "fr": "Français", "he": "עברית",
            "hi": "हिन्दी", "it": "Italiano", "ja": "日本語", "pl": "Polski", "pt": "Português", "tr": "Türkçe",
            "zh": "中文",
        ]
        return names[primary] ?? tag
    }

    /// The character between a number and its fraction.
    package var decimalSeparator: String { catalog?.setting("decimal") ?? "." }

    /// The text in this language; the English one where the catalog lacks it.
    ///
    /// - Parameter context: distinguishes texts that are the same in English only. It follows the pattern in the key, as in
    ///   `Rated | history`.
    package func text(_ text: LocalizedText, context: String? = nil) -> String {
        guard case .text(let pattern)? = catalog?.entry(text.key(context)) else { return text.english }
        return text.filling(pattern)
    }

    /// The text for a number of things, in the plural form of this language.
    ///
    /// - Parameters:
    ///   - one: the English text for one. It has no entry of its own.
    ///   - other: the English text for every other number, and the key of the catalogs.
    package func plural(_ count: Int, one: LocalizedText, other: LocalizedText, context: String? = nil) -> String {
        guard let catalog, let entry = catalog.entry(other.key(context)) else {
            return (count == 1 ? one : other).english
        }
        switch entry {
        case .text(let pattern): return other.filling(pattern)
        case .forms(let forms):
            return other.filling(forms[catalog.pluralCategory(of: count)] ?? forms["other"] ?? other.pattern)
        }
    }

    /// Confirms that input is stored.
    package var savedLocally: String { text("Saved locally") }

    /// The options of a question about a truth, where its document has none.
    package var yes: String { text("Yes") }
    package var no: String { text("No") }

    /// The label of an instance of a repeated section, where its document has none.
    package var entry: String { text("Entry") }
}

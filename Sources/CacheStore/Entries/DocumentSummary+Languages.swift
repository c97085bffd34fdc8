import Model

/// The languages of a document in lists and searches.
extension DocumentSummary {
    /// The texts of a list in the interface's language, where the document is translated to it, and the tag of theirs.
    package func texts(in language: Language) -> (title: String, description: String, locale: String?) {
        guard let translations, let tag = Self.tag(of: translations.keys, besides: locale, in: language),
            let texts = translations[tag]
        else { return (title, description, locale) }
        return (texts.title, texts.description, tag)
    }

    /// The tag among those of translations that is of a language; `nil` where there is none, or the document itself is in it.
    static func tag(of tags: some Sequence<String>, besides own: String?, in language: Language) -> String? {
        func isOfLanguage(_ tag: String) -> Bool {
            tag.lowercased().prefix { $0 != "-" && $0 != "_" } == language.rawValue
        }
        return own.map(isOfLanguage) == true ? nil : tags.filter(isOfLanguage).min()
    }

    /// The title in all its languages, as search compares it.
    var foldedTitle: String {
        guard let translations else { return TextFolding.fold(title) }
        let titles = translations.sorted { $0.key < $1.key }.map(\.value.title)
        return TextFolding.fold(([title] + titles).joined(separator: "\n"))
    }

    // MARK: In the index

    /// The tags of the translations, each followed by its title and its description.
    var packedTranslations: [String] {
        translations.map { $0.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value.title, $0.value.description] } }
            ?? []
    }

    static func translations(packed: [String]) -> [String: ListedTexts]? {
        guard packed.count > 2 else { return nil }
        return stride(from: 0, to: packed.count - 2, by: 3).reduce(into: [:]) { translations, place in
            translations[packed[place]] = ListedTexts(title: packed[place + 1], description: packed[place + 2])
        }
    }
}

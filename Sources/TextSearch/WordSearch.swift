import Model

/// The words of a search. A document has a word where it occurs within one of its own words, or where it is another form
/// of one in the document's language: a search for “questionnaires” finds “questionnaire”.
package final class WordSearch {
    /// Folded.
    package let words: [[UInt8]]
    /// The languages of tags that were asked about.
    private var known: [String: Languages] = [:]
    private var forms: [LanguageForms] = []

    /// Languages of documents, as far as they have a stemmer; meaningful for one search.
    package struct Languages: OptionSet, Hashable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) { self.rawValue = rawValue }
    }

    package init(_ query: String) {
        words = TextFolding.fold(query).split(separator: " ").map { Array($0.utf8) }
    }

    package var isEmpty: Bool { words.isEmpty }

    // MARK: Languages

    /// The languages of a document: its own, and those it is translated to.
    package func languages(_ locale: String?, _ translations: (some Sequence<String>)?) -> Languages {
        let own = locale.map(languages(ofTag:)) ?? []
        return translations.map { $0.reduce(own) { $0.union(languages(ofTag: $1)) } } ?? own
    }

    /// Of `de-CH` those of `de`; none if the language is unknown.
    package func languages(ofTag tag: String) -> Languages {
        if let known = known[tag] { return known }
        let primary = String(tag.lowercased().prefix { $0 != "-" && $0 != "_" })
        // The written forms of Norwegian.
        let language = ["nb", "nn"].contains(primary) ? "no" : primary
        if language != tag {
            let found = languages(ofTag: language)
            known[tag] = found
            return found
        }
        guard forms.count < UInt32.bitWidth, let stemmer = WordStemmer(language: language) else {
            known[tag] = []
            return []
        }
        let found = Languages(rawValue: 1 << UInt32(forms.count))
        forms.append(LanguageForms(words, stemmer))
        known[tag] = found
        return found
    }

    // MARK: Matching

    /// Whether a folded text has all the words.
    package func areAll(in text: UnsafeRawBufferPointer, _ languages: Languages) -> Bool {
        words.indices.allSatisfy { isWord($0, in: text, languages) }
    }

    package func areAll(in text: String, _ languages: Languages) -> Bool {
        var text = text
        return text.withUTF8 { areAll(in: UnsafeRawBufferPointer($0), languages) }
    }

    /// Which of the words a folded text has.
    package func found(in text: String, _ languages: Languages) -> [Bool] {
        var text = text
        return text.withUTF8 { bytes in
            words.indices.map { isWord($0, in: UnsafeRawBufferPointer(bytes), languages) }
        }
    }

    private func isWord(_ place: Int, in text: UnsafeRawBufferPointer, _ languages: Languages) -> Bool {
        TextFolding.contains(text, words[place])
            || forms.enumerated().contains { number, forms in
                languages.contains(Languages(rawValue: 1 << UInt32(number))) && forms.hasForm(of: place, in: text)
            }
    }

    /// The languages in which a single word is another form of one of the words.
    package func languages(_ languages: Languages, havingFormOf place: Int, _ word: UnsafeRawBufferPointer) -> Languages
    {
        var found: Languages = []
        for (number, forms) in forms.enumerated() {
            let language = Languages(rawValue: 1 << UInt32(number))
            if languages.contains(language), forms.isForm(of: place, word) { found.insert(language) }
        }
        return found
    }
}

/// The stems of a search's words in one language.
private struct LanguageForms {
    private let stemmer: WordStemmer
    private let stems: [Stem?]

    private struct Stem {
        let bytes: [UInt8]
        /// Words that begin otherwise need not be stemmed.
        let beginning: [UInt8]
    }

    init(_ words: [[UInt8]], _ stemmer: WordStemmer) {
        self.stemmer = stemmer
        stems = words.map { word in
            let text = String(decoding: word, as: UTF8.self)
            // The stem of a shorter word says too little.
            guard text.unicodeScalars.count > 2 else { return nil }
            let bytes = word.withUnsafeBytes { stemmer.withStem(of: $0) { Array($0) } }
            let letters = String(decoding: bytes, as: UTF8.self).unicodeScalars.prefix(stemmer.keepsBeginnings ? 2 : 0)
            return Stem(bytes: bytes, beginning: Array(String(String.UnicodeScalarView(letters)).utf8))
        }
    }

    func isForm(of place: Int, _ word: UnsafeRawBufferPointer) -> Bool {
        guard let stem = stems[place], word.starts(with: stem.beginning) else { return false }
        return stemmer.withStem(of: word) { $0.elementsEqual(stem.bytes) }
    }

    func hasForm(of place: Int, in text: UnsafeRawBufferPointer) -> Bool {
        guard let stem = stems[place], TextFolding.contains(text, stem.beginning) else { return false }
        return text.split(separator: UInt8(ascii: " ")).contains {
            isForm(of: place, UnsafeRawBufferPointer(rebasing: $0))
        }
    }
}

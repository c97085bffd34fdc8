import CStemmer

/// A Snowball stemmer: the forms of a word in one language have the same stem. Not for several threads at once.
package final class WordStemmer {
    private let stemmer: OpaquePointer
    /// Whether a word's stem begins with the same two letters as the word.
    package let keepsBeginnings: Bool

    /// Languages whose words also change at their beginnings, and Serbian, whose stems are in Latin letters.
    private static let othersAtTheBeginning: Set<String> = ["ar", "ga", "id", "sr", "ta", "yi"]

    /// - Parameter language: an ISO 639 code.
    package init?(language: String) {
        // Other names are of algorithms.
        guard (2...3).contains(language.utf8.count), let stemmer = sb_stemmer_new(language, "UTF_8") else { return nil }
        self.stemmer = stemmer
        keepsBeginnings = !Self.othersAtTheBeginning.contains(language)
    }

    deinit { sb_stemmer_delete(stemmer) }

    /// The stem of a folded word, as long as the closure runs; a longer word than a language has is its own stem.
    package func withStem<Result>(of word: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result) -> Result
    {
        guard let letters = word.baseAddress, word.count <= 200,
            let stem = sb_stemmer_stem(stemmer, letters.assumingMemoryBound(to: UInt8.self), Int32(word.count))
        else { return body(word) }
        return body(UnsafeRawBufferPointer(start: stem, count: Int(sb_stemmer_length(stemmer))))
    }
}

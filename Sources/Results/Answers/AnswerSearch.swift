import Model
import TextSearch

/// Finds free answers by words, and counts which words they have. Not for several threads at once.
package final class AnswerSearch {
    private let search: WordSearch
    private let languages: WordSearch.Languages
    private let stemmers: [WordStemmer]
    private let query: String

    /// A word of answers, and how many of them have it, in whatever form.
    package struct Word: Hashable, Sendable {
        /// In the form that most answers have.
        package var text: String
        package var count: Int
    }

    /// - Parameters:
    ///   - query: an answer is found if it has all of these words, themselves or in another form.
    ///   - languages: tags of the languages in which people answered, such as `ru`.
    package init(_ query: String, languages tags: [String]) {
        self.query = query
        search = WordSearch(query)
        languages = search.languages(nil, tags)
        let primary = tags.map { String($0.lowercased().prefix { $0 != "-" && $0 != "_" }) }
        stemmers = Set(primary).sorted().compactMap { WordStemmer(language: $0) }
    }

    /// Whether there is no word to search for: then every answer is found.
    package var isEmpty: Bool { search.isEmpty }

    package func finds(_ text: String) -> Bool { search.areAll(in: TextFolding.fold(text), languages) }

    package func hits(in answers: [FreeAnswers.Answer]) -> [FreeAnswers.Answer] {
        isEmpty ? answers : answers.filter { finds($0.text) }
    }

    /// Shorter words say little about a theme.
    private static let shortest = 4

    /// The words that most answers have, each once for an answer; only those of two answers and more. The words of the query are
    /// not among them: all answers that it finds have those.
    package func words(of answers: [FreeAnswers.Answer], most: Int = 20) -> [Word] {
        var counts: [[UInt8]: (count: Int, forms: [String: Int])] = [:]
        let asked = Set(Self.words(in: query).map { stem(of: TextFolding.fold($0)) })
        for answer in answers {
            var seen = asked
            for word in Self.words(in: answer.text) where word.count >= Self.shortest {
                let stem = stem(of: TextFolding.fold(word))
                guard seen.insert(stem).inserted else { continue }
                counts[stem, default: (0, [:])].count += 1
                counts[stem]?.forms[word, default: 0] += 1
            }
        }
        let words = counts.values.filter { $0.count > 1 }.map { found -> Word in
            let form = found.forms.min { ($1.value, $0.key) < ($0.value, $1.key) }
            return Word(text: form?.key ?? "", count: found.count)
        }
        return Array(words.sorted { ($1.count, $0.text) < ($0.count, $1.text) }.prefix(most))
    }

    private static func words(in text: String) -> [String] {
        text.split { !$0.isLetter }.map { $0.lowercased() }
    }

    /// The shortest stem that one of the languages has for a folded word.
    private func stem(of word: String) -> [UInt8] {
        let bytes = Array(word.utf8)
        let stems = stemmers.map { stemmer in bytes.withUnsafeBytes { stemmer.withStem(of: $0) { Array($0) } } }
        return stems.min { $0.count < $1.count } ?? bytes
    }
}

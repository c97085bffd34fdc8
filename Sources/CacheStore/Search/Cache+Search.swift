import Disk
import Model

/// Finding documents by words.
extension Cache {
    /// A document that has all the words, and where they are.
    package struct Match: Sendable {
        package var record: CatalogRecord
        /// Whether the title alone has all the words.
        package var isInTitle: Bool
    }

    /// Where to search for the words.
    public enum SearchScope: Sendable {
        case titles
        /// Titles, descriptions, questions and options.
        case everything
    }

    /// Documents in which every word of `query` occurs, without regard to case, accents, ё/е and punctuation; those
    /// with all words in the title come first, each group by title.
    package func search(_ query: String, in scope: SearchScope = .everything) throws -> [Match] {
        let words = Self.words(query)
        guard !words.isEmpty else { return [] }
        let records = try records().filter(\.isDocument)
        var matches: [Match] = []
        var others: [CatalogRecord] = []
        for record in records {
            if words.allSatisfy({ TextFolding.contains(record.foldedTitle, $0) }) {
                matches.append(Match(record: record, isInTitle: true))
            } else {
                others.append(record)
            }
        }
        if scope == .everything {
            let found = try wordsFound(words, inTextsOf: records)
            for record in others {
                guard let inText = found[record.digest] else { continue }
                let hasAll = words.indices.allSatisfy {
                    inText[$0] || TextFolding.contains(record.foldedTitle, words[$0])
                }
                if hasAll { matches.append(Match(record: record, isInTitle: false)) }
            }
        }
        return matches.sorted { left, right in
            if left.isInTitle != right.isInTitle { return left.isInTitle }
            if left.record.sortKey != right.record.sortKey { return left.record.sortKey < right.record.sortKey }
            return (left.record.documentID ?? "", left.record.url) < (right.record.documentID ?? "", right.record.url)
        }
    }

    static func words(_ query: String) -> [[UInt8]] {
        TextFolding.fold(query).split(separator: " ").map { Array($0.utf8) }
    }

    /// The words found in each text; a text with none of them is omitted.
    private func wordsFound(_ words: [[UInt8]], inTextsOf records: [CatalogRecord]) throws -> [Digest: [Bool]] {
        var found: [Digest: [Bool]] = [:]
        var known: Set<Digest> = []
        known.reserveCapacity(records.count)
        let isWhole = TextIndexReader(fileSystem, of: records).read { (segment, _) throws(FieldReader.Fault) in
            known.formUnion(segment.digests)
            found.merge(try segment.documents(having: words)) { $1 }
        }
        if !isWhole {
            // The content of a damaged file does not count.
            known = []
            found = [:]
        }
        let missing = records.filter { $0.isPresent && !known.contains($0.digest) }
        guard !missing.isEmpty else { return found }
        // Without room for them, each search reads them again.
        let texts = try index.hasRoom(forTextsOf: missing.count) ? TextIndexWriter(index) : nil
        for record in missing {
            guard let entry = try entry(url: record.url).value, let content = try content(of: entry).value else {
                continue
            }
            let text = Cache.searchText(content.bytes)
            texts?.add(content.entry.digest, text)
            let has = words.map { TextFolding.contains(text, $0) }
            if has.contains(true) { found[content.entry.digest] = has }
        }
        texts?.finish(keepingTextsOf: records)
        return found
    }

    /// Whether a document outside of the cache has all the words of a search, and whether its title has them all; `nil`
    /// if it has not.
    package static func match(
        _ query: String, title: String, document: [UInt8], in scope: SearchScope = .everything
    ) -> Bool? {
        let words = words(query)
        guard !words.isEmpty else { return nil }
        if words.allSatisfy({ TextFolding.contains(title, $0) }) { return true }
        guard scope == .everything else { return nil }
        let text = searchText(document)
        let hasAll = words.allSatisfy { TextFolding.contains(title, $0) || TextFolding.contains(text, $0) }
        return hasAll ? false : nil
    }
}

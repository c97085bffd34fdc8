import Disk
import Model
import TextSearch

/// Finds documents by words.
package struct DocumentSearch: Sendable {
    let cache: Cache

    var fileSystem: any FileSystem { cache.fileSystem }
    var index: IndexSpace { cache.index }

    /// A document that has all the words, and where they are.
    package struct Match: Sendable {
        package var record: CatalogRecord
        /// Whether the title alone has all the words.
        package var isInTitle: Bool
    }

    /// Documents in which every word of `query` occurs, itself or in another form, without regard to case, accents, ё/е
    /// and punctuation; those with all words in the title come first, each group by title.
    package func matches(_ query: String, in scope: Cache.SearchScope = .everything) throws -> [Match] {
        let search = WordSearch(query)
        guard !search.isEmpty else { return [] }
        let records = try cache.catalog.records().filter(\.isDocument)
        var matches: [Match] = []
        var others: [(record: CatalogRecord, languages: WordSearch.Languages)] = []
        for record in records {
            let languages = search.languages(of: record)
            if search.areAll(in: record.foldedTitle, languages) {
                matches.append(Match(record: record, isInTitle: true))
            } else {
                others.append((record, languages))
            }
        }
        if scope == .everything {
            let found = try wordsFound(search, inTextsOf: records)
            for (record, languages) in others {
                guard let inText = found[record.digest] else { continue }
                let inTitle = search.found(in: record.foldedTitle, languages)
                if zip(inText, inTitle).allSatisfy({ $0 || $1 }) {
                    matches.append(Match(record: record, isInTitle: false))
                }
            }
        }
        return matches.sorted { left, right in
            if left.isInTitle != right.isInTitle { return left.isInTitle }
            if left.record.sortKey != right.record.sortKey { return left.record.sortKey < right.record.sortKey }
            return (left.record.documentID ?? "", left.record.url) < (right.record.documentID ?? "", right.record.url)
        }
    }

    /// The words found in each text; a text with none of them is omitted.
    private func wordsFound(_ search: WordSearch, inTextsOf records: [CatalogRecord]) throws -> [Digest: [Bool]] {
        var found: [Digest: [Bool]] = [:]
        var known: Set<Digest> = []
        known.reserveCapacity(records.count)
        var languages: [Digest: WordSearch.Languages] = [:]
        for record in records {
            let own = search.languages(of: record)
            if !own.isEmpty { languages[record.digest] = own }
        }
        let isWhole = TextIndexReader(fileSystem, of: records).read { (segment, _) throws(FieldReader.Fault) in
            known.formUnion(segment.digests)
            found.merge(try segment.documents(having: search) { languages[$0] ?? [] }) { $1 }
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
            guard let entry = try cache.entry(url: record.url).value, let content = try cache.content(of: entry).value
            else {
                continue
            }
            let text = CacheCatalog.searchText(content.bytes)
            texts?.add(content.entry.digest, text)
            let has = search.found(in: text, search.languages(of: record))
            if has.contains(true) { found[content.entry.digest] = has }
        }
        texts?.finish(keepingTextsOf: records)
        return found
    }

    /// Whether a document outside of the cache has all the words of a search, and whether its title has them all; `nil`
    /// if it has not.
    package static func match(
        _ query: String, _ record: CatalogRecord, document: [UInt8], in scope: Cache.SearchScope = .everything
    ) -> Bool? {
        let search = WordSearch(query)
        guard !search.isEmpty else { return nil }
        let languages = search.languages(of: record)
        if search.areAll(in: record.foldedTitle, languages) { return true }
        guard scope == .everything else { return nil }
        return search.areAll(in: record.foldedTitle + " " + CacheCatalog.searchText(document), languages) ? false : nil
    }
}

extension Cache {
    /// Where to search for the words.
    public enum SearchScope: Sendable {
        case titles
        /// Titles, descriptions, questions and options.
        case everything
    }

    /// Finds documents by words.
    package var search: DocumentSearch { DocumentSearch(cache: self) }
}

extension WordSearch {
    fileprivate func languages(of record: CatalogRecord) -> Languages {
        record.facts.document.map(languages(of:)) ?? []
    }

    func languages(of document: DocumentSummary) -> Languages {
        languages(document.locale, document.translations?.keys)
    }
}

import Disk
import Model
import SwiftProtobuf
import SystemPackage

/// The derived list of what is there.
extension Cache {
    /// How a listing treats content whose file changed since it was last read.
    public enum CatalogCheck: Sendable {
        /// Reads it: an edit made by hand is adopted, damage goes to quarantine.
        case noticing
        /// Takes the entry's word for it; used under the lock.
        case trusting
    }

    /// One record an entry.
    ///
    /// Entries and blobs whose file is the one that was last seen are not opened. What changed is read, and the
    /// snapshot is brought up to date.
    public func records(_ check: CatalogCheck = .noticing) throws -> [CatalogRecord] {
        guard try fileSystem.status(at: CacheLayout.entries) != nil else { return [] }
        let items = try fileSystem.list(CacheLayout.entries)
        let known = Dictionary(
            loadSnapshot(entries: items.count).map { ($0.entryName, $0) }, uniquingKeysWith: { first, _ in first })
        var records: [CatalogRecord] = []
        var texts: [Digest: String] = [:]
        var isChanged = false
        for item in items where item.kind == .regular && CacheLayout.isEntryName(item.name) {
            guard let status = try fileSystem.status(at: CacheLayout.entryPath(name: item.name)) else { continue }
            let stamp = FileStamp(status)
            var record: CatalogRecord
            if let old = known[item.name], old.entryStamp == stamp {
                record = old
            } else {
                guard case .hit(let entry) = try entry(at: CacheLayout.entryPath(name: item.name)),
                    CacheLayout.entryName(url: entry.url) == item.name
                else { continue }
                let blobStamp = known[item.name].flatMap { $0.digest == entry.digest ? $0.blobStamp : nil }
                record = CatalogRecord(entry, entryName: item.name, entryStamp: stamp, blobStamp: blobStamp)
                isChanged = true
            }
            let blobStamp = try fileSystem.status(at: record.blob.path).map(FileStamp.init)
            if blobStamp != record.blobStamp {
                isChanged = true
                if check == .noticing {
                    record = try readAgain(record, blobStamp: blobStamp, texts: &texts)
                } else if blobStamp == nil {
                    record.blobStamp = nil
                }
            }
            records.append(record)
        }
        if isChanged || records.count != known.count, check == .noticing {
            try saveSnapshot(records, newTexts: texts)
        }
        return records
    }

    /// Reads content whose file is not the one that was last seen.
    private func readAgain(
        _ record: CatalogRecord, blobStamp: FileStamp?, texts: inout [Digest: String]
    ) throws -> CatalogRecord {
        var record = record
        record.blobStamp = nil
        // What is no document is checked by who reads it: a listing does not read films.
        if record.document == nil, let blobStamp, blobStamp.sizeBytes > Cache.longestReadByListing {
            record.blobStamp = blobStamp
            return record
        }
        guard blobStamp != nil, let entry = try entry(url: record.url).value,
            let (current, bytes) = try content(of: entry).value,
            let entryStatus = try fileSystem.status(at: CacheLayout.entryPath(name: record.entryName)),
            let blobStatus = try fileSystem.status(at: current.blob.path)
        else { return record }
        if current.document != nil { texts[current.digest] = Cache.searchText(bytes) }
        return CatalogRecord(
            current, entryName: record.entryName, entryStamp: FileStamp(entryStatus), blobStamp: FileStamp(blobStatus))
    }

    private static let longestReadByListing: Int64 = 1 << 20

    static func searchText(_ bytes: [UInt8]) -> String {
        // What is kept as a document was read as one; should that fail, it is found by its title alone.
        guard let questionnaire = try? Questionnaire(json: bytes) else { return "" }
        return TextFolding.fold(questionnaire.searchableText)
    }

    // MARK: Search

    /// A document that has all the words, and where they are.
    public struct Match: Sendable {
        public var record: CatalogRecord
        /// Whether the title alone has all the words.
        public var isInTitle: Bool
    }

    /// Documents in which every word of `query` occurs, without regard to case, accents, ё/е and punctuation; those
    /// that have them in the title come first, each group by title.
    public func search(_ query: String) throws -> [Match] {
        let words = TextFolding.fold(query).split(separator: " ").map { Array($0.utf8) }
        guard !words.isEmpty else { return [] }
        let records = try records().filter { $0.document != nil }
        var texts = loadTexts(of: records)
        let missing = records.filter { $0.isPresent && texts[$0.digest] == nil }
        if !missing.isEmpty {
            for record in missing {
                guard let entry = try entry(url: record.url).value, let found = try content(of: entry).value else {
                    continue
                }
                texts[found.entry.digest] = Cache.searchText(found.bytes)
            }
            try saveTexts(texts.filter { text in records.contains { $0.digest == text.key } })
        }
        var matches: [Match] = []
        for record in records {
            let title = Array(record.foldedTitle.utf8)
            if words.allSatisfy({ title.contains(run: $0) }) {
                matches.append(Match(record: record, isInTitle: true))
            } else if let text = texts[record.digest] {
                let body = Array(text.utf8)
                if words.allSatisfy({ title.contains(run: $0) || body.contains(run: $0) }) {
                    matches.append(Match(record: record, isInTitle: false))
                }
            }
        }
        return matches.sorted { left, right in
            if left.isInTitle != right.isInTitle { return left.isInTitle }
            return (left.record.sortKey, left.record.url) < (right.record.sortKey, right.record.url)
        }
    }

    // MARK: The snapshot

    /// Where the index tells something else than the entries and the content do: a file that is not an index, a record
    /// that its stamps call current and that is not what its entry says, a text that is not that of its content.
    func indexFaults() throws -> [CacheFault] {
        var faults: [CacheFault] = []
        let hasEntries = try fileSystem.status(at: CacheLayout.entries) != nil
        let snapshot = loadSnapshot(entries: hasEntries ? try fileSystem.list(CacheLayout.entries).count : 0)
        let texts = loadTexts(of: snapshot)
        for (path, isRead) in [(CacheLayout.catalog, !snapshot.isEmpty), (CacheLayout.texts, !texts.isEmpty)]
        where try !isRead && fileSystem.status(at: path)?.kind == .regular && readIndex(path) == nil {
            // Replaced whole: what is wrong once stays wrong.
            faults.append(CacheFault(path: path, kind: .index(reason: "its checksum or its header is wrong")))
        }
        for record in snapshot {
            let path = CacheLayout.entryPath(name: record.entryName)
            guard try fileSystem.status(at: path).map(FileStamp.init) == record.entryStamp,
                let (bytes, status) = try? fileSystem.readFile(path, maximumBytes: 1 << 20),
                FileStamp(status) == record.entryStamp,
                let entry = try? DocumentCoding.decode(CacheEntry.self, from: bytes)
            else { continue }
            let truth = CatalogRecord(
                entry, entryName: record.entryName, entryStamp: record.entryStamp, blobStamp: record.blobStamp)
            if CatalogRecord(truth.message) != record {
                faults.append(
                    CacheFault(path: CacheLayout.catalog, kind: .index(reason: "its record of \(entry.url) is wrong")))
            }
            guard entry.document != nil, let text = texts[entry.digest],
                case .intact(let content, _) = try readBlob(entry.blob), text != Self.searchText(content)
            else { continue }
            faults.append(
                CacheFault(path: CacheLayout.texts, kind: .index(reason: "its text of \(entry.url) is wrong")))
        }
        return faults
    }

    /// What the snapshot says; nothing when it is missing, damaged or of another version.
    ///
    /// - Parameter entries: how many there are; what says much more about them than there is to say is not read.
    private func loadSnapshot(entries: Int) -> [CatalogRecord] {
        let maximumBytes = CatalogIndex.leastBytes + Int64(entries) * CatalogIndex.plentyBytesOfRecord
        return readIndex(CacheLayout.catalog, maximumBytes: maximumBytes).flatMap(CatalogIndex.records) ?? []
    }

    private func loadTexts(of records: [CatalogRecord]) -> [Digest: String] {
        // Folding makes a text longer only where it is written in few bytes.
        let contentBytes = records.reduce(Int64(0)) { sum, record in
            sum + Int64(record.document == nil ? 0 : min(max(0, record.sizeBytes), Questionnaire.maximumBytes))
        }
        let maximumBytes = CatalogIndex.leastBytes + 2 * contentBytes
        return readIndex(CacheLayout.texts, maximumBytes: maximumBytes).flatMap(CatalogIndex.texts) ?? [:]
    }

    private func saveSnapshot(_ records: [CatalogRecord], newTexts: [Digest: String]) throws {
        var snapshot = Quire_Catalog_V1_Snapshot()
        snapshot.records = records.sorted { $0.entryName < $1.entryName }.map(\.message)
        try writeIndex(try snapshot.serializedBytes(), to: CacheLayout.catalog)
        guard !newTexts.isEmpty else { return }
        let current = Set(records.map(\.digest))
        let texts = loadTexts(of: records).filter { current.contains($0.key) }.merging(newTexts) { _, new in new }
        try saveTexts(texts)
    }

    private func saveTexts(_ texts: [Digest: String]) throws {
        var snapshot = Quire_Catalog_V1_TextSnapshot()
        snapshot.documents = texts.sorted { $0.key.hex < $1.key.hex }.map { digest, text in
            var document = Quire_Catalog_V1_DocumentText()
            document.digest = .init(digest.bytes)
            document.foldedText = text
            return document
        }
        try writeIndex(try snapshot.serializedBytes(), to: CacheLayout.texts)
    }

    private func readIndex(_ path: FilePath, maximumBytes: Int64 = 16 << 20) -> [UInt8]? {
        guard let (bytes, _) = try? fileSystem.readFile(path, maximumBytes: maximumBytes) else { return nil }
        return CatalogIndex.payload(of: bytes)
    }

    private func writeIndex(_ payload: [UInt8], to path: FilePath) throws {
        do throws(FileError) {
            try fileSystem.makeFolderIfMissing(CacheLayout.index)
            // What a killed one left: this folder has no sweep of its own.
            try fileSystem.removeAbandonedTemporaryFiles(in: CacheLayout.index, isShared: true)
            try fileSystem.writeUnsynced(
                CatalogIndex.file(of: payload), to: path, temporaryFolder: CacheLayout.index)
        } catch {
            // Whatever it is: the list is right all the same, only not quick next time.
        }
    }
}

extension Array where Element == UInt8 {
    fileprivate func contains(run: [UInt8]) -> Bool {
        guard let first = run.first, run.count <= count else { return run.isEmpty }
        return withUnsafeBufferPointer { text in
            var index = 0
            let last = text.count - run.count
            while index <= last {
                if text[index] == first, run.indices.allSatisfy({ text[index + $0] == run[$0] }) { return true }
                index += 1
            }
            return false
        }
    }
}

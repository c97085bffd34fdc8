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
        let known = Dictionary(loadSnapshot().map { ($0.entryName, $0) }, uniquingKeysWith: { first, _ in first })
        var records: [CatalogRecord] = []
        var texts: [Digest: String] = [:]
        var isChanged = false
        for item in try fileSystem.list(CacheLayout.entries)
        where item.kind == .regular && CacheLayout.isEntryName(item.name) {
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
        guard blobStamp != nil, let entry = try entry(url: record.url).value,
            let (current, bytes) = try content(of: entry).value,
            let entryStatus = try fileSystem.status(at: CacheLayout.entryPath(name: record.entryName)),
            let blobStatus = try fileSystem.status(at: current.blob.path)
        else { return record }
        if current.document != nil { texts[current.digest] = Cache.searchText(bytes) }
        return CatalogRecord(
            current, entryName: record.entryName, entryStamp: FileStamp(entryStatus), blobStamp: FileStamp(blobStatus))
    }

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
        var texts = loadTexts()
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

    /// What the snapshot says; nothing when it is missing, damaged or of another version.
    private func loadSnapshot() -> [CatalogRecord] {
        guard let payload = readIndex(CacheLayout.catalog),
            let snapshot = try? Quire_Catalog_V1_Snapshot(serializedBytes: payload)
        else { return [] }
        return snapshot.records.compactMap { CatalogRecord($0) }
    }

    private func loadTexts() -> [Digest: String] {
        guard let payload = readIndex(CacheLayout.texts),
            let snapshot = try? Quire_Catalog_V1_TextSnapshot(serializedBytes: payload)
        else { return [:] }
        var texts: [Digest: String] = [:]
        for document in snapshot.documents {
            if let digest = Digest(bytes: document.digest) { texts[digest] = document.foldedText }
        }
        return texts
    }

    private func saveSnapshot(_ records: [CatalogRecord], newTexts: [Digest: String]) throws {
        var snapshot = Quire_Catalog_V1_Snapshot()
        snapshot.records = records.sorted { $0.entryName < $1.entryName }.map(\.message)
        try writeIndex(try snapshot.serializedBytes(), to: CacheLayout.catalog)
        guard !newTexts.isEmpty else { return }
        let current = Set(records.map(\.digest))
        let texts = loadTexts().filter { current.contains($0.key) }.merging(newTexts) { _, new in new }
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

    /// The form of an index file: a line that names the format, the SHA-256 of the payload, the payload. It is written
    /// without a flush, so after a power cut it may be anything; then it is made again.
    private static let indexHeader = Array("quire-index 1\n".utf8)

    private func readIndex(_ path: FilePath) -> [UInt8]? {
        guard let (bytes, _) = try? fileSystem.readFile(path, maximumBytes: 1 << 30),
            bytes.starts(with: Self.indexHeader), bytes.count >= Self.indexHeader.count + 32
        else { return nil }
        let start = Self.indexHeader.count + 32
        let payload = Array(bytes[start...])
        return Digest(bytes: bytes[Self.indexHeader.count..<start]) == Digest(sha256Of: payload) ? payload : nil
    }

    private func writeIndex(_ payload: [UInt8], to path: FilePath) throws {
        do throws(FileError) {
            try fileSystem.makeFolderIfMissing(CacheLayout.index)
            try fileSystem.removeAbandonedTemporaryFiles(in: CacheLayout.index)
            try fileSystem.writeUnsynced(
                Self.indexHeader + Digest(sha256Of: payload).bytes + payload, to: path,
                temporaryFolder: CacheLayout.index)
        } catch {
            // A full or read-only disk: the list is right all the same, only not quick next time.
            guard error.isFull || error.code == .readOnlyFileSystem || error.code == .permissionDenied else {
                throw error
            }
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

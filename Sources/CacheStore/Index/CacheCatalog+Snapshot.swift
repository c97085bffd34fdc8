import Disk
import Model
import SwiftProtobuf
import SystemPackage

/// The file of the catalog.
extension CacheCatalog {
    /// The records of the snapshot; empty if it is missing, damaged or of another version.
    ///
    /// - Parameter entries: their number; a file far too large for it is not read.
    func loadSnapshot(entries: Int) -> CatalogSnapshot {
        if let catalogMemory, let status = try? fileSystem.status(at: CacheLayout.catalog),
            let snapshot = catalogMemory.snapshot(of: FileStamp(status))
        {
            return snapshot
        }
        let snapshot = readSnapshot(entries: entries)
        catalogMemory?.keep(snapshot)
        return snapshot
    }

    func readSnapshot(entries: Int) -> CatalogSnapshot {
        let maximumBytes = CatalogIndex.leastBytes + Int64(entries) * CatalogIndex.plentyBytesOfRecord
        guard let (bytes, status) = try? fileSystem.readFile(CacheLayout.catalog, maximumBytes: maximumBytes),
            let payload = CatalogIndex.payload(of: bytes), let preamble = CatalogIndex.Preamble(payload),
            let records = CatalogIndex.records(in: payload.dropFirst(CatalogIndex.Preamble.byteCount))
        else { return CatalogSnapshot() }
        let checksum = CatalogIndex.digest(inHeader: Array(bytes.prefix(CatalogIndex.headerBytes)))
        return CatalogSnapshot(
            records: records, folders: preamble.folders, checksum: checksum, stamp: FileStamp(status))
    }

    func loadTexts(of records: [CatalogRecord]) -> [Digest: String] {
        readIndex(CacheLayout.texts, maximumBytes: TextIndexReader.longestFile(of: records))
            .flatMap(CatalogIndex.texts) ?? [:]
    }

    /// By title, then by id, then by name.
    private static func inListOrder(_ records: [CatalogRecord]) -> [CatalogRecord] {
        let keys = records.indices.map { (key: Array(records[$0].sortKey.utf8), place: $0) }
        return keys.sorted { left, right in
            if left.key != right.key { return left.key.lexicographicallyPrecedes(right.key) }
            let (left, right) = (records[left.place], records[right.place])
            if let first = left.documentID, let second = right.documentID, first != second {
                return first.utf8.lexicographicallyPrecedes(second.utf8)
            }
            return left.entryName < right.entryName
        }.map { records[$0.place] }
    }

    /// A failure here is not reported: the list is correct anyway, only slower next time.
    func saveSnapshot(_ records: [CatalogRecord], _ folders: Digest?) throws {
        let ordered = Self.inListOrder(records)
        var checksum: Digest?
        do {
            var offsets: [Int64] = []
            checksum = try index.write(CacheLayout.catalog, beside: [CacheLayout.texts, CacheLayout.lines]) { writer in
                try writer.append(CatalogIndex.Preamble(folders: folders, recordCount: ordered.count).bytes)
                offsets = []
                offsets.reserveCapacity(ordered.count)
                for record in ordered {
                    offsets.append(writer.offset)
                    // A repeated field may be split into any number of pieces.
                    var snapshot = Quire_Catalog_V1_Snapshot()
                    snapshot.records = [record.message]
                    try writer.append(try snapshot.serializedBytes())
                }
            }
            // A short list is not read from its lines.
            if let written = checksum, let folders, ordered.count > looksOfAList {
                let preamble = LinesPreamble(catalog: written, folders: folders, recordCount: ordered.count)
                try saveLines(of: ordered, at: offsets, preamble)
            } else {
                try fileSystem.removeIfPresent(CacheLayout.lines)
            }
        } catch is FileError {
            // The disk is full, or another user owns the folder.
        }
        guard let catalogMemory, let status = try? fileSystem.status(at: CacheLayout.catalog) else { return }
        // It may be another process's by now: it is read when needed.
        if let checksum {
            guard let file = try? openIndex(CacheLayout.catalog) else { return }
            defer { fileSystem.closeQuietly(file) }
            guard (try? self.checksum(ofCatalog: file)) == checksum else { return }
        }
        catalogMemory.keep(
            CatalogSnapshot(records: ordered, folders: folders, checksum: checksum, stamp: FileStamp(status)))
    }

    func readIndex(_ path: FilePath, maximumBytes: Int64 = 16 << 20) -> ArraySlice<UInt8>? {
        guard let (bytes, _) = try? fileSystem.readFile(path, maximumBytes: maximumBytes) else { return nil }
        return CatalogIndex.payload(of: bytes)
    }

    /// Where the index differs from the entries and the content: a file that is not an index, a record with current
    /// stamps that does not match its entry, a text that is not that of its content.
    func faults() throws -> [CacheFault] {
        var faults: [CacheFault] = []
        let hasEntries = try fileSystem.status(at: CacheLayout.entries) != nil
        let catalog = readSnapshot(entries: hasEntries ? try fileSystem.list(CacheLayout.entries).count : 0)
        faults += try lineFaults(catalog)
        let snapshot = catalog.records
        let texts = loadTexts(of: snapshot)
        for (path, isRead) in [(CacheLayout.catalog, !snapshot.isEmpty), (CacheLayout.texts, !texts.isEmpty)]
        where try !isRead && fileSystem.status(at: path)?.kind == .regular && readIndex(path) == nil {
            // The index is replaced as a unit: a fault would stay.
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
            if try truth.packed.withUnsafeBytes({ try CatalogRecord(packed: $0) }) != record {
                faults.append(
                    CacheFault(path: CacheLayout.catalog, kind: .index(reason: "its record of \(entry.url) is wrong")))
            }
            guard entry.document != nil, let text = texts[entry.digest],
                case .intact(let content, _) = try cache.readBlob(entry.blob),
                text != WordSegment.distinctWords(Self.searchText(content))
            else { continue }
            faults.append(
                CacheFault(path: CacheLayout.texts, kind: .index(reason: "its text of \(entry.url) is wrong")))
        }
        return faults
    }
}

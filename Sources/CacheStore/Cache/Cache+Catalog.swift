import Disk
import Model
import SwiftProtobuf
import SystemPackage

/// The derived index of the cache.
extension Cache {
    /// How a listing treats content whose file has changed since it was last read.
    package enum CatalogCheck: Sendable {
        /// Reads it: an edit made by hand is adopted, damaged content goes to quarantine.
        case noticing
        /// Trusts the entry; used under the lock.
        case trusting
    }

    /// One record for each entry.
    ///
    /// Entries and blobs with unchanged files are not opened. Changed ones are read, and the snapshot is updated.
    package func records(_ check: CatalogCheck = .noticing) throws -> [CatalogRecord] {
        guard try fileSystem.status(at: CacheLayout.entries) != nil else { return [] }
        let listed = try fileSystem.list(CacheLayout.entries)
            .filter { $0.kind == .regular && CacheLayout.isEntryName($0.name) }.map(\.name)
        // Before the files are checked, so that later changes are seen as changes. A name added after the listing of
        // names is newer than the index, which does not record such times. A short list never needs them.
        let times = check == .noticing && listed.count > looksOfAList ? try folderTimes() : nil
        let isShortened = try check == .noticing && index.fit()
        let loaded = loadSnapshot(entries: listed.count)
        let snapshot = loaded.records
        let known = Dictionary(
            zip(snapshot.lazy.map(\.entryName), snapshot.indices), uniquingKeysWith: { first, _ in first })
        // In the order of the snapshot, which is that of a list, so that sorting again is cheap. New ones follow.
        var isListed = [Bool](repeating: false, count: snapshot.count)
        var new: [String] = []
        for name in listed {
            if let place = known[name] { isListed[place] = true } else { new.append(name) }
        }
        let places = snapshot.indices.filter { isListed[$0] }
        let names = places.map { snapshot[$0].entryName } + new
        var records: [CatalogRecord] = []
        records.reserveCapacity(names.count)
        let arrived = check == .noticing ? newRecords.take() : NewRecords.Noted()
        let texts = arrived.texts ?? TextIndexWriter(index)
        var isChanged = isShortened
        for (index, status) in try fileSystem.statuses(of: names, in: CacheLayout.entries).enumerated() {
            guard let status else { continue }
            let (name, stamp) = (names[index], FileStamp(status))
            let old = index < places.count ? snapshot[places[index]] : nil
            if let old, old.entryStamp == stamp {
                records.append(old)
                continue
            }
            if let noted = arrived.records[name], noted.entryStamp == stamp {
                records.append(noted)
                isChanged = true
                continue
            }
            guard case .hit(let entry) = try entry(at: CacheLayout.entryPath(name: name)),
                CacheLayout.entryName(url: entry.url) == name
            else { continue }
            let blobStamp = old.flatMap { $0.digest == entry.digest ? $0.blobStamp : nil }
            records.append(CatalogRecord(entry, entryName: name, entryStamp: stamp, blobStamp: blobStamp))
            isChanged = true
        }
        let blobs = try fileSystem.statuses(of: records.map(\.blob.relativePath), in: CacheLayout.blobs)
        for (index, status) in blobs.enumerated() {
            let blobStamp = status.map(FileStamp.init)
            if blobStamp != records[index].blobStamp {
                isChanged = true
                if check == .noticing {
                    records[index] = try readAgain(records[index], blobStamp: blobStamp, texts: texts)
                } else {
                    records[index].blobStamp = blobStamp
                }
            }
        }
        if check == .noticing {
            // File times come from the file system, which may differ from this machine's clock.
            let folders = times.flatMap { times in
                times.areBefore(loaded.savedNanoseconds) ? times.digest : nil
            }
            isChanged = isChanged || records.count != known.count
            if isChanged || (records.count > looksOfAList && (folders == nil || folders != loaded.folders)) {
                try saveSnapshot(records, folders)
            } else if records.count > looksOfAList {
                try mendLines(of: loaded)
            }
            if isChanged { texts.finish(keepingTextsOf: records) }
        }
        return records
    }

    /// Reads content whose file has changed.
    private func readAgain(
        _ record: CatalogRecord, blobStamp: FileStamp?, texts: TextIndexWriter
    ) throws -> CatalogRecord {
        var record = record
        record.blobStamp = nil
        // Other content is checked by its readers: a listing does not read videos.
        if record.document == nil, let blobStamp,
            record.isPartial || blobStamp.sizeBytes > Cache.longestReadByListing
        {
            record.blobStamp = blobStamp
            return record
        }
        // The stamps are from before the reading: the content may be newer than they say, and is then read again by the
        // next listing; it is never older.
        let path = CacheLayout.entryPath(name: record.entryName)
        guard let blobStamp, let status = try fileSystem.status(at: path),
            let entry = try entry(url: record.url).value, let (current, bytes) = try content(of: entry).value
        else { return record }
        if current.document != nil { texts.add(current.digest, Cache.searchText(bytes)) }
        if current != entry || current.blob != record.blob, let status = try fileSystem.status(at: path),
            let blobStatus = try fileSystem.status(at: current.blob.path),
            let written = try self.entry(url: record.url).value, written.blob == current.blob
        {
            // An edit was adopted, or a new version arrived: entry and content are not the listed files.
            return CatalogRecord(
                written, entryName: record.entryName, entryStamp: FileStamp(status), blobStamp: FileStamp(blobStatus))
        }
        return CatalogRecord(
            current, entryName: record.entryName, entryStamp: FileStamp(status),
            blobStamp: current.blob == record.blob ? blobStamp : nil)
    }

    private static let longestReadByListing: Int64 = 1 << 20

    static func searchText(_ bytes: [UInt8]) -> String {
        // A stored document was valid once; should it fail now, it is found by its title alone.
        guard let questionnaire = try? Questionnaire(json: bytes) else { return "" }
        return questionnaire.foldedText
    }

    // MARK: The snapshot

    /// Where the index differs from the entries and the content: a file that is not an index, a record with current
    /// stamps that does not match its entry, a text that is not that of its content.
    func indexFaults() throws -> [CacheFault] {
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
                case .intact(let content, _) = try readBlob(entry.blob),
                text != WordSegment.distinctWords(Self.searchText(content))
            else { continue }
            faults.append(
                CacheFault(path: CacheLayout.texts, kind: .index(reason: "its text of \(entry.url) is wrong")))
        }
        return faults
    }

    /// The records of the snapshot; empty if it is missing, damaged or of another version.
    ///
    /// - Parameter entries: their number; a file far too large for it is not read.
    private func loadSnapshot(entries: Int) -> CatalogSnapshot {
        if let catalogMemory, let status = try? fileSystem.status(at: CacheLayout.catalog),
            let snapshot = catalogMemory.snapshot(of: FileStamp(status))
        {
            return snapshot
        }
        let snapshot = readSnapshot(entries: entries)
        catalogMemory?.keep(snapshot)
        return snapshot
    }

    private func readSnapshot(entries: Int) -> CatalogSnapshot {
        let maximumBytes = CatalogIndex.leastBytes + Int64(entries) * CatalogIndex.plentyBytesOfRecord
        guard let (bytes, status) = try? fileSystem.readFile(CacheLayout.catalog, maximumBytes: maximumBytes),
            let payload = CatalogIndex.payload(of: bytes), let preamble = CatalogIndex.Preamble(payload),
            let records = CatalogIndex.records(in: payload.dropFirst(CatalogIndex.Preamble.byteCount))
        else { return CatalogSnapshot() }
        let checksum = CatalogIndex.digest(inHeader: Array(bytes.prefix(CatalogIndex.headerBytes)))
        return CatalogSnapshot(
            records: records, folders: preamble.folders, checksum: checksum, stamp: FileStamp(status))
    }

    private func loadTexts(of records: [CatalogRecord]) -> [Digest: String] {
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
    private func saveSnapshot(_ records: [CatalogRecord], _ folders: Digest?) throws {
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

    private func readIndex(_ path: FilePath, maximumBytes: Int64 = 16 << 20) -> ArraySlice<UInt8>? {
        guard let (bytes, _) = try? fileSystem.readFile(path, maximumBytes: maximumBytes) else { return nil }
        return CatalogIndex.payload(of: bytes)
    }
}

import Disk
import Model
import SwiftProtobuf
import SystemPackage

/// The derived index of the cache: a record for each entry, as a list shows it.
package struct CacheCatalog: Sendable {
    let cache: Cache

    var fileSystem: any FileSystem { cache.fileSystem }
    var index: IndexSpace { cache.index }
    var looksOfAList: Int { cache.looksOfAList }
    var newRecords: NewRecords { cache.newRecords }
    var catalogMemory: CatalogMemory? { cache.catalogMemory }

    /// How a listing treats content whose file has changed since it was last read.
    package enum Check: Sendable {
        /// Reads it: an edit made by hand is adopted, damaged content goes to quarantine.
        case noticing
        /// Trusts the entry; used under the lock.
        case trusting
    }

    /// One record for each entry.
    ///
    /// Entries and blobs with unchanged files are not opened. Changed ones are read, and the snapshot is updated.
    package func records(_ check: Check = .noticing) throws -> [CatalogRecord] {
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
            guard case .hit(let entry) = try cache.entry(at: CacheLayout.entryPath(name: name)),
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
            record.isPartial || blobStamp.sizeBytes > Self.longestReadByListing
        {
            record.blobStamp = blobStamp
            return record
        }
        // The stamps are from before the reading: the content may be newer than they say, and is then read again by the
        // next listing; it is never older.
        let path = CacheLayout.entryPath(name: record.entryName)
        guard let blobStamp, let status = try fileSystem.status(at: path),
            let entry = try cache.entry(url: record.url).value,
            let (current, bytes) = try cache.content(of: entry).value
        else { return record }
        if current.document != nil { texts.add(current.digest, Self.searchText(bytes)) }
        if current != entry || current.blob != record.blob, let status = try fileSystem.status(at: path),
            let blobStatus = try fileSystem.status(at: current.blob.path),
            let written = try cache.entry(url: record.url).value, written.blob == current.blob
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
}

extension Cache {
    /// The derived index.
    package var catalog: CacheCatalog { CacheCatalog(cache: self) }
}

import Disk
import Dispatch
import Model
import Synchronization
import SystemPackage
import TextSearch

/// The fields of a document in a plain list.
package struct ListedDocument: Hashable, Sendable {
    package var id = ""
    package var title = ""
    /// The titles in other languages.
    package var titles: [String: String]?
    package var locale: String?
    package var questionCount = 0
    /// When the content was fetched or last validated.
    package var responseTime = Timestamp.epoch
    package var freshUntil = Timestamp.epoch
    package var isEdited = false
    package var isGone = false
    /// Whether the content exists, as far as known without reading it.
    package var isPresent = false

    /// The title in the interface's language, where the document is translated to it.
    package func title(in language: Language) -> String {
        guard let titles, let tag = DocumentSummary.tag(of: titles.keys, besides: locale, in: language) else {
            return title
        }
        return titles[tag] ?? title
    }
}

/// The catalog's lines, if they are probably current: a list of any length is streamed from their file, and not held in
/// memory. Another thread checks meanwhile whether they are current.
package struct CurrentCatalog: ~Copyable {
    private let lines: IndexReader
    private let catalog: OpenFile
    private let comparison: CatalogComparison

    fileprivate init(_ lines: IndexReader, _ catalog: OpenFile, _ comparison: CatalogComparison) {
        self.lines = lines
        self.catalog = catalog
        self.comparison = comparison
    }

    deinit {
        _ = comparison.wait()
        for file in [lines.file, catalog] { lines.fileSystem.closeQuietly(file) }
    }

    /// The most documents buffered until the check has finished.
    private static let mostEarly = 16_384

    /// The documents in the order of a list: by title.
    ///
    /// - Parameter query: only those with all its words in their titles; `nil` for all.
    /// - Returns: false if the catalog turned out to be outdated: no document was delivered, and the caller needs
    ///   `records`.
    package func eachDocument(having query: String? = nil, _ body: (ListedDocument) -> Void) throws -> Bool {
        let search = query.map { WordSearch($0) }
        var early: [ListedDocument] = []
        var isCertain = false
        func handOut(_ isCurrent: Bool) -> Bool {
            guard isCurrent else { return false }
            isCertain = true
            for document in early { body(document) }
            early = []
            return true
        }
        let isWhole =
            try search?.isEmpty == true
            || lines.eachMessage(isVerifying: false) { message in
                do throws(FieldReader.Fault) {
                    guard let document = try ListedDocument(packed: message, having: search) else { return true }
                    if isCertain {
                        body(document)
                        return true
                    }
                    early.append(document)
                    let answer = early.count < Self.mostEarly ? comparison.answer : comparison.wait()
                    return answer.map(handOut) ?? true
                } catch {
                    return false
                }
            }
        guard isCertain || handOut(comparison.wait()) else { return false }
        // It was complete when it was opened, and no process writes into it since.
        guard isWhole else {
            throw FileError("read", lines.fileSystem.root.pushing(CacheLayout.lines), .ioError)
        }
        return true
    }
}

/// The check whether a catalog is current, on another thread.
private final class CatalogComparison: Sendable {
    private let running = DispatchGroup()
    /// 0 while unknown, 1 no, 2 yes.
    private let found = Atomic(0)

    init(_ isCurrent: @escaping @Sendable () -> Bool) {
        DispatchQueue.global().async(group: running) {
            self.found.store(isCurrent() ? 2 : 1, ordering: .releasing)
        }
    }

    /// `nil` while unknown.
    var answer: Bool? {
        let found = found.load(ordering: .acquiring)
        return found == 0 ? nil : found == 2
    }

    func wait() -> Bool {
        running.wait()
        return answer ?? false
    }
}

/// When a file was last added to or removed from one of the cache's folders.
struct FolderTimes {
    /// Covers all of them, and this boot of the machine: unflushed data may be lost after it.
    let digest: Digest
    let newestNanoseconds: Int64

    /// Two changes within this time may have the same file time (FAT: two seconds).
    private static let granularityNanoseconds: Int64 = 2_000_000_000

    /// Whether all of it was before a moment, and distinguishable from later changes.
    func areBefore(_ nanoseconds: Int64) -> Bool {
        let (end, isBeyond) = newestNanoseconds.addingReportingOverflow(Self.granularityNanoseconds)
        return !isBeyond && nanoseconds >= end
    }
}

extension CacheCatalog {
    /// The catalog's lines, if they are known to be valid without checking each file: no name was added to or removed
    /// from the folders since, and some of the files, different ones each time, are unchanged. A file that was
    /// overwritten in place, in another part, is noticed by a later list, by `records`, and by its readers.
    ///
    /// - Returns: `nil` if `records` is needed. Always for a short list: all its files are checked each time.
    package func currentCatalog() throws -> CurrentCatalog? {
        var opened: [OpenFile] = []
        defer { for file in opened { fileSystem.closeQuietly(file) } }
        do throws(FileError) {
            for path in [CacheLayout.lines, CacheLayout.catalog] {
                opened.append(try openIndex(path))
            }
            let (lines, catalog) = (IndexReader(lines: opened[0], fileSystem), opened[1])
            guard let preamble = try lines.linesPreamble, preamble.recordCount > looksOfAList,
                // Two concurrent lists may have written one file each.
                try checksum(ofCatalog: catalog) == preamble.catalog
            else { return nil }
            let comparison = CatalogComparison { self.isCurrent(lines, preamble, catalog) }
            opened = []
            return CurrentCatalog(lines, catalog, comparison)
        } catch {
            // Whatever the error is: `records` meets it as well, or rebuilds the index.
            return nil
        }
    }

    private func isCurrent(_ lines: IndexReader, _ preamble: LinesPreamble, _ catalog: OpenFile) -> Bool {
        do throws(FileError) {
            guard try folderTimes()?.digest == preamble.folders else { return false }
            // All files are checked in the course of many lists, so that a long list is not slower than a short one.
            let count = (looksOfAList + 3) / 4
            let first = Int.random(in: 0...(preamble.recordCount - count))
            var (start, end): (Int64?, Int64?)
            var place = 0
            var looked: [CatalogRecord] = []
            var isUnchanged = false
            let isWhole = try lines.eachMessage { line in
                if place == first { start = try? ListedDocument.recordOffset(packed: line) }
                if place == first + count { end = try? ListedDocument.recordOffset(packed: line) }
                place += 1
                return true
            } meanwhile: { () throws(FileError) in
                if let start, count > 0 { looked = try self.records(of: catalog, from: start, to: end) }
                isUnchanged = try areUnchanged(looked)
            }
            guard isWhole, place == preamble.recordCount, looked.count == count else {
                // They or the catalog are damaged or wrong: the next reader rebuilds them.
                try fileSystem.removeIfPresent(CacheLayout.lines)
                return false
            }
            return isUnchanged
        } catch {
            return false
        }
    }

    /// Records in the middle of a catalog, without its checksum: wrong ones do not match their files.
    ///
    /// - Parameter end: `nil` for the end of the file.
    private func records(of catalog: OpenFile, from start: Int64, to end: Int64?) throws(FileError) -> [CatalogRecord] {
        let known = end
        let end: Int64
        if let known { end = known } else { end = try fileSystem.status(catalog).sizeBytes }
        guard start >= 0, start <= end, end - start <= Self.mostBytesOfLooks else { return [] }
        return CatalogIndex.records(in: try fileSystem.readPiece(catalog, at: start, count: Int(end - start))[...])
            ?? []
    }

    private static let mostBytesOfLooks: Int64 = 8 << 20

    /// Whether the files are those that the records were made of.
    private func areUnchanged(_ records: [CatalogRecord]) throws(FileError) -> Bool {
        let entries = try fileSystem.statuses(of: records.map(\.entryName), in: CacheLayout.entries)
        let blobs = try fileSystem.statuses(of: records.map(\.blob.relativePath), in: CacheLayout.blobs)
        return records.enumerated().allSatisfy { place, record in
            entries[place].map(FileStamp.init) == record.entryStamp
                && blobs[place].map(FileStamp.init) == record.blobStamp
        }
    }

    /// `nil` without a cache.
    func folderTimes() throws(FileError) -> FolderTimes? {
        guard let entries = try fileSystem.status(at: CacheLayout.entries) else { return nil }
        var newest = entries.modifiedNanoseconds
        var hash = DigestBuilder()
        hash.update(Array(cache.ledger.bootIdentity.utf8))
        func add(_ name: String, _ status: FileStatus) {
            hash.update(Array("\n\(name) \(status.inode) \(status.modifiedNanoseconds)".utf8))
            newest = max(newest, status.modifiedNanoseconds)
        }
        add(CacheLayout.entries.string, entries)
        // The complete cache may have been removed.
        let hasBlobs = try fileSystem.status(at: CacheLayout.blobs)?.kind == .folder
        let shards = hasBlobs ? try fileSystem.list(CacheLayout.blobs).map(\.name).sorted() : []
        for (name, status) in zip(shards, try fileSystem.statuses(of: shards, in: CacheLayout.blobs)) {
            if let status { add(name, status) }
        }
        return FolderTimes(digest: hash.copyFinished(), newestNanoseconds: newest)
    }
}

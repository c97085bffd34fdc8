import Disk
import Dispatch
import Model
import Synchronization
import SystemPackage

/// What a plain list shows of a document.
package struct ListedDocument: Hashable, Sendable {
    package var id = ""
    package var title = ""
    package var questionCount = 0
    /// When the content was fetched or last found to be valid.
    package var responseTime = Timestamp.epoch
    package var freshUntil = Timestamp.epoch
    package var isEdited = false
    package var isGone = false
    /// Whether the content is there, as far as could be told without reading it.
    package var isPresent = false
}

/// The catalog's lines where they are probably current: a list of any length is read from their file as it is written, and not
/// held in memory. Whether they are current another thread finds out meanwhile.
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

    /// So many documents wait at most for the answer whether they may be handed out.
    private static let mostEarly = 16_384

    /// The documents in the order of a list: by title.
    ///
    /// - Parameter query: only those that have all its words in their titles; `nil` for all.
    /// - Returns: false where the catalog turned out not to be current: none was handed out, and `records` has to look.
    package func eachDocument(having query: String? = nil, _ body: (ListedDocument) -> Void) throws -> Bool {
        let words = query.map(Cache.words) ?? []
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
            try query != nil && words.isEmpty
            || lines.eachMessage(isVerifying: false) { message in
                do throws(FieldReader.Fault) {
                    guard let document = try ListedDocument(packed: message, words: words) else { return true }
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
        // It was whole when it was opened, and nobody writes into it since.
        guard isWhole else {
            throw FileError("read", lines.fileSystem.root.pushing(CacheLayout.lines), .ioError)
        }
        return true
    }
}

/// The question whether a catalog is current, which another thread answers.
private final class CatalogComparison: Sendable {
    private let running = DispatchGroup()
    /// 0 as long as nobody knows, 1 no, 2 yes.
    private let found = Atomic(0)

    init(_ isCurrent: @escaping @Sendable () -> Bool) {
        DispatchQueue.global().async(group: running) {
            self.found.store(isCurrent() ? 2 : 1, ordering: .releasing)
        }
    }

    /// `nil` as long as nobody knows.
    var answer: Bool? {
        let found = found.load(ordering: .acquiring)
        return found == 0 ? nil : found == 2
    }

    func wait() -> Bool {
        running.wait()
        return answer ?? false
    }
}

/// When a file was last put into one of the cache's folders, or taken from it.
struct FolderTimes {
    /// Of all of them, and of this run of the machine: what was not flushed may be gone after it.
    let digest: Digest
    let newestNanoseconds: Int64

    /// Two changes may have the same time, so finely do file systems tell it (FAT: two seconds).
    private static let granularityNanoseconds: Int64 = 2_000_000_000

    /// Whether all of it was before a moment, and can be told from what comes after it.
    func areBefore(_ nanoseconds: Int64) -> Bool {
        let (end, isBeyond) = newestNanoseconds.addingReportingOverflow(Self.granularityNanoseconds)
        return !isBeyond && nanoseconds >= end
    }
}

extension Cache {
    /// The catalog's lines, where they may be known to be true without a look at each file: no name came or went in the folders
    /// since, and of the files themselves some, others each time, are those
    /// that the catalog knows. What somebody has written into a file in its place, in another part, is noticed by a later list,
    /// by `records`, and by whoever opens it.
    ///
    /// - Returns: `nil` where `records` has to look. A short list never has this: all its files are looked at each time.
    package func currentCatalog() throws -> CurrentCatalog? {
        var opened: [OpenFile] = []
        defer { for file in opened { fileSystem.closeQuietly(file) } }
        do throws(FileError) {
            for path in [CacheLayout.lines, CacheLayout.catalog] {
                opened.append(try openIndex(path))
            }
            let (lines, catalog) = (IndexReader(lines: opened[0], fileSystem), opened[1])
            guard let preamble = try lines.linesPreamble, preamble.recordCount > looksOfAList,
                // Two lists at once may have written one file each.
                try checksum(ofCatalog: catalog) == preamble.catalog
            else { return nil }
            let comparison = CatalogComparison { self.isCurrent(lines, preamble, catalog) }
            opened = []
            return CurrentCatalog(lines, catalog, comparison)
        } catch {
            // Whatever it is: `records` meets it as well, or makes the index anew.
            return nil
        }
    }

    private func isCurrent(_ lines: IndexReader, _ preamble: LinesPreamble, _ catalog: OpenFile) -> Bool {
        do throws(FileError) {
            guard try folderTimes()?.digest == preamble.folders else { return false }
            // The whole is looked at again in the course of many lists: a long list need not be slower than a short one for it.
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
                // They are damaged, or the catalog is, or they lie: who looks next makes them again.
                try fileSystem.removeIfPresent(CacheLayout.lines)
                return false
            }
            return isUnchanged
        } catch {
            return false
        }
    }

    /// Records in the midst of a catalog, without its checksum: those that are wrong are not what their files are.
    ///
    /// - Parameter end: that of the file where it is `nil`.
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

    /// `nil` where there is nothing.
    func folderTimes() throws(FileError) -> FolderTimes? {
        guard let entries = try fileSystem.status(at: CacheLayout.entries) else { return nil }
        var newest = entries.modifiedNanoseconds
        var hash = DigestBuilder()
        hash.update(Array(ledger.bootIdentity.utf8))
        func add(_ name: String, _ status: FileStatus) {
            hash.update(Array("\n\(name) \(status.inode) \(status.modifiedNanoseconds)".utf8))
            newest = max(newest, status.modifiedNanoseconds)
        }
        add(CacheLayout.entries.string, entries)
        // Somebody may have removed the whole of it.
        let hasBlobs = try fileSystem.status(at: CacheLayout.blobs)?.kind == .folder
        let shards = hasBlobs ? try fileSystem.list(CacheLayout.blobs).map(\.name).sorted() : []
        for (name, status) in zip(shards, try fileSystem.statuses(of: shards, in: CacheLayout.blobs)) {
            if let status { add(name, status) }
        }
        return FolderTimes(digest: hash.copyFinished(), newestNanoseconds: newest)
    }
}

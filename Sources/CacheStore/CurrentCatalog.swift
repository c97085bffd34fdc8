import Disk
import Dispatch
import Model
import Synchronization
import SystemPackage

/// What a plain list shows of a document.
public struct ListedDocument: Hashable, Sendable {
    public var id = ""
    public var title = ""
    public var questionCount = 0
    /// When the content was fetched or last found to be valid.
    public var responseTime = Timestamp.epoch
    public var freshUntil = Timestamp.epoch
    public var isEdited = false
    public var isGone = false
    /// Whether the content is there, as far as could be told without reading it.
    public var isPresent = false
}

/// The catalog's file where it is probably current: a list of any length is read from it as it is written, and not held in
/// memory. Whether it is current another thread finds out meanwhile.
public struct CurrentCatalog: ~Copyable {
    private let fileSystem: any FileSystem
    private let file: OpenFile
    private let comparison: CatalogComparison

    fileprivate init(_ fileSystem: any FileSystem, _ file: OpenFile, _ comparison: CatalogComparison) {
        self.fileSystem = fileSystem
        self.file = file
        self.comparison = comparison
    }

    deinit {
        _ = comparison.wait()
        fileSystem.closeQuietly(file)
    }

    /// So many documents wait at most for the answer whether they may be handed out.
    private static let mostEarly = 16_384

    /// The documents in the order of a list: by title.
    ///
    /// - Parameter query: only those that have all its words in their titles; `nil` for all.
    /// - Returns: false where the catalog turned out not to be current: none was handed out, and `records` has to look.
    public func eachDocument(having query: String? = nil, _ body: (ListedDocument) -> Void) throws -> Bool {
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
            || reader.eachMessage(isVerifying: false) { message in
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
        guard isWhole else { throw FileError("read", fileSystem.root.pushing(CacheLayout.catalog), .ioError) }
        return true
    }

    fileprivate var reader: IndexReader { IndexReader(catalog: file, fileSystem) }
}

extension IndexReader {
    fileprivate init(catalog file: OpenFile, _ fileSystem: any FileSystem) {
        self.init(
            fileSystem: fileSystem, file: file, preambleBytes: CatalogIndex.Preamble.byteCount,
            longestMessage: 1 << 20)
    }

    fileprivate var catalogPreamble: CatalogIndex.Preamble? {
        get throws(FileError) {
            let bytes = try fileSystem.readPiece(
                file, at: Int64(CatalogIndex.headerBytes), count: CatalogIndex.Preamble.byteCount)
            return CatalogIndex.Preamble(bytes)
        }
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

extension ListedDocument {
    /// Reads a `Record`; `nil` for what is no document, and for a title that has not all the words.
    fileprivate init?(packed bytes: UnsafeRawBufferPointer, words: [[UInt8]]) throws(FieldReader.Fault) {
        // Most are not what is looked for: no text is made of them.
        var document: UnsafeRawBufferPointer?
        var foldedTitle = UnsafeRawBufferPointer(start: nil, count: 0)
        var reader = FieldReader(bytes)
        while let (number, value) = try reader.next() {
            switch number {
            case 3: isPresent = true
            case 10: responseTime = Timestamp(packed: try value.number())
            case 11: freshUntil = Timestamp(packed: try value.number())
            case 12: isEdited = try value.number() != 0
            case 13: isGone = try value.number() != 0
            case 14: document = try value.bytes()
            case 15: foldedTitle = try value.bytes()
            default: break
            }
        }
        guard let document, words.allSatisfy({ TextFolding.contains(foldedTitle, $0) }) else { return nil }
        var fields = FieldReader(document)
        while let (number, value) = try fields.next() {
            switch number {
            case 1: id = try value.text()
            case 2: title = try value.text()
            case 5: questionCount = Int(Int32(truncatingIfNeeded: try value.number()))
            default: break
            }
        }
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
    /// The catalog's file, where it may be known to be true without a look at each file: no name came or went in the folders
    /// since, and of the files themselves some, others each time, are those
    /// that it knows. What somebody has written into a file in its place, in another part, is noticed by a later list, by
    /// `records`, and by whoever opens it.
    ///
    /// - Returns: `nil` where `records` has to look. A short list never has this: all its files are looked at each time.
    public func currentCatalog() throws -> CurrentCatalog? {
        do throws(FileError) {
            let file = try fileSystem.continuing { () throws(FileError) in
                try fileSystem.open(CacheLayout.catalog, .read)
            }
            var isKept = false
            defer { if !isKept { fileSystem.closeQuietly(file) } }
            let reader = IndexReader(catalog: file, fileSystem)
            guard let preamble = try reader.catalogPreamble, preamble.recordCount > looksOfAList,
                let folders = preamble.folders
            else { return nil }
            isKept = true
            let comparison = CatalogComparison { self.isCurrent(reader, recordCount: preamble.recordCount, folders) }
            return CurrentCatalog(fileSystem, file, comparison)
        } catch {
            // Whatever it is: `records` meets it as well, or makes the index anew.
            return nil
        }
    }

    private func isCurrent(_ catalog: IndexReader, recordCount: Int, _ folders: Digest) -> Bool {
        do throws(FileError) {
            guard try folderTimes()?.digest == folders else { return false }
            // The whole is looked at again in the course of many lists: a long list need not be slower than a short one for it.
            let count = (looksOfAList + 3) / 4
            let first = Int.random(in: 0...(recordCount - count))
            let looks = first..<(first + count)
            var looked: [CatalogRecord] = []
            var place = 0
            var isUnchanged = false
            let isWhole = try catalog.eachMessage { message in
                if looks.contains(place) {
                    guard let record = try? CatalogRecord(packed: message) else { return false }
                    looked.append(record)
                }
                place += 1
                return true
            } meanwhile: { () throws(FileError) in
                isUnchanged = try areUnchanged(looked)
            }
            return isWhole && isUnchanged && place == recordCount
        } catch {
            return false
        }
    }

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

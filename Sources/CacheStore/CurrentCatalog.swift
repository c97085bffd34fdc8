import Disk
import Model
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

/// The catalog's file where it was found to be current: a list of any length is read from it as it is written, and not
/// held in memory.
public struct CurrentCatalog: ~Copyable {
    private let fileSystem: any FileSystem
    private let file: OpenFile

    fileprivate init(_ fileSystem: any FileSystem, _ file: OpenFile) {
        self.fileSystem = fileSystem
        self.file = file
    }

    deinit { fileSystem.closeQuietly(file) }

    /// The documents in the order of a list: by title.
    ///
    /// - Parameter query: only those that have all its words in their titles; `nil` for all.
    public func eachDocument(having query: String? = nil, _ body: (ListedDocument) -> Void) throws {
        let words = query.map(Cache.words) ?? []
        if query != nil, words.isEmpty { return }
        let isWhole = try reader.eachMessage(isVerifying: false) { message in
            do throws(FieldReader.Fault) {
                if let document = try ListedDocument(packed: message, words: words) { body(document) }
                return true
            } catch {
                return false
            }
        }
        // It was whole when it was opened, and nobody writes into it since.
        guard isWhole else { throw FileError("read", fileSystem.root.pushing(CacheLayout.catalog), .ioError) }
    }

    fileprivate var preamble: CatalogIndex.Preamble? {
        get throws(FileError) {
            let bytes = try fileSystem.readPiece(
                file, at: Int64(CatalogIndex.headerBytes), count: CatalogIndex.Preamble.byteCount)
            return CatalogIndex.Preamble(bytes)
        }
    }

    fileprivate var reader: IndexReader {
        IndexReader(
            fileSystem: fileSystem, file: file, preambleBytes: CatalogIndex.Preamble.byteCount,
            longestMessage: Self.longestRecord)
    }

    private static let longestRecord = 1 << 20
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
    /// The catalog's file, where it is known to be true without a look at each file: no name came or went in the folders
    /// since, and of the files themselves so many as a list always looks at, another part of them each time, are those
    /// that it knows. What somebody has written into a file in its place, in another part, is noticed by a later list, by
    /// `records`, and by whoever opens it.
    ///
    /// - Returns: `nil` where `records` has to look. A short list never has this: all its files are looked at each time.
    public func currentCatalog() throws -> CurrentCatalog? {
        do throws(FileError) {
            let file = try fileSystem.continuing { () throws(FileError) in
                try fileSystem.open(CacheLayout.catalog, .read)
            }
            let catalog = CurrentCatalog(fileSystem, file)
            guard let preamble = try catalog.preamble, preamble.recordCount > looksOfAList,
                let folders = preamble.folders, try folderTimes()?.digest == folders
            else { return nil }
            let first = Int.random(in: 0...(preamble.recordCount - looksOfAList))
            let looks = first..<(first + looksOfAList)
            var looked: [CatalogRecord] = []
            var place = 0
            var isUnchanged = false
            let isWhole = try catalog.reader.eachMessage { message in
                if looks.contains(place) {
                    guard let record = try? CatalogRecord(packed: message) else { return false }
                    looked.append(record)
                }
                place += 1
                return true
            } meanwhile: { () throws(FileError) in
                isUnchanged = try areUnchanged(looked)
            }
            guard isWhole, isUnchanged, place == preamble.recordCount else { return nil }
            return catalog
        } catch {
            // Whatever it is: `records` meets it as well, or makes the index anew.
            return nil
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

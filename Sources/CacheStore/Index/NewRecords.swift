import Disk
import Model
import Synchronization

/// The records stored by this process since the last update of the catalog: the listing at the end of a pull needs no
/// second read.
///
/// A record counts only while its files are the written ones.
final class NewRecords: Sendable {
    struct Noted {
        /// By the names of their entries.
        var records: [String: CatalogRecord] = [:]
        /// `nil` without any.
        var texts: TextIndexWriter?
    }

    /// `nil` while not collecting.
    private let noted = Mutex<Noted?>(nil)

    var isNoting: Bool { noted.withLock { $0 != nil } }

    func begin() { noted.withLock { $0 = Noted() } }

    func end() { noted.withLock { $0 = nil } }

    func note(_ record: CatalogRecord, text: String, in space: IndexSpace) {
        noted.withLock { noted in
            guard noted != nil else { return }
            let texts = noted?.texts ?? TextIndexWriter(space)
            texts.add(record.digest, text)
            noted?.texts = texts
            noted?.records[record.entryName] = record
        }
    }

    /// The records so far. Later ones are collected separately.
    func take() -> Noted {
        noted.withLock { noted in
            guard let taken = noted else { return Noted() }
            noted = Noted()
            return taken
        }
    }
}

extension CacheCatalog {
    /// Collects stored records for the next listing until `endNoting`: for a pull, which stores many and then lists
    /// them.
    package func beginNoting() { newRecords.begin() }

    package func endNoting() { newRecords.end() }

    /// Under the lock, right after both files were written.
    ///
    /// - Parameter storedBytes: the length of the content's file as written.
    func note(_ entry: CacheEntry, storedBytes: Int, text: String) {
        let name = CacheLayout.entryName(url: entry.url)
        guard newRecords.isNoting, let entryStatus = try? fileSystem.status(at: CacheLayout.entryPath(name: name)),
            let blobStatus = try? fileSystem.status(at: entry.blob.path), blobStatus.sizeBytes == storedBytes
        else { return }
        let record = CatalogRecord(
            entry, entryName: name, entryStamp: FileStamp(entryStatus), blobStamp: FileStamp(blobStatus))
        newRecords.note(record, text: text, in: index)
    }
}

import Disk
import Model
import Synchronization

/// What this process has stored since the catalog was last brought up to date: the listing that ends a pull knows it
/// without reading all of it once more.
///
/// A record counts only where its files are still those that were written.
final class NewRecords: Sendable {
    struct Noted {
        /// By the names of their entries.
        var records: [String: CatalogRecord] = [:]
        /// `nil` where there are none.
        var texts: TextIndexWriter?
    }

    /// `nil` while nobody wants to know.
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

    /// What was noted so far. What comes from now on is noted anew.
    func take() -> Noted {
        noted.withLock { noted in
            guard let taken = noted else { return Noted() }
            noted = Noted()
            return taken
        }
    }
}

extension Cache {
    /// Until `endNoting`, what is stored is noted for the next listing: for a pull, which stores much and lists it then.
    package func beginNoting() { newRecords.begin() }

    package func endNoting() { newRecords.end() }

    /// Under the lock, right after both files were written.
    ///
    /// - Parameter storedBytes: the length of the content's file as it was written.
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

import Model
import Synchronization

/// What the catalog's file says.
struct CatalogSnapshot: Sendable {
    var records: [CatalogRecord] = []
    /// When the records were true (`FolderTimes`); `nil` where that cannot be told.
    var folders: Digest?
    /// Of the file's payload: what its lines name it by.
    var checksum: Digest?
    /// The file's; `nil` where there is none.
    var stamp: FileStamp?

    var savedNanoseconds: Int64 { stamp?.modifiedNanoseconds ?? 0 }
}

/// What the catalog's file said when it was last read: to take ten thousand records apart is much of what a listing costs.
///
/// It counts only as long as the file is that one, and each record only as long as its own files are those it knows.
final class CatalogMemory: Sendable {
    private let latest = Mutex<CatalogSnapshot?>(nil)

    func snapshot(of stamp: FileStamp) -> CatalogSnapshot? {
        latest.withLock { $0?.stamp == stamp ? $0 : nil }
    }

    /// One that was read from no file does not count.
    func keep(_ snapshot: CatalogSnapshot) {
        if snapshot.stamp != nil { latest.withLock { $0 = snapshot } }
    }
}

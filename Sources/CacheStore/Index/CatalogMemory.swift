import Model
import Synchronization

/// The content of the catalog's file.
struct CatalogSnapshot: Sendable {
    var records: [CatalogRecord] = []
    /// When the records were valid (`FolderTimes`); `nil` if unknown.
    var folders: Digest?
    /// The checksum of the file's payload, by which its lines refer to it.
    var checksum: Digest?
    /// The file's stamp; `nil` without a file.
    var stamp: FileStamp?

    var savedNanoseconds: Int64 { stamp?.modifiedNanoseconds ?? 0 }
}

/// The catalog's file as last read: decoding ten thousand records is a large part of a listing's cost.
///
/// It is valid only as long as the file is unchanged, and each record only as long as its own files are.
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

import Synchronization

/// What the catalog's file said when it was last read: to take ten thousand records apart is much of what a listing costs.
///
/// It counts only as long as the file is that one, and each record only as long as its own files are those it knows.
final class CatalogMemory: Sendable {
    private let latest = Mutex<(stamp: FileStamp, records: [CatalogRecord])?>(nil)

    func records(of stamp: FileStamp) -> [CatalogRecord]? {
        latest.withLock { $0?.stamp == stamp ? $0?.records : nil }
    }

    func keep(_ records: [CatalogRecord], of stamp: FileStamp) { latest.withLock { $0 = (stamp, records) } }
}

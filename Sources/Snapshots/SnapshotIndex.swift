import Model
import SystemPackage

/// The digests in a snapshot, by path: a later one need not store them again.
struct SnapshotIndex {
    let digests: [String: Digest]
    let digest: Digest
    /// `nil` for a host.
    let deviceID: String?

    /// - Throws: `SnapshotFault` where the snapshot is damaged, of something else, or continues another itself.
    init(of snapshot: FilePath, _ content: SnapshotHeader.Content) throws {
        let reader = try StoreSnapshot.open(try StoreSnapshot.place(of: snapshot))
        var digests: [String: Digest] = [:]
        while let file = try reader.take() { digests[file.path] = file.digest }
        let summary = reader.summary
        guard summary.isIntact, let digest = summary.digest else {
            throw SnapshotFault(snapshot.string, "it is damaged: save a complete snapshot instead")
        }
        guard summary.header?.content == content else {
            throw SnapshotFault(
                snapshot.string, "it is of a \(content == .store ? "host" : "store"): save a complete snapshot instead")
        }
        guard summary.header?.since == nil else {
            throw SnapshotFault(
                snapshot.string, "it continues another snapshot itself: name the complete one that it continues")
        }
        self.digests = digests
        self.digest = digest
        deviceID = summary.header?.deviceId
    }

    /// Its files of some paths that are not among the current ones as they were.
    ///
    /// - Parameter isMeant: whether the snapshot would have a file of that path if there was one.
    func outdated(by current: [String: Digest?], where isMeant: (String) throws -> Bool) rethrows -> [FileDigest] {
        try digests.filter { path, digest in
            switch current[path] {
            // Its content is not known yet: it is named with the file.
            case .some(nil): false
            case .some(let now): now != digest
            case nil: try isMeant(path)
            }
        }.map { FileDigest(path: $0.key, digest: $0.value) }.sorted { $0.path < $1.path }
    }
}

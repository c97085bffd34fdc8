import Disk
import Model
import Quire
import SystemPackage

/// Snapshots of a store: all of it in one file, taken while others use the store, and restored into a new or an existing one.
///
///     let report = try StoreSnapshot.save(store, to: "backup.quire")
///     let restored = try StoreSnapshot.restore("backup.quire", to: "/home/ada/.local/share/quire")
public enum StoreSnapshot {
    /// What a snapshot has.
    public struct Options: Sendable {
        public var format: SnapshotFormat
        /// All questionnaires that were fetched; without it only those that tests, pins and favourites need.
        public var withCache: Bool
        /// The bearer token and the key of the page's cookies.
        public var withSecrets: Bool
        /// An earlier snapshot of this store: what is in it unchanged is only named.
        public var since: FilePath?

        public init(
            format: SnapshotFormat = .json, withCache: Bool = true, withSecrets: Bool = false, since: FilePath? = nil
        ) {
            self.format = format
            self.withCache = withCache
            self.withSecrets = withSecrets
            self.since = since
        }
    }

    public struct SaveReport: Sendable, Hashable {
        public var files: Int
        /// Of the files, unpacked.
        public var contentBytes: Int64
        /// By which a later snapshot names this one.
        public var digest: Digest
        /// Files of the outbox that are no tests, and content that is damaged; they are left out.
        public var leftOut: [String]
    }

    /// Saves a store as one file, which is seen complete or not at all. Others may use the store meanwhile: tests, marks and
    /// settings are as of one moment.
    ///
    /// - Parameter target: an existing file is replaced when the new one is complete and durable.
    /// - Throws: `FileError`, `SnapshotFault`, `OutboxError`.
    public static func save(_ store: QuireStore, to target: FilePath, _ options: Options = .init()) throws -> SaveReport
    {
        let (folder, name) = try place(of: target)
        let known = try options.since.map(SnapshotIndex.init(of:))
        return try folder.writeDurably(to: name, temporaryFolder: FilePath()) { take in
            let spool = try SnapshotSpool(in: folder, folder: FilePath())
            var saver = StoreSaver(store, options, since: known, spool: spool)
            return try withoutActuallyEscaping(take) { try saver.save(to: $0) }
        }
    }

    /// Restores a snapshot into the store in a folder, which is made where it is missing.
    ///
    /// An existing store is merged with: tests by the rules of an import, marks and questionnaires where they are missing;
    /// its settings and its log stay. Restoring the same snapshot again changes nothing.
    ///
    /// - Throws: `SnapshotFault` for a file that is no snapshot of a store; then nothing was changed. `TarFault`,
    ///   `OutboxError.sweeperIsRunning`, `FileError`.
    public static func restore(
        _ snapshot: FilePath, to store: FilePath, clock: any StoreClock = SystemClock()
    ) throws -> RestoreReport {
        try StoreRestorer(snapshot, to: store, clock: clock).restore()
    }

    /// Reads a snapshot to its end and compares everything with its digests.
    public static func verify(_ snapshot: FilePath) throws -> (summary: SnapshotSummary, paths: [String]) {
        let reader = try open(snapshot)
        var paths: [String] = []
        while let file = try reader.take() { paths.append(file.path) }
        return (reader.summary, paths)
    }

    // MARK: Files outside of a store

    /// The folder of a file and its name there.
    static func place(of file: FilePath) throws -> (POSIXFileSystem, FilePath) {
        guard let name = file.lastComponent, name.kind == .regular else {
            throw SnapshotFault(file.string, "it names no file")
        }
        let parent = file.removingLastComponent()
        return (try POSIXFileSystem(root: parent.isEmpty ? "." : parent), FilePath(name.string))
    }

    static func open(
        _ snapshot: FilePath, makeSpool: (() throws -> SnapshotSpool)? = nil
    ) throws -> SnapshotReader {
        let (folder, name) = try place(of: snapshot)
        guard try folder.status(at: name)?.kind != .folder else {
            throw SnapshotFault(snapshot.string, "it is a folder, not a snapshot")
        }
        return try SnapshotReader(OpenContent(name, in: folder), name: snapshot.string, makeSpool: makeSpool)
    }
}

/// What a snapshot has, by path: what a later one need not write again.
struct SnapshotIndex {
    let digests: [String: Digest]
    let digest: Digest

    /// - Throws: `SnapshotFault` where the snapshot is damaged or continues another itself.
    init(of snapshot: FilePath) throws {
        let reader = try StoreSnapshot.open(snapshot)
        var digests: [String: Digest] = [:]
        while let file = try reader.take() { digests[file.path] = file.digest }
        let summary = reader.summary
        guard summary.isIntact, let digest = summary.digest else {
            throw SnapshotFault(snapshot.string, "it is damaged: save a complete snapshot instead")
        }
        guard summary.header?.since == nil else {
            throw SnapshotFault(
                snapshot.string, "it continues another snapshot itself: name the complete one that it continues")
        }
        self.digests = digests
        self.digest = digest
    }
}

import Disk
import Model
import OutboxStore
import Quire
import SystemPackage

/// Snapshots of a store: all of it in one file, taken while others use the store, and restored into a new or an existing one.
///
///     let report = try StoreSnapshot.save(store, to: "backup.quire")
///     let restored = try StoreSnapshot.restore("backup.quire", to: "/home/ada/.local/share/quire")
package enum StoreSnapshot {
    /// The parts that a snapshot includes.
    package struct Options: Sendable {
        package var format: SnapshotFormat
        /// All questionnaires that were fetched; without it only those that tests, pins and favourites need.
        package var withCache: Bool
        /// The bearer token and the key of the page's cookies.
        package var withSecrets: Bool
        /// An earlier snapshot of this store: what is in it unchanged is only named.
        package var since: FilePath?

        package init(
            format: SnapshotFormat = .json, withCache: Bool = true, withSecrets: Bool = false, since: FilePath? = nil
        ) {
            self.format = format
            self.withCache = withCache
            self.withSecrets = withSecrets
            self.since = since
        }
    }

    package struct SaveReport: Sendable, Hashable {
        package var files: Int
        /// The decompressed size of the files.
        package var contentBytes: Int64
        /// By which a later snapshot names this one.
        package var digest: Digest
        /// Files of the outbox that are no tests, and content that is damaged; they are left out.
        package var leftOut: [String]
    }

    /// Saves a store as one file, which is seen complete or not at all. Others may use the store meanwhile: tests, marks and
    /// settings are as of one moment.
    ///
    /// - Parameter target: an existing file is replaced when the new one is complete and durable.
    /// - Throws: `FileError`, `SnapshotFault`, `OutboxError`.
    package static func save(
        _ store: QuireStore, to target: FilePath, _ options: Options = .init()
    ) throws -> SaveReport {
        try save(store, to: self.target(target, outside: store.path, since: options.since), options)
    }

    /// The same on a file system of the caller's.
    package static func save(_ store: QuireStore, to target: Place, _ options: Options = .init()) throws -> SaveReport {
        let folder = target.folder
        let known = try options.since.map { try SnapshotIndex(of: $0, .store) }
        if let since = options.since, known?.deviceID != store.settings.deviceId {
            throw SnapshotFault(since.string, "it is of another device: save a complete snapshot instead")
        }
        // Left by a program that was killed while saving.
        try folder.removeAbandonedTemporaryFiles(in: FilePath(), isShared: true)
        return try folder.writeDurably(to: target.name, temporaryFolder: FilePath()) { take in
            let spool = try SnapshotSpool(in: folder, folder: FilePath())
            let saver = StoreSaver(store, options, since: known, spool: spool)
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
    package static func restore(
        _ snapshot: FilePath, to store: FilePath, clock: any StoreClock = SystemClock()
    ) throws -> RestoreReport {
        let target = Target {
            try QuireStore.open(at: store, clock: clock)
        } create: {
            try QuireStore.create(at: store, settings: $0, clock: clock)
        }
        return try StoreRestorer(place(of: snapshot), to: target).restore()
    }

    /// The same on file systems of the caller's.
    package static func restore(_ snapshot: Place, to target: Target) throws -> RestoreReport {
        try StoreRestorer(snapshot, to: target).restore()
    }

    /// Reads a snapshot to its end and compares everything with its digests.
    package static func verify(_ snapshot: FilePath) throws -> (summary: SnapshotSummary, files: [SavedFile]) {
        try verify(place(of: snapshot))
    }

    package static func verify(_ snapshot: Place) throws -> (summary: SnapshotSummary, files: [SavedFile]) {
        let reader = try open(snapshot)
        var files: [SavedFile] = []
        while let file = try reader.take() {
            files.append(SavedFile(path: file.path, sizeBytes: file.sizeBytes, digest: file.digest))
        }
        return (reader.summary, files)
    }

    /// An intact file of a snapshot.
    package struct SavedFile: Sendable, Hashable, Encodable {
        package var path: String
        /// Of the unpacked content.
        package var sizeBytes: Int64
        package var digest: Digest
    }

    /// Settings without the paths of one machine's files and the proxy of its network, whose address may hold a password.
    /// Another machine's snapshot names none either: it could make this one send a secret file to a remote as a token.
    static func portable(_ known: StoreSettings) -> StoreSettings {
        var settings = known
        settings.tokenFile = nil
        settings.caFile = nil
        settings.proxy = nil
        settings.restoring = nil
        return settings
    }

    // MARK: Files outside of a store

    /// A file and the folder that it is in.
    package struct Place {
        package var folder: any FileSystem
        package var name: FilePath

        package init(_ name: FilePath, in folder: any FileSystem) {
            self.folder = folder
            self.name = name
        }

        /// For messages.
        var path: String { folder.root.pushing(name).string }
    }

    /// A store that is restored into.
    package struct Target {
        /// Throws `StoreError.noStore` where there is none.
        var open: () throws -> QuireStore
        var create: (StoreSettings) throws -> QuireStore

        package init(open: @escaping () throws -> QuireStore, create: @escaping (StoreSettings) throws -> QuireStore) {
            self.open = open
            self.create = create
        }
    }

    static func place(of file: FilePath) throws -> Place {
        guard let named = try NamedFile(file) else { throw SnapshotFault(file.string, "it names no file") }
        return Place(named.path, in: named.folder)
    }

    /// Where a snapshot of a folder is written.
    ///
    /// - Throws: `SnapshotFault` where it would replace the snapshot that it continues or something that is no file, and in the
    ///   folder itself.
    static func target(_ file: FilePath, outside source: FilePath, since: FilePath?) throws -> Place {
        let place = try place(of: file)
        if let kind = try place.folder.status(at: place.name)?.kind, kind != .regular {
            throw SnapshotFault(place.path, "it is not a regular file: choose another name")
        }
        let path = (POSIXFileSystem.resolved(place.folder.root) ?? place.folder.root).pushing(place.name)
        if let source = POSIXFileSystem.resolved(source), path.isWithin(source) {
            throw SnapshotFault(place.path, "it is inside the folder that is saved: choose another folder")
        }
        if let since, POSIXFileSystem.resolved(since) == path {
            throw SnapshotFault(place.path, "it is the snapshot that the new one continues: choose another name")
        }
        return place
    }

    /// A link to a snapshot is followed.
    private static func followed(_ snapshot: Place) throws -> Place {
        guard try snapshot.folder.status(at: snapshot.name)?.kind == .symbolicLink,
            let path = POSIXFileSystem.resolved(snapshot.folder.root.pushing(snapshot.name))
        else { return snapshot }
        return try place(of: path)
    }

    static func open(_ named: Place) throws -> SnapshotReader {
        let snapshot = try followed(named)
        guard try snapshot.folder.status(at: snapshot.name)?.kind != .folder else {
            throw SnapshotFault(snapshot.path, "it is a folder, not a snapshot")
        }
        return try SnapshotReader(OpenContent(snapshot.name, in: snapshot.folder), name: snapshot.path)
    }
}

import Disk
import Model
import SystemPackage

/// Snapshots of a folder of plain files that programs only add to or replace in one piece: a host's data.
package enum FolderSnapshot {
    /// The names of a folder that its snapshots do not have, and the order of the others.
    package struct Exclusions: Sendable {
        /// Names in the folder itself: locks, temporary files and what is derived.
        var names: Set<String>
        /// Held by the program whose data it is.
        var lock: FilePath
        var temporary: FilePath
        /// Folders whose files refer to others, in the order in which they are listed: each file that one of them refers to
        /// is listed later, so it is there. The files of the folder itself are read before.
        var referring: [String]

        package init(names: Set<String>, lock: FilePath, temporary: FilePath, referring: [String] = []) {
            self.names = names
            self.lock = lock
            self.temporary = temporary
            self.referring = referring
        }
    }

    /// The result of a restoration.
    package struct RestoreReport: Sendable {
        /// Paths of files that were missing.
        package var restored: [String] = []
        /// Paths of files that took the place of those of the snapshot that this one continues.
        package var replaced: [String] = []
        /// Paths of files that are gone since the snapshot that this one continues.
        package var removed: [String] = []
        /// How many were there with the same content.
        package var known = 0
        /// Paths of files that are there with other content, which stays.
        package var different: [String] = []
        /// Paths of unchanged files of the snapshot that this one continues which are not there.
        package var absent: [String] = []
        /// Paths that such a folder does not have.
        package var unknown: [String] = []
        package var summary: SnapshotSummary
    }

    /// Saves a folder as one file, which is seen complete or not at all, while its program runs.
    ///
    /// - Parameter since: an earlier snapshot of the folder: what is in it unchanged is only named.
    /// - Throws: `FileError`, `SnapshotFault`.
    package static func save(
        _ source: FilePath, excluding excluded: Exclusions, to target: FilePath, _ format: SnapshotFormat = .json,
        since: FilePath? = nil, clock: any StoreClock = SystemClock()
    ) throws -> StoreSnapshot.SaveReport {
        let place = try StoreSnapshot.target(target, outside: source, since: since)
        let known = try since.map { try SnapshotIndex(of: $0, .host) }
        return try save(POSIXFileSystem(root: source), excluding: excluded, to: place, format, known, clock: clock)
    }

    /// The same from any file system.
    package static func save(
        _ files: any FileSystem, excluding excluded: Exclusions, to place: StoreSnapshot.Place,
        _ format: SnapshotFormat = .json, clock: any StoreClock
    ) throws -> StoreSnapshot.SaveReport {
        try save(files, excluding: excluded, to: place, format, nil, clock: clock)
    }

    private static func save(
        _ files: any FileSystem, excluding excluded: Exclusions, to place: StoreSnapshot.Place,
        _ format: SnapshotFormat, _ known: SnapshotIndex?, clock: any StoreClock
    ) throws -> StoreSnapshot.SaveReport {
        try place.folder.removeAbandonedTemporaryFiles(in: FilePath(), isShared: true)
        return try place.folder.writeDurably(to: place.name, temporaryFolder: FilePath()) { take in
            try withoutActuallyEscaping(take) { take in
                let header = SnapshotHeader(
                    content: .host, createdAt: clock.now, withCache: true, withSecrets: true, since: known?.digest)
                var writer = try SnapshotWriter(header, format, known: known?.digests ?? [:], to: take)
                var listing = try FolderListing(of: files, excluded)
                try writer.announce(listing.own.map(\.string))
                for path in listing.own { try writer.addFile(path, in: files) }
                try listing.listFolders()
                try writer.announce(listing.paths.map(\.string))
                let current = Dictionary((listing.own + listing.paths).map { ($0.string, Digest?.none) }) { $1 }
                try writer.supersede(
                    known?.outdated(by: current) { try files.status(at: FilePath($0)) == nil } ?? [])
                for path in listing.paths { try writer.addFile(path, in: files) }
                return StoreSnapshot.SaveReport(
                    files: writer.files, contentBytes: writer.contentBytes, digest: try writer.finish(),
                    leftOut: listing.leftOut)
            }
        }
    }

    /// Restores a snapshot into a folder, which is made if missing. Existing files stay, unless the snapshot continues
    /// another and they are as they were there.
    ///
    /// - Throws: `SnapshotFault` for a file that is no snapshot of a folder, for one that continues another where there is no
    ///   data, and where its program runs; then nothing was changed. `FileError`.
    package static func restore(
        _ snapshot: FilePath, excluding excluded: Exclusions, to target: FilePath
    ) throws -> RestoreReport {
        let reader = try StoreSnapshot.open(try StoreSnapshot.place(of: snapshot))
        if reader.header?.content == .store {
            throw SnapshotFault(reader.name, "it is of a store: use “quire snapshot restore”")
        }
        if reader.header?.since != nil, try !hasFiles(target, excluded) {
            throw SnapshotFault(reader.name, "it continues another snapshot: restore that one first, then this one")
        }
        try POSIXFileSystem.makeRoot(target)
        return try restore(reader, excluding: excluded, to: POSIXFileSystem(root: target))
    }

    /// Whether a snapshot continues another one, without which it cannot be restored.
    package static func continuesAnother(_ snapshot: FilePath) throws -> Bool {
        try StoreSnapshot.open(try StoreSnapshot.place(of: snapshot)).header?.since != nil
    }

    /// The digest of a snapshot's file.
    package static func digest(_ snapshot: FilePath) throws -> Digest {
        let place = try StoreSnapshot.place(of: snapshot)
        return try OpenContent(place.name, in: place.folder).digest()
    }

    /// The same into any file system; of a snapshot that continues no other.
    package static func restore(
        _ snapshot: StoreSnapshot.Place, excluding excluded: Exclusions, to files: any FileSystem
    ) throws -> RestoreReport {
        try restore(StoreSnapshot.open(snapshot), excluding: excluded, to: files)
    }

    private static func restore(
        _ reader: SnapshotReader, excluding excluded: Exclusions, to files: any FileSystem
    ) throws -> RestoreReport {
        guard let lock = try LockFile.acquire(excluded.lock, in: files, wait: false) else {
            throw SnapshotFault(files.root.string, "a host is running on it: stop the host first")
        }
        defer { lock.release() }
        try files.makeFolderIfMissing(excluded.temporary)
        reader.makeSpool = { try SnapshotSpool(in: files, folder: excluded.temporary) }
        var restorer = FolderRestorer(reader, to: files, excluded)
        return try restorer.restore()
    }

    private static func hasFiles(_ target: FilePath, _ excluded: Exclusions) throws -> Bool {
        do throws(FileError) {
            return try POSIXFileSystem(root: target).list(FilePath()).contains { excluded.path($0.name) != nil }
        } catch {
            if error.isMissing { return false }
            throw error
        }
    }
}

extension FolderSnapshot.Exclusions {
    /// A deeper file is neither saved nor restored.
    private static let mostNames = 8

    /// The path of a file that is saved and restored; `nil` for any other: one that leads elsewhere, has a hidden or a
    /// temporary file's name in it, or is too deep.
    func path(_ text: String) -> FilePath? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard let first = parts.first, parts.allSatisfy(Self.isName), parts.count <= Self.mostNames,
            !names.contains(first)
        else { return nil }
        return FilePath(text)
    }

    /// Whether a name is neither hidden nor a temporary file's, and one name.
    static func isName(_ name: String) -> Bool {
        !name.isEmpty && !name.hasPrefix(".") && !name.hasSuffix(".tmp") && !name.utf8.contains(0)
            && !name.contains("/") && name.utf8.count <= 255
    }
}

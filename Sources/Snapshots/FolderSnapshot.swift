import Disk
import Model
import SystemPackage

/// Snapshots of a folder of plain files that programs only add to or replace in one piece: a host's data.
package enum FolderSnapshot {
    /// Names in the folder itself that are neither saved nor restored.
    package struct Exclusions: Sendable {
        /// Locks, temporary files and what is derived.
        var names: Set<String>
        /// Held by the program whose data it is.
        var lock: FilePath
        var temporary: FilePath

        package init(names: Set<String>, lock: FilePath, temporary: FilePath) {
            self.names = names
            self.lock = lock
            self.temporary = temporary
        }
    }

    /// The result of a restoration.
    package struct RestoreReport: Sendable {
        /// Paths of files that were missing.
        package var restored: [String] = []
        /// How many were there with the same content.
        package var known = 0
        /// Paths of files that are there with other content, which stays.
        package var different: [String] = []
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
        let files = try POSIXFileSystem(root: source)
        let place = try StoreSnapshot.target(target, outside: source, since: since)
        let known = try since.map { try SnapshotIndex(of: $0, .host) }
        try place.folder.removeAbandonedTemporaryFiles(in: FilePath(), isShared: true)
        return try place.folder.writeDurably(to: place.name, temporaryFolder: FilePath()) { take in
            try withoutActuallyEscaping(take) { take in
                // All names first: they are of one moment, and no file goes away or changes but to a newer one.
                let paths = try paths(files, excluded)
                let header = SnapshotHeader(
                    content: .host, createdAt: clock.now, withCache: true, withSecrets: true, since: known?.digest)
                var writer = try SnapshotWriter(header, format, known: known?.digests ?? [:], to: take)
                try writer.announce(paths.map(\.string))
                for path in paths { try writer.addFile(path, in: files) }
                return StoreSnapshot.SaveReport(
                    files: writer.files, contentBytes: writer.contentBytes, digest: try writer.finish(), leftOut: [])
            }
        }
    }

    /// Restores a snapshot into a folder, which is made if missing. Existing files stay.
    ///
    /// - Throws: `SnapshotFault` for a file that is no snapshot of a folder, and where its program runs; then nothing was
    ///   changed. `FileError`.
    package static func restore(
        _ snapshot: FilePath, excluding excluded: Exclusions, to target: FilePath
    ) throws -> RestoreReport {
        let place = try StoreSnapshot.place(of: snapshot)
        // Looked at before a folder is made.
        let header = try StoreSnapshot.open(place).header
        if header?.content == .store {
            throw SnapshotFault(place.path, "it is of a store: use “quire snapshot restore”")
        }
        try POSIXFileSystem.makeRoot(target)
        let files = try POSIXFileSystem(root: target)
        guard let lock = try LockFile.acquire(excluded.lock, in: files, wait: false) else {
            throw SnapshotFault(target.string, "a host is running on it: stop the host first")
        }
        defer { lock.release() }
        try files.makeFolderIfMissing(excluded.temporary)
        let reader = try StoreSnapshot.open(place) { try SnapshotSpool(in: files, folder: excluded.temporary) }
        var report = RestoreReport(summary: reader.summary)
        var folders: Set<FilePath> = []
        while let file = try reader.take() {
            guard let path = path(file.path, excluded) else {
                report.unknown.append(file.path)
                continue
            }
            if try files.status(at: path) != nil {
                let isSame = try OpenContent(path, in: files).digest() == file.digest
                if isSame { report.known += 1 } else { report.different.append(file.path) }
                continue
            }
            try makeFolders(of: path, in: files, &folders)
            try files.writeDurably(to: path, temporaryFolder: excluded.temporary) { try file.content.eachPiece($0) }
            report.restored.append(file.path)
        }
        report.summary = reader.summary
        return report
    }

    // MARK: Paths

    /// Every file that is saved: those of the folder itself, then its folders by name.
    private static func paths(_ files: any FileSystem, _ excluded: Exclusions) throws -> [FilePath] {
        var paths: [FilePath] = []
        func add(_ folder: FilePath) throws {
            var folders: [String] = []
            var names: [String] = []
            for entry in try files.list(folder) where isName(entry.name) {
                if folder.isEmpty, excluded.names.contains(entry.name) { continue }
                if entry.kind == .folder { folders.append(entry.name) }
                if entry.kind == .regular, !files.isTemporaryName(entry.name) { names.append(entry.name) }
            }
            paths += names.sorted().map { folder.appending($0) }
            for name in folders.sorted() { try add(folder.appending(name)) }
        }
        try add(FilePath())
        return paths
    }

    private static func isName(_ name: String) -> Bool {
        !name.isEmpty && !name.hasPrefix(".") && !name.utf8.contains(0) && !name.contains("/") && name.utf8.count <= 255
    }

    /// A path of a snapshot below the folder; `nil` for one that leads elsewhere.
    static func path(_ text: String, _ excluded: Exclusions) -> FilePath? {
        let names = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard let first = names.first, names.allSatisfy(isName), names.count <= 8, !excluded.names.contains(first)
        else {
            return nil
        }
        return FilePath(text)
    }

    private static func makeFolders(
        of path: FilePath, in files: any FileSystem, _ made: inout Set<FilePath>
    ) throws {
        let folder = path.removingLastComponent()
        if folder.isEmpty || !made.insert(folder).inserted { return }
        try makeFolders(of: folder, in: files, &made)
        // A link in its place would lead out of the folder.
        if try files.status(at: folder)?.kind == .symbolicLink {
            throw FileError("use", files.root.pushing(folder), .tooManySymbolicLinkLevels)
        }
        try files.makeDurableFolder(folder)
    }
}

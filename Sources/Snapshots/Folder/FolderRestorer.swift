import Disk
import Model
import SystemPackage

/// Restores a snapshot into a folder that no program writes to meanwhile.
struct FolderRestorer {
    private let reader: SnapshotReader
    private let files: any FileSystem
    private let excluded: FolderSnapshot.Exclusions
    private var report: FolderSnapshot.RestoreReport
    private var made: Set<FilePath> = []
    /// Folders of files that were there already.
    private var confirmed: Set<FilePath> = []

    init(_ reader: SnapshotReader, to files: any FileSystem, _ excluded: FolderSnapshot.Exclusions) {
        self.reader = reader
        self.files = files
        self.excluded = excluded
        report = FolderSnapshot.RestoreReport(summary: reader.summary)
    }

    mutating func restore() throws -> FolderSnapshot.RestoreReport {
        while let file = try reader.take() { try restore(file) }
        report.summary = reader.summary
        // Of a damaged snapshot it is not known what is gone.
        if report.summary.isIntact { try removeOutdated() }
        for text in reader.unchanged {
            if let path = excluded.path(text), try files.status(at: path) != nil { continue }
            report.absent.append(text)
        }
        for folder in confirmed.sorted(by: { $0.string < $1.string }) { try files.makeDurable(folder: folder) }
        return report
    }

    private mutating func restore(_ file: SnapshotReader.File) throws {
        guard let path = excluded.path(file.path) else {
            report.unknown.append(file.path)
            return
        }
        guard try files.status(at: path) != nil else {
            try write(file, to: path)
            report.restored.append(file.path)
            return
        }
        let digest = try digest(of: path)
        if digest == file.digest {
            report.known += 1
            // The restore that wrote it may have failed before its name was durable.
            try makeFolders(of: path)
            confirmed.insert(path.folder)
        } else if let digest, digest == reader.outdated[file.path] {
            try write(file, to: path)
            report.replaced.append(file.path)
        } else {
            report.different.append(file.path)
        }
    }

    private mutating func write(_ file: SnapshotReader.File, to path: FilePath) throws {
        try makeFolders(of: path)
        try files.writeDurably(to: path, temporaryFolder: excluded.temporary, modified: file.modified) {
            try file.content.eachPiece($0)
        }
    }

    /// `nil` where no regular file is there.
    private func digest(of path: FilePath) throws -> Digest? {
        guard try files.status(at: path)?.kind == .regular else { return nil }
        return try OpenContent(path, in: files).digest()
    }

    /// Removes what is gone since the snapshot that this one continues, unless it was changed here.
    private mutating func removeOutdated() throws {
        var folders: Set<FilePath> = []
        for (text, digest) in reader.outdated.sorted(by: { $0.key < $1.key }) {
            guard let path = excluded.path(text), try self.digest(of: path) == digest else { continue }
            try files.removeIfPresent(path)
            folders.insert(path.folder)
            report.removed.append(text)
        }
        for folder in folders { try files.makeDurable(folder: folder) }
    }

    private mutating func makeFolders(of path: FilePath) throws {
        let folder = path.folder
        if folder.isEmpty || !made.insert(folder).inserted { return }
        try makeFolders(of: folder)
        // A link in its place would lead out of the folder.
        if try files.status(at: folder)?.kind == .symbolicLink {
            throw FileError("use", files.root.pushing(folder), .tooManySymbolicLinkLevels)
        }
        try files.makeDurableFolder(folder)
    }
}

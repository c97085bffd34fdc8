import Disk
import Model
import Synchronization
import SystemPackage

/// Objects as files in a folder: the name is the path.
///
/// A put writes a temporary file, flushes it, gives it its name by a call that never replaces (renameat2 with
/// RENAME_NOREPLACE, or link(2)) and flushes the folder. Folders are made as they are needed and stay. Symbolic links are not
/// followed, and files whose names are no `ObjectName` are not seen.
package struct FolderObjectStore: ObjectStore {
    private let fileSystem: any FileSystem
    private let temporary: FilePath
    /// Folders whose names are durable.
    private let known: KnownFolders

    /// - Parameter temporaryFolder: files that are being written. Names in it are no objects.
    package init(_ fileSystem: any FileSystem, temporaryFolder: FilePath = ".tmp") {
        self.fileSystem = fileSystem
        temporary = temporaryFolder
        known = KnownFolders()
    }

    package var place: String { fileSystem.root.string }

    /// Removes what killed writers left.
    package func removeAbandonedFiles() async throws(ObjectStoreError) {
        try await working { files in
            guard try files.status(at: temporary) != nil else { return }
            try files.removeAbandonedTemporaryFiles(in: temporary)
        }
    }

    // MARK: - Put

    package func putIfAbsent(
        _ name: ObjectName, _ content: ObjectContent
    ) async throws(ObjectStoreError) -> PutOutcome {
        let target = try path(name)
        guard content.sizeBytes <= Self.maximumObjectBytes else {
            throw ObjectStoreError(.tooLong, "\(place)/\(name) would be longer than \(Self.maximumObjectBytes) bytes")
        }
        if let bytes = content.bytes {
            return try await working { files in
                if let outcome = try existing(target) { return outcome }
                return try makingFolders(of: target) {
                    let isNew = try files.writeDurablyIfAbsent(bytes, to: target, temporaryFolder: temporary)
                    return try isNew ? .created : existing(target) ?? .exists
                }
            }
        }
        if let outcome = try await working({ _ in try existing(target) }) { return outcome }
        let draft = try await write(content, to: target)
        return try await working { files in
            let outcome: PutOutcome
            do {
                outcome = try makingFolders(of: target) { try finish(draft, as: target) }
            } catch {
                giveUp(draft)
                throw error
            }
            // From here on there is no draft to give up: its descriptor may be another file's by now.
            if outcome == .created { try files.makeDurable(folder: target.folder) }
            return outcome
        }
    }

    /// Writes long content into a temporary file, piece by piece, and compares it with its digest.
    private func write(
        _ content: ObjectContent, to target: FilePath
    ) async throws(ObjectStoreError) -> TemporaryFile {
        let draft = try await working { files in
            try makingFolders(of: target) { try files.makeTemporaryFile(in: temporary) }
        }
        var builder = DigestBuilder()
        var offset: Int64 = 0
        do {
            while offset < content.sizeBytes {
                let count = Int(min(content.sizeBytes - offset, Int64(Self.pieceBytes)))
                let piece = try await content.read(offset, count)
                if piece.isEmpty { break }
                piece.withUnsafeBytes { builder.update($0) }
                let place = offset
                try await offload { try fileSystem.writeAll(draft.file, piece, at: place) }
                offset += Int64(piece.count)
            }
        } catch {
            giveUp(draft)
            throw failure(error)
        }
        guard offset == content.sizeBytes, builder.finish() == content.digest else {
            giveUp(draft)
            throw ObjectStoreError(.otherContent, "the content for \(place)/\(target) is not what its digest says")
        }
        return draft
    }

    /// Gives a draft its name, and closes it; the name is durable after the caller's `makeDurable(folder:)`.
    private func finish(_ draft: TemporaryFile, as target: FilePath) throws(FileError) -> PutOutcome {
        // Synced before it has its name: a name must never point at bytes that are not there.
        try fileSystem.continuing { () throws(FileError) in try fileSystem.sync(draft.file) }
        do throws(FileError) {
            try fileSystem.move(draft.path, to: target, replacing: false)
        } catch {
            guard error.code == .fileExists, let outcome = try existing(target) else { throw error }
            giveUp(draft)
            return outcome
        }
        // Its bytes are on the disk, whatever close says.
        fileSystem.closeQuietly(draft.file)
        return .created
    }

    private func giveUp(_ draft: TemporaryFile) {
        fileSystem.closeQuietly(draft.file)
        do throws(FileError) { try fileSystem.removeIfPresent(draft.path) } catch {
            // `removeAbandonedFiles` removes it.
        }
    }

    /// - Returns: `nil` where nothing has this name.
    private func existing(_ target: FilePath) throws(FileError) -> PutOutcome? {
        guard let status = try statusIfThere(target) else { return nil }
        guard status.kind == .regular else {
            throw FileError(
                "write", fileSystem.root.pushing(target), status.kind == .folder ? .isDirectory : .fileExists)
        }
        // Its writer may have died before it was durable, or it was copied here by hand.
        try fileSystem.makeDurable(file: target)
        try fileSystem.makeDurable(folder: target.folder)
        return .exists
    }

    /// Makes the folders of a file, durably, then does something there. What this process made before is only looked for
    /// when it turns out to be gone.
    private func makingFolders<Result>(
        of target: FilePath, _ work: () throws -> Result
    ) throws -> Result {
        let folders = [temporary, target.folder]
        if known.contains(folders) {
            do {
                return try work()
            } catch let error as FileError where error.isMissing {
                known.forget()
            }
        }
        for folder in folders {
            var path = FilePath()
            for component in folder.components {
                path.append(component)
                try fileSystem.makeDurableFolder(path)
            }
        }
        let result = try work()
        known.insert(folders)
        return result
    }

    // MARK: - Get, head, delete

    package func get(_ name: ObjectName, range: Range<Int64>?) async throws(ObjectStoreError) -> ObjectBody? {
        let path = try path(name)
        let opened = try await working { files -> (OpenContent, FileStatus)? in
            guard let found = try statusIfThere(path), found.kind != .folder else { return nil }
            guard found.kind == .regular else { throw FileError("read", files.root.pushing(path), .invalidArgument) }
            do throws(FileError) {
                let content = try OpenContent(path, in: files)
                return (content, try content.status())
            } catch {
                if error.isMissing { return nil }
                throw error
            }
        }
        guard let (content, status) = opened else { return nil }
        let part = ObjectBody.part(range, of: status.sizeBytes)
        let offset = Mutex(part.lowerBound)
        return ObjectBody(sizeBytes: status.sizeBytes, modified: status.modified, range: part) {
            () async throws(ObjectStoreError) -> [UInt8]? in
            let start = offset.withLock { $0 }
            if start >= part.upperBound { return nil }
            let piece = try await working { _ in
                try content.piece(at: start, maximumBytes: part.upperBound - start)
            }
            guard !piece.isEmpty else {
                throw ObjectStoreError(.interrupted, "\(place)/\(name) became shorter while it was read")
            }
            offset.withLock { $0 += Int64(piece.count) }
            return piece
        }
    }

    package func head(_ name: ObjectName) async throws(ObjectStoreError) -> ObjectStatus? {
        let path = try path(name)
        return try await working { _ in
            guard let status = try statusIfThere(path), status.kind == .regular else { return nil }
            return ObjectStatus(name: name, sizeBytes: status.sizeBytes, modified: status.modified)
        }
    }

    package func delete(_ name: ObjectName) async throws(ObjectStoreError) {
        let path = try path(name)
        try await working { files in
            guard let status = try statusIfThere(path), status.kind != .folder else { return }
            try files.removeIfPresent(path)
            try files.makeDurable(folder: path.folder)
        }
    }

    private func statusIfThere(_ path: FilePath) throws(FileError) -> FileStatus? {
        do throws(FileError) {
            return try fileSystem.continuing { () throws(FileError) in try fileSystem.status(at: path) }
        } catch {
            // A folder on its path is missing, or is a file.
            if error.isMissing || error.code == .notDirectory { return nil }
            throw error
        }
    }

    // MARK: - List

    package func list(
        prefix: String, after: ObjectName?, limit: Int
    ) async throws(ObjectStoreError) -> [ObjectStatus] {
        precondition(limit > 0)
        return try await working { files in
            var walk = FolderWalk(prefix: prefix, after: after, limit: limit, hidden: temporary.string)
            try walk.visit(files)
            return walk.found
        }
    }

    // MARK: - Parts

    private func path(_ name: ObjectName) throws(ObjectStoreError) -> FilePath {
        if name.hasPrefix(temporary.string + "/") || name.text == temporary.string {
            throw ObjectStoreError(.refused, "\(place)/\(name) cannot be an object: that folder is for temporary files")
        }
        return FilePath(name.text)
    }

    /// Runs blocking work off the cooperative pool.
    private func working<Result: Sendable>(
        _ work: @escaping @Sendable (any FileSystem) throws -> Result
    ) async throws(ObjectStoreError) -> Result {
        do {
            return try await offload { try work(fileSystem) }
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: any Error) -> ObjectStoreError {
        switch error {
        case let error as ObjectStoreError: error
        case is CancellationError: ObjectStoreError(.cancelled, "stopped")
        case let error as FileError where error.isFull: ObjectStoreError(.full, error.description)
        case let error as FileError where error.isUnwritable: ObjectStoreError(.refused, error.description)
        default: ObjectStoreError(.interrupted, "\(error)")
        }
    }
}

/// The folders that are there durably, as far as this process knows.
private final class KnownFolders: Sendable {
    private let folders = Mutex<Set<FilePath>>([])

    func contains(_ all: [FilePath]) -> Bool { folders.withLock { folders in all.allSatisfy(folders.contains) } }
    func insert(_ all: [FilePath]) { folders.withLock { $0.formUnion(all) } }
    func forget() { folders.withLock { $0 = [] } }
}

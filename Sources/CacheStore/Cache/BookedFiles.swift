import Disk
import Model
import SystemPackage

/// Files that are written under the cache's lock, with the change of its space.
struct BookedFiles {
    let cache: Cache

    var fileSystem: any FileSystem { cache.fileSystem }

    /// Writes content under its name.
    ///
    /// - Parameter former: the status of the existing file.
    func place(
        _ stored: [UInt8], _ blob: CacheLayout.BlobName, over former: FileStatus?, used: inout Int64, isDurable: Bool
    ) throws {
        let (shard, path) = (blob.shard, blob.path)
        let folder = try checkShard(blob)
        if folder == nil {
            used += try charge(of: CacheLayout.blobs) { try cache.lock.held.makeFolderIfMissing(shard) }
        }
        try write(stored, to: path, isDurable: isDurable)
        used += try chargedBytes(of: [shard, path]) - (folder?.chargedBytes ?? 0) - (former?.chargedBytes ?? 0)
    }

    /// - Parameter isDurable: whether to flush the bytes before the rename.
    private func write(_ bytes: [UInt8], to path: FilePath, isDurable: Bool) throws(FileError) {
        if isDurable {
            try cache.lock.held.stage(bytes, to: path, temporaryFolder: CacheLayout.temporary)
        } else {
            try cache.lock.held.writeUnsynced(bytes, to: path, temporaryFolder: CacheLayout.temporary)
        }
    }

    /// The most space that an entry takes, with later changes.
    func roomForEntry(_ bytes: [UInt8]) -> Int64 { QuotaLedger.charge(forFileOf: 2048 + bytes.count) }

    /// - Parameter bytes: the entry as it is written.
    func replaceEntry(at path: FilePath, _ bytes: [UInt8], used: inout Int64, isDurable: Bool = false) throws {
        used += try charge(of: CacheLayout.entries, path) { try write(bytes, to: path, isDurable: isDurable) }
    }

    /// The growth of these paths by `change`.
    func charge(of paths: FilePath..., by change: () throws -> Void) throws -> Int64 {
        let before = try chargedBytes(of: paths)
        try change()
        return try chargedBytes(of: paths) - before
    }

    private func chargedBytes(of paths: [FilePath]) throws -> Int64 {
        let files = cache.lock.held
        return try paths.reduce(0) { try $0 + (files.status(at: $1)?.chargedBytes ?? 0) }
    }

    func removeEntry(url: String, used: inout Int64) throws {
        let path = CacheLayout.entryPath(url: url)
        let charged = try fileSystem.status(at: path)?.chargedBytes ?? 0
        try fileSystem.removeIfPresent(path)
        used -= charged
    }

    /// - Returns: the folder's status; `nil` if it does not exist.
    @discardableResult
    func checkShard(_ blob: CacheLayout.BlobName) throws -> FileStatus? {
        guard let shard = try cache.lock.held.status(at: blob.shard) else { return nil }
        guard shard.kind == .folder else {
            throw FileError("use", fileSystem.root.pushing(blob.shard), .tooManySymbolicLinkLevels)
        }
        return shard
    }
}

extension Cache {
    /// Files under the lock.
    var files: BookedFiles { BookedFiles(cache: self) }
}

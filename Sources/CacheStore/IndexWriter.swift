import Disk
import Model
import SystemPackage

/// Writes an index file piece by piece under a temporary name: the bytes of a hundred thousand records, or of the texts of ten
/// thousand documents, are not held in memory. One that is let go of before `finish` leaves nothing behind.
final class IndexWriter {
    /// The index has no room for the file.
    struct NoRoom: Error {}

    private let fileSystem: any FileSystem
    private let maximumBytes: Int64
    private let temporary: TemporaryFile
    private var isPlaced = false
    private var hash = DigestBuilder()
    private var end = Int64(CatalogIndex.headerBytes)
    private var pending: [UInt8] = []

    private static let pieceBytes = 256 << 10

    /// - Parameter maximumBytes: what the file may have; what would make it longer is refused.
    init(_ fileSystem: any FileSystem, maximumBytes: Int64 = .max) throws(FileError) {
        try fileSystem.makeFolderIfMissing(CacheLayout.index)
        // What a killed one left: this folder has no sweep of its own.
        try fileSystem.removeAbandonedTemporaryFiles(in: CacheLayout.index, isShared: true)
        self.fileSystem = fileSystem
        self.maximumBytes = maximumBytes
        temporary = try fileSystem.makeTemporaryFile(in: CacheLayout.index)
    }

    deinit {
        if isPlaced { return }
        fileSystem.closeQuietly(temporary.file)
        do throws(FileError) { try fileSystem.removeIfPresent(temporary.path) } catch {
            // The next writer removes it.
        }
    }

    /// - Throws: `NoRoom`, and nothing is appended; `FileError`.
    func append(_ bytes: [UInt8]) throws {
        if offset + Int64(bytes.count) > maximumBytes { throw NoRoom() }
        pending += bytes
        if pending.count >= Self.pieceBytes { try flush() }
    }

    /// Where the next bytes come in the file.
    var offset: Int64 { end + Int64(pending.count) }

    /// Puts the file into its place; returns the checksum.
    @discardableResult
    func finish(as path: FilePath) throws(FileError) -> Digest {
        try flush()
        let checksum = hash.copyFinished()
        try fileSystem.writeAll(temporary.file, CatalogIndex.header(of: checksum))
        // Closed after the rename: the lock keeps a sweep away as long as the name is a temporary one.
        try fileSystem.move(temporary.path, to: path, replacing: true)
        isPlaced = true
        fileSystem.closeQuietly(temporary.file)
        return checksum
    }

    private func flush() throws(FileError) {
        guard !pending.isEmpty else { return }
        try fileSystem.writeAll(temporary.file, pending, at: end)
        hash.update(pending)
        end += Int64(pending.count)
        pending.removeAll(keepingCapacity: true)
    }
}

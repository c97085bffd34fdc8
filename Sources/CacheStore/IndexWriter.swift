import Disk
import Model
import SystemPackage

/// Writes an index file piece by piece under a temporary name: the bytes of a hundred thousand records, or of the texts of ten
/// thousand documents, are not held in memory. One that is let go of before `finish` leaves nothing behind.
final class IndexWriter {
    /// A place in the file, and what the checksum is of up to there.
    struct Position {
        fileprivate var hash: DigestBuilder
        fileprivate var offset: Int64
    }

    private let fileSystem: any FileSystem
    private let temporary: TemporaryFile
    private var isPlaced = false
    private var end = Position(hash: DigestBuilder(), offset: Int64(CatalogIndex.headerBytes))
    private var pending: [UInt8] = []

    private static let pieceBytes = 256 << 10

    init(_ fileSystem: any FileSystem) throws(FileError) {
        try fileSystem.makeFolderIfMissing(CacheLayout.index)
        // What a killed one left: this folder has no sweep of its own.
        try fileSystem.removeAbandonedTemporaryFiles(in: CacheLayout.index, isShared: true)
        self.fileSystem = fileSystem
        temporary = try fileSystem.makeTemporaryFile(in: CacheLayout.index)
    }

    deinit {
        if isPlaced { return }
        fileSystem.closeQuietly(temporary.file)
        do throws(FileError) { try fileSystem.removeIfPresent(temporary.path) } catch {
            // The next writer removes it.
        }
    }

    func append(_ bytes: [UInt8]) throws(FileError) {
        pending += bytes
        if pending.count >= Self.pieceBytes { try flush() }
    }

    /// Where the next bytes come in the file.
    var offset: Int64 { end.offset + Int64(pending.count) }

    /// Writes what is pending, and tells where the next bytes come.
    func position() throws(FileError) -> Position {
        try flush()
        return end
    }

    /// Forgets what came after a position.
    func rewind(to position: Position) throws(FileError) {
        pending.removeAll()
        end = position
        try fileSystem.continuing { () throws(FileError) in
            try fileSystem.resize(temporary.file, to: position.offset)
        }
    }

    /// Puts the file into its place; returns the checksum.
    @discardableResult
    func finish(as path: FilePath) throws(FileError) -> Digest {
        try flush()
        let checksum = end.hash.copyFinished()
        try fileSystem.writeAll(temporary.file, CatalogIndex.header(of: checksum))
        // Closed after the rename: the lock keeps a sweep away as long as the name is a temporary one.
        try fileSystem.move(temporary.path, to: path, replacing: true)
        isPlaced = true
        fileSystem.closeQuietly(temporary.file)
        return checksum
    }

    private func flush() throws(FileError) {
        guard !pending.isEmpty else { return }
        try fileSystem.writeAll(temporary.file, pending, at: end.offset)
        end.hash.update(pending)
        end.offset += Int64(pending.count)
        pending.removeAll(keepingCapacity: true)
    }
}

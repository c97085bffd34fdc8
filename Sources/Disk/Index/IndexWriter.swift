import Model
import SystemPackage

/// Writes an index file piece by piece under a temporary name, without holding its content in memory. If it is released
/// before `finish`, it leaves nothing behind.
package final class IndexWriter {
    /// The index has no room for the file.
    package struct NoRoom: Error {}

    private let fileSystem: any FileSystem
    private let format: IndexFormat
    private let maximumBytes: Int64
    private let temporary: TemporaryFile
    private var isPlaced = false
    private var hash = DigestBuilder()
    private var end: Int64
    private var pending: [UInt8] = []

    private static let pieceBytes = 256 << 10

    /// - Parameters:
    ///   - folder: that of the index, made where it is missing.
    ///   - maximumBytes: the most bytes of the file; more are rejected.
    package init(
        _ format: IndexFormat, in folder: FilePath, _ fileSystem: any FileSystem, maximumBytes: Int64 = .max
    ) throws(FileError) {
        try fileSystem.makeFolderIfMissing(folder)
        // Files of killed writers: this folder has no sweep of its own.
        try fileSystem.removeAbandonedTemporaryFiles(in: folder, isShared: true)
        self.fileSystem = fileSystem
        self.format = format
        self.maximumBytes = maximumBytes
        end = Int64(format.headerBytes)
        temporary = try fileSystem.makeTemporaryFile(in: folder)
    }

    deinit {
        if isPlaced { return }
        fileSystem.closeQuietly(temporary.file)
        do throws(FileError) { try fileSystem.removeIfPresent(temporary.path) } catch {
            // The next writer removes it.
        }
    }

    /// - Throws: `NoRoom`, and nothing is appended; `FileError`.
    package func append(_ bytes: [UInt8]) throws {
        if offset + Int64(bytes.count) > maximumBytes { throw NoRoom() }
        pending += bytes
        if pending.count >= Self.pieceBytes { try flush() }
    }

    /// The offset of the next bytes in the file.
    package var offset: Int64 { end + Int64(pending.count) }

    /// Renames the file to its final name; returns the checksum.
    @discardableResult
    package func finish(as path: FilePath) throws(FileError) -> Digest {
        try flush()
        let checksum = hash.copyFinished()
        try fileSystem.writeAll(temporary.file, format.header(of: checksum))
        // Closed after the rename: the lock protects it from a sweep as long as the name is a temporary one.
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

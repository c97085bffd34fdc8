import Model
import SystemPackage

/// A long file that is open for reading; it is closed with its last reference.
package final class OpenContent: Sendable {
    /// The size of one read, and so about the memory of one transfer.
    package static let pieceBytes = 256 << 10

    private enum Source: Sendable {
        case file(OpenFile, any FileSystem)
        /// At most so many bytes from an offset on.
        case elsewhere(FileStatus, @Sendable (_ offset: Int64, _ count: Int) throws(FileError) -> [UInt8])
    }

    private let source: Source

    package init(_ path: FilePath, in fileSystem: any FileSystem) throws(FileError) {
        let file = try fileSystem.continuing { () throws(FileError) in try fileSystem.open(path, .read) }
        source = .file(file, fileSystem)
    }

    /// Content that is not on a disk.
    ///
    /// - Parameter read: at most so many bytes from an offset on; empty at the end.
    package init(
        sizeBytes: Int64, modified: Timestamp,
        read: @escaping @Sendable (_ offset: Int64, _ count: Int) throws(FileError) -> [UInt8]
    ) {
        let status = FileStatus(
            kind: .regular, sizeBytes: sizeBytes, allocatedBytes: 0,
            modifiedNanoseconds: modified.nanosecondsSinceEpoch, inode: 0)
        source = .elsewhere(status, read)
    }

    deinit { if case .file(let file, let fileSystem) = source { fileSystem.closeQuietly(file) } }

    package func status() throws(FileError) -> FileStatus {
        switch source {
        case .file(let file, let fileSystem):
            try fileSystem.continuing { () throws(FileError) in try fileSystem.status(file) }
        case .elsewhere(let status, _): status
        }
    }

    /// At most `pieceBytes` from `offset` on; empty at the end of the file.
    package func piece(at offset: Int64, maximumBytes: Int64) throws(FileError) -> [UInt8] {
        guard maximumBytes > 0 else { return [] }
        guard case .file(let file, let fileSystem) = source else {
            guard case .elsewhere(_, let read) = source else { return [] }
            return try read(offset, Int(min(Int64(OpenContent.pieceBytes), maximumBytes)))
        }
        var bytes = [UInt8](repeating: 0, count: Int(min(Int64(OpenContent.pieceBytes), maximumBytes)))
        let count = try bytes.withUnsafeMutableBufferPointer { (buffer) throws(FileError) in
            let space = UnsafeMutableRawBufferPointer(buffer)
            return try fileSystem.continuing { () throws(FileError) in
                try fileSystem.read(file, into: space, at: offset)
            }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    /// `count` bytes from `offset` on, or fewer at the end of the file.
    package func bytes(at offset: Int64, count: Int64) throws(FileError) -> [UInt8] {
        var bytes = try piece(at: offset, maximumBytes: count)
        while bytes.count < count {
            let more = try piece(at: offset + Int64(bytes.count), maximumBytes: count - Int64(bytes.count))
            if more.isEmpty { break }
            bytes += more
        }
        return bytes
    }

    /// SHA-256 of the file, or of its first `sizeBytes`.
    package func digest(ofFirst sizeBytes: Int64 = .max) throws(FileError) -> Digest {
        var builder = DigestBuilder()
        var offset: Int64 = 0
        while true {
            let piece = try piece(at: offset, maximumBytes: sizeBytes - offset)
            if piece.isEmpty { return builder.finish() }
            piece.withUnsafeBytes { builder.update($0) }
            offset += Int64(piece.count)
        }
    }
}

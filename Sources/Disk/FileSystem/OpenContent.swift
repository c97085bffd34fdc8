import Model
import SystemPackage

/// A long file that is open for reading; it is closed with its last reference.
package final class OpenContent: Sendable {
    /// The size of one read, and so about the memory of one transfer.
    package static let pieceBytes = 256 << 10

    private let fileSystem: any FileSystem
    private let file: OpenFile

    package init(_ path: FilePath, in fileSystem: any FileSystem) throws(FileError) {
        self.fileSystem = fileSystem
        file = try fileSystem.continuing { () throws(FileError) in try fileSystem.open(path, .read) }
    }

    deinit { fileSystem.closeQuietly(file) }

    package func status() throws(FileError) -> FileStatus {
        try fileSystem.continuing { () throws(FileError) in try fileSystem.status(file) }
    }

    /// At most `pieceBytes` from `offset` on; empty at the end of the file.
    package func piece(at offset: Int64, maximumBytes: Int64) throws(FileError) -> [UInt8] {
        guard maximumBytes > 0 else { return [] }
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

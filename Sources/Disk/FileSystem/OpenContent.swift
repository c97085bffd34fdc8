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

    /// SHA-256 of the complete file.
    package func digest() throws(FileError) -> Digest {
        var builder = DigestBuilder()
        var offset: Int64 = 0
        while true {
            let piece = try piece(at: offset, maximumBytes: .max)
            if piece.isEmpty { return builder.finish() }
            piece.withUnsafeBytes { builder.update($0) }
            offset += Int64(piece.count)
        }
    }
}

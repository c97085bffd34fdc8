import Disk
import Model
import SystemPackage

extension ExchangeFolder: ExchangeFiles {
    package func isThere(_ path: FilePath) throws(FileError) -> Bool { try fileSystem.status(at: path) != nil }

    package func names(in folder: FilePath) throws(FileError) -> [String] {
        do throws(FileError) {
            return try fileSystem.list(folder).filter { $0.kind == .regular }.map(\.name)
        } catch {
            // A folder of media is made when there is one; those of the layout are always there.
            if error.isMissing, !ExchangeLayout.folders.contains(folder) { return [] }
            throw error
        }
    }

    package func read(
        _ path: FilePath, maximumBytes: Int64
    ) throws(FileError) -> (bytes: [UInt8], modified: Timestamp)? {
        try file(path, maximumBytes: maximumBytes).map { ($0.bytes, $0.status.modified) }
    }

    package func readOwn(
        _ path: FilePath, maximumBytes: Int64
    ) throws(FileError) -> (bytes: [UInt8], modified: Timestamp)? {
        try ownFile(path, maximumBytes: maximumBytes).map { ($0.bytes, $0.status.modified) }
    }

    package func write(_ content: ObjectContent, to path: FilePath) async throws {
        var written = try await offload {
            for folder in [ExchangeLayout.temporary, path.folder] { try makeFolder(folder) }
            return try draft()
        }
        var builder = DigestBuilder()
        do {
            while written.sizeBytes < content.sizeBytes {
                let count = Int(min(content.sizeBytes - written.sizeBytes, Int64(OpenContent.pieceBytes)))
                let piece = try await content.read(written.sizeBytes, count)
                if piece.isEmpty { break }
                piece.withUnsafeBytes { builder.update($0) }
                let before = written
                written = try await offload {
                    var written = before
                    try append(piece, to: &written)
                    return written
                }
            }
            guard builder.finish() == content.digest else {
                throw ObjectStoreError(.otherContent, "the content for \(path) is not what its digest says")
            }
        } catch {
            giveUp(written)
            throw error
        }
        let whole = written
        try await offload { try finish(whole, as: path) }
    }

    package func copy(
        _ content: OpenContent, sizeBytes: Int64, digest: Digest, to path: FilePath
    ) throws(FileError) -> Bool {
        var draft = try draft()
        var builder = DigestBuilder()
        do throws(FileError) {
            while draft.sizeBytes <= sizeBytes {
                let piece = try content.piece(at: draft.sizeBytes, maximumBytes: .max)
                if piece.isEmpty { break }
                piece.withUnsafeBytes { builder.update($0) }
                try append(piece, to: &draft)
            }
        } catch {
            giveUp(draft)
            throw error
        }
        guard builder.finish() == digest else {
            giveUp(draft)
            return false
        }
        try finish(draft, as: path)
        return true
    }

    package func remove(_ path: FilePath) throws(FileError) { try fileSystem.removeIfPresent(path) }

    package func confirm(_ path: FilePath) throws(FileError) {
        try fileSystem.makeDurable(file: path)
        try fileSystem.makeDurable(folder: path.folder)
    }

    package func removeAbandonedFiles() throws(FileError) -> Int {
        try fileSystem.removeAbandonedTemporaryFiles(in: ExchangeLayout.temporary)
    }
}

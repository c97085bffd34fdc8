import Model
import SystemPackage

/// Files that are too long for memory.
extension FileSystem {
    /// Writes a file in pieces, atomically, and returns when it is durable.
    ///
    /// - Parameters:
    ///   - modified: the modification time to set; `nil` for the time of writing.
    ///   - produce: gets a function that appends a piece.
    package func writeDurably<Result>(
        to target: FilePath, temporaryFolder: FilePath, modified: Timestamp? = nil,
        producing produce: (_ take: ([UInt8]) throws -> Void) throws -> Result
    ) throws -> Result {
        let temporary = try makeTemporaryFile(in: temporaryFolder, for: target)
        var isOpen = true
        do {
            var offset: Int64 = 0
            var pending: [UInt8] = []
            func flush() throws(FileError) {
                try writeAll(temporary.file, pending, at: offset)
                offset += Int64(pending.count)
                pending.removeAll(keepingCapacity: true)
            }
            let result = try produce { bytes in
                pending += bytes
                if pending.count >= 256 << 10 { try flush() }
            }
            try flush()
            if let nanoseconds = modified?.nanosecondsSinceEpoch {
                try continuing { () throws(FileError) in try setModified(temporary.path, nanoseconds: nanoseconds) }
            }
            try continuing { () throws(FileError) in try sync(temporary.file) }
            // Closed after the rename: the lock protects it from a sweep as long as the name is a temporary one.
            try move(temporary.path, to: target, replacing: true)
            isOpen = false
            try close(temporary.file)
            try makeDurable(folder: target.folder)
            return result
        } catch {
            if isOpen { closeQuietly(temporary.file) }
            do throws(FileError) { try removeIfPresent(temporary.path) } catch {
                // The next sweep of temporary files removes the rest.
            }
            guard let error = error as? FileError, temporary.isNamed(in: error) else { throw error }
            throw error.ofWriting(target.placed(in: root))
        }
    }
}

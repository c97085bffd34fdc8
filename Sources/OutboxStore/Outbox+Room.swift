import Disk
import Model
import SystemPackage

/// Handles a full disk: first the cache is reduced, then the reserve is used.
extension Outbox {
    /// Room for some hundreds of answers; it costs nothing until needed.
    static let reserveBytes: Int64 = 256 << 10
    /// The reserve is restored only if there is plenty of room.
    static let plentyBytes: Int64 = 2 << 20

    /// Writes something that must not be lost; on a full disk, room is made and the write is retried.
    ///
    /// - Parameter write: is called again with true if the first attempt may have left the file behind.
    func makingRoom<Result>(_ write: (_ isRepeated: Bool) throws(FileError) -> Result) throws -> Result {
        do throws(FileError) {
            return try write(false)
        } catch {
            if !error.isFull { throw error }
        }
        // First the files of killed writers, then data that others keep for convenience.
        try fileSystem.removeAbandonedTemporaryFiles(in: OutboxLayout.temporary)
        try giveWay()
        do throws(FileError) {
            return try write(true)
        } catch {
            if !error.isFull { throw error }
        }
        try releaseReserve()
        return try write(true)
    }

    /// Writes a file durably, making room on a full disk. A missing folder is made again: it was removed, or left out
    /// of a copy because it was empty.
    ///
    /// - Parameter replacing: if false, an existing file stays, and is an error; under the lock, a file found by a
    ///   second attempt is from the first one.
    func put(_ bytes: [UInt8], to path: FilePath, replacing: Bool) throws {
        func write(replacing: Bool) throws {
            try makingRoom { isRepeated throws(FileError) in
                try fileSystem.writeDurably(
                    bytes, to: path, temporaryFolder: OutboxLayout.temporary, replacing: replacing || isRepeated)
            }
        }
        do {
            try write(replacing: replacing)
        } catch let error as FileError where error.isMissing {
            try makeFolders()
            try write(replacing: true)
        }
    }

    /// The most files that are staged together, and the most bytes: they are open, and in memory, at the same time.
    static let stagedFiles = 32
    private static let stagedBytes = 256 << 10

    /// Stages files that are made one by one, some of them together. Without room for that, each is staged by itself,
    /// making room for it.
    ///
    /// - Parameter make: returns `nil` for no file.
    /// - Returns: the existing targets of files that must not replace others: including those from an attempt without
    ///   room.
    @discardableResult
    func stage<Element>(_ elements: [Element], _ make: (Element) throws -> StagedFile?) throws -> [FilePath] {
        var kept: [FilePath] = []
        var batch: [StagedFile] = []
        var batchBytes = 0
        func place() throws {
            let files = batch
            (batch, batchBytes) = ([], 0)
            do throws(FileError) {
                kept += try fileSystem.stage(files, temporaryFolder: OutboxLayout.temporary)
            } catch {
                guard error.isFull || error.isOutOfFiles else { throw error }
                for file in files {
                    kept += try makingRoom { _ throws(FileError) in
                        try fileSystem.stage([file], temporaryFolder: OutboxLayout.temporary)
                    }
                }
            }
        }
        for element in elements {
            guard let file = try make(element) else { continue }
            batch.append(file)
            batchBytes += file.bytes.count
            if batch.count == Self.stagedFiles || batchBytes >= Self.stagedBytes { try place() }
        }
        if !batch.isEmpty { try place() }
        return kept
    }

    /// Frees the reserve's space.
    private func releaseReserve() throws {
        try fileSystem.removeIfPresent(OutboxLayout.reserve)
    }

    /// Restores the reserve if there is room. It never makes anything fail.
    func restoreReserve() {
        do {
            if try fileSystem.status(at: OutboxLayout.reserve) != nil { return }
            guard try fileSystem.freeBytes() > Self.plentyBytes else { return }
            let temporary = try fileSystem.makeTemporaryFile(in: OutboxLayout.temporary)
            defer { fileSystem.closeQuietly(temporary.file) }
            do throws(FileError) {
                try fileSystem.continuing { () throws(FileError) in
                    try fileSystem.allocate(temporary.file, sizeBytes: Self.reserveBytes)
                }
                try fileSystem.move(temporary.path, to: OutboxLayout.reserve, replacing: true)
            } catch {
                try fileSystem.removeIfPresent(temporary.path)
            }
        } catch {
            // Without a reserve everything works as long as the disk is not full.
        }
    }
}

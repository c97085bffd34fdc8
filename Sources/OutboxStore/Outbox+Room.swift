import Disk
import Model
import SystemPackage

/// What happens when the disk is full: the cache gives way, then the reserve.
extension Outbox {
    /// Room for some hundreds of answers; it costs nothing until it is needed.
    static let reserveBytes: Int64 = 256 << 10
    /// The reserve is put back only where there is plenty.
    static let plentyBytes: Int64 = 2 << 20

    /// Writes something that must not be lost; when the disk is full, room is made for it and it is tried again.
    ///
    /// - Parameter write: is called again with true when the first attempt may have left the file behind.
    func makingRoom<Result>(_ write: (_ isRepeated: Bool) throws(FileError) -> Result) throws -> Result {
        do throws(FileError) {
            return try write(false)
        } catch {
            if !error.isFull { throw error }
        }
        // What the killed left half written, then what others keep for convenience.
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

    /// Writes a file durably, and makes room for it when the disk is full. Its folder is made again when it is missing:
    /// somebody took it away, or left it out of a copy since it was empty.
    ///
    /// - Parameter replacing: when false, what lies there already stays, and is an error; under the lock, what lies there
    ///   at a second attempt is what the first one left.
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

    /// So many files are staged together at most, and so many bytes: they are open, and in memory, at once.
    static let stagedFiles = 32
    private static let stagedBytes = 256 << 10

    /// Stages files that are made one by one, some of them together. Where there is no room for that, each by itself, and
    /// room is made for it.
    ///
    /// - Parameter make: `nil` where there is none.
    /// - Returns: the targets of files that are not to replace others, where there was one: also what an attempt without
    ///   room has left there.
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

    /// Gives the reserve's space free.
    private func releaseReserve() throws {
        try fileSystem.removeIfPresent(OutboxLayout.reserve)
    }

    /// Puts the reserve back where there is room for it. It is never a reason for anything to fail.
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

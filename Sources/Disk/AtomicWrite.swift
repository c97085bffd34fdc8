import Model
import Synchronization
import SystemPackage

/// A file that is being written under a temporary name.
///
/// The writer holds the lock of its inode, so that a sweep of left-over temporary files can tell a dead one (its lock
/// is free) from one that is in work, with no clock and no process number.
package struct TemporaryFile: Sendable {
    package let path: FilePath
    package let file: OpenFile
}

/// A file that is to be written with others.
package struct StagedFile: Sendable {
    package var bytes: [UInt8]
    package var target: FilePath
    package var isReplacing: Bool
    /// The modification time that it is to have; its writing time when `nil`.
    package var modified: Timestamp?

    package init(_ bytes: [UInt8], to target: FilePath, isReplacing: Bool = true, modified: Timestamp? = nil) {
        self.bytes = bytes
        self.target = target
        self.isReplacing = isReplacing
        self.modified = modified
    }
}

/// Begins anywhere, so that two processes do not meet.
private let temporaryNumber = Atomic(UInt64.random(in: .min ... .max))

extension FileSystem {
    /// Makes a temporary file in `folder`, locked by this process.
    package func makeTemporaryFile(in folder: FilePath) throws(FileError) -> TemporaryFile {
        while true {
            let path = folder.appending(temporaryName())
            let file = try continuing { () throws(FileError) in try open(path, .create) }
            do throws(FileError) {
                // Somebody's sweep may have locked it in the moment since it was made, or removed it: take another name.
                if try continuing({ () throws(FileError) in try lock(file, wait: false) }),
                    try continuing({ () throws(FileError) in try status(file) }).links > 0
                {
                    return TemporaryFile(path: path, file: file)
                }
            } catch {
                closeQuietly(file)
                discard(path)
                throw error
            }
            closeQuietly(file)
            // Who only looks leaves it where it is.
            discard(path)
        }
    }

    /// Writes a file in one piece that is seen whole or not at all, and returns when it is durable.
    ///
    /// The order is temporary file, write, sync, rename, sync of the folder: one flush of the file and one of the folder.
    ///
    /// - Parameters:
    ///   - replacing: when false, an existing target is an error (`EEXIST`) and stays as it is.
    ///   - modified: the modification time that the file is to have; its writing time when `nil`.
    package func writeDurably(
        _ bytes: [UInt8], to target: FilePath, temporaryFolder: FilePath, replacing: Bool = true,
        modified: Timestamp? = nil
    ) throws(FileError) {
        try stage(bytes, to: target, temporaryFolder: temporaryFolder, replacing: replacing, modified: modified)
        try makeDurable(folder: target.removingLastComponent())
    }

    /// The same without the sync of the folder: the name is durable after the caller's `makeDurable(folder:)`, which
    /// several files can share.
    package func stage(
        _ bytes: [UInt8], to target: FilePath, temporaryFolder: FilePath, replacing: Bool = true,
        modified: Timestamp? = nil
    ) throws(FileError) {
        try writeAtomically(
            bytes, to: target, temporaryFolder: temporaryFolder, durable: true, replacing: replacing, modified: modified
        )
    }

    /// The same for several files, whose bytes share a flush where the disk has one for all.
    ///
    /// When it throws, some of them may be there, each whole.
    ///
    /// - Returns: those whose targets were there and stay, where they are not to be replaced.
    package func stage(_ files: [StagedFile], temporaryFolder: FilePath) throws(FileError) -> [FilePath] {
        var kept: [FilePath] = []
        var temporaries: [TemporaryFile] = []
        var placed = 0
        do throws(FileError) {
            for file in files {
                let temporary = try makeTemporaryFile(in: temporaryFolder)
                temporaries.append(temporary)
                try writeAll(temporary.file, file.bytes)
                guard let nanoseconds = file.modified?.nanosecondsSinceEpoch else { continue }
                try continuing { () throws(FileError) in try setModified(temporary.path, nanoseconds: nanoseconds) }
            }
            try sync(temporaries.map(\.file))
            for (file, temporary) in zip(files, temporaries) {
                var isMoved = true
                do throws(FileError) {
                    try move(temporary.path, to: file.target, replacing: file.isReplacing)
                } catch {
                    guard error.code == .fileExists, !file.isReplacing else { throw error }
                    kept.append(file.target)
                    isMoved = false
                }
                placed += 1
                try close(temporary.file)
                if !isMoved { discard(temporary.path) }
            }
        } catch {
            for temporary in temporaries[placed...] {
                closeQuietly(temporary.file)
                discard(temporary.path)
            }
            throw error
        }
        return kept
    }

    /// Writes a file that is seen whole or not at all, without any flush: for what may be lost (the cache, the index).
    package func writeUnsynced(_ bytes: [UInt8], to target: FilePath, temporaryFolder: FilePath) throws(FileError) {
        try writeAtomically(
            bytes, to: target, temporaryFolder: temporaryFolder, durable: false, replacing: true, modified: nil)
    }

    private func writeAtomically(
        _ bytes: [UInt8], to target: FilePath, temporaryFolder: FilePath, durable: Bool, replacing: Bool,
        modified: Timestamp?
    ) throws(FileError) {
        let temporary = try makeTemporaryFile(in: temporaryFolder)
        var isOpen = true
        do throws(FileError) {
            try writeAll(temporary.file, bytes)
            if let modified {
                let nanoseconds = modified.nanosecondsSinceEpoch
                try continuing { () throws(FileError) in try setModified(temporary.path, nanoseconds: nanoseconds) }
            }
            // Synced before the rename: a name must never point at bytes that are not there.
            if durable { try continuing { () throws(FileError) in try sync(temporary.file) } }
            // Closed after the rename: the lock keeps a sweep away as long as the name is a temporary one.
            try move(temporary.path, to: target, replacing: replacing)
            isOpen = false
            try close(temporary.file)
        } catch {
            if isOpen { closeQuietly(temporary.file) }
            discard(temporary.path)
            throw error
        }
    }

    /// Removes the temporary files whose writers are gone; returns how many.
    ///
    /// - Parameter isShared: the folder is not for temporary files alone, so only names as we give them count.
    @discardableResult
    package func removeAbandonedTemporaryFiles(in folder: FilePath, isShared: Bool = false) throws(FileError) -> Int {
        try abandonedTemporaryFiles(in: folder, removing: true, isShared: isShared).count
    }

    /// The temporary files whose writers are gone, by their locks.
    ///
    /// - Parameters:
    ///   - removing: they are removed, each under its lock.
    ///   - isShared: the folder is not for temporary files alone, so only names as we give them count.
    package func abandonedTemporaryFiles(
        in folder: FilePath, removing: Bool, isShared: Bool = false
    ) throws(FileError) -> [FilePath] {
        var found: [FilePath] = []
        let entries = try continuing { () throws(FileError) in try list(folder) }
        for entry in entries where entry.kind == .regular && isTemporaryName(entry.name) {
            if isShared, !isOurName(entry.name) { continue }
            let path = folder.appending(entry.name)
            let file: OpenFile
            do throws(FileError) {
                file = try continuing { () throws(FileError) in try open(path, .read) }
            } catch {
                if error.isMissing { continue }
                throw error
            }
            defer { closeQuietly(file) }
            if try continuing({ () throws(FileError) in try lock(file, wait: false) }) {
                if removing {
                    try removeIfPresent(path)
                } else {
                    // Renamed since it was listed: its writer is done. Empty: its writer may be about to lock it.
                    let seen = try continuing({ () throws(FileError) in try self.status(at: path) })
                    guard let seen, seen.sizeBytes > 0 else { continue }
                }
                found.append(path)
            }
        }
        return found
    }

    /// Whether a file of this name is one that `makeTemporaryFile` may have made.
    package func isTemporaryName(_ name: String) -> Bool { name.hasSuffix(".tmp") }

    private func isOurName(_ name: String) -> Bool {
        name.hasPrefix("t") && UInt64(name.dropFirst().dropLast(".tmp".count), radix: 16) != nil
    }

    /// A name as `makeTemporaryFile` gives, that nothing has.
    package func temporaryName() -> String {
        "t" + String(temporaryNumber.wrappingAdd(1, ordering: .relaxed).newValue, radix: 16) + ".tmp"
    }

    /// Clears up behind a failed write; what stays is removed by the next sweep of temporary files.
    private func discard(_ path: FilePath) {
        do throws(FileError) { try removeIfPresent(path) } catch {}
    }
}

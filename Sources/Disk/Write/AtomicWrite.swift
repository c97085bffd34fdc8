import Model
import Synchronization
import SystemPackage

/// A file that is written under a temporary name.
///
/// The writer holds the lock of its inode, so that a sweep can distinguish an abandoned temporary file (its lock is
/// free) from one in use, without a clock or a process number.
package struct TemporaryFile: Sendable {
    package let path: FilePath
    package let file: OpenFile

    /// Whether an error is one of this file.
    func isNamed(in error: FileError) -> Bool { error.path.name == path.name }
}

/// A file to be written together with others.
package struct StagedFile: Sendable {
    package var bytes: [UInt8]
    package var target: FilePath
    package var isReplacing: Bool
    /// The modification time to set; `nil` for the time of writing.
    package var modified: Timestamp?

    package init(_ bytes: [UInt8], to target: FilePath, isReplacing: Bool = true, modified: Timestamp? = nil) {
        self.bytes = bytes
        self.target = target
        self.isReplacing = isReplacing
        self.modified = modified
    }
}

/// Starts at a random number, so that two processes do not collide.
private let temporaryNumber = Atomic(UInt64.random(in: .min ... .max))

extension FileSystem {
    /// Makes a temporary file in `folder`, locked by this process.
    package func makeTemporaryFile(in folder: FilePath) throws(FileError) -> TemporaryFile {
        while true {
            let path = folder.appending(name: temporaryName())
            let file = try continuing { () throws(FileError) in try open(path, .create) }
            do throws(FileError) {
                // A concurrent sweep may have locked or removed it just after its creation: use another name.
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
            // A read-only sweep leaves it alone.
            discard(path)
        }
    }

    /// The same for a file that is to be `target`, which errors name: no one knows the temporary one.
    func makeTemporaryFile(in folder: FilePath, for target: FilePath) throws(FileError) -> TemporaryFile {
        do throws(FileError) { return try makeTemporaryFile(in: folder) } catch {
            throw error.ofWriting(target.placed(in: root))
        }
    }

    /// Writes a file atomically, and returns when it is durable.
    ///
    /// The order is temporary file, write, sync, rename, sync of the folder: one flush of the file and one of the folder.
    ///
    /// - Parameters:
    ///   - replacing: if false, an existing target is an error (`EEXIST`) and stays unchanged.
    ///   - modified: the modification time to set; `nil` for the time of writing.
    package func writeDurably(
        _ bytes: [UInt8], to target: FilePath, temporaryFolder: FilePath, replacing: Bool = true,
        modified: Timestamp? = nil
    ) throws(FileError) {
        try stage(bytes, to: target, temporaryFolder: temporaryFolder, replacing: replacing, modified: modified)
        try makeDurable(folder: target.folder)
    }

    /// Writes a file durably, unless there is one of this name.
    ///
    /// - Returns: whether there was none.
    package func writeDurablyIfAbsent(
        _ bytes: [UInt8], to target: FilePath, temporaryFolder: FilePath
    ) throws(FileError) -> Bool {
        do throws(FileError) {
            try writeDurably(bytes, to: target, temporaryFolder: temporaryFolder, replacing: false)
            return true
        } catch {
            guard error.code == .fileExists else { throw error }
            return false
        }
    }

    /// The same as `writeDurably` without the sync of the folder: the name is durable after the caller's `makeDurable(folder:)`, which
    /// several files can share.
    package func stage(
        _ bytes: [UInt8], to target: FilePath, temporaryFolder: FilePath, replacing: Bool = true,
        modified: Timestamp? = nil
    ) throws(FileError) {
        try writeAtomically(
            bytes, to: target, temporaryFolder: temporaryFolder, durable: true, replacing: replacing, modified: modified
        )
    }

    /// The same for several files, which share one flush where the disk supports that.
    ///
    /// After an error, some of them may exist, each of them complete.
    ///
    /// - Returns: the files whose targets existed and were kept, if `replacing` is false.
    package func stage(_ files: [StagedFile], temporaryFolder: FilePath) throws(FileError) -> [FilePath] {
        var kept: [FilePath] = []
        var temporaries: [TemporaryFile] = []
        var placed = 0
        do throws(FileError) {
            for file in files {
                let temporary = try makeTemporaryFile(in: temporaryFolder, for: file.target)
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
            let place = temporaries.firstIndex { $0.isNamed(in: error) }
            throw place.map { error.ofWriting(files[$0].target.placed(in: root)) } ?? error
        }
        return kept
    }

    /// Writes a file atomically, without any flush: for data that may be lost (the cache, the index).
    package func writeUnsynced(_ bytes: [UInt8], to target: FilePath, temporaryFolder: FilePath) throws(FileError) {
        try writeAtomically(
            bytes, to: target, temporaryFolder: temporaryFolder, durable: false, replacing: true, modified: nil)
    }

    private func writeAtomically(
        _ bytes: [UInt8], to target: FilePath, temporaryFolder: FilePath, durable: Bool, replacing: Bool,
        modified: Timestamp?
    ) throws(FileError) {
        let temporary = try makeTemporaryFile(in: temporaryFolder, for: target)
        var isOpen = true
        do throws(FileError) {
            try writeAll(temporary.file, bytes)
            if let modified {
                let nanoseconds = modified.nanosecondsSinceEpoch
                try continuing { () throws(FileError) in try setModified(temporary.path, nanoseconds: nanoseconds) }
            }
            // Synced before the rename: a name must never point at bytes that are not there.
            if durable { try continuing { () throws(FileError) in try sync(temporary.file) } }
            // Closed after the rename: the lock protects it from a sweep as long as the name is a temporary one.
            try move(temporary.path, to: target, replacing: replacing)
            isOpen = false
            try close(temporary.file)
        } catch {
            if isOpen { closeQuietly(temporary.file) }
            discard(temporary.path)
            throw temporary.isNamed(in: error) ? error.ofWriting(target.placed(in: root)) : error
        }
    }

    /// Removes abandoned temporary files; returns their number.
    ///
    /// - Parameter isShared: the folder also has other files, so only names in the form of ours count.
    @discardableResult
    package func removeAbandonedTemporaryFiles(in folder: FilePath, isShared: Bool = false) throws(FileError) -> Int {
        try abandonedTemporaryFiles(in: folder, removing: true, isShared: isShared).count
    }

    /// The abandoned temporary files, detected by their free locks.
    ///
    /// - Parameters:
    ///   - removing: whether to remove them, each under its lock.
    ///   - isShared: the folder also has other files, so only names in the form of ours count.
    package func abandonedTemporaryFiles(
        in folder: FilePath, removing: Bool, isShared: Bool = false
    ) throws(FileError) -> [FilePath] {
        var found: [FilePath] = []
        let entries = try continuing { () throws(FileError) in try list(folder) }
        for entry in entries where entry.kind == .regular && isTemporaryName(entry.name) {
            if isShared, !isOurName(entry.name) { continue }
            let path = folder.appending(name: entry.name)
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
                    // Renamed since the listing: its writer has finished. Empty: its writer may be about to lock it.
                    let seen = try continuing({ () throws(FileError) in try self.status(at: path) })
                    guard let seen, seen.sizeBytes > 0 else { continue }
                }
                found.append(path)
            }
        }
        return found
    }

    /// Whether `makeTemporaryFile` may have made a file of this name.
    package func isTemporaryName(_ name: String) -> Bool { name.hasSuffix(".tmp") }

    private func isOurName(_ name: String) -> Bool {
        name.hasPrefix("t") && UInt64(name.dropFirst().dropLast(".tmp".count), radix: 16) != nil
    }

    /// An unused name in the form of `makeTemporaryFile`.
    package func temporaryName() -> String {
        "t" + String(temporaryNumber.wrappingAdd(1, ordering: .relaxed).newValue, radix: 16) + ".tmp"
    }

    /// Cleans up after a failed write; the next sweep of temporary files removes the rest.
    private func discard(_ path: FilePath) {
        do throws(FileError) { try removeIfPresent(path) } catch {}
    }
}

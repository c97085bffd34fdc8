import Synchronization
import SystemPackage

/// An exclusive lock between processes, released when its process ends.
///
/// A lock file is never removed: two holders could then lock two inodes of one name.
package final class LockFile: Sendable {
    private let fileSystem: any FileSystem
    private let path: FilePath
    private let file: OpenFile
    private let isHeld = Mutex(true)

    private init(fileSystem: any FileSystem, path: FilePath, file: OpenFile) {
        self.fileSystem = fileSystem
        self.path = path
        self.file = file
    }

    deinit { release() }

    /// Releases the lock now, although references to it may remain.
    package func release() {
        isHeld.withLock { isHeld in
            if isHeld { fileSystem.closeQuietly(file) }
            isHeld = false
        }
    }

    /// An operation that a holder started and did not finish, because it died or a call failed: its renames are
    /// visible, but not durable yet. 0 for none.
    package func mark() throws(FileError) -> Int64 {
        try fileSystem.continuing { () throws(FileError) in try fileSystem.status(file) }.sizeBytes
    }

    /// Records in the length of the lock's file which operation was started, or with 0 that it finished. It takes no
    /// space and is never flushed: after a restart, everything visible is durable.
    package func setMark(_ mark: Int64) throws(FileError) {
        try fileSystem.continuing { () throws(FileError) in try fileSystem.resize(file, to: mark) }
    }

    /// Takes the lock; `nil` if another holds it and `wait` is false.
    package static func acquire(
        _ path: FilePath, in fileSystem: any FileSystem, wait: Bool
    ) throws(FileError) -> LockFile? {
        let file = try fileSystem.continuing { () throws(FileError) in try fileSystem.open(path, .update) }
        do throws(FileError) {
            if try fileSystem.lock(file, wait: wait) {
                return LockFile(fileSystem: fileSystem, path: path, file: file)
            }
        } catch {
            fileSystem.closeQuietly(file)
            throw error
        }
        fileSystem.closeQuietly(file)
        return nil
    }

    /// Whether the lock is exclusive: a second open file of the same name must not get it at the same time. Some
    /// network file systems grant a lock to every caller.
    package func keepsOthersOut() throws(FileError) -> Bool {
        guard let second = try LockFile.acquire(path, in: fileSystem, wait: false) else { return true }
        second.release()
        return false
    }
}

import Synchronization
import SystemPackage

/// An exclusive lock between processes. It dies with the process that holds it.
///
/// A lock file is never removed: removing it would let two holders lock two inodes of one name.
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

    /// Gives the lock back now, though somebody may still refer to it.
    package func release() {
        isHeld.withLock { isHeld in
            if isHeld { fileSystem.closeQuietly(file) }
            isHeld = false
        }
    }

    /// What a holder began and did not end, since it died or a call failed: what it renamed is seen by everybody, and
    /// yet not durable. 0 for nothing.
    package func mark() throws(FileError) -> Int64 {
        try fileSystem.continuing { () throws(FileError) in try fileSystem.status(file) }.sizeBytes
    }

    /// Says by the length of the lock's file what was begun, or with 0 that it was ended. It takes no space and is never
    /// flushed: after a restart all that is seen is durable.
    package func setMark(_ mark: Int64) throws(FileError) {
        try fileSystem.continuing { () throws(FileError) in try fileSystem.resize(file, to: mark) }
    }

    /// Takes the lock; `nil` when another holds it and `wait` is false.
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

    /// Whether the lock keeps others out: a second open file of the same name must not get it while this one has it.
    /// There are network file systems that give a lock to everybody who asks.
    package func keepsOthersOut() throws(FileError) -> Bool {
        guard let second = try LockFile.acquire(path, in: fileSystem, wait: false) else { return true }
        second.release()
        return false
    }
}

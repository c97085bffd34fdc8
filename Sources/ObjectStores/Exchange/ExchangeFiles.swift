import Disk
import Model
import SystemPackage

/// The files through which devices and a host exchange questionnaires and tests (`docs/folder.md`), named by
/// `ExchangeLayout`: in a folder on a stick or a share, or in a bucket.
///
/// All calls block, but the one that says otherwise, and fail with `FileError`. What was written is complete and durable when a
/// call returns.
package protocol ExchangeFiles: Sendable {
    /// Makes a folder of the layout where there is none.
    func makeFolder(_ path: FilePath) throws(FileError)
    /// Whether there is anything of this name.
    func isThere(_ path: FilePath) throws(FileError) -> Bool
    /// The names of the files directly in a folder; none where it does not exist.
    func names(in folder: FilePath) throws(FileError) -> [String]
    /// The bytes of a file and when it was written; `nil` if it does not exist.
    func read(_ path: FilePath, maximumBytes: Int64) throws(FileError) -> (bytes: [UInt8], modified: Timestamp)?
    /// The same; also `nil` for anything that we did not write, such as a file that is too long.
    func readOwn(_ path: FilePath, maximumBytes: Int64) throws(FileError) -> (bytes: [UInt8], modified: Timestamp)?
    /// Opens a long file; `nil` if it does not exist.
    func open(_ path: FilePath) throws(FileError) -> OpenContent?
    /// Writes a file, so that a reader finds all of it or the former one. Everyone with access may read it.
    ///
    /// - Parameter replacing: if false, an existing file is an error (`EEXIST`).
    func write(_ bytes: [UInt8], to path: FilePath, replacing: Bool) throws(FileError)
    /// Writes a long file as it is read, without blocking.
    ///
    /// - Throws: also `ObjectStoreError` of the kind `.otherContent`, and what reading throws.
    func write(_ content: ObjectContent, to path: FilePath) async throws
    /// Copies a long file.
    ///
    /// - Returns: false if it is not what its digest says; then nothing is written.
    func copy(_ content: OpenContent, sizeBytes: Int64, digest: Digest, to path: FilePath) throws(FileError) -> Bool
    /// Removes a file, if there is one.
    func remove(_ path: FilePath) throws(FileError)
    /// Makes a file durable that another program may have written a moment ago.
    func confirm(_ path: FilePath) throws(FileError)
    /// Removes what killed writers left; returns how much.
    @discardableResult
    func removeAbandonedFiles() throws(FileError) -> Int
}

import Disk
import Model
import SystemPackage

/// Where a host keeps small files that are read and written as one: in its folder, or in a bucket that any number of hosts share.
///
/// A file is used in one of two ways, and never in both:
/// - **Written once.** `putIfAbsent` makes it or leaves the existing one as it is: of any number of writers one makes it. It is
///   never changed; it may be removed.
/// - **Replaced.** It has a current version, and a writer names the one that its own is to follow: `replace` leaves a
///   version that someone else has put there meanwhile, and says so. Such a file is never removed.
///
/// When a call returns, its effect is durable, and every later call sees it. A reader finds all bytes of a version or none.
///
/// All calls block, but `place` and `stamp`: run them with `offload`.
package protocol HostFiles: Sendable {
    /// Where a file is, for people.
    func place(of path: FilePath) -> FilePath

    /// Whether each file is asked for over the network, and no person edits one that is written once.
    var isShared: Bool { get }

    // MARK: Files that are written once

    /// The bytes of a file; `nil` where there is none.
    func bytes(of path: FilePath, maximumBytes: Int64) throws(FileError) -> [UInt8]?

    /// The bytes of some files, by their places in the list; `nil` for one that is not there.
    func bytes(ofEach paths: [FilePath], maximumBytes: Int64) throws(FileError) -> [[UInt8]?]

    /// The names of the files directly in a folder; none where there is no folder.
    func names(in folder: FilePath) throws(FileError) -> [String]

    /// - Returns: whether there was no such file before.
    func putIfAbsent(_ bytes: [UInt8], as path: FilePath) throws(FileError) -> Bool

    /// Removes a file, if there is one.
    func remove(_ path: FilePath) throws(FileError)

    /// Shows a change of a folder's list of files, as far as that can be seen at once; else `nil`.
    func stamp(of folder: FilePath) throws(FileError) -> FileStamp?

    // MARK: Files that are replaced

    /// The current version of a file; `nil` where there is none.
    func current(_ path: FilePath, maximumBytes: Int64) throws(FileError) -> FileVersion?

    /// Makes the version that was read durable: its writer may have been killed before it was.
    func confirm(_ path: FilePath) throws(FileError)

    /// Puts the next version of a file in its place.
    ///
    /// A folder cannot compare and write in one step: there the caller holds the file's lock, or the last writer wins.
    ///
    /// - Parameter former: the version that it follows; `nil` where there was none.
    /// - Returns: `false` where another writer was quicker: nothing was written, and the caller looks once more.
    func replace(_ path: FilePath, _ bytes: [UInt8], former: FileVersion?) throws(FileError) -> Bool

    /// Carries something out while other processes that name the same lock wait. Where there are no locks it does so at once, and
    /// `replace` shows that another writer was quicker.
    func locked<Result>(_ lock: FilePath, _ body: () throws -> Result) throws -> Result
}

/// A version of a file that is replaced.
package struct FileVersion: Hashable, Sendable {
    package var bytes: [UInt8]
    /// Among the versions of its file, from 1; always 1 in a folder.
    package var number: Int
}

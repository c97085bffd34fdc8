import Model
import SystemPackage

/// The seam to the disk: every file operation that Quire needs from an operating system.
///
/// Every implementation is tested against this contract:
/// - Paths are relative to one root. A symbolic link in the last component is never followed.
/// - A symbolic link in place of a folder on the path is rejected (`ELOOP`), and so is `..`: no planted link lets a
///   call open, make, move or remove anything outside the root. Only `status(at:)` may follow one.
/// - `rename` within one file system is atomic: a reader finds the old file or the new one.
/// - Bytes are durable after `sync`, names after `syncFolder`; nothing else is.
/// - A call may fail with `EINTR`, and `write` may write fewer bytes than requested: the callers here retry.
/// - Failures are thrown, never swallowed, `close` included.
package protocol FileSystem: Sendable {
    /// The path of the root, for people.
    var root: FilePath { get }

    func open(_ path: FilePath, _ mode: OpenMode) throws(FileError) -> OpenFile
    func close(_ file: OpenFile) throws(FileError)
    /// Reads at most `buffer.count` bytes from `offset`; 0 at the end.
    func read(_ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) -> Int
    /// Writes at most `bytes.count` bytes at `offset`; returns the number written.
    func write(_ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) -> Int
    /// Truncates the file or extends it with zeros that take no space.
    func resize(_ file: OpenFile, to sizeBytes: Int64) throws(FileError)
    /// Allocates real space of this size for the file.
    func allocate(_ file: OpenFile, sizeBytes: Int64) throws(FileError)
    func sync(_ file: OpenFile) throws(FileError)
    /// The same for several files of one file system, which may share a flush.
    func sync(_ files: [OpenFile]) throws(FileError)
    func status(_ file: OpenFile) throws(FileError) -> FileStatus
    /// Takes the exclusive lock of the file's inode, which is released by `close` and at the end of the process.
    /// Returns false if another holds it and `wait` is false.
    func lock(_ file: OpenFile, wait: Bool) throws(FileError) -> Bool

    /// The status of a path, without following a symbolic link; `nil` if nothing is there.
    func status(at path: FilePath) throws(FileError) -> FileStatus?
    /// The same for many names in one folder, each of a file there or a few folders below.
    func statuses(of names: [String], in folder: FilePath) throws(FileError) -> [FileStatus?]
    /// The names in a folder, in no order, without `.` and `..`.
    func list(_ folder: FilePath) throws(FileError) -> [FolderEntry]
    /// The same, one at a time, without holding all names in memory.
    func eachEntry(of folder: FilePath, _ body: (FolderEntry) throws(FileError) -> Void) throws(FileError)
    func makeFolder(_ path: FilePath) throws(FileError)
    func removeFolder(_ path: FilePath) throws(FileError)
    /// With `replacing` false it fails with `EEXIST` if the target exists.
    func rename(_ source: FilePath, to target: FilePath, replacing: Bool) throws(FileError)
    func remove(_ path: FilePath) throws(FileError)
    /// The same for many names in one folder, each of a file there or a few folders below; a missing one counts as
    /// removed. Consecutive names of one folder share one path lookup. Continues after a failure and throws the first
    /// one at the end.
    func remove(_ names: [String], in folder: FilePath) throws(FileError)
    func setModified(_ path: FilePath, nanoseconds: Int64) throws(FileError)
    func setPermissions(_ path: FilePath, _ permissions: FilePermissions) throws(FileError)
    func syncFolder(_ path: FilePath) throws(FileError)
    func freeBytes() throws(FileError) -> Int64
    /// The same file system with these folders held open for the lifetime of the value: files in them are opened from
    /// there, without a path lookup, and stay the same if another folder, or a link, replaces one.
    ///
    /// A wrapper returns itself, as does an implementation without anything to hold.
    func holding(_ folders: [FilePath]) throws(FileError) -> any FileSystem
    /// The volume of the root, queried on each call.
    func volume() throws(FileError) -> Volume
    /// Reports changes in these folders and in the folders inside `shelves`, by any process.
    ///
    /// A wrapper forwards this. The default throws `FileError` (`notSupported`): only live queries need it.
    func changes(in folders: [FilePath], andBelow shelves: [FilePath]) throws(FileError) -> FolderChanges
    /// The same with the names that changed, directly in these folders. Only an index needs it: without it, the index
    /// scans everything each time.
    func nameChanges(in folders: [FilePath]) throws(FileError) -> NameChanges
}

extension FileSystem {
    package func eachEntry(of folder: FilePath, _ body: (FolderEntry) throws(FileError) -> Void) throws(FileError) {
        for entry in try list(folder) { try body(entry) }
    }

    package func statuses(of names: [String], in folder: FilePath) throws(FileError) -> [FileStatus?] {
        var statuses: [FileStatus?] = []
        for name in names { statuses.append(try status(at: folder.appending(name: name))) }
        return statuses
    }

    package func remove(_ names: [String], in folder: FilePath) throws(FileError) {
        var failure: FileError?
        for name in names {
            do throws(FileError) {
                try removeIfPresent(folder.appending(name: name))
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    package func sync(_ files: [OpenFile]) throws(FileError) { try syncEach(files) }

    package func holding(_ folders: [FilePath]) throws(FileError) -> any FileSystem { self }

    func syncEach(_ files: [OpenFile]) throws(FileError) {
        for file in files { try continuing { () throws(FileError) in try sync(file) } }
    }

    package func changes(in folders: [FilePath], andBelow shelves: [FilePath]) throws(FileError) -> FolderChanges {
        throw FileError(FileError.watching, root, .notSupported)
    }

    package func nameChanges(in folders: [FilePath]) throws(FileError) -> NameChanges {
        throw FileError(FileError.watching, root, .notSupported)
    }
}

/// How a file is opened.
package enum OpenMode: Sendable {
    /// An existing file, to read.
    case read
    /// A new file, to write; `EEXIST` when there is one.
    case create
    /// A file to read and write, created where it is missing.
    case update
}

/// An open file of a `FileSystem`. The code that opened it closes it.
package struct OpenFile: Hashable, Sendable {
    package let descriptor: Int32

    package init(descriptor: Int32) { self.descriptor = descriptor }
}

package enum FileKind: Hashable, Sendable {
    case regular, folder, symbolicLink, other
}

package struct FileStatus: Hashable, Sendable {
    package var kind: FileKind
    package var sizeBytes: Int64
    /// The file's allocated size on disk.
    package var allocatedBytes: Int64
    package var modifiedNanoseconds: Int64
    package var inode: UInt64
    package var links: UInt64
    package var permissions: FilePermissions
    package var owner: UInt32

    package init(
        kind: FileKind, sizeBytes: Int64, allocatedBytes: Int64, modifiedNanoseconds: Int64, inode: UInt64,
        links: UInt64 = 1, permissions: FilePermissions = .ownerReadWrite, owner: UInt32 = 0
    ) {
        self.kind = kind
        self.sizeBytes = sizeBytes
        self.allocatedBytes = allocatedBytes
        self.modifiedNanoseconds = modifiedNanoseconds
        self.inode = inode
        self.links = links
        self.permissions = permissions
        self.owner = owner
    }

    /// A time later than this file's, so that a new file is never mistaken for it.
    package var nextModifiedNanoseconds: Int64 {
        modifiedNanoseconds < .max ? modifiedNanoseconds + 1 : modifiedNanoseconds - 1
    }

    package var modified: Timestamp { Timestamp(millisecondsSinceEpoch: modifiedNanoseconds / 1_000_000) }

    /// The file's size in a quota: the greater of its length and its allocated size, as either `du` reports it.
    package var chargedBytes: Int64 { max(sizeBytes, allocatedBytes) }
}

package struct FolderEntry: Hashable, Sendable {
    package var name: String
    package var kind: FileKind

    package init(name: String, kind: FileKind) {
        self.name = name
        self.kind = kind
    }
}

/// A failed call: the operation, the file, and the system's reason.
public struct FileError: DescribedError, Hashable, Sendable {
    /// The operation's name for watching changes.
    static let watching = "watch"

    public let operation: String
    public let path: FilePath
    public let code: Errno
    /// The whole description, where the files are not on a disk.
    private let sentence: String?

    package init(_ operation: String, _ path: FilePath, _ code: Errno, sentence: String? = nil) {
        self.operation = operation
        self.path = path
        self.code = code
        self.sentence = sentence
    }

    /// Of something in a file's place, such as a folder or a pipe.
    static func notAFile(_ path: FilePath, _ kind: FileKind) -> FileError {
        let found =
            switch kind {
            case .regular: "a file"
            case .folder: "a folder"
            case .symbolicLink: "a symbolic link"
            case .other: "a pipe, socket or device"
            }
        return FileError(
            "read", path, .invalidArgument, sentence: "cannot read \(path.string): it is \(found), and not a file")
    }

    /// The same error of writing a file. The temporary file that it comes from is one that no one knows.
    func ofWriting(_ path: FilePath) -> FileError { FileError("write", path, code) }

    public var description: String { sentence ?? "cannot \(operation) \(path.string): \(reason)" }

    /// Whether the place of the files cannot be reached, or does not answer: it may later.
    package var isAway: Bool { code == .hostIsDown || code == .connectionReset }
    /// Whether every other call there would fail, too.
    package var isOfAll: Bool { isUnwritable || isAway || code == .protocolError }

    package var isMissing: Bool { code == .noSuchFileOrDirectory }
    package var isOutOfFiles: Bool { code == .tooManyOpenFiles || code == .tooManyOpenFilesInSystem }
    package var isFull: Bool { (code == .noSpace && operation != Self.watching) || code == .diskQuotaExceeded }
    /// Whether the place is not writable, for this user or at all.
    package var isUnwritable: Bool { code == .readOnlyFileSystem || isDenied }
    /// Whether this user may not do that.
    package var isDenied: Bool { code == .permissionDenied || code == .notPermitted }

    private var reason: String {
        operation == Self.watching ? reasonNotToWatch ?? plainReason : plainReason
    }

    /// inotify(7) has limits of its own, and uses codes for them that have other meanings elsewhere.
    private var reasonNotToWatch: String? {
        switch code {
        case .tooManyOpenFiles:
            "your programs watch too many things (the limit is fs.inotify.max_user_instances), or this one has too many "
                + "files open; end some of them, or raise the limit with sysctl"
        case .noSpace:
            "your programs watch too many folders; end some of them, or raise fs.inotify.max_user_watches with sysctl"
        case .notSupported: "this file system does not report changes; check again from time to time instead"
        default: nil
        }
    }

    private var plainReason: String {
        switch code {
        case .noSpace: "the disk is full; free some space and try again"
        case .diskQuotaExceeded: "your disk quota is used up; free some space and try again"
        case .readOnlyFileSystem: "the disk is mounted read-only"
        case .permissionDenied, .notPermitted: "permission denied"
        case .ioError: "the disk reported an input/output error; copy the store elsewhere and check the disk"
        case .tooManySymbolicLinkLevels: "it is a symbolic link, which a store never follows"
        case .tooManyOpenFiles, .tooManyOpenFilesInSystem: "too many files are open"
        default: code.description.lowercased()
        }
    }
}

extension Errno {
    /// EINTR: the call was interrupted and must be repeated.
    var isInterrupt: Bool { self == .interrupted }
}

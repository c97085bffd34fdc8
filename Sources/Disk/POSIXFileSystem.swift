import CLinux
import Glibc
import Model
import SystemPackage

/// The real disk: every path is opened relative to a descriptor of the root.
public final class POSIXFileSystem: FileSystem {
    public let root: FilePath
    let rootDescriptor: Int32

    /// Opens an existing folder as the root.
    public init(root: FilePath) throws(FileError) {
        self.root = root
        rootDescriptor = quire_openat(AT_FDCWD, root.string, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        if rootDescriptor < 0 { throw FileError("open", root, .current) }
    }

    deinit { _ = Glibc.close(rootDescriptor) }

    /// Makes the folder and those above it where they are missing: 0700 for the last, the user's umask for the others.
    /// Each name is durable before anything is put under it.
    public static func makeRoot(_ path: FilePath) throws(FileError) { try makeFolder(path, mode: 0o700) }

    private static func makeFolder(_ path: FilePath, mode: mode_t) throws(FileError) {
        let parent = path.removingLastComponent()
        if !parent.isEmpty, parent != path, access(parent.string, F_OK) != 0 { try makeFolder(parent, mode: 0o777) }
        guard mkdir(path.string, mode) == 0 else {
            guard errno == EEXIST else { throw FileError("make", path, .current) }
            // Who made it may have been killed before its name was durable; a folder of another's is in their hands.
            do throws(FileError) { try syncParent(parent) } catch { if !error.isUnwritable { throw error } }
            return
        }
        try syncParent(parent)
    }

    private static func syncParent(_ parent: FilePath) throws(FileError) {
        try POSIXFileSystem(root: parent.isEmpty ? "." : parent).makeDurable(folder: FilePath())
    }

    func failure(_ operation: String, _ path: FilePath) -> FileError {
        FileError(operation, root.pushing(path), .current)
    }

    private func failure(_ operation: String, _ file: OpenFile) -> FileError {
        let code = Errno.current
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = readlink("/proc/self/fd/\(file.descriptor)", &buffer, buffer.count)
        let path = count > 0 ? FilePath(String(decoding: buffer[..<count], as: UTF8.self)) : root
        return FileError(operation, path, code)
    }

    public func open(_ path: FilePath, _ mode: OpenMode) throws(FileError) -> OpenFile {
        // O_NONBLOCK: a pipe that somebody put into the store must not hold us up.
        let flags: Int32 =
            switch mode {
            case .read: O_RDONLY | O_NONBLOCK
            case .create: O_RDWR | O_CREAT | O_EXCL
            case .update: O_RDWR | O_CREAT | O_NONBLOCK
            }
        let descriptor = quire_openat(rootDescriptor, path.string, flags | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw failure(mode == .create ? "create" : "open", path) }
        return OpenFile(descriptor: descriptor)
    }

    public func close(_ file: OpenFile) throws(FileError) {
        // On Linux the descriptor is gone whatever close says; EINTR is not a failure of the data.
        if Glibc.close(file.descriptor) != 0, errno != EINTR { throw failure("close", file) }
    }

    public func read(
        _ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(FileError) -> Int {
        let count = pread(file.descriptor, buffer.baseAddress, buffer.count, off_t(offset))
        if count < 0 { throw failure("read", file) }
        return count
    }

    public func write(_ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
        let count = pwrite(file.descriptor, bytes.baseAddress, bytes.count, off_t(offset))
        if count < 0 { throw failure("write", file) }
        return count
    }

    public func resize(_ file: OpenFile, to sizeBytes: Int64) throws(FileError) {
        if ftruncate(file.descriptor, off_t(sizeBytes)) != 0 { throw failure("resize", file) }
    }

    public func allocate(_ file: OpenFile, sizeBytes: Int64) throws(FileError) {
        if quire_allocate(file.descriptor, off_t(sizeBytes)) != 0 { throw failure("reserve space for", file) }
    }

    public func sync(_ file: OpenFile) throws(FileError) {
        if fsync(file.descriptor) != 0 { throw failure("sync", file) }
    }

    public func status(_ file: OpenFile) throws(FileError) -> FileStatus {
        var result = stat()
        if fstat(file.descriptor, &result) != 0 { throw failure("look at", file) }
        return FileStatus(result)
    }

    public func lock(_ file: OpenFile, wait: Bool) throws(FileError) -> Bool {
        while flock(file.descriptor, wait ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            if errno != EINTR { throw failure("lock", file) }
        }
        return true
    }

    public func status(at path: FilePath) throws(FileError) -> FileStatus? {
        var result = stat()
        if fstatat(rootDescriptor, path.isEmpty ? "." : path.string, &result, AT_SYMLINK_NOFOLLOW) != 0 {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw failure("look at", path)
        }
        return FileStatus(result)
    }

    public func list(_ folder: FilePath) throws(FileError) -> [FolderEntry] {
        let descriptor = quire_openat(
            rootDescriptor, folder.isEmpty ? "." : folder.string, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
        if descriptor < 0 { throw failure("list", folder) }
        guard let stream = fdopendir(descriptor) else {
            let error = failure("list", folder)
            _ = Glibc.close(descriptor)
            throw error
        }
        defer { closedir(stream) }
        var entries: [FolderEntry] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw failure("list", folder) }
                return entries
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name == "." || name == ".." { continue }
            let kind: FileKind
            switch Int(entry.pointee.d_type) {
            case Int(DT_REG): kind = .regular
            case Int(DT_DIR): kind = .folder
            case Int(DT_LNK): kind = .symbolicLink
            case Int(DT_UNKNOWN): kind = try status(at: folder.appending(name))?.kind ?? .other
            default: kind = .other
            }
            entries.append(FolderEntry(name: name, kind: kind))
        }
    }

    public func makeFolder(_ path: FilePath) throws(FileError) {
        if mkdirat(rootDescriptor, path.string, 0o700) != 0 { throw failure("make", path) }
    }

    public func removeFolder(_ path: FilePath) throws(FileError) {
        if unlinkat(rootDescriptor, path.string, AT_REMOVEDIR) != 0 { throw failure("remove", path) }
    }

    public func rename(_ source: FilePath, to target: FilePath, replacing: Bool) throws(FileError) {
        if replacing {
            if renameat(rootDescriptor, source.string, rootDescriptor, target.string) != 0 {
                throw failure("move", source)
            }
            return
        }
        if quire_rename_noreplace(rootDescriptor, source.string, rootDescriptor, target.string) == 0 { return }
        guard errno == EINVAL || errno == ENOSYS else { throw failure("move", source) }
        // A file system without RENAME_NOREPLACE: a second name, then the first one away. A crash between the two
        // leaves the test in both folders, which recovery settles.
        if linkat(rootDescriptor, source.string, rootDescriptor, target.string, 0) != 0 {
            throw failure("move", source)
        }
        try remove(source)
    }

    public func remove(_ path: FilePath) throws(FileError) {
        if unlinkat(rootDescriptor, path.string, 0) != 0 { throw failure("remove", path) }
    }

    public func setModified(_ path: FilePath, nanoseconds: Int64) throws(FileError) {
        if quire_set_modified(rootDescriptor, path.string, nanoseconds) != 0 {
            throw failure("set the time of", path)
        }
    }

    public func setPermissions(_ path: FilePath, _ permissions: FilePermissions) throws(FileError) {
        let name = path.isEmpty ? "." : path.string
        if fchmodat(rootDescriptor, name, mode_t(permissions.rawValue), AT_SYMLINK_NOFOLLOW) != 0 {
            throw failure("set the permissions of", path)
        }
    }

    public func syncFolder(_ path: FilePath) throws(FileError) {
        let descriptor = quire_openat(
            rootDescriptor, path.isEmpty ? "." : path.string, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
        if descriptor < 0 { throw failure("open", path) }
        let file = OpenFile(descriptor: descriptor)
        guard fsync(descriptor) == 0 else {
            let error = failure("sync", path)
            _ = Glibc.close(descriptor)
            throw error
        }
        try close(file)
    }

    public func freeBytes() throws(FileError) -> Int64 {
        var result = statvfs()
        if fstatvfs(rootDescriptor, &result) != 0 { throw failure("look at the volume of", FilePath()) }
        return Int64(result.f_bavail) * Int64(result.f_frsize)
    }
}

extension FileStatus {
    fileprivate init(_ result: stat) {
        let kind: FileKind =
            switch result.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            case S_IFLNK: .symbolicLink
            default: .other
            }
        self.init(
            kind: kind, sizeBytes: Int64(result.st_size), allocatedBytes: Int64(result.st_blocks) * 512,
            modifiedNanoseconds: Int64(result.st_mtim.tv_sec) * 1_000_000_000 + Int64(result.st_mtim.tv_nsec),
            inode: UInt64(result.st_ino), links: UInt64(result.st_nlink),
            permissions: FilePermissions(rawValue: CModeT(result.st_mode & 0o7777)), owner: result.st_uid)
    }
}

extension Errno {
    static var current: Errno { Errno(rawValue: errno) }
}

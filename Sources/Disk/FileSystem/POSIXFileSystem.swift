import CLinux
import Glibc
import Model
import SystemPackage

/// The real disk: every path is opened relative to a descriptor of the root.
package final class POSIXFileSystem: FileSystem {
    package let root: FilePath
    let rootDescriptor: Int32
    /// The owner of the root's descriptor, which closes it, where this one holds folders open.
    let owner: POSIXFileSystem?
    let held: [HeldFolder]

    /// Opens an existing folder as the root.
    package init(root: FilePath) throws(FileError) {
        self.root = root
        owner = nil
        held = []
        rootDescriptor = Self.uninterrupted {
            quire_openat(AT_FDCWD, root.string, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        }
        if rootDescriptor < 0 { throw FileError("open", root, .current) }
    }

    init(_ owner: POSIXFileSystem, holding held: [HeldFolder]) {
        root = owner.root
        rootDescriptor = owner.rootDescriptor
        self.owner = owner
        self.held = held
    }

    deinit {
        for folder in held { _ = Glibc.close(folder.descriptor) }
        if owner == nil { _ = Glibc.close(rootDescriptor) }
    }

    /// Repeats an interrupted call where no caller does: network and user-space file systems interrupt folder calls,
    /// too.
    static func uninterrupted(_ call: () -> Int32) -> Int32 {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }

    /// Makes the folder and its missing parents: mode 0700 for the last, the user's umask for the others. Each name is
    /// durable before anything is written below it.
    package static func makeRoot(_ path: FilePath) throws(FileError) { try makeFolder(path, mode: 0o700) }

    private static func makeFolder(_ path: FilePath, mode: mode_t) throws(FileError) {
        let parent = path.folder
        if !parent.isEmpty, parent != path, access(parent.string, F_OK) != 0 { try makeFolder(parent, mode: 0o777) }
        guard mkdir(path.string, mode) == 0 else {
            guard errno == EEXIST else { throw FileError("make", path, .current) }
            // The maker may have been killed before the name was durable; another user's folder is that user's
            // responsibility.
            do throws(FileError) { try syncParent(parent) } catch { if !error.isUnwritable { throw error } }
            return
        }
        try syncParent(parent)
    }

    private static func syncParent(_ parent: FilePath) throws(FileError) {
        try POSIXFileSystem(root: parent.isEmpty ? "." : parent).makeDurable(folder: FilePath())
    }

    /// The path without links and dots; `nil` if the file does not exist.
    package static func resolved(_ path: FilePath) -> FilePath? {
        guard let resolved = realpath(path.string, nil) else { return nil }
        defer { free(resolved) }
        return FilePath(platformString: resolved)
    }

    func failure(_ operation: String, _ path: FilePath) -> FileError {
        FileError(operation, path.placed(in: root), .current)
    }

    private func failure(_ operation: String, _ file: OpenFile) -> FileError {
        let code = Errno.current
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = readlink("/proc/self/fd/\(file.descriptor)", &buffer, buffer.count)
        let path = count > 0 ? FilePath(String(decoding: buffer[..<count], as: UTF8.self)) : root
        return FileError(operation, path, code)
    }

    // MARK: Paths

    /// Calls a function with a name in its folder. The folder is opened step by step without following links: a link in
    /// place of a folder could lead out of the root.
    ///
    /// - Parameter call: gets the folder and the name; returns a negative value with `errno` after a failure.
    @discardableResult
    func inFolder(
        of path: FilePath, _ operation: String, _ call: (Int32, String) throws(FileError) -> Int32
    ) throws(FileError) -> Int32 {
        let text = path.string
        if path.isAbsolute || Self.goesUp(text) { throw FileError(operation, path, .improperLink) }
        var (first, rest) = beginning(of: text)
        // Its name is in the folder above it.
        if rest.isEmpty { (first, rest) = (rootDescriptor, text) }
        let (above, last) = Self.split(rest)
        var folder = first
        defer { if folder != first { _ = Glibc.close(folder) } }
        if !above.isEmpty {
            folder = quire_open_folder_beneath(first, above)
            if folder < 0 {
                // The kernel lacks the single call, or one step fails: the separate steps find out which.
                folder = first
                try walk(above, from: FilePath(String(text.dropLast(rest.count))), into: &folder, operation)
            }
        }
        let result = try call(folder, last)
        if result < 0 { throw failure(operation, path) }
        return result
    }

    /// Opens a path without following links, in one call where the kernel supports it.
    ///
    /// - Returns: the descriptor, which the caller closes.
    private func open(_ path: FilePath, _ operation: String, _ flags: Int32) throws(FileError) -> Int32 {
        let text = path.string
        // The kernel would accept `..` within the root.
        if !Self.goesUp(text) {
            let (first, rest) = beginning(of: text)
            let descriptor = quire_open_beneath(first, Self.own(rest), flags)
            if descriptor >= 0 { return descriptor }
            // The same result, whichever step is missing.
            if errno == ENOENT { throw failure(operation, path) }
        }
        // As in `inFolder`: after a failure, the separate steps find out which one failed.
        return try inFolder(of: path, operation) { folder, name in
            quire_openat(folder, Self.own(name), flags | O_NOFOLLOW | O_CLOEXEC, 0)
        }
    }

    /// The folder's path and the name in it.
    static func split(_ text: String) -> (folder: String, name: String) {
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", text) }
        return (String(text[..<slash]), String(text[text.utf8.index(after: slash)...]))
    }

    /// Whether one of the steps is `..`.
    static func goesUp(_ path: String) -> Bool {
        // The number of dots in the step so far; `nil` when it has other characters.
        var dots: Int? = 0
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "/"):
                if dots == 2 { return true }
                dots = 0
            case UInt8(ascii: "."): dots = dots.map { $0 + 1 }
            default: dots = nil
            }
        }
        return dots == 2
    }

    /// Walks the steps of a path from `folder`. The caller closes the returned folder, and also the current one after a
    /// failure, unless it is the first.
    ///
    /// - Parameter place: the starting path, for an error.
    private func walk(
        _ path: String, from place: FilePath, into folder: inout Int32, _ operation: String
    ) throws(FileError) {
        let first = folder
        var place = place
        for name in path.split(separator: "/") {
            place.append(String(name))
            let next = try enter(String(name), in: folder, operation, place)
            if folder != first { _ = Glibc.close(folder) }
            folder = next
        }
    }

    /// The root itself has no name.
    private static func own(_ name: String) -> String { name.isEmpty ? "." : name }

    /// - Parameter place: the folder's path, for an error.
    private func enter(
        _ name: String, in folder: Int32, _ operation: String, _ place: FilePath
    ) throws(FileError) -> Int32 {
        while true {
            let next = quire_open_folder(folder, name)
            if next >= 0 { return next }
            if errno == EINTR { continue }
            let code = Errno.current
            let error = FileError(operation, root.pushing(place), code)
            var status = stat()
            // The kernel reports a link that is not followed as “not a directory”.
            if code == .notDirectory, fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
                status.st_mode & S_IFMT == S_IFLNK
            {
                throw FileError(operation, error.path, .tooManySymbolicLinkLevels)
            }
            throw error
        }
    }

    // MARK: Files

    package func open(_ path: FilePath, _ mode: OpenMode) throws(FileError) -> OpenFile {
        // O_NONBLOCK: a pipe planted in the store must not block us.
        let flags: Int32 =
            switch mode {
            case .read: O_RDONLY | O_NONBLOCK
            case .create: O_RDWR | O_CREAT | O_EXCL
            case .update: O_RDWR | O_CREAT | O_NONBLOCK
            }
        let operation = mode == .create ? "create" : "open"
        // The root is not a file, and has no name.
        if path.isEmpty { throw FileError(operation, root, .noSuchFileOrDirectory) }
        if mode == .read { return OpenFile(descriptor: try open(path, operation, flags)) }
        if mode == .update, !Self.goesUp(path.string) {
            // Usually the file exists: a lock, a ledger. After a failure, the next call reports the reason.
            let descriptor = quire_open_beneath(rootDescriptor, path.string, O_RDWR | O_NONBLOCK)
            if descriptor >= 0 { return OpenFile(descriptor: descriptor) }
        }
        // A call that may create a file uses its folder: a program that traces calls (strace, `make torture`)
        // recognises a new name by openat.
        let descriptor = try inFolder(of: path, operation) { folder, name in
            quire_openat(folder, name, flags | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
        return OpenFile(descriptor: descriptor)
    }

    package func close(_ file: OpenFile) throws(FileError) {
        // On Linux the descriptor is closed whatever close returns; EINTR is not a failure of the data.
        if Glibc.close(file.descriptor) != 0, errno != EINTR { throw failure("close", file) }
    }

    package func read(
        _ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(FileError) -> Int {
        let count = pread(file.descriptor, buffer.baseAddress, buffer.count, off_t(offset))
        if count < 0 { throw failure("read", file) }
        return count
    }

    package func write(_ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
        let count = pwrite(file.descriptor, bytes.baseAddress, bytes.count, off_t(offset))
        if count < 0 { throw failure("write", file) }
        return count
    }

    package func resize(_ file: OpenFile, to sizeBytes: Int64) throws(FileError) {
        if ftruncate(file.descriptor, off_t(sizeBytes)) != 0 { throw failure("resize", file) }
    }

    package func allocate(_ file: OpenFile, sizeBytes: Int64) throws(FileError) {
        if quire_allocate(file.descriptor, off_t(sizeBytes)) != 0 { throw failure("reserve space for", file) }
    }

    package func sync(_ file: OpenFile) throws(FileError) {
        if fsync(file.descriptor) != 0 { throw failure("sync", file) }
    }

    /// For fewer files, one flush of each is less work than a flush of the complete file system.
    static let fewestFlushedTogether = 16

    package func sync(_ files: [OpenFile]) throws(FileError) {
        if files.count >= Self.fewestFlushedTogether, let first = files.first,
            quire_sync_file_system(first.descriptor) == 0
        {
            // A flush of the device, which was missing, and the error of a journal that could not be written.
            return try syncEach([first])
        }
        // The unwritten data may be another program's: each file reports its own errors.
        try syncEach(files)
    }

    package func status(_ file: OpenFile) throws(FileError) -> FileStatus {
        var result = stat()
        if fstat(file.descriptor, &result) != 0 { throw failure("look at", file) }
        return FileStatus(result)
    }

    package func lock(_ file: OpenFile, wait: Bool) throws(FileError) -> Bool {
        while flock(file.descriptor, wait ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            if errno != EINTR { throw failure("lock", file) }
        }
        return true
    }

    package func status(at path: FilePath) throws(FileError) -> FileStatus? {
        var result = stat()
        let (first, rest) = beginning(of: path.string)
        if fstatat(first, Self.own(rest), &result, AT_SYMLINK_NOFOLLOW) != 0 {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw failure("look at", path)
        }
        return FileStatus(result)
    }

    package func list(_ folder: FilePath) throws(FileError) -> [FolderEntry] {
        var entries: [FolderEntry] = []
        try eachEntry(of: folder) { entries.append($0) }
        return entries
    }

    package func eachEntry(of folder: FilePath, _ body: (FolderEntry) throws(FileError) -> Void) throws(FileError) {
        let descriptor = try continuing { () throws(FileError) in
            try open(folder, "list", O_RDONLY | O_DIRECTORY)
        }
        guard let stream = fdopendir(descriptor) else {
            let error = failure("list", folder)
            _ = Glibc.close(descriptor)
            throw error
        }
        defer { closedir(stream) }
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw failure("list", folder) }
                return
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
            case Int(DT_UNKNOWN): kind = try status(at: folder.appending(name: name))?.kind ?? .other
            default: kind = .other
            }
            try body(FolderEntry(name: name, kind: kind))
        }
    }

    package func makeFolder(_ path: FilePath) throws(FileError) {
        try inFolder(of: path, "make") { folder, name in mkdirat(folder, name, 0o700) }
    }

    package func removeFolder(_ path: FilePath) throws(FileError) {
        try inFolder(of: path, "remove") { folder, name in unlinkat(folder, name, AT_REMOVEDIR) }
    }

    package func rename(_ source: FilePath, to target: FilePath, replacing: Bool) throws(FileError) {
        // Only a trial shows whether the kernel supports a rename that does not replace.
        var isMoved = true
        try inFolder(of: target, "move") { targetFolder, targetName throws(FileError) in
            try inFolder(of: source, "move") { sourceFolder, sourceName in
                if replacing { return renameat(sourceFolder, sourceName, targetFolder, targetName) }
                if quire_rename_noreplace(sourceFolder, sourceName, targetFolder, targetName) == 0 { return 0 }
                guard errno == EINVAL || errno == ENOSYS else { return -1 }
                // A file system without RENAME_NOREPLACE: add a second name, then remove the first. A crash in between
                // leaves the test in both folders, which recovery settles.
                isMoved = false
                return linkat(sourceFolder, sourceName, targetFolder, targetName, 0)
            }
        }
        if !isMoved { try remove(source) }
    }

    package func remove(_ path: FilePath) throws(FileError) {
        try inFolder(of: path, "remove") { folder, name in unlinkat(folder, name, 0) }
    }

    package func setModified(_ path: FilePath, nanoseconds: Int64) throws(FileError) {
        try inFolder(of: path, "set the time of") { folder, name in quire_set_modified(folder, name, nanoseconds) }
    }

    package func setPermissions(_ path: FilePath, _ permissions: FilePermissions) throws(FileError) {
        try inFolder(of: path, "set the permissions of") { folder, name in
            fchmodat(folder, Self.own(name), mode_t(permissions.rawValue), AT_SYMLINK_NOFOLLOW)
        }
    }

    package func syncFolder(_ path: FilePath) throws(FileError) {
        let descriptor = try open(path, "open", O_RDONLY | O_DIRECTORY)
        let file = OpenFile(descriptor: descriptor)
        guard fsync(descriptor) == 0 else {
            let error = failure("sync", path)
            _ = Glibc.close(descriptor)
            throw error
        }
        try close(file)
    }

    package func freeBytes() throws(FileError) -> Int64 {
        var result = statvfs()
        if fstatvfs(rootDescriptor, &result) != 0 { throw failure("look at the volume of", FilePath()) }
        return Int64(result.f_bavail) * Int64(result.f_frsize)
    }
}

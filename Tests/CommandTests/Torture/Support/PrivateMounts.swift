import Foundation

/// File systems that only this test sees: mounted in a namespace of a process that is kept for them. They end with it,
/// whatever becomes of the test.
final class PrivateMounts {
    /// A folder of the namespace as everybody may name it.
    let path: String
    private let folder: String
    private let inside: String
    private let holder: ChildProcess

    /// Why nothing can be mounted here; `nil` where it can.
    static let obstacle: String? = {
        do {
            let folder = try TemporaryFolder()
            let mounts = try PrivateMounts(folder.path, type: "tmpfs", options: "size=1m")
            guard Files.exists(mounts.path) else { return "the namespace of another process cannot be looked into" }
            return nil
        } catch {
            return "this machine does not allow mounting a file system here (\("\(error)".prefix(200)))"
        }
    }()

    /// As root in a namespace of mounts; else as the root of a namespace of users.
    private static let unshare = geteuid() == 0 ? ["unshare", "-m"] : ["unshare", "-rm"]

    /// - Parameters:
    ///   - folder: of the test.
    ///   - source: a device, or a file that holds an image.
    init(_ folder: String, name: String = "disk", type: String, source: String = "none", options: String) throws {
        self.folder = folder
        inside = "\(folder)/\(name)"
        try Files.makeFolder(inside)
        // It holds the namespace; the bound is for a test that dies before it can end it.
        let script = """
            mount --make-rprivate / 2>/dev/null; mount -t "$1" -o "$2" "$3" "$4" && echo mounted && exec sleep 1800
            """
        holder = try ChildProcess(
            Self.unshare + ["sh", "-c", script, "sh", type, options, source, inside],
            environment: Command.environment(home: folder), folder: folder, isWatched: true)
        path = "/proc/\(holder.identifier)/root\(inside)"
        var waited = pollfd(fd: holder.outputDescriptor, events: Int16(POLLIN), revents: 0)
        var byte: UInt8 = 0
        guard poll(&waited, 1, patienceMilliseconds) == 1, read(holder.outputDescriptor, &byte, 1) == 1 else {
            holder.send(SIGKILL)
            throw Unexpected("cannot mount \(type): \(try holder.end().errors)")
        }
    }

    deinit { holder.send(SIGKILL) }

    /// Runs a program in the namespace; it must succeed.
    @discardableResult
    func run(_ arguments: String...) throws -> String {
        let enter =
            ["nsenter", "-t", "\(holder.identifier)", "-m"] + (geteuid() == 0 ? [] : ["-U", "--preserve-credentials"])
        let child = try ChildProcess(
            enter + arguments, environment: Command.environment(home: folder), folder: folder)
        let outcome = try child.end()
        guard outcome.exitCode == 0 else { throw Unexpected(outcome.description) }
        return outcome.output
    }

    /// Mounts it again with other options, such as `ro`.
    func remount(_ options: String) throws { try run("mount", "-o", "remount,\(options)", inside) }

    /// Ends the mount as an orderly shutdown does.
    func unmount() throws { try run("umount", inside) }

    var freeBytes: Int {
        get throws {
            var status = statvfs()
            guard statvfs(path, &status) == 0 else { throw Unexpected("no file system at \(path)") }
            return Int(status.f_bavail) * Int(status.f_frsize)
        }
    }

    /// Fills it to the last byte with one file.
    func fill(_ name: String = "filler") throws {
        let descriptor = open(path + "/" + name, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard descriptor >= 0 else { throw Unexpected("no filler in \(path)") }
        defer { close(descriptor) }
        var size = 1 << 20
        let bytes = [UInt8](repeating: 0x2E, count: size)
        while size > 0 { if write(descriptor, bytes, size) <= 0 { size /= 2 } }
        fsync(descriptor)
    }

    func empty(_ name: String = "filler") throws {
        try Files.remove(path + "/" + name)
        // btrfs gives the space of a removed file back with its next commit, which is up to half a minute later.
        try Command.run("sync", "--file-system", path, in: path)
    }
}

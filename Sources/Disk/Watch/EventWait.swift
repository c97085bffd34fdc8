import CLinux
import Glibc
import SystemPackage

/// Waits, without waking in between, for a change of files, the network or the mounted volumes, or for a signal. Blocks
/// a thread that does nothing else.
package final class EventWait {
    package enum Event: Hashable, Sendable {
        /// A file was added to a watched folder, removed from it, or got another time.
        case folder
        /// A link, an address or a route was added or removed.
        case network
        /// A volume was mounted or unmounted.
        case volumes
        case signal(Int32)
    }

    private let folders: [FilePath]
    private let root: FilePath
    private var inotify: Int32 = -1
    private let network: Int32
    private let mounts: Int32
    private let signals: Int32

    private static let changes =
        UInt32(IN_MOVED_TO) | UInt32(IN_MOVED_FROM) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_ATTRIB) | UInt32(IN_DELETE)
        | UInt32(IN_CREATE) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | UInt32(IN_ONLYDIR)

    /// - Parameters:
    ///   - folders: below `root`; a missing one is watched from the next `renew` on.
    ///   - signals: their default action is disabled.
    /// - Throws: `FileError`.
    package init(folders: [FilePath], in root: FilePath, signals: [Int32]) throws(FileError) {
        self.folders = folders
        self.root = root
        // Where the kernel has no such socket (a sandbox), the other events and the timeout have to do.
        network = quire_route_socket()
        mounts = quire_openat(AT_FDCWD, "/proc/self/mounts", O_RDONLY | O_CLOEXEC, 0)
        self.signals = quire_signal_pipe(signals, Int32(signals.count))
        if self.signals < 0 { throw FileError("wait for signals in", root, .current) }
        try renew()
    }

    deinit { for descriptor in [inotify, network, mounts] where descriptor >= 0 { _ = Glibc.close(descriptor) } }

    /// Watches the folders again: one of them may have been removed or replaced.
    package func renew() throws(FileError) {
        if inotify >= 0 { _ = Glibc.close(inotify) }
        inotify = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        if inotify < 0 { throw FileError(FileError.watching, root, .current) }
        for folder in folders {
            let path = root.pushing(folder)
            if inotify_add_watch(inotify, path.string, Self.changes) < 0, errno != ENOENT, errno != ENOTDIR {
                throw FileError(FileError.watching, path, .current)
            }
        }
    }

    /// Waits for events until the timeout; without a limit if `milliseconds` is `nil`.
    ///
    /// - Returns: the events; empty after the timeout.
    package func wait(milliseconds: Int64?) throws(FileError) -> Set<Event> {
        var waited = [
            pollfd(fd: inotify, events: Int16(POLLIN), revents: 0),
            pollfd(fd: network, events: Int16(POLLIN), revents: 0),
            pollfd(fd: mounts, events: Int16(POLLPRI), revents: 0),
            pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
        ]
        let limit = milliseconds.map { Int32(clamping: max(0, $0)) } ?? -1
        let count = poll(&waited, nfds_t(waited.count), limit)
        if count < 0 {
            if errno == EINTR { return [] }
            throw FileError("wait for events in", root, .current)
        }
        var events: Set<Event> = []
        if waited[0].revents != 0 {
            events.insert(.folder)
            if quire_drain(inotify) != 0 { throw FileError(FileError.watching, root, .current) }
        }
        if waited[1].revents != 0 {
            events.insert(.network)
            if quire_drain(network) != 0 { throw FileError("watch the network of", root, .current) }
        }
        if waited[2].revents != 0 { events.insert(.volumes) }
        if waited[3].revents != 0 {
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = Glibc.read(signals, &bytes, bytes.count)
            for byte in bytes.prefix(max(0, count)) { events.insert(.signal(Int32(byte))) }
        }
        return events
    }

    package static let terminating: [Int32] = [SIGTERM, SIGINT, SIGHUP]
    package static let childEnded = SIGCHLD
}

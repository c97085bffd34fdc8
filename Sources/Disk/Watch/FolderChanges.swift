import CLinux
import Dispatch
import Glibc
import SystemPackage

/// Tells that something changed in some folders, whichever process did it: for those who look again then.
///
/// Changes that come while nobody looks are one. It ends with the task that iterates it, or with its last reference.
public final class FolderChanges: Sendable {
    public let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    // Proof: a dispatch source may be used from any thread, and it is cancelled once, by deinit.
    nonisolated(unsafe) private let source: any DispatchSourceRead

    private static let changes =
        UInt32(IN_MOVED_TO) | UInt32(IN_MOVED_FROM) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_ATTRIB) | UInt32(IN_DELETE)
        | UInt32(IN_MODIFY) | UInt32(IN_CREATE) | UInt32(IN_ONLYDIR)

    /// - Parameter folders: below `root`; those that are missing are passed over.
    /// - Throws: `FileError`.
    public init(_ folders: [FilePath], in root: FilePath) throws(FileError) {
        let inotify = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        if inotify < 0 { throw FileError("watch", root, .current) }
        for folder in folders {
            let path = root.pushing(folder)
            if inotify_add_watch(inotify, path.string, Self.changes) < 0, errno != ENOENT, errno != ENOTDIR {
                let error = FileError("watch", path, .current)
                _ = Glibc.close(inotify)
                throw error
            }
        }
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let source = DispatchSource.makeReadSource(fileDescriptor: inotify, queue: .global())
        source.setEventHandler {
            _ = quire_drain(inotify)
            continuation.yield()
        }
        source.setCancelHandler { _ = Glibc.close(inotify) }
        source.activate()
        self.stream = stream
        self.continuation = continuation
        self.source = source
    }

    deinit {
        source.cancel()
        continuation.finish()
    }
}

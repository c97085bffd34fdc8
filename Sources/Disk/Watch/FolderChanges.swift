import SystemPackage

/// Tells that something changed in some folders, whichever process did it: for those who look again then.
///
/// A folder may be missing, come, go, or be put in another's place: the folders above it are watched, too, up to the root.
/// Changes that come while nobody looks are one. It ends with the task that iterates it, or with its last reference.
///
/// Who is told calls `renew` and looks then, so that nothing gets lost in between. All of a process share one inotify instance.
package final class FolderChanges: Sendable {
    /// Yields when something changed; for one reader.
    package let stream: AsyncStream<Void>
    private let watched: WatchedFolders?

    /// - Parameters:
    ///   - folders: below the root.
    ///   - shelves: folders below the root whose folders are watched, whichever there are.
    /// - Throws: `FileError` when they cannot be watched, which a missing one can.
    package init(_ folders: [FilePath], andBelow shelves: [FilePath] = [], in files: POSIXFileSystem) throws(FileError)
    {
        let watched = try WatchedFolders(folders, andBelow: shelves, in: files)
        stream = watched.stream
        self.watched = watched
    }

    /// The changes of a file system that knows them by itself: `stream` yields after each.
    package init(_ stream: AsyncStream<Void>) {
        self.stream = stream
        watched = nil
    }

    /// Whether the root itself is gone, so that nothing will happen any more.
    package var isRootRemoved: Bool { watched?.isRootRemoved ?? false }

    /// Watches what is there now, if folders came or went.
    package func renew() throws(FileError) { try watched?.renew() }
}

extension POSIXFileSystem {
    package func changes(in folders: [FilePath], andBelow shelves: [FilePath]) throws(FileError) -> FolderChanges {
        try FolderChanges(folders, andBelow: shelves, in: self)
    }
}

import SystemPackage

/// Reports that something changed in some folders, by any process, so that readers check again.
///
/// A folder may be missing, appear, disappear or be replaced: the folders above it are watched, too, up to the root.
/// Changes between two reads are merged into one. It ends with the task that iterates it, or with its last reference.
///
/// The reader calls `renew` before it checks, so that no change is lost in between. All watchers of a process share one
/// inotify instance.
package final class FolderChanges: Sendable {
    /// Yields after a change; for one reader.
    package let stream: AsyncStream<Void>
    private let watched: WatchedFolders?

    /// - Parameters:
    ///   - folders: below the root.
    ///   - shelves: folders below the root; all folders inside them are watched.
    /// - Throws: `FileError` if they cannot be watched; a missing one can.
    package init(_ folders: [FilePath], andBelow shelves: [FilePath] = [], in files: POSIXFileSystem) throws(FileError)
    {
        let watched = try WatchedFolders(folders, andBelow: shelves, in: files)
        stream = watched.stream
        self.watched = watched
    }

    /// The changes of a file system that knows them itself: `stream` yields after each.
    package init(_ stream: AsyncStream<Void>) {
        self.stream = stream
        watched = nil
    }

    /// Whether the root itself is gone, so that no more changes will follow.
    package var isRootRemoved: Bool { watched?.isRootRemoved ?? false }

    /// Updates the watches if folders were added or removed.
    package func renew() throws(FileError) { try watched?.renew() }
}

extension POSIXFileSystem {
    package func changes(in folders: [FilePath], andBelow shelves: [FilePath]) throws(FileError) -> FolderChanges {
        try FolderChanges(folders, andBelow: shelves, in: self)
    }
}

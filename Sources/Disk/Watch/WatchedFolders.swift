import CLinux
import Synchronization
import SystemPackage

/// The folders that inotify watches for one `FolderChanges`.
final class WatchedFolders: Sendable {
    private let folders: [FilePath]
    private let shelves: [FilePath]
    private let inbox: Inbox
    private let watches = Mutex<Set<Int32>>([])

    var stream: AsyncStream<Void> { inbox.stream }

    /// - Parameters:
    ///   - folders: below the root.
    ///   - shelves: folders below the root; all folders inside them are watched.
    /// - Throws: `FileError` if they cannot be watched; a missing one can.
    init(_ folders: [FilePath], andBelow shelves: [FilePath], in files: POSIXFileSystem) throws(FileError) {
        self.folders = folders
        self.shelves = shelves
        inbox = Inbox(files)
        try look()
    }

    deinit {
        FolderWatcher.shared.keep([], of: watches.withLock { $0 }, for: inbox)
        inbox.finish()
    }

    var isRootRemoved: Bool { inbox.files.isRootRemoved }

    /// Updates the watches if folders were added or removed.
    func renew() throws(FileError) {
        if inbox.takeWhetherFoldersAreOther() { try look() }
    }

    private func look() throws(FileError) {
        var found: Set<Int32> = []
        defer {
            let former = watches.withLock { watches in
                defer { watches = found }
                return watches
            }
            FolderWatcher.shared.keep(found, of: former, for: inbox)
        }
        let root = inbox.files.root
        // By the descriptor: it stays the root's folder, wherever that is moved and whatever the process's working
        // directory is.
        var base = "/proc/self/fd/\(inbox.files.rootDescriptor)/"
        if let watch = try watch(base + ".", folders.contains(FilePath()) ? .content : .way, root) {
            found.insert(watch)
        } else {
            base = root.string + "/"
            if let watch = try watch(base + ".", .way, root) { found.insert(watch) }
        }
        do throws(FileError) {
            if let watch = try watch(base + "..", .above, root) { found.insert(watch) }
        } catch {
            // An unreadable folder: the removal of the root is noticed with the next change in it.
            guard error.isUnwritable else { throw error }
        }
        // Top-down: a change after this check is an event of a folder that is already watched.
        var seen: [FilePath: Bool] = [FilePath(): true]
        for folder in folders + shelves { try look(at: folder, base, folders.contains(folder), &seen, &found) }
        for shelf in shelves where seen[shelf] == true {
            for entry in try inbox.files.list(shelf) where entry.kind == .folder {
                try look(at: shelf.appending(name: entry.name), base, true, &seen, &found)
            }
        }
    }

    /// - Parameter seen: for each folder that was checked, whether it exists.
    private func look(
        at folder: FilePath, _ base: String, _ isWhole: Bool, _ seen: inout [FilePath: Bool], _ found: inout Set<Int32>
    ) throws(FileError) {
        let above = folder.folder
        if seen[above] == nil { try look(at: above, base, folders.contains(above), &seen, &found) }
        guard seen[above] == true, seen[folder] == nil else { return }
        let watch = try watch(base + folder.string, isWhole ? .content : .way, inbox.files.root.pushing(folder))
        seen[folder] = watch != nil
        if let watch { found.insert(watch) }
    }

    private func watch(_ path: String, _ role: FolderWatcher.Role, _ name: FilePath) throws(FileError) -> Int32? {
        try FolderWatcher.shared.watch(path, role, for: inbox, named: name)
    }
}

extension POSIXFileSystem {
    /// Whether the root was removed since it was opened.
    var isRootRemoved: Bool { quire_is_removed(rootDescriptor) != 0 }
}

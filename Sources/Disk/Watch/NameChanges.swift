import Synchronization
import SystemPackage

/// Reports which names in some folders changed, whichever process did it: for an index of many files, of which only those
/// that changed are looked at.
///
/// Everything that was done before `take` is called is in what it returns.
package final class NameChanges: Sendable {
    private let folders: [FilePath]
    private let inbox: Inbox
    private let names: NoteOfNames
    private let watches = Mutex<[Int32: FilePath]>([:])

    /// - Parameter folders: below the root.
    /// - Throws: `FileError`: `notSupported` where changes may come that nothing reports, as on a network's volume.
    package init(_ folders: [FilePath], in files: POSIXFileSystem) throws(FileError) {
        guard try files.volume().reportsEveryChange else {
            throw FileError(FileError.watching, files.root, .notSupported)
        }
        self.folders = folders
        names = NoteOfNames()
        inbox = Inbox(files, names: names)
        try watch()
        _ = names.take()
    }

    deinit {
        FolderWatcher.shared.keep([], of: Set(watches.withLock { $0.keys }), for: inbox)
        inbox.finish()
    }

    /// What changed since the last call: a name may be that of a new file, of one that has other content, or of one that is
    /// gone.
    ///
    /// - Returns: `nil` where everything has to be looked at: more happened than was noted, or a folder is another one.
    /// - Throws: `FileError` when a folder can no longer be watched.
    package func take() throws(FileError) -> [FilePath: Set<String>]? {
        FolderWatcher.shared.deliver()
        let folders = watches.withLock { $0 }
        // A folder that is missing may come without a word.
        guard let noted = names.take(), folders.count == self.folders.count else {
            // Before everything is looked at: what changes meanwhile is noted.
            try watch()
            return nil
        }
        var changes: [FilePath: Set<String>] = [:]
        for (watch, names) in noted { if let folder = folders[watch] { changes[folder] = names } }
        return changes
    }

    private func watch() throws(FileError) {
        var found: [Int32: FilePath] = [:]
        defer {
            let former = watches.withLock { watches in
                defer { watches = found }
                return watches
            }
            FolderWatcher.shared.keep(Set(found.keys), of: Set(former.keys), for: inbox)
        }
        let base = "/proc/self/fd/\(inbox.files.rootDescriptor)/"
        for folder in folders {
            let path = base + (folder.isEmpty ? "." : folder.string)
            let name = inbox.files.root.pushing(folder)
            if let watch = try FolderWatcher.shared.watch(path, .content, for: inbox, named: name) {
                found[watch] = folder
            }
        }
    }
}

/// Names of files that changed, until they are taken.
final class NoteOfNames: Sendable {
    /// Beyond this many, looking at everything costs no more.
    private static let most = 50_000

    private struct State {
        var names: [Int32: Set<String>] = [:]
        var count = 0
        /// Something happened that has no name here.
        var isIncomplete = false
    }

    private let state = Mutex(State())

    func note(_ name: String, in watch: Int32, isNamed: Bool) {
        state.withLock { state in
            guard isNamed, !name.isEmpty, state.count < Self.most else {
                state.isIncomplete = true
                return
            }
            if state.names[watch, default: []].insert(name).inserted { state.count += 1 }
        }
    }

    /// - Returns: the names by their folders' watches; `nil` where they are not all that changed.
    func take() -> [Int32: Set<String>]? {
        state.withLock { state in
            defer { state = State() }
            return state.isIncomplete ? nil : state.names
        }
    }
}

extension POSIXFileSystem {
    package func nameChanges(in folders: [FilePath]) throws(FileError) -> NameChanges {
        try NameChanges(folders, in: self)
    }
}

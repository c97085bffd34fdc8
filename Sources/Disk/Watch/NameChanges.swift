import Synchronization
import SystemPackage

/// Reports which names changed in some folders, by any process: an index of many files then checks only those.
///
/// Its result includes every change made before the call of `take`.
package final class NameChanges: Sendable {
    private let folders: [FilePath]
    private let inbox: Inbox
    private let names: NoteOfNames
    private let watches = Mutex<[Int32: FilePath]>([:])

    /// - Parameter folders: below the root.
    /// - Throws: `FileError`: `notSupported` where changes may go unreported, as on a network volume.
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

    /// The changes since the last call: a name of a new, changed or removed file.
    ///
    /// - Returns: `nil` if everything must be scanned: more changed than was noted, or a folder was replaced.
    /// - Throws: `FileError` if a folder can no longer be watched.
    package func take() throws(FileError) -> [FilePath: Set<String>]? {
        FolderWatcher.shared.deliver()
        let folders = watches.withLock { $0 }
        // A missing folder may appear unreported.
        guard let noted = names.take(), folders.count == self.folders.count else {
            // Before the scan, so that changes during it are noted.
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

/// Names of changed files, until `take` reads them.
final class NoteOfNames: Sendable {
    /// Beyond this many, scanning everything costs no more.
    private static let most = 50_000

    private struct State {
        var names: [Int32: Set<String>] = [:]
        var count = 0
        /// A change without a name was reported.
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

    /// - Returns: the names by their folders' watches; `nil` if they are incomplete.
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

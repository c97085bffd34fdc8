import CacheStore
import Disk
import Model
import OutboxStore
import SystemPackage

/// The folders of a store, and the files in its own one.
extension Examination {
    func checkFolders() {
        check(FilePath()) {
            for folder in [StoreLayout.quarantine] + Self.folders {
                guard let status = try fileSystem.status(at: folder) else {
                    if folder == OutboxLayout.root || folder == CacheLayout.root { reportMissing(folder) }
                    continue
                }
                if status.kind != .folder { reportNoFolder(folder, status.kind) }
            }
            // Before any of them is opened: a lock that is none would stop everything that follows.
            for file in StoreLayout.derivedFiles where !isNamed(file) {
                guard let kind = try fileSystem.status(at: file)?.kind, kind != .regular else { continue }
                reportNoFile(file, kind)
            }
            for entry in try fileSystem.list(FilePath()) where !StoreLayout.ownNames.contains(entry.name) {
                let path = FilePath(entry.name)
                // The settings' own temporary files are elsewhere: one with this suffix here is foreign.
                reportStranger(
                    path, entry, say("it does not belong into the store"),
                    canBeMoved: false)
            }
        }
    }

    /// Each above those within it.
    private static var folders: [FilePath] {
        OutboxLayout.folders + CacheLayout.folders + [
            StoreLayout.marks, StoreLayout.people, StoreLayout.log, StoreLayout.authorDrafts.folder,
        ]
    }

    private func reportMissing(_ folder: FilePath) {
        report(
            .missing, folder, say("the folder is missing"),
            say("run “quire doctor --repair” to make it")
        ) {
            try self.store.outbox.makeFolders()
            try self.store.cache.makeFolders()
            return true
        }
    }

    private func reportNoFolder(_ folder: FilePath, _ kind: FileKind) {
        let words = self.words(kind)
        let what = say("it is \(words), and a folder belongs here")
        if folder == StoreLayout.quarantine {
            canQuarantine = false
            report(
                .notAFile, folder, what,
                say("move it elsewhere yourself: nothing can be put into quarantine until then"))
            return
        }
        report(.notAFile, folder, what, quarantineAdvice) {
            guard try self.quarantine(folder, what) else { return false }
            try self.store.outbox.makeFolders()
            try self.store.cache.makeFolders()
            return true
        }
    }

    /// No program can use it in this form, so it may be moved: a missing one is recreated.
    private func reportNoFile(_ file: FilePath, _ kind: FileKind) {
        let words = self.words(kind)
        let what = say("it is \(words), and a file belongs here")
        report(.notAFile, file, what, quarantineAdvice) {
            guard try self.quarantine(file, what) else { return false }
            try self.store.outbox.makeFolders()
            try self.store.cache.makeFolders()
            return true
        }
    }

    /// Reports a file that Quire did not create.
    ///
    /// - Parameter canBeMoved: whether `--repair` may move it to quarantine; anything in the store's own folder is its
    ///   owner's to move.
    func reportStranger(_ path: FilePath, _ entry: FolderEntry, _ what: String, canBeMoved: Bool = true) {
        let isCopy = Self.isConflictCopy(entry.name)
        let text =
            isCopy
            ? say("a program that syncs folders made this copy, since the file was changed on two machines")
            : what
        let move = say("move it elsewhere")
        report(isCopy ? .conflictCopy : .stranger, path, text, canBeMoved ? quarantineAdvice : move) {
            guard canBeMoved || isCopy else { return false }
            return try self.quarantine(path, text)
        }
    }

    /// Dropbox and Nextcloud, Syncthing, OneDrive and Google Drive name their copies so.
    static func isConflictCopy(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.contains("conflicted copy") || name.contains(".sync-conflict-") || name.contains("_conflict-")
            || name.contains("конфликтующая копия") || name.contains("(case conflict")
    }

    func words(_ kind: FileKind) -> String {
        switch kind {
        case .regular: say("a file")
        case .folder: say("a folder")
        case .symbolicLink: say("a symbolic link")
        case .other: say("a pipe, socket or device")
        }
    }
}

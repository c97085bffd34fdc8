import CacheStore
import Disk
import Model
import OutboxStore
import SystemPackage

/// Examines the folders of a store, and the files in its own one.
struct FolderExaminer: Examiner {
    let examination: Examination

    func examine() {
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
            examination.canQuarantine = false
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
}

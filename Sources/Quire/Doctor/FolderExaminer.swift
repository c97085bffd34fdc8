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
                reportReplaceable(file, .unexpectedKind(kind, expected: .regular))
            }
            for entry in try fileSystem.list(FilePath()) where !StoreLayout.ownNames.contains(entry.name) {
                // The settings' own temporary files are elsewhere: one with this suffix here is foreign.
                reportStranger(FilePath(entry.name), .stranger(.store))
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
        report(folder, .missingFolder) { try self.makeFolders() }
    }

    private func reportNoFolder(_ folder: FilePath, _ kind: FileKind) {
        if folder == StoreLayout.quarantine {
            examination.canQuarantine = false
            return report(folder, .noQuarantine(kind))
        }
        reportReplaceable(folder, .unexpectedKind(kind, expected: .folder))
    }

    /// No program can use it in this form, so it may be moved: a missing file or folder is recreated.
    private func reportReplaceable(_ path: FilePath, _ what: Finding.What) {
        report(path, what) { try self.quarantine(path, what) && self.makeFolders() }
    }

    private func makeFolders() throws -> Bool {
        try store.outbox.makeFolders()
        try store.cache.makeFolders()
        return true
    }
}

import AuthorDrafts
import Disk
import Model
import SystemPackage

/// Examines the questionnaires that are being written on this device.
struct AuthorDraftExaminer: Examiner {
    let examination: Examination

    func examine() {
        let layout = StoreLayout.authorDrafts
        check(layout.folder) {
            guard try fileSystem.status(at: layout.folder)?.kind == .folder else { return }
            for entry in try fileSystem.list(layout.folder).sorted(by: { $0.name < $1.name })
            where !fileSystem.isTemporaryName(entry.name) {
                let path = layout.folder.appending(name: entry.name)
                guard entry.kind == .folder, let id = DraftLayout.id(ofFolder: entry.name) else {
                    reportMisnamed(path, entry)
                    continue
                }
                check(path) { try checkDraft(id) }
            }
        }
    }

    private func checkDraft(_ id: TestID) throws {
        let folder = StoreLayout.authorDrafts.folder(of: id)
        var versions: [Int] = []
        for entry in try fileSystem.list(folder).sorted(by: { $0.name < $1.name })
        where !fileSystem.isTemporaryName(entry.name) {
            if entry.kind == .folder, entry.name == ContentPath.folder {
                try checkMedia(of: id)
                continue
            }
            let version = DraftLayout.version(ofFile: entry.name)
            if let version, entry.kind == .regular { versions.append(version) }
            if version == nil || entry.kind != .regular { reportMisnamed(folder.appending(name: entry.name), entry) }
        }
        var damaged: [(version: Int, reason: String)] = []
        for version in versions.sorted() {
            check(StoreLayout.authorDrafts.state(version, of: id)) {
                if let reason = try draftDamage(version, of: id) { damaged.append((version, reason)) }
            }
        }
        let whole = versions.filter { version in !damaged.contains { $0.version == version } }
        for (version, reason) in damaged {
            let left: Finding.What.DraftStates =
                if let latest = whole.max() { latest > version ? .later : .earlier } else { .none }
            reportState(version, of: id, .unreadableDraft(reason: reason, left: left))
        }
    }

    /// Pictures and sounds are named by their content.
    private func checkMedia(of id: TestID) throws {
        let folder = StoreLayout.authorDrafts.media(of: id)
        for entry in try fileSystem.list(folder).sorted(by: { $0.name < $1.name })
        where !fileSystem.isTemporaryName(entry.name) {
            let path = folder.appending(name: entry.name)
            guard entry.kind == .regular, let medium = ContentPath(ContentPath.folder + "/" + entry.name) else {
                reportMisnamed(path, entry)
                continue
            }
            check(path) {
                let file = try fileSystem.readFileIfPresent(path, maximumBytes: Int64(DraftStore.maximumMediaBytes))
                guard let bytes = file?.bytes, Digest(sha256Of: bytes) != medium.digest else { return }
                reportForQuarantine(path, .damagedDraftMedium)
            }
        }
    }

    /// Why a saved state cannot be read; `nil` for one that can, and for one that was removed meanwhile.
    private func draftDamage(_ version: Int, of id: TestID) throws -> String? {
        do {
            _ = try LocalAuthoring.drafts(fileSystem, clock: store.clock).state(version, of: id)
            return nil
        } catch let damage as DamagedDraft {
            return damage.reason
        } catch let error as FileError where error.code == .fileTooLarge {
            return error.description
        }
    }

    private func reportState(_ version: Int, of id: TestID, _ what: Finding.What) {
        let path = StoreLayout.authorDrafts.state(version, of: id)
        report(path, what) {
            // Not while an author saves, and not a file that was restored meanwhile.
            try self.store.authoring.drafts().withLock {
                guard try self.draftDamage(version, of: id) != nil else { return true }
                return try self.quarantine(path, what)
            }
        }
    }

    private func reportMisnamed(_ path: FilePath, _ entry: FolderEntry) {
        // Links and pipes are named where the whole tree is looked at.
        guard entry.kind == .regular || entry.kind == .folder else { return }
        reportStranger(path, .misnamed(.authorDraft))
    }
}

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
                let path = layout.folder.appending(entry.name)
                guard entry.kind == .folder, let id = DraftLayout.id(ofFolder: entry.name) else {
                    reportWritingStranger(path, entry)
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
            if version == nil || entry.kind != .regular { reportWritingStranger(folder.appending(entry.name), entry) }
        }
        var damaged: [(version: Int, reason: String)] = []
        for version in versions.sorted() {
            check(StoreLayout.authorDrafts.state(version, of: id)) {
                if let reason = try draftDamage(version, of: id) { damaged.append((version, reason)) }
            }
        }
        let whole = versions.filter { version in !damaged.contains { $0.version == version } }
        for (version, reason) in damaged {
            reportState(version, of: id, reason, hasEarlier: whole.contains { $0 < version }, whole.max())
        }
    }

    /// Pictures and sounds are named by their content.
    private func checkMedia(of id: TestID) throws {
        let folder = StoreLayout.authorDrafts.media(of: id)
        for entry in try fileSystem.list(folder).sorted(by: { $0.name < $1.name })
        where !fileSystem.isTemporaryName(entry.name) {
            let path = folder.appending(entry.name)
            guard entry.kind == .regular, let medium = ContentPath(ContentPath.folder + "/" + entry.name) else {
                reportWritingStranger(path, entry)
                continue
            }
            check(path) {
                let file = try fileSystem.readFileIfPresent(path, maximumBytes: Int64(DraftStore.maximumMediaBytes))
                guard let bytes = file?.bytes, Digest(sha256Of: bytes) != medium.digest else { return }
                let what = say("a picture or sound of a draft is not what its name says")
                report(.damaged, path, what, quarantineAdvice + say(", then add the file to the draft again")) {
                    try self.quarantine(path, what)
                }
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

    /// - Parameter latest: the last state that can be read; `nil` where none can.
    private func reportState(_ version: Int, of id: TestID, _ reason: String, hasEarlier: Bool, _ latest: Int?) {
        let path = StoreLayout.authorDrafts.state(version, of: id)
        let what = say("a draft of a questionnaire cannot be read: \(reason)")
        let advice: String
        if latest.map({ $0 > version }) == true {
            advice =
                quarantineAdvice + say("; the draft was saved again after it, and Undo no longer returns to this state")
        } else if hasEarlier {
            advice =
                say("restore the file from a backup, or ") + quarantineAdvice
                + say("; then the draft is as it was saved before")
        } else {
            advice =
                say("restore the file from a backup, or ") + quarantineAdvice
                + say("; the draft has no other state and is then gone from the list")
        }
        report(.unreadable, path, what, advice) {
            // Not while an author saves, and not a file that was restored meanwhile.
            try self.store.authoring.drafts().withLock {
                guard try self.draftDamage(version, of: id) != nil else { return true }
                return try self.quarantine(path, what)
            }
        }
    }

    private func reportWritingStranger(_ path: FilePath, _ entry: FolderEntry) {
        // Links and pipes are named where the whole tree is looked at.
        guard entry.kind == .regular || entry.kind == .folder else { return }
        reportStranger(path, entry, say("its name is not that of a draft of a questionnaire"))
    }
}

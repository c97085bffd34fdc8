import Disk
import Model
import SystemPackage

/// The drafts of questionnaires that authors write: a folder for each, with one file for each saved state.
///
/// A state is written once and never changed. Of two authors who save the same number one is first, and the other one is
/// refused: nothing is overwritten. The greatest number counts. A lock file is held while drafts are saved, published and
/// removed: a state that was acknowledged does not go with one that its author did not see.
///
/// All calls block on the disk.
package struct DraftStore: Sendable {
    let fileSystem: any FileSystem
    let clock: any StoreClock
    package let layout: DraftLayout

    package init(fileSystem: any FileSystem, clock: any StoreClock, layout: DraftLayout) {
        self.fileSystem = fileSystem
        self.clock = clock
        self.layout = layout
    }

    /// Longer files are none of ours, and are not read.
    private static let maximumFileBytes: Int64 = 16 << 20

    /// So many states of a draft are kept.
    package static let keptStates = 100

    /// The latest state of each draft, in the order of their ids.
    ///
    /// - Throws: `DamagedDraft`, `FileError`.
    package func all() throws -> [AuthorDraft] {
        try ids().compactMap { try latest($0) }
    }

    /// The latest state of each draft that can be read, and the files that cannot.
    package func readable() throws -> (drafts: [AuthorDraft], damaged: [DamagedDraft]) {
        var found: (drafts: [AuthorDraft], damaged: [DamagedDraft]) = ([], [])
        for id in try ids() {
            do {
                if let draft = try latest(id) { found.drafts.append(draft) }
            } catch let damage as DamagedDraft {
                found.damaged.append(damage)
            }
        }
        return found
    }

    /// The latest state; `nil` when there is no such draft.
    ///
    /// - Throws: `DamagedDraft`, `FileError`.
    package func latest(_ id: TestID) throws -> AuthorDraft? {
        guard let last = try versions(of: id).last else { return nil }
        return try state(last, of: id)
    }

    /// A saved state; `nil` when it is not kept any more.
    package func state(_ version: Int, of id: TestID) throws -> AuthorDraft? {
        let path = layout.state(version, of: id)
        guard let bytes = try fileSystem.readFileIfPresent(path, maximumBytes: Self.maximumFileBytes)?.bytes else {
            return nil
        }
        do {
            let draft = try DocumentCoding.decode(AuthorDraft.self, from: bytes)
            guard draft.id == id, draft.version == version else {
                throw DocumentFault(field: "version", reason: "is not that of the file's name")
            }
            return draft
        } catch {
            throw DamagedDraft(file: fileSystem.root.pushing(path), reason: "\(error)")
        }
    }

    /// Saves a state durably.
    ///
    /// - Parameter draft: the state after the one that it was made from.
    /// - Returns: the saved state; `nil` when there is a later one by now, or the draft is gone.
    package func save(_ draft: AuthorDraft, by name: String?) throws -> AuthorDraft? {
        try withLock { try store(draft, by: name) }
    }

    /// Saves the first state of a draft that changes a published questionnaire, unless there is a draft of it.
    ///
    /// - Returns: the draft that is there.
    package func open(_ draft: AuthorDraft, by name: String?) throws -> AuthorDraft? {
        try withLock {
            if let known = try readable().drafts.first(where: { $0.questionnaire == draft.questionnaire }) {
                return known
            }
            return try store(draft.next(draft.document), by: name)
        }
    }

    private func store(_ draft: AuthorDraft, by name: String?) throws -> AuthorDraft? {
        let versions = try versions(of: draft.id)
        guard draft.version == (versions.last ?? 0) + 1 else { return nil }
        var draft = draft
        draft.savedAt = clock.now
        draft.savedBy = name
        let bytes = try DocumentCoding.encode(draft)
        guard bytes.count <= Questionnaire.maximumBytes else {
            throw DocumentFault(field: nil, reason: "the questionnaire is too long")
        }
        try fileSystem.makeDurableFolder(layout.folder)
        try fileSystem.makeDurableFolder(layout.folder(of: draft.id))
        let isFirst = try fileSystem.writeDurablyIfAbsent(
            bytes, to: layout.state(draft.version, of: draft.id), temporaryFolder: layout.temporary)
        guard isFirst else { return nil }
        for old in versions.dropLast(Self.keptStates - 1) {
            try fileSystem.removeIfPresent(layout.state(old, of: draft.id))
        }
        return draft
    }

    /// Removes a draft whatever its latest state is.
    package func remove(_ id: TestID) throws { try withLock { try removeStates(of: id) } }

    /// Removes a draft if no state was saved after the one that its author saw.
    ///
    /// - Returns: whether it was removed.
    package func remove(_ draft: AuthorDraft) throws -> Bool {
        try withLock {
            guard try isLatest(draft) else { return false }
            try removeStates(of: draft.id)
            return true
        }
    }

    /// Whether no state was saved after this one, nor the draft removed. The lock must be held.
    package func isLatest(_ draft: AuthorDraft) throws -> Bool {
        try versions(of: draft.id).last ?? 0 == draft.version
    }

    /// Carries something out while no other caller saves, publishes or removes a draft.
    package func withLock<Result>(_ act: () throws -> Result) throws -> Result {
        let lock = try LockFile.acquire(layout.lock, in: fileSystem, wait: true)
        defer { withExtendedLifetime(lock) {} }
        return try act()
    }

    /// The latest state goes last: after a crash the draft is there as before, or gone. The lock must be held.
    package func removeStates(of id: TestID) throws {
        for version in try versions(of: id) { try fileSystem.removeIfPresent(layout.state(version, of: id)) }
        guard try fileSystem.status(at: layout.folder(of: id)) != nil else { return }
        try removeMedia(of: id)
        do throws(FileError) {
            try fileSystem.removeFolder(layout.folder(of: id))
        } catch {
            // Someone put a file of their own into it. The states are gone all the same.
            try fileSystem.makeDurable(folder: layout.folder(of: id))
        }
        try fileSystem.makeDurable(folder: layout.folder)
    }

    private func ids() throws -> [TestID] {
        guard try fileSystem.status(at: layout.folder) != nil else { return [] }
        return try fileSystem.list(layout.folder).compactMap { DraftLayout.id(ofFolder: $0.name) }.sorted()
    }

    /// The numbers of the kept states, the latest one last.
    package func versions(of id: TestID) throws -> [Int] {
        guard try fileSystem.status(at: layout.folder(of: id)) != nil else { return [] }
        return try fileSystem.list(layout.folder(of: id)).compactMap { DraftLayout.version(ofFile: $0.name) }
            .sorted()
    }
}

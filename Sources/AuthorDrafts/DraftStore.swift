import Disk
import Model
import SystemPackage

/// The drafts of questionnaires that authors write: one document for each saved state.
///
/// A state is written once and never changed. Of two authors who save the same number one is first, and the other one is
/// refused: nothing is overwritten. The greatest number counts.
///
/// All calls block on the disk.
package struct DraftStore: Sendable {
    let files: any DraftFiles
    let clock: any StoreClock

    package init(files: any DraftFiles, clock: any StoreClock) {
        self.files = files
        self.clock = clock
    }

    package init(fileSystem: any FileSystem, clock: any StoreClock, layout: DraftLayout) {
        self.init(files: DraftFolder(fileSystem, layout), clock: clock)
    }

    /// Longer files are none of ours, and are not read.
    private static let maximumFileBytes: Int64 = 16 << 20

    /// So many states of a draft are kept.
    package static let keptStates = 100

    /// The latest state of each draft, in the order of their ids.
    ///
    /// - Throws: `DamagedDraft`, `FileError`.
    package func all() throws -> [AuthorDraft] {
        let found = try readable()
        if let damaged = found.damaged.first { throw damaged }
        return found.drafts
    }

    /// The latest state of each draft that can be read, and the files that cannot.
    package func readable() throws -> (drafts: [AuthorDraft], damaged: [DamagedDraft]) {
        let latest = try files.all().compactMap { id, versions in versions.last.map { (version: $0, id: id) } }
            .sorted { $0.id < $1.id }
        var found: (drafts: [AuthorDraft], damaged: [DamagedDraft]) = ([], [])
        for (state, bytes) in zip(latest, try files.bytes(ofEach: latest, maximumBytes: Self.maximumFileBytes)) {
            do throws(DamagedDraft) {
                if let bytes { found.drafts.append(try decoded(bytes, state.version, of: state.id)) }
            } catch {
                found.damaged.append(error)
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
        let found = try files.bytes(ofEach: [(version, id)], maximumBytes: Self.maximumFileBytes)
        return try found.first?.map { try decoded($0, version, of: id) }
    }

    /// The saved states that are whole, the latest first.
    package func readableStates(of id: TestID) throws -> [AuthorDraft] {
        let states = try files.states(of: id).versions.reversed().map { (version: $0, id: id) }
        return zip(states, try files.bytes(ofEach: states, maximumBytes: Self.maximumFileBytes)).compactMap {
            state, bytes in
            bytes.flatMap { try? decoded($0, state.version, of: id) }
        }
    }

    private func decoded(_ bytes: [UInt8], _ version: Int, of id: TestID) throws(DamagedDraft) -> AuthorDraft {
        do {
            let draft = try DocumentCoding.decode(AuthorDraft.self, from: bytes)
            guard draft.id == id, draft.version == version else {
                throw DocumentFault(field: "version", reason: "is not that of the file's name")
            }
            return draft
        } catch {
            throw DamagedDraft(file: files.place(of: version, of: id), reason: "\(error)")
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
            var first = draft.next(draft.document)
            while true {
                if let known = try readable().drafts.first(where: { $0.questionnaire == draft.questionnaire }) {
                    return known
                }
                let free = try draft.questionnaire.map { try files.freeID(forDraftOf: $0) } ?? nil
                if let free { first.id = free }
                // Where there are no locks, another writer may be quicker: then its draft is the one.
                if let stored = try store(first, by: name) { return stored }
                if free == nil { return nil }
            }
        }
    }

    /// Saves a document as the next state of a draft, or of a new one that changes a published questionnaire.
    ///
    /// - Parameter known: the draft of that questionnaire, as it was seen.
    /// - Returns: the id of the draft, and whether it is in this state: `false` where someone has saved another one meanwhile.
    package func take(
        _ document: JSONValue, _ known: AuthorDraft?, of original: OriginalDocument, by name: String?
    ) throws -> (id: TestID, isSaved: Bool) {
        if let known { return (known.id, try save(known.next(document), by: name) != nil) }
        let first = AuthorDraft(of: document, id: .random(), questionnaire: original.id, base: original.digest)
        let opened = try open(first, by: name)
        return (opened?.id ?? first.id, opened?.change == first.change)
    }

    private func store(_ draft: AuthorDraft, by name: String?) throws -> AuthorDraft? {
        let states = try files.states(of: draft.id)
        guard !states.isEnded, draft.version == (states.versions.last ?? 0) + 1 else { return nil }
        var draft = draft
        draft.savedAt = clock.now
        draft.savedBy = name
        let bytes = try DocumentCoding.encode(draft)
        guard bytes.count <= Questionnaire.maximumBytes else {
            throw DocumentFault(field: nil, reason: "the questionnaire is too long")
        }
        guard try files.put(bytes, draft.version, of: draft.id) else { return nil }
        try files.remove(states.versions.dropLast(Self.keptStates - 1), of: draft.id)
        return draft
    }

    /// Removes a draft whatever its latest state is.
    package func remove(_ id: TestID) throws {
        try withLock {
            // A state may be saved meanwhile.
            while try !files.end(id, after: versions(of: id).last ?? 0) {}
        }
    }

    /// Removes a draft if no state was saved after the one that its author saw.
    ///
    /// - Returns: whether it was removed.
    package func remove(_ draft: AuthorDraft) throws -> Bool {
        try withLock { try end(draft) }
    }

    /// Whether no state was saved after this one, nor the draft removed. The lock must be held.
    package func isLatest(_ draft: AuthorDraft) throws -> Bool {
        try versions(of: draft.id).last ?? 0 == draft.version
    }

    /// Carries something out while no other caller saves, publishes or removes a draft, where there are locks.
    package func withLock<Result>(_ act: () throws -> Result) throws -> Result { try files.locked(act) }

    /// Removes a draft if this is its latest state. The lock must be held.
    ///
    /// - Returns: whether it was removed; one that was never saved is gone already.
    @discardableResult
    package func end(_ draft: AuthorDraft) throws -> Bool {
        guard try isLatest(draft) else { return false }
        return draft.version == 0 ? true : try files.end(draft.id, after: draft.version)
    }

    /// The numbers of the kept states, the latest one last.
    package func versions(of id: TestID) throws -> [Int] { try files.states(of: id).versions }
}

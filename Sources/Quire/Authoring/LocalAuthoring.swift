import AuthorDrafts
import CacheStore
import Disk
import Model
import OutboxStore

/// Writes and publishes questionnaires on this device. All of it blocks on the disk.
package struct LocalAuthoring: Sendable {
    let store: QuireStore

    var outbox: Outbox { store.outbox }
    var clock: any StoreClock { store.clock }
    var fileSystem: any FileSystem { store.fileSystem }
    var documents: QuestionnaireDocuments { store.documents }
    var changes: QuestionnaireChanges { store.questionnaireChanges }

    /// The questionnaires that are being written here.
    package func drafts() throws -> DraftStore {
        // The folder of half-written files is the outbox's.
        try outbox.makeFolders()
        return Self.drafts(fileSystem, clock: clock)
    }

    static func drafts(_ fileSystem: any FileSystem, clock: any StoreClock) -> DraftStore {
        DraftStore(fileSystem: fileSystem, clock: clock, layout: StoreLayout.authorDrafts)
    }

    /// A questionnaire as its author wrote it, where it is on this device. Its key is there while the version is the one that
    /// was written here; what a server publishes has none.
    ///
    /// The digest names the version: it stays the same while a change is delivered and the server's copy of it is fetched.
    ///
    /// - Parameter id: either of its ids, where it was made here.
    /// - Returns: `nil` where it is not here, or was deleted.
    package func original(_ id: String) throws -> OriginalDocument? {
        guard let opened = try documents.openHere(id: id) else { return nil }
        let id = opened.permanentID
        guard let written = try writtenHere(opened) else {
            return OriginalDocument(id: id, bytes: opened.bytes, digest: opened.digest)
        }
        return OriginalDocument(
            id: id, bytes: try Self.adding(keyOf: written, to: opened.bytes), digest: Digest(sha256Of: written))
    }

    /// Whether the version that is here was written here, so that its key is known.
    package func isWrittenHere(_ id: String) throws -> Bool {
        try documents.openHere(id: id).map { try writtenHere($0) != nil } ?? false
    }

    /// Publishes a draft as a change that the next sync sends, as ``QuireStore/create(_:)`` and
    /// ``QuireStore/edit(_:to:)`` do, and removes it then.
    ///
    /// Repeated after a crash, it changes nothing more: a new questionnaire has the id of its draft, and one that takes the place of
    /// a deleted one that of the draft's change.
    ///
    /// - Parameter replaces: whether a version is replaced that the draft was not made from, or one that was deleted.
    /// - Throws: `DocumentFault` for a document that is not right.
    package func publish(_ draft: AuthorDraft, replaces: Bool = false) throws -> DraftPublishing {
        let drafts = try drafts()
        return try drafts.withLock {
            guard try drafts.isLatest(draft) else { return .savedMeanwhile }
            let outcome = try carryOut(draft, replaces: replaces)
            if case .published = outcome { try drafts.end(draft) }
            return outcome
        }
    }

    private func carryOut(_ draft: AuthorDraft, replaces: Bool) throws -> DraftPublishing {
        let id = draft.questionnaire ?? draft.id.description
        guard let current = try documents.openHere(id: id), let original = try original(id) else {
            // It was deleted, or never made.
            let isNew = try draft.questionnaire == nil && store.localQuestionnaires().local(id) == nil
            let newID = isNew ? draft.id : draft.change
            if !isNew, let made = try documents.openHere(id: newID.description) { return .published(made.permanentID) }
            guard isNew || replaces else { return .changedMeanwhile }
            let document = try DocumentCoding.encode(draft.document)
            return .published(
                try withFiles(of: draft, document) { try changes.create(document, as: newID, files: $0).id })
        }
        guard case .object(var members) = draft.document else {
            throw DocumentFault(field: nil, reason: "is no object")
        }
        let currentID = JSONValue.string(current.questionnaire.id)
        members["id"] = currentID
        if AnswerKey.memberNames.isDisjoint(with: members.keys), try Self.hasKey(original.bytes) {
            // A document without any key would get that of the version before.
            members["key"] = .object([:])
        }
        // Nothing was changed, or a crash after publishing left the draft.
        if case .object(var known) = try DocumentCoding.decode(JSONValue.self, from: original.bytes) {
            known["id"] = currentID
            if known == members { return .published(current.permanentID) }
        }
        guard original.digest == draft.base || replaces else { return .changedMeanwhile }
        let document = try DocumentCoding.encode(JSONValue.object(members))
        try withFiles(of: draft, document) { _ = try changes.edit(current, to: document, files: $0) }
        return .published(current.permanentID)
    }

    /// Carries a change out with copies of the draft's files that the document names: they are sent after it.
    private func withFiles<Result>(
        of draft: AuthorDraft, _ document: [UInt8], _ change: ([SpooledMedia]) throws -> Result
    ) throws -> Result {
        let paths = try AnswerKey.checkedQuestionnaire(json: document).contentPaths
        var files: [SpooledMedia] = []
        do {
            for path in paths.sorted(by: { $0.description < $1.description }) {
                guard var bytes = try drafts().media(path, of: draft.id) else { continue }
                files.append(
                    try outbox.media.spool(named: path.fileName) {
                        defer { bytes = [] }
                        return bytes
                    })
            }
            return try change(files)
        } catch {
            for file in files { outbox.media.giveUp(file) }
            throw error
        }
    }

    /// The document of the last change that was made here, if the opened version is that; `nil` for any other.
    private func writtenHere(_ opened: OpenedDocument) throws -> [UInt8]? {
        if let local = opened.local { return local.change.document }
        guard let local = try store.localQuestionnaires().local(opened.permanentID), local.status.isDelivered,
            local.digest == opened.digest
        else { return nil }
        return local.change.document
    }

    private static func adding(keyOf written: [UInt8], to bytes: [UInt8]) throws -> [UInt8] {
        guard written != bytes, case .object(let known) = try DocumentCoding.decode(JSONValue.self, from: written),
            case .object(var members) = try DocumentCoding.decode(JSONValue.self, from: bytes)
        else { return bytes }
        for name in AnswerKey.memberNames where members[name] == nil { members[name] = known[name] }
        return try DocumentCoding.encode(JSONValue.object(members))
    }

    /// Whether a document has a key of one of the forms.
    package static func hasKey(_ bytes: [UInt8]) throws -> Bool {
        guard case .object(let members) = try DocumentCoding.decode(JSONValue.self, from: bytes) else { return false }
        return !AnswerKey.memberNames.isDisjoint(with: members.keys)
    }
}

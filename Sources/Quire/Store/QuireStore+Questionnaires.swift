import CacheStore
import Model
import OutboxStore
import Sync
import SystemPackage

/// The questionnaires on this device.
extension QuireStore {
    /// The questionnaires on this device.
    public func library(sortedBy order: LibraryOrder = .title) throws -> [LibraryItem] {
        try localLibrary.items(sortedBy: order)
    }

    /// The questionnaires that have all the words of `text`.
    ///
    /// - Parameter scope: the titles alone, which needs the index of the list only, or everything.
    public func search(
        _ text: String, in scope: Cache.SearchScope = .everything
    ) throws -> [(item: LibraryItem, isInTitle: Bool)] {
        try localLibrary.search(text, in: scope)
    }

    /// Opens a questionnaire: from this device where it may be used, without waiting for the network; from the remote
    /// where it is not here, or where its server wants to be asked first.
    ///
    /// - Parameter id: either of its ids, where it was made here.
    /// - Throws: `StoreError` when it is to be had from neither.
    public nonisolated(nonsending) func open(
        id: String, remote: (any Remote)?, isOffline: Bool = false
    ) async throws -> OpenedDocument {
        try await documents.open(id: id, remote: remote, isOffline: isOffline)
    }

    /// The exact version that a test was started with, as the test shows it: the questions that it has, in its order; `nil` if
    /// the version is no longer here.
    public func questionnaire(of record: TestRecord) throws -> Questionnaire? {
        try documents.questionnaire(of: record)
    }

    // MARK: Changing

    /// Makes a questionnaire on this device. When this returns, it survives a crash.
    ///
    /// - Parameter document: its JSON; the id in it is replaced by the one that it gets here.
    /// - Returns: its permanent id.
    /// - Throws: `DocumentFault` for an invalid questionnaire, or a key that no answer can match.
    @discardableResult
    public func create(_ document: [UInt8]) throws -> (id: String, stored: StoredChange) {
        try questionnaireChanges.create(document, as: .random())
    }

    /// Changes a questionnaire, on the base of the version that is on this device.
    ///
    /// - Parameters:
    ///   - opened: the version that the person has seen and changed.
    ///   - document: its JSON now; its id must be the same.
    /// - Throws: `DocumentFault` for an invalid questionnaire, `StoreError.changedSince` if it was changed here since
    ///   it was opened.
    @discardableResult
    public func edit(_ opened: OpenedDocument, to document: [UInt8]) throws -> StoredChange {
        try questionnaireChanges.edit(opened, to: document, files: [])
    }

    /// Deletes a questionnaire. One that was made here and that no server can have seen is taken back instead, with all
    /// that was done to it.
    ///
    /// - Returns: the deletion that waits to be sent; `nil` where nothing is left to be sent.
    /// - Throws: `StoreError.changedSince` where it was changed here since it was opened.
    @discardableResult
    public func delete(_ opened: OpenedDocument) throws -> StoredChange? {
        try questionnaireChanges.delete(opened)
    }

    /// Attaches a file to a question. When this returns, the file, and the change of the questionnaire that names it, survive
    /// a crash.
    ///
    /// The same file at the same question is attached once.
    ///
    /// - Parameters:
    ///   - name: its name here; the file's own name if `nil`.
    ///   - mediaType: derived from the name if `nil`.
    /// - Returns: the change, `nil` if the question names the file already; and the attachment that waits for it.
    /// - Throws: `OutboxError.unfit` for a file that cannot be attached, `AnswerFault` for a question that the
    ///   questionnaire does not have.
    public func attach(
        _ file: FilePath, to opened: OpenedDocument, questionId: String, name: String? = nil, mediaType: String? = nil
    ) throws -> (change: StoredChange?, medium: StoredChange) {
        try questionnaireAttachments.attach(
            file, to: opened, questionId: questionId, name: name, mediaType: mediaType)
    }

    /// Removes a file from a question, and withdraws its waiting attachment if nothing else shows it.
    ///
    /// - Parameter name: as the question names it, with or without folders; its original name when it was attached
    ///   here; or the path of a file with the same content.
    @discardableResult
    public func detach(_ name: String, questionId: String, from opened: OpenedDocument) throws -> StoredChange {
        try questionnaireAttachments.detach(name, questionId: questionId, from: opened)
    }

    /// Makes a questionnaire a favourite, or none, here at once and on the server with the next sync. A favourite that is
    /// set and unset again before anybody heard of it is not spoken of.
    public func setFavorite(_ id: String, title: String, _ isFavorite: Bool) throws {
        try questionnaireChanges.setFavorite(id, title: title, isFavorite)
    }

    /// The questionnaires that wait for the person's decision.
    public func conflicts() throws -> [QuestionnaireConflict] {
        try outbox.conflicts.all().map(QuestionnaireConflict.init)
    }

    /// Settles a conflict. The rejected version moves to quarantine.
    ///
    /// - Parameter prefix: the id of the change, or its beginning, or that of the questionnaire.
    /// - Throws: `OutboxError.noConflict`, `.notBoth`.
    @discardableResult
    public func resolve(_ prefix: String, _ choice: ConflictChoice) throws -> StoredChange? {
        try questionnaireChanges.resolve(prefix, choice)
    }
}

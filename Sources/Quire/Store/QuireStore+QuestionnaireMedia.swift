import CacheStore
import Disk
import Model
import OutboxStore
import Sync
import SystemPackage

/// Files that belong to questionnaires which are made or changed here.
extension QuireStore {
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
        let name = try Self.attachmentName(name, of: file)
        let content = try Self.open(file)
        _ = try Self.checkedKind(name: name, mediaType: mediaType)
        try Self.checkQuestion(questionId, of: opened.questionnaire)
        return try attach(
            try outbox.media.spool(named: name, from: content), to: opened, questionId: questionId, name: name,
            mediaType: mediaType)
    }

    private static func checkedKind(name: String, mediaType: String?) throws -> String {
        let type = try checked(name: name, mediaType: mediaType)
        guard type != MediaType.unknown else {
            throw OutboxError.unfit(
                file: "“\(name)”",
                reason: "its name does not show its type: set it with --type, like image/png")
        }
        return type
    }

    /// The same with received bytes.
    package func attach(
        _ spooled: SpooledMedia, to opened: OpenedDocument, questionId: String, name: String, mediaType: String?
    ) throws -> (change: StoredChange?, medium: StoredChange) {
        let type: String
        do {
            type = try Self.checkedKind(name: name, mediaType: mediaType)
        } catch {
            outbox.media.giveUp(spooled)
            throw error
        }
        let path = ContentPath(spooled.digest, mediaType: type)
        let medium = QuestionnaireMedium(
            path: path, questionnaire: opened.permanentID, title: opened.questionnaire.title, questionId: questionId,
            name: name, mediaType: type)
        let made = try outbox.localChanges.attach(spooled, medium, deviceID: settings.deviceId) {
            let current = try latest(opened)
            try Self.checkQuestion(questionId, of: current.questionnaire)
            let media = current.questionnaire.question(questionId)?.media ?? []
            if media.contains(where: { $0.path == path.description }) { return nil }
            let document = try Questionnaire.document(
                current.bytes, adding: Media(path: path.description, type: type), to: questionId)
            guard document.count <= Questionnaire.maximumBytes else {
                throw DocumentFault(field: nil, reason: "the questionnaire gets too long")
            }
            return making(opened, .edit, title: current.questionnaire.title, document: document)
        }
        journal.record(
            "attached", change: made.medium.item.id, questionnaire: opened.permanentID,
            title: opened.questionnaire.title, detail: name)
        return made
    }

    /// Removes a file from a question, and withdraws its waiting attachment if nothing else shows it.
    ///
    /// - Parameter name: as the question names it, with or without folders; its original name when it was attached
    ///   here; or the path of a file with the same content.
    @discardableResult
    public func detach(_ name: String, questionId: String, from opened: OpenedDocument) throws -> StoredChange {
        let waiting = try outbox.changes(.media)
        func path(in questionnaire: Questionnaire) throws -> String {
            try Self.checkQuestion(questionId, of: questionnaire)
            let paths = (questionnaire.question(questionId)?.media ?? []).map(\.path)
            let named = Set(
                waiting.compactMap { stored -> String? in
                    guard case .media(let media) = stored.change, media.name == name else { return nil }
                    return media.owner.path?.description
                })
            if let path = paths.first(where: { $0 == name })
                ?? paths.first(where: { $0.split(separator: "/").last.map(String.init) == name })
                ?? paths.first(where: named.contains)
            {
                return path
            }
            if let digest = try? Self.open(FilePath(name)).digest(),
                let path = paths.first(where: { ContentPath($0)?.digest == digest })
            {
                return path
            }
            throw AnswerFault(questionId: questionId, reason: "it shows no file “\(name)”")
        }
        let shown = try path(in: try latest(opened).questionnaire)
        let stored = try outbox.localChanges.detach(ContentPath(shown), deviceID: settings.deviceId) {
            let current = try latest(opened)
            let document = try Questionnaire.document(
                current.bytes, removing: try path(in: current.questionnaire), from: questionId)
            return making(opened, .edit, title: current.questionnaire.title, document: document)
        }
        journal.record(
            "edited", change: stored.item.id, questionnaire: opened.permanentID, title: stored.change.title)
        return stored
    }

    private static func checkQuestion(_ id: String, of questionnaire: Questionnaire) throws(AnswerFault) {
        if questionnaire.question(id) == nil {
            throw AnswerFault(questionId: id, reason: "the questionnaire has no such question")
        }
    }

    /// The current questionnaire: it may have been changed here since it was opened.
    private func latest(_ opened: OpenedDocument) throws -> (questionnaire: Questionnaire, bytes: [UInt8]) {
        guard let local = try localQuestionnaires().local(opened.permanentID),
            local.counts(beside: opened.entry?.digest)
        else { return (opened.questionnaire, opened.bytes) }
        guard let document = local.change.document else { throw StoreError.deletedHere(id: opened.permanentID) }
        return (try Questionnaire(json: document), document)
    }
}

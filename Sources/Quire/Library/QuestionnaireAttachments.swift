import CacheStore
import Disk
import Model
import OutboxStore
import Sync
import SystemPackage

/// Attaches files to the questions of questionnaires that are made or changed here.
package struct QuestionnaireAttachments: Sendable {
    let store: QuireStore

    private var outbox: Outbox { store.outbox }
    private var journal: Journal { store.journal }
    private var settings: StoreSettings { store.settings }
    private var changes: QuestionnaireChanges { store.questionnaireChanges }

    /// See ``QuireStore/attach(_:to:questionId:name:mediaType:)``.
    func attach(
        _ file: FilePath, to opened: OpenedDocument, questionId: String, name: String? = nil, mediaType: String? = nil
    ) throws -> (change: StoredChange?, medium: StoredChange) {
        let name = try AttachedFile.name(name, of: file)
        let content = try AttachedFile.open(file)
        _ = try Self.checkedKind(name: name, mediaType: mediaType)
        try Self.checkQuestion(questionId, of: opened.questionnaire)
        return try attach(
            try outbox.media.spool(named: name, from: content), to: opened, questionId: questionId, name: name,
            mediaType: mediaType)
    }

    private static func checkedKind(name: String, mediaType: String?) throws -> String {
        let type = try AttachedFile.mediaType(name: name, mediaType: mediaType)
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
            return changes.making(opened, .edit, title: current.questionnaire.title, document: document)
        }
        journal.record(
            "attached", change: made.medium.item.id, questionnaire: opened.permanentID,
            title: opened.questionnaire.title, detail: name)
        return made
    }

    /// See ``QuireStore/detach(_:questionId:from:)``.
    @discardableResult
    func detach(_ name: String, questionId: String, from opened: OpenedDocument) throws -> StoredChange {
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
            if let digest = try? AttachedFile.open(FilePath(name)).digest(),
                let path = paths.first(where: { ContentPath($0)?.digest == digest })
            {
                return path
            }
            throw AnswerFault(questionId: questionId, reason: .noShownFile(name))
        }
        let shown = try path(in: try latest(opened).questionnaire)
        let stored = try outbox.localChanges.detach(ContentPath(shown), deviceID: settings.deviceId) {
            let current = try latest(opened)
            let document = try Questionnaire.document(
                current.bytes, removing: try path(in: current.questionnaire), from: questionId)
            return changes.making(opened, .edit, title: current.questionnaire.title, document: document)
        }
        journal.record(
            "edited", change: stored.item.id, questionnaire: opened.permanentID, title: stored.change.title)
        return stored
    }

    private static func checkQuestion(_ id: String, of questionnaire: Questionnaire) throws(AnswerFault) {
        if questionnaire.question(id) == nil {
            throw AnswerFault(questionId: id, reason: .noQuestion(questionnaire: nil))
        }
    }

    /// The current questionnaire: it may have been changed here since it was opened.
    private func latest(_ opened: OpenedDocument) throws -> (questionnaire: Questionnaire, bytes: [UInt8]) {
        guard let local = try store.localQuestionnaires().local(opened.permanentID),
            local.counts(beside: opened.entry?.digest)
        else { return (opened.questionnaire, opened.bytes) }
        guard let document = local.change.document else { throw StoreError.deletedHere(id: opened.permanentID) }
        return (try Questionnaire(json: document), document)
    }

    /// The files that were attached to a questionnaire here, and where they stand, by the paths that its questions name.
    ///
    /// - Parameter id: its permanent id.
    package func lines(of id: String) throws -> [String: QuireStore.AttachmentLine] {
        var lines: [String: QuireStore.AttachmentLine] = [:]
        for stored in try outbox.changes(.media) {
            guard case .media(let media) = stored.change, let path = media.owner.path, media.questionnaire == id else {
                continue
            }
            // Sent before and attached again: the waiting one is reported.
            if let known = lines[path.description]?.status, !known.isDelivered { continue }
            // A damaged one is named by doctor.
            let receipt = try? outbox.receipt(stored.item)
            lines[path.description] = QuireStore.AttachmentLine(
                attachment: media.attachment, status: stored.item.status, delivery: receipt?.delivery,
                medium: receipt?.keptAt.map { _ in store.medium }, isHere: try outbox.media.hasBytes(media.digest))
        }
        return lines
    }
}

import CacheStore
import Model
import OutboxStore
import Sync

/// Makes, edits and deletes questionnaires on this device, as changes on their way to the server, and settles their conflicts.
package struct QuestionnaireChanges: Sendable {
    let store: QuireStore

    private var outbox: Outbox { store.outbox }
    private var marks: Marks { store.marks }
    private var journal: Journal { store.journal }
    private var settings: StoreSettings { store.settings }

    /// The last change of a questionnaire that no server has acknowledged, else of its being a favourite.
    package func openChange(ofQuestionnaire id: String) throws -> OutboxItem? {
        let permanent = try store.localQuestionnaires().permanentID(id)
        let open = try outbox.changes().filter {
            $0.item.kind != .media && !$0.item.status.isDelivered && $0.change.questionnaire == permanent
        }
        return (open.last { $0.item.kind == .questionnaire } ?? open.last)?.item
    }

    /// Makes a questionnaire on this device under an id that no other one has.
    @discardableResult
    func create(
        _ document: [UInt8], as newID: TestID, files: [SpooledMedia] = []
    ) throws -> (id: String, stored: StoredChange) {
        let id = newID.description
        let named = try QuestionnaireChange.document(document, named: id)
        let questionnaire = try AnswerKey.checkedQuestionnaire(json: named)
        let stored = try outbox.localChanges.add(deviceID: settings.deviceId, files: files) { change, now, sequence in
            .questionnaire(
                QuestionnaireChange(
                    id: change, action: .create, questionnaire: id, title: questionnaire.title, dateChanged: now,
                    deviceId: settings.deviceId, sequence: sequence, document: named))
        }
        journal.record("created", change: stored.item.id, questionnaire: id, title: questionnaire.title)
        return (id, stored)
    }

    /// As ``QuireStore/edit(_:to:)``.
    ///
    /// - Parameter files: what belongs to the document, sent after it.
    @discardableResult
    func edit(
        _ opened: OpenedDocument, to document: [UInt8], files: [SpooledMedia]
    ) throws -> StoredChange {
        let questionnaire = try AnswerKey.checkedQuestionnaire(json: document)
        guard questionnaire.id.utf8.elementsEqual(opened.questionnaire.id.utf8) else {
            throw DocumentFault(field: "id", reason: "must stay “\(opened.questionnaire.id)”")
        }
        let stored = try change(opened, .edit, title: questionnaire.title, document: document, files)
        journal.record(
            "edited", change: stored.item.id, questionnaire: stored.change.questionnaire, title: questionnaire.title)
        return stored
    }

    /// See ``QuireStore/delete(_:)``.
    @discardableResult
    func delete(_ opened: OpenedDocument) throws -> StoredChange? {
        try checkUnchanged(opened)
        let id = opened.permanentID
        let mine = try outbox.changes(.questionnaire).filter { $0.change.questionnaire == id }
        journal.record("deleted", questionnaire: id, title: opened.questionnaire.title)
        if let first = mine.first, first.change.action == .create, mine.allSatisfy({ $0.item.status == .done }),
            try outbox.localChanges.takeBack(mine.map(\.item.id), reason: "it was deleted before it was sent")
        {
            return nil
        }
        return try change(opened, .delete, title: opened.questionnaire.title, document: nil)
    }

    private func change(
        _ opened: OpenedDocument, _ action: ChangeAction, title: String, document: [UInt8]?,
        _ files: [SpooledMedia] = []
    ) throws -> StoredChange {
        let make = making(opened, action, title: title, document: document)
        return try outbox.localChanges.add(deviceID: settings.deviceId, files: files) { change, now, sequence in
            try checkUnchanged(opened)
            return try make(change, now, sequence)
        }
    }

    /// A decision must be about the current version.
    private func checkUnchanged(_ opened: OpenedDocument) throws {
        let latest = try store.localQuestionnaires().local(opened.permanentID)
        if latest?.change.id == opened.local?.change.id { return }
        // A delivered local change from long ago no longer counts beside the opened document.
        if opened.local == nil, let latest, !latest.counts(beside: opened.entry?.digest) { return }
        throw StoreError.changedSince(id: opened.permanentID)
    }

    /// Makes a change based on the version on this device.
    func making(
        _ opened: OpenedDocument, _ action: ChangeAction, title: String, document: [UInt8]?
    ) -> LocalChanges.ChangeMaking {
        let id = opened.permanentID
        return { [self] change, now, sequence in
            var made = QuestionnaireChange(
                id: change, action: action, questionnaire: id, title: title, dateChanged: now,
                deviceId: settings.deviceId, sequence: sequence, document: document)
            // As it is now: a sweep may have moved it meanwhile, which changes neither.
            if let latest = try store.localQuestionnaires().local(id), latest.counts(beside: opened.entry?.digest) {
                made.after = latest.change.id
                made.base = latest.change.base
            } else if let entry = opened.entry {
                made.base = base(entry)
            }
            return .questionnaire(made)
        }
    }

    /// The server's version that is in the cache: of one that was edited there, the one before the edit.
    private func base(_ entry: CacheEntry) -> QuestionnaireChange.Base? {
        let digest = entry.edited?.from ?? entry.digest
        let etag = entry.response.fields[.eTag] ?? "\"\(digest.hex)\""
        return .init(etag: etag, digest: digest, updatedAt: entry.document?.updatedAt)
    }

    // MARK: Conflicts

    /// See ``QuireStore/resolve(_:_:)``.
    @discardableResult
    func resolve(_ prefix: String, _ choice: ConflictChoice) throws -> StoredChange? {
        let all = try outbox.conflicts.all()
        let local = try store.localQuestionnaires()
        let wanted = prefix.lowercased()
        let found = all.filter {
            $0.stored.item.id.description.hasPrefix(wanted) && !wanted.isEmpty
                || $0.mine.questionnaire == local.permanentID(prefix)
        }
        guard let conflict = found.first else { throw OutboxError.noConflict(prefix) }
        guard found.count == 1 else { throw OutboxError.ambiguous(prefix, count: found.count) }
        guard conflict.choices.contains(choice) else { throw OutboxError.notBoth(conflict.stored.item.id) }
        let made = try outbox.conflicts.resolve(conflict.stored.item.id, choice, deviceID: settings.deviceId)
        journal.record(
            "resolved", change: conflict.stored.item.id, questionnaire: conflict.mine.questionnaire,
            title: conflict.mine.title, detail: choice.rawValue)
        return made
    }

    // MARK: Favourites

    /// See ``QuireStore/setFavorite(_:title:_:)``.
    func setFavorite(_ id: String, title: String, _ isFavorite: Bool) throws {
        let permanent = try store.localQuestionnaires().permanentID(id)
        let wasFavorite = try !marks.ids(.favorite).isDisjoint(with: [id, permanent])
        if isFavorite {
            try marks.set(.favorite, id: permanent)
        } else {
            for one in Set([id, permanent]) { try marks.unset(.favorite, id: one) }
        }
        // A store without a server needs no change to send.
        guard settings.remote != nil, wasFavorite != isFavorite else { return }
        let waiting = try outbox.changes(.favorite).filter {
            $0.change.questionnaire == permanent && $0.item.status == .done
        }
        if let last = waiting.last, last.change.action == (isFavorite ? .unfavorite : .favorite),
            try outbox.localChanges.takeBack([last.item.id], reason: "it was taken back before it was sent")
        {
            return
        }
        try outbox.localChanges.add(deviceID: settings.deviceId) { change, now, sequence in
            .favorite(
                FavoriteChange(
                    id: change, questionnaire: permanent, title: title, favorite: isFavorite, dateChanged: now,
                    deviceId: settings.deviceId, sequence: sequence))
        }
    }
}

import CacheStore
import Disk
import Model
import OutboxStore

/// The questionnaires as they were changed on this device, and the two ids of those that were made here.
///
/// Waiting changes count at once, as if they had been sent; sent changes count until the cache has them.
package struct LocalQuestionnaires: Sendable {
    /// The latest change of one questionnaire.
    package struct Local: Sendable, Hashable {
        package var stored: StoredChange
        package var change: QuestionnaireChange
        /// The server's id, learned from a receipt.
        package var serverId: String?
        /// The digests that the server's document had before the latest change.
        var formerDigests: Set<Digest> = []
        /// The digest that it has since, where the server has acknowledged it.
        var digest: Digest?
        /// Attempts that did not end in an acknowledgement.
        package var delivery: Receipt.Delivery?
        /// Whether a hub has it and has not forwarded it yet.
        package var isKept = false
        /// Whether it was made on this device; then the cache may not have had it yet.
        package var isMadeHere: Bool

        package var status: TestStatus { stored.item.status }
        package var isDeletion: Bool { change.action == .delete }

        /// Whether a complete list was fetched since its delivery: if the cache does not have it then, it was deleted
        /// elsewhere.
        var isListedSince = false

        /// Whether this is the version to show, although the cache has a document of this digest.
        func counts(beside cached: Digest?) -> Bool {
            guard status.isDelivered else { return true }
            guard let cached else { return !isListedSince }
            return formerDigests.contains(cached)
        }
    }

    /// By the permanent ids.
    package private(set) var all: [String: Local] = [:]
    private var permanentIDs: [String: String] = [:]

    /// - Parameter listedAt: when the server was last asked for all that it has.
    init(outbox: Outbox, listedAt: () -> Timestamp?) throws {
        // Read only where it matters.
        lazy var listedAt = listedAt()
        for stored in try outbox.changes(.questionnaire) {
            guard case .questionnaire(let change) = stored.change else { continue }
            let former = all[change.questionnaire]
            let receipt = try? outbox.receipt(stored.item)
            var local = Local(
                stored: stored, change: change, serverId: former?.serverId,
                isMadeHere: former?.isMadeHere ?? (change.action == .create))
            local.formerDigests = former?.formerDigests ?? []
            local.formerDigests.formUnion(change.base?.digests ?? [])
            if let digest = former?.digest { local.formerDigests.insert(digest) }
            local.delivery = receipt?.delivery
            local.isKept = stored.item.status.isWaiting && receipt?.keptAt != nil
            if stored.item.status.isDelivered, local.isMadeHere, let listedAt,
                let deliveredAt = try? outbox.receiptTime(stored.item)
            {
                local.isListedSince = deliveredAt < listedAt
            }
            if stored.item.status.isDelivered, let published = receipt?.published {
                local.digest = published.digest
                if published.id != change.questionnaire {
                    local.serverId = published.id
                    permanentIDs[published.id] = change.questionnaire
                }
            }
            all[change.questionnaire] = local
        }
    }

    /// The permanent id of a questionnaire, whichever of its ids is given.
    package func permanentID(_ id: String) -> String { permanentIDs[id] ?? id }

    package func local(_ id: String) -> Local? { all[permanentID(id)] }

    /// The id under which the server, and so the cache, knows a questionnaire.
    package func serverID(_ id: String) -> String { local(id)?.serverId ?? id }
}

extension QuireStore {
    package func localQuestionnaires() throws -> LocalQuestionnaires {
        try LocalQuestionnaires(outbox: outbox) { journal.contact()?.lastListing }
    }

    /// Whether a questionnaire of this id is listed here, or was changed here.
    package func hasQuestionnaire(_ id: String) throws -> Bool {
        if try localQuestionnaires().local(id) != nil { return true }
        return try library().contains { [$0.id, $0.serverId].contains(id) }
    }

    /// The last change of a questionnaire that no server has acknowledged, else of its being a favourite.
    package func openChange(ofQuestionnaire id: String) throws -> OutboxItem? {
        let permanent = try localQuestionnaires().permanentID(id)
        let open = try outbox.changes().filter {
            $0.item.kind != .media && !$0.item.status.isDelivered && $0.change.questionnaire == permanent
        }
        return (open.last { $0.item.kind == .questionnaire } ?? open.last)?.item
    }

    // MARK: Changing

    /// Makes a questionnaire on this device. When this returns, it survives a crash.
    ///
    /// - Parameter document: its JSON; the id in it is replaced by the one that it gets here.
    /// - Returns: its permanent id.
    /// - Throws: `DocumentFault` for an invalid questionnaire, or a key that no answer can match.
    @discardableResult
    public func create(_ document: [UInt8]) throws -> (id: String, stored: StoredChange) {
        try create(document, as: .random())
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

    /// Changes a questionnaire, on the base of the version that is on this device.
    ///
    /// - Parameters:
    ///   - opened: the version that the person has seen and changed.
    ///   - document: its JSON now; its id must be the same.
    /// - Throws: `DocumentFault` for an invalid questionnaire, `StoreError.changedSince` if it was changed here since
    ///   it was opened.
    @discardableResult
    public func edit(_ opened: OpenedDocument, to document: [UInt8]) throws -> StoredChange {
        try edit(opened, to: document, files: [])
    }

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

    /// Deletes a questionnaire. One that was made here and that no server can have seen is taken back instead, with all
    /// that was done to it.
    ///
    /// - Returns: the deletion that waits to be sent; `nil` where nothing is left to be sent.
    /// - Throws: `StoreError.changedSince` where it was changed here since it was opened.
    @discardableResult
    public func delete(_ opened: OpenedDocument) throws -> StoredChange? {
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
        let latest = try localQuestionnaires().local(opened.permanentID)
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
            if let latest = try localQuestionnaires().local(id), latest.counts(beside: opened.entry?.digest) {
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

    // MARK: Favourites

    /// Makes a questionnaire a favourite, or none, here at once and on the server with the next sync. A favourite that is
    /// set and unset again before anybody heard of it is not spoken of.
    public func setFavorite(_ id: String, title: String, _ isFavorite: Bool) throws {
        let permanent = try localQuestionnaires().permanentID(id)
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

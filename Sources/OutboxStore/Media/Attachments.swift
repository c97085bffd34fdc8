import Disk
import Model
import SystemPackage

/// The items of attachments: each waits in `done` for the test or the questionnaire that it belongs to.
///
/// A draft, or a questionnaire, names its files with their digests; their bytes are in `media` (``OutboxMedia``). When the test is
/// finished, each gets a file of its own in `done` that waits for the test: it can be recreated from the test alone. The file of a
/// questionnaire can be recreated from a waiting change and the bytes.
package struct Attachments: Sendable {
    let outbox: Outbox

    var fileSystem: any FileSystem { outbox.fileSystem }
    var quarantine: Quarantine { outbox.quarantine }

    /// Makes the files of attachments for a test that is about to be finished, or was finished by hand. The caller may
    /// hold the edit lock.
    func add(of record: TestRecord) throws {
        guard !record.attachments.isEmpty else { return }
        for attachment in record.attachments {
            let item = OutboxItem(id: attachment.id, kind: .media, status: .done)
            let bytes = try DocumentCoding.encode(MediaChange(attachment, of: record))
            try outbox.makingRoom { _ throws(FileError) in
                try fileSystem.stage(bytes, to: item.path, temporaryFolder: OutboxLayout.temporary)
            }
        }
        try fileSystem.makeDurable(folder: OutboxLayout.folder(.done))
    }

    /// Makes the missing files of attachments for a test that was moved to `done` by hand.
    package func complete(of item: OutboxItem) throws {
        try outbox.editing {
            guard let stored = try? outbox.read(item), stored.status == .done else { return }
            var incomplete = stored.record
            incomplete.attachments = try incomplete.attachments.filter { attachment in
                // If the bytes are not here, another machine has them.
                try outbox.find(attachment.id) == nil && outbox.media.hasBytes(attachment.digest)
            }
            try add(of: incomplete)
        }
    }

    /// Withdraws the attachments of a test that is a draft again. None of them was sent before the test.
    func withdraw(of record: TestRecord) throws {
        for attachment in record.attachments {
            try fileSystem.removeIfPresent(OutboxItem(id: attachment.id, kind: .media, status: .done).path)
        }
        if !record.attachments.isEmpty { try fileSystem.makeDurable(folder: OutboxLayout.folder(.done)) }
    }

    /// For a new revision: with a new identity for delivery.
    package func renewed(_ attachment: Attachment) -> Attachment {
        var renewed = attachment
        renewed.id = outbox.makeID()
        return renewed
    }

    /// - Throws: `OutboxError.needed` if a test that waits to be sent names it, `.shown` if a questionnaire does.
    func refuseNeeded(_ item: OutboxItem) throws {
        guard case .media(let media)? = try? outbox.readChange(item).change else { return }
        switch media.owner {
        case .test(let test):
            guard let owner = try outbox.find(test), !owner.status.isDelivered, !owner.status.isDraft else { return }
            throw OutboxError.needed(item.id, by: test)
        case .questionnaire(let path):
            guard case .waiting = try outbox.namingChanges().standing(of: path, in: media.questionnaire) else { return }
            throw OutboxError.shown(item.id, by: media.questionnaire, questionId: media.attachment.questionId, path)
        }
    }

    /// Discards the attachments of a test together with it.
    func discard(ofTest test: TestID, reason: String) throws {
        for stored in try outbox.changes(.media) {
            guard case .media(let media) = stored.change, media.owner == .test(test), !stored.item.status.isDelivered
            else {
                continue
            }
            try outbox.moves.putAside(stored.item, reason: reason)
        }
    }

    // MARK: Of questionnaires

    /// The existing waiting one, or a new one.
    func add(
        _ medium: QuestionnaireMedium, sizeBytes: Int64, deviceID: String
    ) throws -> StoredChange {
        for stored in try outbox.changes(.media) where stored.item.status.isWaiting {
            if case .media(let known) = stored.change, known.owner == .questionnaire(medium.path),
                known.questionnaire == medium.questionnaire
            {
                try fileSystem.makeDurable(folder: OutboxLayout.folder(stored.item.status))
                return stored
            }
        }
        return try outbox.addNow(deviceID: deviceID) { id, now, sequence in
            .media(
                MediaChange(
                    medium, id: id, sizeBytes: sizeBytes, dateChanged: now, deviceId: deviceID, sequence: sequence))
        }
    }

    /// Makes missing files for attachments that waiting changes name and whose bytes are here: their program crashed in
    /// between, or they were copied here by hand. The caller may hold the edit lock.
    func completeQuestionnaireMedia() throws {
        let named = try outbox.namingChanges().waiting()
        guard !named.isEmpty else { return }
        let known = Set(
            try outbox.changes(.media).compactMap { stored -> ContentPath? in
                guard case .media(let media) = stored.change else { return nil }
                return media.owner.path
            })
        for (path, change) in named where !known.contains(path) {
            guard let sizeBytes = try outbox.media.sizeOfBytes(path.digest), sizeBytes <= Attachment.maximumBytes else {
                continue
            }
            let made = MediaChange(
                change.medium(at: path), id: outbox.makeID(), sizeBytes: sizeBytes, dateChanged: change.dateChanged,
                deviceId: change.deviceId, sequence: change.sequence)
            try outbox.addNow(.media(made))
        }
    }

    /// The files that a change names by their content; empty for another kind, and for an unreadable one.
    func contentPaths(_ item: OutboxItem) throws -> Set<ContentPath> {
        guard item.kind == .questionnaire, case .questionnaire(let change)? = try? outbox.readChange(item).change,
            let document = change.document
        else { return [] }
        return (try? Questionnaire(json: document))?.contentPaths ?? []
    }

    /// Moves waiting attachments to quarantine that no questionnaire here names any more.
    func withdraw(named paths: Set<ContentPath>, reason: String) throws {
        guard !paths.isEmpty else { return }
        let naming = try outbox.namingChanges()
        for stored in try outbox.changes(.media) {
            guard case .media(let media) = stored.change, let path = media.owner.path, paths.contains(path),
                stored.item.status != .sending, !stored.item.status.isDelivered, !naming.isWanted(path)
            else { continue }
            try outbox.moves.putAside(stored.item, reason: reason)
        }
    }

    // MARK: After a crash

    /// Cleans up after a crash or an edit by hand: bytes without a reference go to quarantine, and so do attachments
    /// that their test does not name.
    package func tidy(_ lock: SweepLock) throws {
        try withExtendedLifetime(lock) {
            let files = try outbox.media.files()
            guard try !files.isEmpty || outbox.scan().items(.done).contains(where: { $0.kind == .media }) else {
                return
            }
            try outbox.editing {
                if !files.isEmpty { try completeQuestionnaireMedia() }
                for item in try outbox.scan().items(.done) where try item.kind == .media && isForgotten(item) {
                    try quarantine.take(item.path, reason: "what it belonged to does not name it any more")
                    try quarantine.take(
                        OutboxLayout.receiptPath(item.id, .done), reason: "its attachment was taken away")
                }
                let use = try outbox.media.use()
                for file in files where !use.isNamed(file.digest) {
                    try quarantine.take(OutboxLayout.mediaPath(file.digest), reason: "no attachment refers to it")
                }
            }
        }
    }

    /// Whether its test is here and does not name it, or is a draft; or its questionnaire no longer shows it.
    private func isForgotten(_ item: OutboxItem) throws -> Bool {
        guard case .media(let media)? = try? outbox.readChange(item).change else { return false }
        if let path = media.owner.path {
            return try outbox.namingChanges().standing(of: path, in: media.questionnaire) == .unwanted
        }
        guard let test = media.owner.test, let owner = try outbox.find(test),
            let record = try? outbox.read(owner).record
        else {
            return false
        }
        return owner.status.isDraft || !record.attachments.contains { $0.id == media.id }
    }
}

extension Outbox {
    /// The items of attachments.
    package var attachments: Attachments { Attachments(outbox: self) }
}

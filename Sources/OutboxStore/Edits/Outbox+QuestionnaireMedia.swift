import Disk
import Model
import SystemPackage

/// Files of questionnaires that were made or edited here.
///
/// The questionnaire names them by their content; their bytes are in `media`, like those of answers. The waiting file
/// can be recreated from a waiting change and the bytes.
extension Outbox {
    /// A file as it is attached to a question.
    package struct QuestionnaireMedium: Sendable {
        package var path: ContentPath
        /// The questionnaire's permanent id.
        package var questionnaire: String
        package var title: String
        package var questionId: String
        /// The owner's name for it.
        package var name: String
        package var mediaType: String

        package init(
            path: ContentPath, questionnaire: String, title: String, questionId: String, name: String,
            mediaType: String
        ) {
            self.path = path
            self.questionnaire = questionnaire
            self.title = title
            self.questionId = questionId
            self.name = name
            self.mediaType = mediaType
        }
    }

    /// Makes a change with its new identity, the moment, and its number.
    package typealias ChangeMaking = (TestID, Timestamp, Int) throws -> OutgoingChange

    /// Attaches a file to a questionnaire. When this returns, the file, the change that names it, and the attachment
    /// that waits for that change survive a crash.
    ///
    /// - Parameter edit: called under the lock: makes the change that names the file; `nil` if the questionnaire names
    ///   it already.
    package func attach(
        _ spooled: SpooledMedia, _ medium: QuestionnaireMedium, deviceID: String, _ edit: () throws -> ChangeMaking?
    ) throws -> (change: StoredChange?, medium: StoredChange) {
        try consuming(spooled) {
            try editing {
                let making = try edit()
                // The bytes first: a change never names missing bytes.
                try place(spooled)
                let change = try making.map { try addNow(deviceID: deviceID, $0) }
                return (change, try addMedium(medium, sizeBytes: spooled.sizeBytes, deviceID: deviceID))
            }
        }
    }

    /// Makes a change of a questionnaire, and the attachments of new files that it names. When this returns, all of them
    /// survive a crash.
    ///
    /// - Parameter files: after an error the caller gives them up.
    func addNow(
        deviceID: String, files: [SpooledMedia], _ make: ChangeMaking
    ) throws -> StoredChange {
        // The bytes first: a change never names missing bytes.
        for file in files { try place(file) }
        let stored = try addNow(deviceID: deviceID, make)
        guard !files.isEmpty, case .questionnaire(let change) = stored.change else { return stored }
        for path in try contentPaths(stored.item).sorted(by: { $0.description < $1.description }) {
            guard let file = files.first(where: { $0.digest == path.digest }) else { continue }
            _ = try addMedium(change.medium(at: path), sizeBytes: file.sizeBytes, deviceID: deviceID)
        }
        for file in files { fileSystem.closeQuietly(file.temporary.file) }
        return stored
    }

    /// Removes a file from a questionnaire, and withdraws its waiting attachment if no other questionnaire names it.
    ///
    /// - Parameter edit: called under the lock: makes the change that does not name it.
    package func detach(
        _ path: ContentPath?, deviceID: String, _ edit: () throws -> ChangeMaking
    ) throws -> StoredChange {
        try editing {
            let change = try addNow(deviceID: deviceID, try edit())
            if let path { try withdrawMedia(named: [path], reason: "it was taken away from its questionnaire") }
            return change
        }
    }

    /// The existing waiting one, or a new one.
    private func addMedium(
        _ medium: QuestionnaireMedium, sizeBytes: Int64, deviceID: String
    ) throws -> StoredChange {
        for stored in try changes(.media) where stored.item.status.isWaiting {
            if case .media(let known) = stored.change, known.owner == .questionnaire(medium.path),
                known.questionnaire == medium.questionnaire
            {
                try fileSystem.makeDurable(folder: OutboxLayout.folder(stored.item.status))
                return stored
            }
        }
        return try addNow(deviceID: deviceID) { id, now, sequence in
            .media(
                MediaChange(
                    medium, id: id, sizeBytes: sizeBytes, dateChanged: now, deviceId: deviceID, sequence: sequence))
        }
    }

    /// Makes missing files for attachments that waiting changes name and whose bytes are here: their program crashed in
    /// between, or they were copied here by hand. The caller may hold the edit lock.
    func completeQuestionnaireMedia() throws {
        let named = try namingChanges().waiting()
        guard !named.isEmpty else { return }
        let known = Set(
            try changes(.media).compactMap { stored -> ContentPath? in
                guard case .media(let media) = stored.change else { return nil }
                return media.owner.path
            })
        for (path, change) in named where !known.contains(path) {
            guard let sizeBytes = try sizeOfBytes(path.digest), sizeBytes <= Attachment.maximumBytes else { continue }
            let made = MediaChange(
                change.medium(at: path), id: makeID(), sizeBytes: sizeBytes, dateChanged: change.dateChanged,
                deviceId: change.deviceId, sequence: change.sequence)
            try addNow(.media(made))
        }
    }

    /// The files that a change names by their content; empty for another kind, and for an unreadable one.
    func contentPaths(_ item: OutboxItem) throws -> Set<ContentPath> {
        guard item.kind == .questionnaire, case .questionnaire(let change)? = try? readChange(item).change,
            let document = change.document
        else { return [] }
        return (try? Questionnaire(json: document))?.contentPaths ?? []
    }

    /// Moves waiting attachments to quarantine that no questionnaire here names any more.
    func withdrawMedia(named paths: Set<ContentPath>, reason: String) throws {
        guard !paths.isEmpty else { return }
        let naming = try namingChanges()
        for stored in try changes(.media) {
            guard case .media(let media) = stored.change, let path = media.owner.path, paths.contains(path),
                stored.item.status != .sending, !stored.item.status.isDelivered, !naming.isWanted(path)
            else { continue }
            try putAside(stored.item, reason: reason)
        }
    }
}

extension QuestionnaireChange {
    /// The attachment at this path, as far as the questionnaire describes it.
    package func medium(at path: ContentPath) -> Outbox.QuestionnaireMedium {
        let known = document.flatMap { try? Questionnaire(json: $0) }
        let question = known?.questions.first { $0.media.contains { $0.path == path.description } }
        let medium = known?.media.first { $0.path == path.description }
        return .init(
            path: path, questionnaire: questionnaire, title: title, questionId: question?.id ?? "",
            name: Self.name(of: path, describedAs: medium?.alt ?? ""),
            mediaType: MediaType.of(fileName: path.fileName, stated: medium?.type))
    }

    /// People read its description sooner than a digest.
    private static func name(of path: ContentPath, describedAs description: String) -> String {
        guard let ending = path.fileName.split(separator: ".").last, !description.isEmpty else { return path.fileName }
        return Attachment.name(cleaning: String(description.prefix(60)) + "." + ending)
    }
}

extension MediaChange {
    /// The delivery of a file of a questionnaire.
    package init(
        _ medium: Outbox.QuestionnaireMedium, id: TestID, sizeBytes: Int64, dateChanged: Timestamp, deviceId: String,
        sequence: Int
    ) {
        self.init(
            Attachment(
                id: id, questionId: medium.questionId, name: medium.name, mediaType: medium.mediaType,
                sizeBytes: sizeBytes, digest: medium.path.digest),
            at: medium.path, questionnaire: medium.questionnaire, title: medium.title, dateChanged: dateChanged,
            deviceId: deviceId, sequence: sequence)
    }
}

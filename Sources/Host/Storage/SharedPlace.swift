import Disk
import Model

/// The parts of a host over an opened bucket.
struct SharedPlace: Sendable {
    var files: HostBucket
    /// For temporary files.
    var scratch: ScratchFolder
    var log: QuestionnaireLog
    var mirror: QuestionnaireMirror

    /// Another host has changed something meanwhile: then the decision is made once more.
    struct Overtaken: Error {}

    /// Carries out a device's change as the one after a number.
    ///
    /// - Parameters:
    ///   - bytes: the questionnaire's file with its key; `nil` to remove it.
    ///   - id: of the questionnaire on the host.
    /// - Throws: `Overtaken`.
    func publish(
        _ bytes: [UInt8]?, inFile file: String, of id: String, _ write: QuestionnaireWrite, _ outcome: ChangeOutcome?,
        after number: Int, at time: Timestamp
    ) throws {
        var change = QuestionnaireLog.Change(
            file: file, questionnaire: id, at: time, request: QuestionnaireLog.Request(write, outcome))
        change.by = write.author
        if let bytes {
            let published = try PublishedQuestionnaire(publishing: bytes)
            change.content = Digest(sha256Of: bytes)
            change.digest = published.digest
            change.localId = published.questionnaire.localId
            change.updatedAt = published.questionnaire.updatedAt
        }
        guard try log.append(change, bytes, after: number) else { throw Overtaken() }
        // From here on this host serves the change, too.
        try mirror.look()
    }

    /// Publishes a file that a questionnaire shows; its content is in the bucket already.
    func publish(_ path: ContentPath, at time: Timestamp) throws {
        _ = try log.publish(QuestionnaireLog.Change(file: path.description, content: path.digest, at: time), nil)
        try mirror.look()
    }
}

import HTTPMessages
import HTTPTypes
import Model
import Sync
import WireFormat

/// A change of a questionnaire, or a favourite, as a device asks for it (docs/protocol.md, section 9).
struct SubmittedChange: Hashable, Sendable {
    var id: TestID
    var action: ChangeAction
    /// As the device calls it.
    var questionnaire: String
    /// If-Match, to the letter.
    var etag: String?
    var policy: ConflictPolicy?

    /// - Parameter path: with the query.
    /// - Returns: `nil` if this is not a change that could be forwarded later unchanged: then the upstream judges it
    ///   now.
    init?(_ method: HTTPRequest.Method, _ path: String, _ fields: HTTPFields) {
        guard method == .put || method == .delete, let id = fields[.quireChange].flatMap({ TestID($0) }) else {
            return nil
        }
        self.id = id
        let name: String
        switch path.contains("?") ? nil : try? APIPath(path) {
        case .favorite(let favorite) where Questionnaire.fault(inID: favorite) == nil:
            questionnaire = favorite
            action = method == .put ? .favorite : .unfavorite
            return
        case .questionnaire(let changed) where Questionnaire.fault(inID: changed) == nil: name = changed
        default: return nil
        }
        questionnaire = name
        if let text = fields[.quireConflict] {
            guard let policy = ConflictPolicy(rawValue: text) else { return nil }
            self.policy = policy
        }
        if method == .put, fields[.ifNoneMatch]?.trimmingSpaces == "*" {
            guard TestID(name)?.description == name else { return nil }
            action = .create
            return
        }
        guard let condition = fields[.ifMatch] else { return nil }
        action = method == .put ? .edit : .delete
        etag = condition
    }

    /// The document of a change; `nil` for one without.
    ///
    /// - Throws: `HubProblem`, and the body's errors.
    func document(_ fields: HTTPFields, _ body: HTTPBody) async throws -> (bytes: [UInt8], title: String)? {
        guard action == .create || action == .edit else { return nil }
        let bytes = try await SubmittedContent.bytes(
            fields, body, maximumBytes: Questionnaire.maximumBytes, what: "A questionnaire"
        ) { Self.invalid(nil, $0) }
        do throws(DocumentFault) {
            return (bytes, try AnswerKey.checkedQuestionnaire(json: bytes).title)
        } catch {
            throw Self.invalid(error.field, "\(error)")
        }
    }

    private static func invalid(_ field: String?, _ reason: String) -> HubProblem {
        HubProblem(
            422, "The questionnaire cannot be read: \(reason).", kind: "invalid-questionnaire",
            title: "The questionnaire cannot be read", field: field)
    }

    /// As it waits in the outbox.
    func change(
        _ document: (bytes: [UInt8], title: String)?, now: Timestamp, deviceID: String, sequence: Int
    ) -> OutgoingChange {
        if action == .favorite || action == .unfavorite {
            return .favorite(
                FavoriteChange(
                    id: id, questionnaire: questionnaire, title: questionnaire, favorite: action == .favorite,
                    dateChanged: now, deviceId: deviceID, sequence: sequence))
        }
        return .questionnaire(
            QuestionnaireChange(
                id: id, action: action, questionnaire: questionnaire, title: document?.title ?? questionnaire,
                base: etag.map { .init(etag: $0) }, policy: policy, dateChanged: now, deviceId: deviceID,
                sequence: sequence, document: document?.bytes))
    }
}

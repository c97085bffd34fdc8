import Disk
import HTTPTypes
import Model

/// A change of a questionnaire as a client asks for it, checked: a value that may be carried out.
package struct QuestionnaireWrite: Sendable {
    /// The base of the change.
    package enum Base: Hashable, Sendable {
        /// There is no such questionnaire yet (If-None-Match: *).
        case none
        /// Any version (If-Match: *).
        case any
        /// One of these versions (If-Match); the tags are those of the plain content.
        case versions(Set<String>)

        func holds(for digest: Digest?) -> Bool {
            switch self {
            case .none: digest == nil
            case .any: digest != nil
            case .versions(let tags): digest.map { tags.contains($0.hex) } ?? false
            }
        }
    }

    /// The change's own id, made by the device: by it a repetition is recognised.
    package var change: TestID
    package var action: ChangeAction
    /// The questionnaire's id on the host, or the one that the device gave it.
    package var questionnaire: String
    package var base: Base
    package var policy: ConflictPolicy
    /// SHA-256 of the file that it takes the place of, the key included; `nil` where the base says enough.
    package var replacedFile: Digest?
    /// The person who publishes it on the desk; `nil` for a change from a device.
    package var author: String?
    /// The document; `nil` for a deletion.
    package var document: [UInt8]?

    /// SHA-256 of the sent content.
    var digest: Digest { Digest(sha256Of: document ?? []) }

    static let changeField = "Quire-Change"
    static let conflictField = "Quire-Conflict"

    package init(
        change: TestID, action: ChangeAction, questionnaire: String, base: Base, policy: ConflictPolicy = .ask,
        document: [UInt8]?
    ) {
        self.change = change
        self.action = action
        self.questionnaire = questionnaire
        self.base = base
        self.policy = policy
        self.document = document
    }

    /// - Parameter document: the sent content, without its content coding; `nil` for DELETE.
    /// - Throws: a `Problem` of 400, 422 or 428.
    init(_ request: HostRequest, questionnaire: String, document: [UInt8]?) throws(Problem) {
        let change = try QuestionnaireWrite.change(request)
        let conflict = HTTPField.Name(QuestionnaireWrite.conflictField).flatMap { request.fields[$0] } ?? "ask"
        guard let policy = ConflictPolicy(rawValue: conflict) else {
            throw Problem.badRequest("Quire-Conflict must be ask, client, server or duplicate.")
        }
        try self.init(
            change: change, questionnaire: questionnaire,
            isCreation: request.fields[.ifNoneMatch]?.filter { !$0.isWhitespace } == "*",
            condition: request.fields[.ifMatch], policy: policy, document: document)
    }

    /// As a device put it into a folder.
    ///
    /// - Parameter etag: of the version that it is based on; `nil` where the host had none.
    /// - Throws: as for a request.
    init(_ change: QuestionnaireChange, etag: String?) throws(Problem) {
        try self.init(
            change: change.id, questionnaire: change.questionnaire, isCreation: etag == nil, condition: etag,
            policy: change.policy ?? .ask, document: change.document)
    }

    private init(
        change: TestID, questionnaire: String, isCreation: Bool, condition: String?, policy: ConflictPolicy,
        document: [UInt8]?
    ) throws(Problem) {
        self.change = change
        self.questionnaire = questionnaire
        self.policy = policy
        self.document = document
        if isCreation, document != nil {
            action = .create
            base = .none
            guard TestID(questionnaire)?.description == questionnaire else {
                throw Problem.invalidQuestionnaire(
                    field: "id", "A questionnaire is created under a UUID that the device made, in lowercase.")
            }
            return
        }
        action = document == nil ? .delete : .edit
        guard let condition else {
            throw Problem(
                .preconditionRequired,
                "Name the version that this is based on with If-Match, or create one with If-None-Match: *.")
        }
        if condition.filter({ !$0.isWhitespace }) == "*" {
            base = .any
            return
        }
        var tags: Set<String> = []
        for tag in Validators.entityTags(condition) {
            let plain = tag.dropFirst().dropLast()
            tags.insert(String(plain.hasSuffix("-gzip") ? plain.dropLast("-gzip".count) : plain))
        }
        base = .versions(tags)
    }

    static func change(_ request: HostRequest) throws(Problem) -> TestID { try change(request.fields) }

    static func change(_ fields: HTTPFields) throws(Problem) -> TestID {
        guard let text = HTTPField.Name(changeField).flatMap({ fields[$0] }), let id = TestID(text) else {
            throw Problem.badRequest("Quire-Change must name the change: a UUID that the device made for it.")
        }
        return id
    }
}

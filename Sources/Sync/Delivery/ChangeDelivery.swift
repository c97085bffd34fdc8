import HTTPCaching
import HTTPTypes
import Model
import WireFormat

/// A change with the metadata that a remote needs beside its bytes.
public struct ChangeDelivery: Sendable, Hashable {
    package var change: OutgoingChange
    /// The version that it is based on, as the server names it; `nil` where the server has none yet.
    package var etag: String?
    /// The change that the remote keeps and this one builds on: its receipt will have the version.
    package var after: TestID?
    /// The file's bytes, for remotes that keep files.
    package var file: [UInt8]

    package init(change: OutgoingChange, etag: String?, after: TestID? = nil, file: [UInt8]) {
        self.change = change
        self.etag = etag
        self.after = after
        self.file = file
    }

    /// A change as it goes over HTTP: `docs/protocol.md`, section 9.
    package struct Message: Sendable, Hashable {
        package var method: HTTPRequest.Method
        /// An `APIPath`.
        package var path: String
        package var fields: HTTPFields
        /// `nil` for a request without content.
        package var body: [UInt8]?
    }

    package var message: Message? {
        var fields = HTTPFields()
        fields[.quireChange] = change.id.description
        switch change {
        // It goes up piece by piece: `Remote.upload`.
        case .media: return nil
        case .favorite(let change):
            return Message(
                method: change.favorite ? .put : .delete, path: APIPath.favorite(change.questionnaire).text,
                fields: fields, body: nil)
        case .questionnaire(let change):
            if let etag { fields[.ifMatch] = etag } else { fields[.ifNoneMatch] = "*" }
            fields[.quireConflict] = change.policy?.rawValue
            if change.document != nil {
                fields[.contentType] = "application/json"
                fields[.contentDigest] = DigestField.format(change.contentDigest)
            }
            return Message(
                method: change.action == .delete ? .delete : .put,
                path: APIPath.questionnaire(change.questionnaire).text, fields: fields, body: change.document)
        }
    }
}

extension HTTPField.Name {
    /// The UUID of a change: its identity, and not that of a questionnaire.
    // Proof: it is a valid field name.
    // swift-format-ignore: NeverForceUnwrap
    package static let quireChange = HTTPField.Name("Quire-Change")!
    /// How the server settles a change that conflicts with another version.
    // Proof: it is a valid field name.
    // swift-format-ignore: NeverForceUnwrap
    package static let quireConflict = HTTPField.Name("Quire-Conflict")!
}

extension Remote {
    /// A remote that takes tests alone: changes wait for another one.
    public func send(_ delivery: ChangeDelivery) async throws(RemoteFailure) -> RemoteReply {
        throw RemoteFailure(.invalidReply, "this remote takes tests, and no questionnaires or favourites")
    }

    public func current(of change: OutgoingChange, maximumBytes: Int) async throws(RemoteFailure) -> RemoteReply {
        try await get(documentURL(id: change.questionnaire), fields: HTTPFields(), maximumBytes: maximumBytes)
    }
}

import HTTPTypes
import Model

/// One request that a `ScriptedRemote` received.
public struct RemoteRequest: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case get(String)
        case put(TestID, Digest)
        case send(TestID, ChangeAction)
        case receipts([TestID])
        /// A piece of an attachment from there on; `nil` starts the upload.
        case upload(TestID, offset: Int64?)
    }

    package let kind: Kind
    public let fields: HTTPFields

    init(kind: Kind, fields: HTTPFields = HTTPFields()) {
        self.kind = kind
        self.fields = fields
    }

    public var isPut: Bool { test != nil }
    /// The change that is delivered.
    public var change: TestID? {
        if case .send(let id, _) = kind { id } else { nil }
    }
    /// The test that is delivered.
    public var test: TestID? {
        if case .put(let id, _) = kind { id } else { nil }
    }
    /// The URL that is read.
    public var url: String? {
        if case .get(let url) = kind { url } else { nil }
    }
}

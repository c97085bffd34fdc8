import HTTPTypes
import Model

/// One request that a `FaultyRemote` got.
public struct RemoteRequest: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case get(String)
        case put(TestID, Digest)
        case send(TestID, ChangeAction)
        case receipts([TestID])
        /// A piece of an attachment from there on; `nil` begins the upload.
        case upload(TestID, offset: Int64?)
    }

    public let kind: Kind
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

/// What goes wrong with a request.
public enum RemoteFault: Sendable {
    /// No connection.
    case unreachable
    /// The connection ends before the host has done anything.
    case cutBeforeStoring
    /// The host has done its work; its reply is lost.
    case cutAfterStoring
    /// A problem document with this status, instead of the work.
    case status(Int, fields: HTTPFields = HTTPFields(), detail: String = "something is wrong")
    /// Any other reply, instead of the work.
    case reply(Int, mediaType: String, body: [UInt8], fields: HTTPFields = HTTPFields())
    /// 201 with this receipt, instead of the work.
    case receipt(Receipt)
    /// No reply until the caller gives up.
    case hang

    /// What the network of a hotel answers to everything.
    public static let loginPage = RemoteFault.reply(
        200, mediaType: "text/html", body: Array("<html><title>Welcome to our network</title></html>".utf8))
}

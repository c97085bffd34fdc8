import HTTPTypes
import Model

/// A fault of a request.
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
    /// The host does its work after this time on the remote's clock.
    case delay(Duration)

    /// The page on which the network of a hotel asks for a password, in reply to everything.
    public static let loginPage = RemoteFault.reply(
        200, mediaType: "text/html", body: Array("<html><title>Welcome to our network</title></html>".utf8))
}

import HTTPServing
import HTTPTypes
import Host
import Model
import WireFormat

/// A request of someone who may see the desk.
struct DeskRequest: Sendable {
    var method: HTTPRequest.Method
    /// The components after `desk`, decoded.
    var path: [String]
    var query: FormFields
    var form = FormFields("")
    /// The file of a form that has one.
    var file: UploadedFile?
    var fields: HTTPFields
    var language: Language
    var session: DeskSessions.Session
    /// Whether there is a session to leave.
    var isLoggedIn: Bool
    /// Path and query as they arrived: a form returns there.
    var target: String

    var canMark: Bool { session.identity.role >= .teacher }
    var hidesNames: Bool { query["names"] == "hidden" }

    /// The comment of a form. Browsers send line breaks as CR LF.
    var comment: String {
        String((form["comment"] ?? "").replacing("\r\n", with: "\n").prefix(SavedComment.longestText))
    }

    /// The path that a form says to return to, if it is one of the desk's.
    var back: String? { form["back"].flatMap { Self.isOwn($0) ? $0 : nil } }

    static func isOwn(_ path: String) -> Bool {
        path.hasPrefix("/desk/") && path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x5C }
    }
}

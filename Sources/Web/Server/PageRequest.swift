import HTTPServing
import HTTPTypes
import Model

/// An authenticated request.
struct PageRequest: Sendable {
    var method: HTTPRequest.Method
    /// The path's components, decoded.
    var path: [String]
    var query: FormFields
    var form = FormFields("")
    /// The file of a form on which questionnaires are written.
    var file: UploadedFile?
    var fields: HTTPFields
    var cookies: [String: String]
    var language: Language
    var session: PageAuthenticator.Session
    /// Knows who else has access.
    var authenticator: PageAuthenticator? = nil
    /// Path and query as they arrived: a form returns there.
    var target: String

    /// The script asks, and wants data instead of a page.
    var wantsJSON: Bool { Self.wantsJSON(fields) }

    static func wantsJSON(_ fields: HTTPFields) -> Bool { fields[.accept]?.hasPrefix("application/json") == true }

    /// The mark of the test's file as the script shows it.
    var knownFile: String? { HTTPField.Name("Quire-File").flatMap { fields[$0] } }

    /// The path that a form says to return to, if it is one of ours.
    var back: String {
        guard let back = form["back"], Self.isLocal(back) else { return "/" }
        return back
    }

    static func isLocal(_ path: String) -> Bool {
        path.hasPrefix("/") && !path.hasPrefix("//") && !path.hasPrefix("/\\")
            && path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    static func cookies(_ fields: HTTPFields) -> [String: String] { RequestPreferences.cookies(fields) }

    static func language(cookies: [String: String], fields: HTTPFields) -> Language {
        RequestPreferences.language(cookies: cookies, fields: fields)
    }

    static let languageCookie = RequestPreferences.languageCookie
    static let viewCookie = "quire-view"
}

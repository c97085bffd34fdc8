import HTTPTypes
import Model

/// An authenticated request.
struct PageRequest: Sendable {
    var method: HTTPRequest.Method
    /// The path's components, decoded.
    var path: [String]
    var query: FormFields
    var form = FormFields("")
    var fields: HTTPFields
    var cookies: [String: String]
    var language: Language
    var session: PageAuthenticator.Session
    /// Path and query as they arrived: a form returns there.
    var target: String

    /// The script asks, and wants data instead of a page.
    var wantsJSON: Bool { Self.wantsJSON(fields) }

    static func wantsJSON(_ fields: HTTPFields) -> Bool { fields[.accept]?.hasPrefix("application/json") == true }

    /// The path that a form says to return to, if it is one of ours.
    var back: String {
        guard let back = form["back"], Self.isLocal(back) else { return "/" }
        return back
    }

    static func isLocal(_ path: String) -> Bool {
        path.hasPrefix("/") && !path.hasPrefix("//") && !path.hasPrefix("/\\")
            && path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    static func cookies(_ fields: HTTPFields) -> [String: String] {
        var cookies: [String: String] = [:]
        for field in fields[values: .cookie] {
            for pair in field.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1)
                guard parts.count == 2 else { continue }
                cookies[String(parts[0].drop { $0 == " " })] = String(parts[1])
            }
        }
        return cookies
    }

    /// The person's choice, else the first supported language of Accept-Language (RFC 9110, section 12.5.4).
    static func language(cookies: [String: String], fields: HTTPFields) -> Language {
        if let chosen = cookies[languageCookie].flatMap(Language.init(rawValue:)) { return chosen }
        let ranges = (fields[.acceptLanguage] ?? "").split(separator: ",").prefix(20).map { range in
            let parts = range.split(separator: ";")
            let tag = parts.first.map { $0.filter { !$0.isWhitespace }.lowercased() } ?? ""
            let weight = parts.dropFirst().first?.split(separator: "=").last.flatMap { Double($0.filter { $0 != " " }) }
            return (tag: tag, weight: weight ?? 1)
        }
        for range in ranges.sorted(by: { $0.weight > $1.weight }) where range.weight > 0 {
            let language = range.tag.split(separator: "-").first.flatMap { Language(rawValue: String($0)) }
            if let language { return language }
        }
        return .english
    }

    static let languageCookie = "quire-language"
    static let viewCookie = "quire-view"
}

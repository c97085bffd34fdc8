import HTTPTypes
import Localization

/// What a browser states about itself in a request for a page.
package enum RequestPreferences {
    package static let languageCookie = "quire-language"

    package static func cookies(_ fields: HTTPFields) -> [String: String] {
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
    package static func language(cookies: [String: String], fields: HTTPFields) -> Language {
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

    /// The cookie that keeps the person's choice.
    package static func setCookie(_ language: Language) -> String {
        "\(languageCookie)=\(language.rawValue); Path=/; SameSite=Strict; Max-Age=31536000"
    }
}

import HTTPTypes
import Model

/// The rules of RFC 9111 once more, written straight from its text over lists of strings and without a thought of
/// speed: what the generated tests compare with.
enum Oracle {
    typealias Lines = [(name: String, value: String)]

    /// The values of a field's lines, in order.
    static func values(_ name: String, _ message: Lines) -> [String] {
        message.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// Section 5.2: cache-directive = token [ "=" ( token / quoted-string ) ], in a list of such. Characters are taken
    /// one by one; what does not fit the grammar has the argument "?", which is no number.
    static func directives(_ message: Lines) -> [(name: String, argument: String?)] {
        var result: [(String, String?)] = []
        for value in values("Cache-Control", message) {
            for member in members(value) {
                let parts = member.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let name = parts[0].lowercased()
                guard parts.count == 2 else {
                    if name.contains(where: { $0 == " " || $0 == ";" }) {
                        result.append((String(name.prefix { $0 != " " && $0 != ";" }), "?"))
                    } else {
                        result.append((name, nil))
                    }
                    continue
                }
                var argument = String(parts[1])
                if argument.count > 1, argument.hasPrefix("\""), argument.hasSuffix("\"") {
                    argument = String(argument.dropFirst().dropLast())
                }
                let trimmed =
                    name.split(separator: " ", omittingEmptySubsequences: false).first.map { String($0) } ?? ""
                result.append((trimmed, trimmed == name ? argument : "?"))
            }
        }
        return result
    }

    /// Cut at commas outside of quotes, trimmed, without the empty ones.
    static func members(_ value: String) -> [String] {
        var result = [""]
        var inQuotes = false
        for character in value {
            if character == "\"" { inQuotes = !inQuotes }
            if character == ",", !inQuotes { result.append("") } else { result[result.count - 1].append(character) }
        }
        return result.map(trimmed).filter { !$0.isEmpty }
    }

    static func trimmed(_ text: String) -> String {
        var text = Substring(text)
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return String(text)
    }

    /// Section 1.2.2: a non-negative integer, 2³¹ where it is larger.
    static func deltaSeconds(_ text: String?) -> Int? {
        guard let text, !text.isEmpty, text.allSatisfy({ "0123456789".contains($0) }) else { return nil }
        guard let number = Int(text) else { return 2_147_483_648 }
        return number > 2_147_483_648 ? 2_147_483_648 : number
    }

    /// Section 4.2.1: the first occurrence; invalid freshness information is stale.
    static func number(_ name: String, _ message: Lines) -> Int? {
        for directive in directives(message) where directive.name == name {
            return deltaSeconds(directive.argument) ?? 0
        }
        return nil
    }

    static func has(_ name: String, _ message: Lines) -> Bool { directives(message).contains { $0.name == name } }

    /// The directive without field names.
    static func hasUnqualified(_ name: String, _ message: Lines) -> Bool {
        directives(message).contains { $0.name == name && ($0.argument ?? "").isEmpty }
    }

    /// IMF-fixdate alone: the generated messages have no other form.
    static func date(_ text: String?) -> Int? {
        guard let text else { return nil }
        let parts = text.split(separator: " ").map { String($0) }
        guard parts.count == 6, parts[5] == "GMT", let day = Int(parts[1]), let year = Int(parts[3]) else { return nil }
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let clock = parts[4].split(separator: ":").compactMap { Int($0) }
        guard let month = names.firstIndex(of: parts[2]), clock.count == 3 else { return nil }
        var days = 0
        for other in 1970..<max(year, 1970) { days += isLeap(other) ? 366 : 365 }
        let lengths = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        days += lengths[..<month].reduce(0, +) + day - 1
        return days * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2]
    }

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    /// A stored response, its times in seconds.
    struct Stored {
        var status = 200
        var fields: Lines = []
        var requestTime: Int
        var responseTime: Int
    }

    /// Section 4.2.1, in its order.
    static func lifetime(_ stored: Stored, shared: Bool) -> Int {
        if shared, let seconds = number("s-maxage", stored.fields) { return seconds }
        if let seconds = number("max-age", stored.fields) { return seconds }
        let date = date(values("Date", stored.fields).first) ?? stored.responseTime
        if let expires = values("Expires", stored.fields).first {
            guard let end = Self.date(expires) else { return 0 }
            return max(0, end - date)
        }
        // Section 4.2.2, for the statuses of RFC 9110 section 15.1.
        let defaults = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]
        guard defaults.contains(stored.status) || has("public", stored.fields) else { return 0 }
        guard let modified = Self.date(values("Last-Modified", stored.fields).first) else { return 0 }
        return max(0, min((date - modified) / 10, 86_400))
    }

    /// Section 4.2.3, line by line.
    static func age(_ stored: Stored, now: Int) -> Int {
        var ageValue = 0
        if let field = values("Age", stored.fields).first {
            let first = field.split(separator: ",", omittingEmptySubsequences: true).first.map { trimmed(String($0)) }
            ageValue = deltaSeconds(first) ?? 0
        }
        let dateValue = date(values("Date", stored.fields).first) ?? stored.responseTime
        let apparentAge = max(0, stored.responseTime - dateValue)
        let responseDelay = max(0, stored.responseTime - stored.requestTime)
        let correctedAgeValue = ageValue + responseDelay
        let correctedInitialAge = max(apparentAge, correctedAgeValue)
        let residentTime = max(0, now - stored.responseTime)
        return correctedInitialAge + residentTime
    }

    /// Section 3, its list of conditions one after the other.
    static func isStorable(
        method: String, request: Lines, status: Int, response: Lines, shared: Bool
    ) -> Bool {
        // "the request method is understood by the cache"
        if method != "GET" { return false }
        // "the response status code is final"
        if status < 200 || status > 599 { return false }
        // "if the response status code is 206 or 304, or the must-understand cache directive is present: the cache
        // understands the response status code". 304, and what depends on a condition or range of the request, is not
        // kept as itself; RFC 6585 forbids four more. Those of RFC 9110 are understood.
        if [304, 407, 412, 416, 428, 429, 431, 511].contains(status) { return false }
        let range = values("Content-Range", response).first ?? ""
        if status == 206, !range.hasPrefix("bytes 0-4/") || range.hasSuffix("*") { return false }
        let known =
            Array(200...206) + Array(300...305) + [307, 308] + Array(400...417) + [421, 422, 426] + Array(500...505)
        if has("must-understand", response), !known.contains(status) { return false }
        // "the no-store cache directive is not present in the response", lifted by must-understand
        if has("no-store", response), !has("must-understand", response) { return false }
        if has("no-store", request) { return false }
        // "if the cache is shared: the private response directive is either not present or allows a shared cache"
        if shared, hasUnqualified("private", response) { return false }
        // "if the cache is shared: the Authorization header field is not present in the request or a response
        // directive is present that explicitly allows shared caching"
        if shared, !values("Authorization", request).isEmpty {
            if !has("must-revalidate", response), !has("public", response), !has("s-maxage", response) { return false }
        }
        // Nothing can ever match it (section 4.1).
        if values("Vary", response).flatMap(members).contains("*") { return false }
        // "the response contains at least one of the following"
        if has("public", response) { return true }
        if !shared, hasUnqualified("private", response) { return true }
        if !values("Expires", response).isEmpty { return true }
        if has("max-age", response) { return true }
        if shared, has("s-maxage", response) { return true }
        return [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501].contains(status)
    }
}

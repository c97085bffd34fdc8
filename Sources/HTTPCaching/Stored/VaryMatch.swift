import HTTPTypes

/// Decides whether two requests may share a response (RFC 9111 section 4.1).
package enum VaryMatch {
    /// The request's fields that the response's Vary names; `nil` for `Vary: *` and for a field with invalid text:
    /// nothing matches these.
    package static func selectingFields(of request: HTTPFields, vary response: HTTPFields) -> HTTPFields? {
        guard let names = names(of: response) else { return nil }
        var selected = HTTPFields()
        for name in names {
            guard let value = value(of: name, in: request) else { return nil }
            if case .text(let text) = value { selected[name] = text }
        }
        return selected
    }

    package static func matches(_ stored: StoredResponse, request: HTTPFields) -> Bool {
        guard let names = names(of: stored.fields) else { return false }
        return names.allSatisfy { isSame(value(of: $0, in: stored.varyingFields), value(of: $0, in: request)) }
    }

    /// Invalid text matches nothing.
    static func isSame(_ stored: Value?, _ asked: Value?) -> Bool { asked != nil && stored == asked }

    /// The fields that Vary names, each once; `nil` for `*`.
    static func names(of response: HTTPFields) -> [HTTPField.Name]? {
        guard response.contains(.vary) else { return [] }
        var names: [HTTPField.Name] = []
        var seen: Set<HTTPField.Name> = []
        for value in response[values: .vary] {
            for member in ListReader(value) {
                if member == "*" { return nil }
                // An invalid name is absent from every request.
                guard let name = HTTPField.Name(String(member)) else { continue }
                if seen.insert(name).inserted { names.append(name) }
                if names.count > mostNames { return nil }
            }
        }
        return names
    }

    /// More names than this are an attack on the comparison: nothing matches.
    private static let mostNames = 64

    /// A request's field in its compared form.
    enum Value: Hashable, Sendable {
        /// Absent on both sides matches, absent on one does not.
        case absent
        case text(String)

        static func == (left: Value, right: Value) -> Bool {
            switch (left, right) {
            case (.absent, .absent): true
            case (.text(let left), .text(let right)): left.hasSameBytes(as: right)
            default: false
            }
        }
    }

    /// Lines are combined and insignificant white space is removed; in a list of preferences order and case are
    /// normalised, too. `nil` for invalid text: different bytes would look the same.
    static func value(of name: HTTPField.Name, in request: HTTPFields) -> Value? {
        guard request.contains(name) else { return .absent }
        let value = request[values: name].joined(separator: ",")
        guard value.isWholeText else { return nil }
        if singleValues.contains(name) { return .text(value) }
        return .text(preferences.contains(name) ? PreferenceList.normalised(value) : normalised(value))
    }

    /// The one member of Content-Language, in lowercase.
    static func language(of response: HTTPFields) -> String? {
        guard response.contains(.contentLanguage) else { return nil }
        let members = response[values: .contentLanguage].flatMap { ListReader($0).map { $0.lowercased() } }
        return members.count == 1 ? members[0] : nil
    }

    /// The language that Accept-Language weighs above all others; `nil` without one.
    static func preferredLanguage(of request: HTTPFields) -> String? {
        guard request.contains(.acceptLanguage) else { return nil }
        return PreferenceList.favourite(in: request[values: .acceptLanguage].joined(separator: ","))
    }

    private static let preferences: Set<HTTPField.Name> = [.accept, .acceptEncoding, .acceptLanguage]
    /// These are no lists: a comma is part of the value.
    private static let singleValues: Set<HTTPField.Name> = [.authorization, .cookie, .referer, .userAgent]

    /// Trimmed, without white space around commas. Within a member every byte counts.
    private static func normalised(_ value: String) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(value.utf8.count)
        var isQuoted = false
        var isEscaped = false
        /// White space that was read and not yet written.
        var pending: [UInt8] = []
        for byte in value.utf8 {
            if isQuoted {
                result.append(byte)
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isQuoted = false
                }
                continue
            }
            if byte == 0x20 || byte == 0x09 {
                pending.append(byte)
                continue
            }
            let follows = result.last.map { $0 == UInt8(ascii: ",") } ?? true
            if byte != UInt8(ascii: ","), !follows { result += pending }
            pending.removeAll(keepingCapacity: true)
            result.append(byte)
            isQuoted = byte == UInt8(ascii: "\"")
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension StringProtocol {
    /// Strings that Unicode treats as equivalent are different fields: their bytes count (RFC 9110 section 5.5).
    func hasSameBytes(as other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }

    /// Whether the text represents all bytes of a field: invalid UTF-8 is read as U+FFFD.
    var isWholeText: Bool { !unicodeScalars.contains("\u{FFFD}") }
}

import HTTPTypes

/// What decides whether two requests may share a response (RFC 9111 section 4.1).
public enum VaryMatch {
    /// The request's fields that the response's Vary names; `nil` for `Vary: *`, which nothing matches.
    public static func selectingFields(of request: HTTPFields, vary response: HTTPFields) -> HTTPFields? {
        guard let names = names(of: response) else { return nil }
        var selected = HTTPFields()
        for name in names { selected[name] = value(of: name, in: request) }
        return selected
    }

    public static func matches(_ stored: StoredResponse, request: HTTPFields) -> Bool {
        guard let names = names(of: stored.fields) else { return false }
        return names.allSatisfy { value(of: $0, in: request) == value(of: $0, in: stored.varyingFields) }
    }

    /// The fields that Vary names, each once; `nil` for `*`.
    static func names(of response: HTTPFields) -> [HTTPField.Name]? {
        guard response.contains(.vary) else { return [] }
        var names: [HTTPField.Name] = []
        var seen: Set<HTTPField.Name> = []
        for value in response[values: .vary] {
            for member in ListReader(value) {
                if member == "*" { return nil }
                // What is no name is absent from every request.
                guard let name = HTTPField.Name(String(member)) else { continue }
                if seen.insert(name).inserted { names.append(name) }
                if names.count > mostNames { return nil }
            }
        }
        return names
    }

    /// More names than this are an attack on whoever compares them: nothing matches.
    private static let mostNames = 64

    /// A request's field in the form in which it is compared: lines combined, and white space taken away where it
    /// means nothing; of a list of preferences also the order and the case. Absent on both sides matches, absent on
    /// one does not.
    static func value(of name: HTTPField.Name, in request: HTTPFields) -> String? {
        guard request.contains(name) else { return nil }
        let value = request[values: name].joined(separator: ",")
        return preferences.contains(name) ? PreferenceList.normalised(value) : normalised(value)
    }

    private static let preferences: Set<HTTPField.Name> = [.accept, .acceptEncoding, .acceptLanguage]

    private static func normalised(_ value: String) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(value.utf8.count)
        var isQuoted = false
        var isEscaped = false
        /// Spaces read and not yet written.
        var spaces = 0
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
                spaces += 1
                continue
            }
            let follows = result.last.map { $0 == UInt8(ascii: ",") } ?? true
            if spaces > 0, byte != UInt8(ascii: ","), !follows { result.append(0x20) }
            spaces = 0
            result.append(byte)
            isQuoted = byte == UInt8(ascii: "\"")
        }
        return String(decoding: result, as: UTF8.self)
    }
}

/// A field that lists a client's preferences: Accept and similar ones (RFC 9110 section 12.5).
///
/// Weights express the preference, the order does not (sections 12.4.2 and 12.5.4); types, codings and languages are
/// case-insensitive.
enum PreferenceList {
    /// The same text for every way to write the same preferences (RFC 9111 section 4.1).
    static func normalised(_ value: String) -> String {
        if isPlain(value) { return value }
        return ListReader(value).map(member).sorted().joined(separator: ",")
    }

    /// The member with the greatest weight, in lowercase; `nil` where several share it, where it is `*` or
    /// unacceptable, and where a weight is malformed.
    static func favourite(in value: String) -> String? {
        var best: (name: String, weight: Double)?
        var isShared = false
        for text in ListReader(value) {
            let parts = parameters(text)
            guard let name = parts.first?.lowercased(), !name.isEmpty else { return nil }
            var weight = 1.0
            for part in parts.dropFirst() where part.lowercased().hasPrefix("q=") {
                guard let number = Double(part.dropFirst(2)), (0...1).contains(number) else { return nil }
                weight = number
            }
            if let best, weight < best.weight { continue }
            isShared = best.map { weight == $0.weight && name != $0.name } ?? false
            best = (name, weight)
        }
        guard let best, best.weight > 0, best.name != "*", !isShared else { return nil }
        return best.name
    }

    /// One word in lowercase is normal already.
    private static func isPlain(_ value: String) -> Bool {
        value.utf8.allSatisfy { ($0 >= 0x61 && $0 <= 0x7A) || ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x2D || $0 == 0x2A }
    }

    private static func member(_ text: Substring) -> String {
        var parts = parameters(text)[...]
        var result = (parts.popFirst() ?? "").lowercased()
        for part in parts where !part.isEmpty {
            guard let equals = part.firstIndex(of: "=") else {
                result += ";" + part.lowercased()
                continue
            }
            let name = part[..<equals].lowercased()
            let value = String(part[part.index(after: equals)...])
            if name == "q" {
                if let weight = weight(value) { result += weight }
            } else {
                result += ";" + name + "=" + value
            }
        }
        return result
    }

    /// A weight without insignificant zeros; `nil` for 1, the default.
    private static func weight(_ value: String) -> String? {
        var digits = value[...]
        if digits.contains(".") {
            while digits.last == "0" { digits = digits.dropLast() }
            if digits.last == "." { digits = digits.dropLast() }
        }
        return digits == "1" ? nil : ";q=" + digits
    }

    /// The parts between semicolons outside quoted strings, trimmed.
    private static func parameters(_ text: Substring) -> [Substring] {
        var parts: [Substring] = []
        var start = text.startIndex
        var isQuoted = false
        var isEscaped = false
        for index in text.utf8.indices {
            let byte = text.utf8[index]
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if isQuoted, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: ";"), !isQuoted {
                parts.append(trimmed(text[start..<index]))
                start = text.utf8.index(after: index)
            }
        }
        return parts + [trimmed(text[start...])]
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var bytes = text.utf8
        while let byte = bytes.first, byte == 0x20 || byte == 0x09 { bytes.removeFirst() }
        while let byte = bytes.last, byte == 0x20 || byte == 0x09 { bytes.removeLast() }
        return Substring(bytes)
    }
}

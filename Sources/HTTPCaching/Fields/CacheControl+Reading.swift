extension CacheControl {
    /// Reads one field value, in one pass.
    mutating func read(_ value: String) {
        var value = value
        value.withUTF8 { bytes in
            var reader = DirectiveReader(bytes: bytes)
            while let (name, argument) = reader.next() { take(name, argument) }
        }
    }
}

/// Walks over the directives of one field value (RFC 9111 section 5.2).
struct DirectiveReader {
    let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0

    init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// The longest known directive, `stale-while-revalidate`, is shorter.
    private static let longestName = 32

    mutating func next() -> (name: String, argument: CacheControl.Argument)? {
        while true {
            while index < bytes.count, isSpace(bytes[index]) || bytes[index] == UInt8(ascii: ",") { index += 1 }
            guard index < bytes.count else { return nil }
            let start = index
            while index < bytes.count, isToken(bytes[index]) { index += 1 }
            let name = start..<index
            let argument = readArgument()
            if !name.isEmpty, name.count <= Self.longestName {
                return (String(decoding: bytes[name].map(lowercased), as: UTF8.self), argument)
            }
        }
    }

    /// Reads the argument after a name, up to the comma that ends the directive.
    private mutating func readArgument() -> CacheControl.Argument {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "=") else {
            // The grammar has no space before the `=`: such an argument is malformed.
            return skipToComma() ? .none : .malformed
        }
        index += 1
        if index < bytes.count, bytes[index] == UInt8(ascii: "\""), let text = readQuoted() {
            return skipToComma() ? .text(text) : .malformed
        }
        let start = index
        while index < bytes.count, isToken(bytes[index]) { index += 1 }
        let text = bytes[start..<index]
        return skipToComma() ? .text(String(decoding: text, as: UTF8.self)) : .malformed
    }

    /// Reads a quoted string (RFC 9110 section 5.6.4). An unterminated one is read as directives, because it might hide
    /// a `no-store`.
    private mutating func readQuoted() -> String? {
        var place = index + 1
        var text: [UInt8] = []
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\""):
                index = place + 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\") where place + 1 < bytes.count:
                text.append(bytes[place + 1])
                place += 2
            case let byte:
                text.append(byte)
                place += 1
            }
        }
        return nil
    }

    /// - Returns: whether only white space preceded the comma or the end.
    private mutating func skipToComma() -> Bool {
        var isClean = true
        while index < bytes.count, bytes[index] != UInt8(ascii: ",") {
            if !isSpace(bytes[index]) { isClean = false }
            index += 1
        }
        return isClean
    }

    private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20, 0x09, UInt8(ascii: ","), UInt8(ascii: "="), UInt8(ascii: ";"), UInt8(ascii: "\""): false
        default: true
        }
    }

    private func lowercased(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }
}

/// The members of a comma-separated list, trimmed, without empty ones (RFC 9110 section 5.6.1.2). A comma in a quoted
/// string belongs to its member.
struct ListReader: Sequence, IteratorProtocol {
    private var rest: Substring.UTF8View
    private let hasEscapes: Bool

    /// - Parameter hasEscapes: whether a backslash within quotes escapes what follows; in entity tags it does not (RFC 9110
    ///   section 8.8.3).
    init(_ value: some StringProtocol, hasEscapes: Bool = true) {
        rest = Substring(value).utf8
        self.hasEscapes = hasEscapes
    }

    mutating func next() -> Substring? {
        while true {
            while let byte = rest.first, byte == UInt8(ascii: ",") || byte == 0x20 || byte == 0x09 {
                rest.removeFirst()
            }
            guard !rest.isEmpty else { return nil }
            var isQuoted = false
            var isEscaped = false
            let end = rest.firstIndex { byte in
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\"") {
                    isQuoted.toggle()
                } else if hasEscapes, isQuoted, byte == UInt8(ascii: "\\") {
                    isEscaped = true
                }
                return byte == UInt8(ascii: ",") && !isQuoted
            }
            var member = rest[..<(end ?? rest.endIndex)]
            rest = rest[(end ?? rest.endIndex)...]
            while let byte = member.last, byte == 0x20 || byte == 0x09 { member.removeLast() }
            if !member.isEmpty { return Substring(member) }
        }
    }
}

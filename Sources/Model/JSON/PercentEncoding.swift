/// Percent-encoding of one path segment or query value (RFC 3986 section 2.1).
package enum PercentEncoding {
    /// Encodes everything that is not unreserved as `%XX`, so that a slash in an id is not a slash of the path.
    package static func encode(_ text: String) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.append(byte)
            default:
                result.append(UInt8(ascii: "%"))
                result += Hexadecimal.encode([byte]).uppercased().utf8
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// - Returns: `nil` for a `%` without two hexadecimal digits and for invalid UTF-8: a guessed text would name
    ///   something other than the sender meant.
    package static func decode(_ text: some StringProtocol) -> String? {
        var result: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                result.append(byte)
                continue
            }
            guard rest.count >= 2, let decoded = Hexadecimal.decode(String(decoding: rest.prefix(2), as: UTF8.self))
            else { return nil }
            result += decoded
            rest.removeFirst(2)
        }
        return String(validating: result, as: UTF8.self)
    }
}

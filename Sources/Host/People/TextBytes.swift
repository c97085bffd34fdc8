import Model

/// The text of a file that a school's program or a spreadsheet wrote.
enum TextBytes {
    enum Encoding: String, Sendable {
        case utf8 = "UTF-8"
        case utf16 = "UTF-16"
        case windows1251 = "Windows-1251"
    }

    /// Reads UTF-8 and UTF-16, by their byte order mark or without one, and else Windows-1251.
    ///
    /// - Returns: `nil` for bytes that are no text in any of them.
    static func decode(_ bytes: [UInt8]) -> (text: String, encoding: Encoding)? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            return String(validating: bytes.dropFirst(3), as: UTF8.self).map { ($0, .utf8) }
        }
        if bytes.starts(with: [0xFF, 0xFE]) { return utf16(bytes.dropFirst(2), isLittleEndian: true) }
        if bytes.starts(with: [0xFE, 0xFF]) { return utf16(bytes.dropFirst(2), isLittleEndian: false) }
        if bytes.count >= 4, bytes.count.isMultiple(of: 2) {
            // A header of Latin or Cyrillic letters has every other byte small.
            if bytes[1] == 0, bytes[3] == 0 { return utf16(bytes[...], isLittleEndian: true) }
            if bytes[0] == 0, bytes[2] == 0 { return utf16(bytes[...], isLittleEndian: false) }
        }
        if bytes.contains(0) { return nil }
        if let text = String(validating: bytes, as: UTF8.self) { return (text, .utf8) }
        var text = String.UnicodeScalarView()
        for byte in bytes {
            guard let scalar = windows1251(byte) else { return nil }
            text.append(scalar)
        }
        return (String(text), .windows1251)
    }

    private static func utf16(_ bytes: ArraySlice<UInt8>, isLittleEndian: Bool) -> (String, Encoding)? {
        guard bytes.count.isMultiple(of: 2) else { return nil }
        let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map { place in
            let (first, second) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
            return isLittleEndian ? second << 8 | first : first << 8 | second
        }
        return String(validating: units, as: UTF16.self).map { ($0, .utf16) }
    }

    private static func windows1251(_ byte: UInt8) -> Unicode.Scalar? {
        if byte < 0x80 { return Unicode.Scalar(byte) }
        if byte >= 0xC0 { return Unicode.Scalar(0x0410 + UInt32(byte) - 0xC0) }
        let value = upperHalf[Int(byte) - 0x80]
        return value == 0 ? nil : Unicode.Scalar(value)
    }

    /// The code points of the bytes 80 to BF (RFC 1700: windows-1251); 98 is none.
    private static let upperHalf: [UInt32] = [
        0x0402, 0x0403, 0x201A, 0x0453, 0x201E, 0x2026, 0x2020, 0x2021, 0x20AC, 0x2030, 0x0409, 0x2039, 0x040A, 0x040C,
        0x040B, 0x040F, 0x0452, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0, 0x2122, 0x0459, 0x203A,
        0x045A, 0x045C, 0x045B, 0x045F, 0x00A0, 0x040E, 0x045E, 0x0408, 0x00A4, 0x0490, 0x00A6, 0x00A7, 0x0401, 0x00A9,
        0x0404, 0x00AB, 0x00AC, 0x00AD, 0x00AE, 0x0407, 0x00B0, 0x00B1, 0x0406, 0x0456, 0x0491, 0x00B5, 0x00B6, 0x00B7,
        0x0451, 0x2116, 0x0454, 0x00BB, 0x0458, 0x0405, 0x0455, 0x0457,
    ]
}

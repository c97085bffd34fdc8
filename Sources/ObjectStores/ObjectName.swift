import Model

/// The name of an object: parts that are joined by slashes, such as `tests/0190….test.json`.
///
/// A part has 1 to 255 bytes of UTF-8, no control character and no backslash, and does not start with a dot, so that a name is
/// a path inside a folder and can never lead out of it. A name has at most `maximumBytes`: that leaves room for a prefix
/// within the 1024 bytes of S3. Names are ordered by their bytes.
package struct ObjectName: Hashable, Sendable, Comparable, CustomStringConvertible {
    package static let maximumBytes = 700
    private static let maximumPartBytes = 255

    package let text: String

    /// `nil` for a text that is not a name.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes,
            text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy({ part in
                !part.isEmpty && part.count <= Self.maximumPartBytes && part.first != UInt8(ascii: ".")
                    && part.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }
            })
        else { return nil }
        self.text = text
    }

    package var description: String { text }

    package static func < (left: ObjectName, right: ObjectName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    package static func == (left: ObjectName, right: ObjectName) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }

    /// Whether it starts with these bytes.
    package func hasPrefix(_ prefix: String) -> Bool { text.utf8.starts(with: prefix.utf8) }
}

/// A link that may be opened: an absolute `http` or `https` URL with a host and without a user's name.
///
/// A name before the host (`https://bank.example@evil.example`) makes a host look like another one.
package struct WebLink: Hashable, Sendable {
    /// The URL, free of spaces, control characters and bidirectional controls.
    package let destination: String

    /// The longest URL that is followed, in bytes.
    package static let maximumLength = 2048

    package init?(_ text: String) {
        guard text.utf8.count <= WebLink.maximumLength else { return nil }
        let lower = text.prefix(8).lowercased()
        let scheme = lower.hasPrefix("https://") ? 8 : lower.hasPrefix("http://") ? 7 : 0
        guard scheme > 0 else { return nil }
        let authority = text.dropFirst(scheme).prefix { !"/?#".contains($0) }
        guard let first = authority.first, first.isLetter || first.isNumber || first == "[",
            !authority.contains("@"), !authority.contains("\\"),
            text.unicodeScalars.allSatisfy({ !WebLink.isForbidden($0) })
        else { return nil }
        destination = text
    }

    /// What no URL has, and what could make one look like another.
    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint { return true }
        if "<>\"`\\".unicodeScalars.contains(scalar) { return true }
        switch scalar.properties.generalCategory {
        case .control, .format, .unassigned, .privateUse, .surrogate, .lineSeparator, .paragraphSeparator: return true
        default: return false
        }
    }
}

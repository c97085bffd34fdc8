import Model

/// The key in an Authorization field (RFC 6750 section 2.1).
package enum BearerKey {
    /// The text after `Bearer`; `nil` for a field of another scheme, or without one.
    package static func text(in authorization: String?) -> String? {
        guard let authorization else { return nil }
        let parts = authorization.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        let text = parts[1].trimmed
        return text.isEmpty ? nil : text
    }

    /// The digest by which a host and a hub know a key: that of its text, and for a person's code that of the code, however
    /// it was typed.
    package static func digest(of text: String) -> Digest {
        code(in: text)?.digest ?? Digest(sha256Of: text.utf8)
    }

    /// The code that a text is; `nil` for a key of another form.
    package static func code(in text: String) -> PersonalCode? {
        text.contains("_") ? nil : PersonalCode(text)
    }

    /// Whether a key works at a moment; one without an end works always.
    package static func isValid(until expires: Timestamp?, at now: Timestamp) -> Bool {
        expires.map { $0 <= now } != true
    }

    /// Compares in constant time.
    package static func areEqual(_ left: Digest, _ right: Digest) -> Bool {
        var difference: UInt8 = 0
        for (left, right) in zip(left.bytes, right.bytes) { difference |= left ^ right }
        return difference == 0
    }
}

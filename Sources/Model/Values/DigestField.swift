import FoundationEssentials

/// The SHA-256 in the fields Content-Digest and Repr-Digest (RFC 9530).
package enum DigestField {
    /// `sha-256=:…:`
    package static func format(_ digest: Digest) -> String {
        "sha-256=:" + Data(digest.bytes).base64EncodedString() + ":"
    }

    /// The SHA-256 digests in a field's value; those of other algorithms are ignored.
    ///
    /// - Throws: `DigestFieldFault` for a digest that cannot be read.
    package static func sha256s(in value: String) throws(DigestFieldFault) -> [Digest] {
        var found: [Digest] = []
        for member in value.split(separator: ",") {
            let text = member.filter { $0 != " " && $0 != "\t" }
            guard text.hasPrefix("sha-256=") else { continue }
            let item = text.dropFirst("sha-256=".count).prefix { $0 != ";" }
            guard item.count >= 2, item.hasPrefix(":"), item.hasSuffix(":"),
                let data = Data(base64Encoded: String(item.dropFirst().dropLast())),
                let digest = Digest(bytes: Array(data))
            else { throw DigestFieldFault() }
            found.append(digest)
        }
        return found
    }
}

/// A malformed digest.
package struct DigestFieldFault: Error, Hashable {
    package init() {}
}

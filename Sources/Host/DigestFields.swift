import FoundationEssentials
import HTTPTypes
import Model

/// The fields Content-Digest and Repr-Digest (RFC 9530).
enum DigestFields {
    /// `sha-256=:…:`
    static func format(_ digest: Digest) -> String {
        "sha-256=:" + Data(digest.bytes).base64EncodedString() + ":"
    }

    /// The SHA-256 among the digests of a field's value.
    ///
    /// - Returns: `nil` when there is none; digests of other kinds are nothing that we check.
    /// - Throws: a 400 `Problem` when there is one that cannot be read.
    static func sha256(in value: String) throws(Problem) -> Digest? {
        var found: Digest?
        for member in value.split(separator: ",") {
            let text = member.filter { $0 != " " && $0 != "\t" }
            guard text.hasPrefix("sha-256=") else { continue }
            let item = text.dropFirst("sha-256=".count).prefix { $0 != ";" }
            guard item.count >= 2, item.hasPrefix(":"), item.hasSuffix(":"),
                let data = Data(base64Encoded: String(item.dropFirst().dropLast())), let digest = Digest(bytes: data)
            else {
                throw Problem.badRequest("Content-Digest has a sha-256 that is not :base64: of 32 bytes (RFC 9530).")
            }
            found = digest
        }
        return found
    }
}

extension HTTPFields {
    /// Content-Digest: of the content as it is sent, after its coding (RFC 9530 section 2).
    var contentDigest: String? {
        get { HTTPField.Name("Content-Digest").flatMap { self[$0] } }
        set { if let name = HTTPField.Name("Content-Digest") { self[name] = newValue } }
    }

    /// Repr-Digest: of the whole representation, whatever part of it is sent (RFC 9530 section 3).
    var reprDigest: String? {
        get { HTTPField.Name("Repr-Digest").flatMap { self[$0] } }
        set { if let name = HTTPField.Name("Repr-Digest") { self[name] = newValue } }
    }
}

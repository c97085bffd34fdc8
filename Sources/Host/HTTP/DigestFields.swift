import HTTPTypes
import Model

/// The fields Content-Digest and Repr-Digest (RFC 9530).
enum DigestFields {
    /// The SHA-256 among the digests of a field's value.
    ///
    /// - Returns: `nil` when there is none; digests of other kinds are nothing that we check.
    /// - Throws: a 400 `Problem` when there is one that cannot be read.
    static func sha256(in value: String) throws(Problem) -> Digest? {
        do throws(DigestFieldFault) {
            return try DigestField.sha256s(in: value).last
        } catch {
            throw Problem.badRequest(error.description)
        }
    }
}

extension HTTPFields {
    /// Content-Digest: of the content as sent, after its coding (RFC 9530 section 2).
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

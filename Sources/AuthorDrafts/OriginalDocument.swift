import Model

/// A questionnaire that drafts are made from, as its author wrote it.
package struct OriginalDocument: Hashable, Sendable {
    package let id: String
    package let bytes: [UInt8]

    /// Names the version: a draft that was made from it has it as its base.
    package let digest: Digest

    /// - Parameter digest: SHA-256 of the file where none is given.
    package init(id: String, bytes: [UInt8], digest: Digest? = nil) {
        self.id = id
        self.bytes = bytes
        self.digest = digest ?? Digest(sha256Of: bytes)
    }
}

import Model

/// A questionnaire that drafts are made from, as its author wrote it.
package struct OriginalDocument: Hashable, Sendable {
    package let id: String
    package let bytes: [UInt8]

    package init(id: String, bytes: [UInt8]) {
        self.id = id
        self.bytes = bytes
    }

    /// SHA-256 of the file.
    package var digest: Digest { Digest(sha256Of: bytes) }
}

/// The server's state of a questionnaire after a change: the version that further changes are based on.
package struct Publication: Hashable, Sendable, Codable {
    /// The server's id of the questionnaire.
    package var id: String
    /// The id that the creating device gave it; it always names the same questionnaire.
    package var localId: String?
    /// The strong entity tag of the document without content coding (RFC 9110 section 8.8.3).
    package var etag: String?
    /// SHA-256 of the document as it is sent.
    package var digest: Digest?
    /// When this version was made, by the server's clock. For display only; nothing depends on it.
    package var updatedAt: Timestamp?
    /// The number of the change that led to this version: see “changes since” in `docs/protocol.md`.
    package var sequence: Int?
    /// True if the server has deleted it; then it has no tag.
    package var deleted: Bool?

    package init(
        id: String, localId: String? = nil, etag: String? = nil, digest: Digest? = nil, updatedAt: Timestamp? = nil,
        sequence: Int? = nil, deleted: Bool? = nil
    ) {
        self.id = id
        self.localId = localId
        self.etag = etag
        self.digest = digest
        self.updatedAt = updatedAt
        self.sequence = sequence
        self.deleted = deleted
    }
}

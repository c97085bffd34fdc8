import Model

/// Who published a version on the host's pages, and when.
package struct PublicationNote: Hashable, Sendable, Codable {
    /// SHA-256 of the published file, the key included.
    package var file: Digest
    package var at: Timestamp
    package var by: String?
}

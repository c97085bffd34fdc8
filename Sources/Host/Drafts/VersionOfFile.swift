import Model

/// A version of a questionnaire that the host published.
package struct VersionOfFile: Hashable, Sendable {
    /// SHA-256 of the file, the key included.
    package let digest: Digest
    package let bytes: [UInt8]
    package let publishedAt: Timestamp?
    /// `nil` where it is not known: it was not published on the host's pages.
    package let publishedBy: String?
    package let isCurrent: Bool
}

/// A file and the digest of its content.
package struct FileDigest: Hashable, Sendable {
    package var path: String
    package var digest: Digest

    package init(path: String, digest: Digest) {
        self.path = path
        self.digest = digest
    }

    /// Reads a line as `sha256sum` prints it.
    package init?(line: String) {
        guard line.utf8.count > 66, line.dropFirst(64).hasPrefix("  "), let digest = Digest(hex: line.prefix(64)) else {
            return nil
        }
        self.init(path: String(line.dropFirst(66)), digest: digest)
    }

    package var line: String { "\(digest.hex)  \(path)" }
}

import Model

/// The format of an index file: a line that names it, the SHA-256 of the payload, the payload. It is written without a
/// flush, so a power cut may damage it; then it is rebuilt.
package struct IndexFormat: Sendable {
    private let line: [UInt8]

    /// - Parameter name: with the number of the format; another number is another format.
    package init(_ name: String) { line = Array((name + "\n").utf8) }

    /// The header of a payload with this checksum.
    package func header(of digest: Digest) -> [UInt8] { line + digest.bytes }

    /// The length of the header: the format's line and the checksum.
    package var headerBytes: Int { line.count + 32 }

    /// The checksum of the payload that follows; `nil` for another version or format.
    package func digest(inHeader bytes: [UInt8]) -> Digest? {
        bytes.count == headerBytes && bytes.starts(with: line) ? Digest(bytes: bytes[line.count...]) : nil
    }
}

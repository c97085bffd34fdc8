import Disk
import Model

/// Received bytes that belong to nothing yet.
package struct SpooledMedia: Sendable {
    let temporary: TemporaryFile
    package let digest: Digest
    package let sizeBytes: Int64
}

/// Bytes that are being received. The caller either finishes or gives up.
package struct MediaSpool: Sendable {
    let temporary: TemporaryFile
    /// The name of the file.
    package let name: String
    var builder = DigestBuilder()
    package internal(set) var sizeBytes: Int64 = 0
}

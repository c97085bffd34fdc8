import CacheStore
import Model
import OutboxStore
import SystemPackage

/// Where the bytes of a picture, sound or film are on this device.
package enum MediumPlace: Sendable {
    case cache(CacheEntry)
    /// It was attached here.
    case outbox(Digest, sizeBytes: Int64)
    /// It is of the version that a test was taken with; an entry may name another one by now.
    case version(CacheLayout.BlobName, mediaType: String, sizeBytes: Int64)

    /// Below the store.
    package var path: FilePath {
        switch self {
        case .cache(let entry): entry.blob.path
        case .outbox(let digest, _): OutboxLayout.mediaPath(digest)
        case .version(let blob, _, _): blob.path
        }
    }
}

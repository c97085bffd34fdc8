import CacheStore
import Disk
import Model
import OutboxStore
import Sync

/// Reading them.
extension ShownMedia {
    /// The bytes of a picture on this device, all of them. Blocks on the disk.
    ///
    /// - Parameters:
    ///   - record: the test whose version shows it; `nil` for the version that is here.
    ///   - most: longer content is not read.
    /// - Returns: `nil` where it is not here, is too long, or cannot be read.
    package func bytes(
        of medium: Media, questionnaire id: String, in record: TestRecord?, remote: (any Remote)?, most: Int
    ) -> (mediaType: String, bytes: [UInt8])? {
        let found =
            record.map { try? place(of: medium, in: $0, remote: remote) }
            ?? (try? place(of: medium, questionnaire: id, remote: remote))
        switch found ?? nil {
        case nil: return nil
        case .cache(let entry): return read(entry.blob, entry.mediaType, Int64(entry.sizeBytes), most)
        case .version(let blob, let mediaType, let sizeBytes): return read(blob, mediaType, sizeBytes, most)
        case .outbox(let digest, let sizeBytes):
            guard sizeBytes <= most, let content = try? outbox.media.open(digest, sizeBytes: sizeBytes) else {
                return nil
            }
            var bytes: [UInt8] = []
            while bytes.count < sizeBytes {
                let rest = sizeBytes - Int64(bytes.count)
                guard let piece = try? content.piece(at: Int64(bytes.count), maximumBytes: rest), !piece.isEmpty else {
                    return nil
                }
                bytes += piece
            }
            return (MediaType.of(fileName: medium.path, stated: medium.type), bytes)
        }
    }

    private func read(
        _ blob: CacheLayout.BlobName, _ mediaType: String, _ sizeBytes: Int64, _ most: Int
    ) -> (mediaType: String, bytes: [UInt8])? {
        guard sizeBytes <= most, let source = try? cache.read(blob, sizeBytes: sizeBytes).value else { return nil }
        switch source {
        case .bytes(let bytes): return (mediaType, bytes)
        case .stream(let reader):
            var bytes: [UInt8] = []
            while let piece = try? reader.next() { bytes += piece }
            return bytes.count == sizeBytes ? (mediaType, bytes) : nil
        }
    }
}

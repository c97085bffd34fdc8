import Disk
import HTTPTypes
import Hummingbird
import Model
import NIOCore
import OutboxStore
import Quire

/// Files that a person attached to answers: their bytes, from the outbox alone.
struct AttachmentEndpoint: Sendable {
    let store: QuireStore

    static func address(_ test: TestID, _ attachment: TestID) -> String { "/t/\(test)/file/\(attachment)" }

    /// Blocks on the disk.
    ///
    /// - Returns: `nil` where the test names no such file, or its bytes are not here any more.
    func answer(_ test: TestID, _ attachment: String, range: String?) throws -> Response? {
        guard let id = TestID(attachment) else { return nil }
        let record = try store.outboxListing.record(of: try store.outboxListing.test(test))
        guard
            let attachment = record.attachments.first(where: { $0.id == id }),
            try store.outbox.media.hasBytes(attachment.digest)
        else { return nil }
        try store.people.checkShown(record)
        return try response(
            attachment.digest, attachment.mediaType, sizeBytes: attachment.sizeBytes, range: range,
            name: attachment.name)
    }

    /// Bytes of the outbox.
    func response(
        _ digest: Digest, _ mediaType: String, sizeBytes: Int64, range: String?, name: String? = nil
    ) throws -> Response? {
        let content = try store.outbox.media.open(digest, sizeBytes: sizeBytes)
        return try MediaEndpoint.response(mediaType, sizeBytes: sizeBytes, range: range, name: name) { part in
            let whole = part ?? 0..<sizeBytes
            return .init(contentLength: Int(whole.upperBound - whole.lowerBound)) { writer in
                var offset = whole.lowerBound
                while offset < whole.upperBound {
                    let (from, rest) = (offset, whole.upperBound - offset)
                    let piece = try await offload { try content.piece(at: from, maximumBytes: rest) }
                    if piece.isEmpty { break }
                    offset += Int64(piece.count)
                    try await writer.write(ByteBuffer(bytes: piece))
                }
                try await writer.finish(nil)
            }
        }
    }
}

import FoundationEssentials
import Model
import SwiftProtobuf

/// The protobuf form: the messages of snapshot.proto, each after its length.
extension SnapshotRecord {
    typealias Message = Quire_Snapshot_V1_Record

    var message: Message {
        var message = Message()
        switch self {
        case .header(let header):
            message.header.version = Int32(clamping: header.version)
            message.header.content = header.content.rawValue
            message.header.storeFormat = Int32(clamping: header.storeFormat ?? 0)
            message.header.createdAtMs = header.createdAt.millisecondsSinceEpoch
            message.header.deviceID = header.deviceId ?? ""
            message.header.withCache = header.withCache
            message.header.withSecrets = header.withSecrets
            if let since = header.since { message.header.since = since.data }
        case .manifest(let paths): message.manifest.paths = paths
        case .file(let file):
            message.file.path = file.path
            message.file.modifiedAtMs = file.modified.millisecondsSinceEpoch
            message.file.sizeBytes = file.sizeBytes
            message.file.digest = file.digest.data
            message.file.pieces = Int32(clamping: file.pieces)
            if let content = file.content { message.file.content = Data(content) }
        case .piece(let piece):
            message.piece.path = piece.path
            message.piece.offset = piece.offset
            message.piece.content = Data(piece.content)
        case .end(let end):
            message.end.files = Int64(end.files)
            message.end.digest = end.digest.data
            message.end.absent = end.absent ?? []
        case .unchanged(let paths): message.unchanged.paths = paths
        case .former(let files): message.former.lines = files.map(\.line)
        case .absent(let paths): message.absent.paths = paths
        case .unknown: break
        }
        return message
    }

    /// - Throws: `DocumentFault` for a message that a snapshot does not have.
    init(_ message: Message) throws(DocumentFault) {
        switch message.kind {
        case .header(let header):
            guard let content = SnapshotHeader.Content(rawValue: header.content) else {
                throw DocumentFault(field: "content", reason: "is “\(header.content)”, neither store nor host")
            }
            self = .header(
                SnapshotHeader(
                    version: Int(header.version), content: content,
                    storeFormat: header.storeFormat == 0 ? nil : Int(header.storeFormat),
                    createdAt: Timestamp(millisecondsSinceEpoch: header.createdAtMs),
                    deviceId: header.deviceID.isEmpty ? nil : header.deviceID, withCache: header.withCache,
                    withSecrets: header.withSecrets,
                    since: header.since.isEmpty ? nil : try Self.digest(header.since, "since")))
        case .manifest(let manifest): self = .manifest(manifest.paths)
        case .file(let file):
            self = .file(
                File(
                    path: file.path, modified: Timestamp(millisecondsSinceEpoch: file.modifiedAtMs),
                    sizeBytes: file.sizeBytes, digest: try Self.digest(file.digest, "digest"),
                    content: file.pieces == 0 ? Array(file.content) : nil, pieces: Int(file.pieces)))
        case .piece(let piece):
            self = .piece(Piece(path: piece.path, offset: piece.offset, content: Array(piece.content)))
        case .end(let end):
            self = .end(
                End(
                    files: Int(end.files), digest: try Self.digest(end.digest, "digest"),
                    absent: end.absent.isEmpty ? nil : end.absent))
        case .unchanged(let unchanged): self = .unchanged(unchanged.paths)
        case .former(let former): self = .former(former.lines.compactMap(FileDigest.init(line:)))
        case .absent(let absent): self = .absent(absent.paths)
        case nil: self = .unknown
        }
    }

    private static func digest(_ bytes: Data, _ field: String) throws(DocumentFault) -> Digest {
        guard let digest = Digest(bytes: bytes) else {
            throw DocumentFault(field: field, reason: "has \(bytes.count) bytes, and a SHA-256 has 32")
        }
        return digest
    }
}

extension Digest {
    fileprivate var data: Data { Data(Hexadecimal.decode(hex) ?? []) }
}

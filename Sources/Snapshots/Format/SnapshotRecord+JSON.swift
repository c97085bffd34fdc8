import FoundationEssentials
import Model

/// The JSON form: an object with one member, which names the kind of the record.
extension SnapshotRecord: Codable {
    private enum Key: String, CodingKey {
        case snapshot, manifest, file, piece, end, unchanged, former, absent
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        switch container.allKeys.first {
        case .snapshot: self = .header(try container.decode(SnapshotHeader.self, forKey: .snapshot))
        case .manifest: self = .manifest(try container.decode([String].self, forKey: .manifest))
        case .file: self = .file(try container.decode(File.self, forKey: .file))
        case .piece: self = .piece(try container.decode(Piece.self, forKey: .piece))
        case .end: self = .end(try container.decode(End.self, forKey: .end))
        case .unchanged: self = .unchanged(try container.decode([String].self, forKey: .unchanged))
        case .former:
            self = .former(try container.decode([String].self, forKey: .former).compactMap(FileDigest.init(line:)))
        case .absent: self = .absent(try container.decode([String].self, forKey: .absent))
        case nil: self = .unknown
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .header(let header): try container.encode(header, forKey: .snapshot)
        case .manifest(let paths): try container.encode(paths, forKey: .manifest)
        case .file(let file): try container.encode(file, forKey: .file)
        case .piece(let piece): try container.encode(piece, forKey: .piece)
        case .end(let end): try container.encode(end, forKey: .end)
        case .unchanged(let paths): try container.encode(paths, forKey: .unchanged)
        case .former(let files): try container.encode(files.map(\.line), forKey: .former)
        case .absent(let paths): try container.encode(paths, forKey: .absent)
        case .unknown: break
        }
    }
}

/// Content in JSON: `text` where it is UTF-8, else `base64`.
private enum ContentKey: String, CodingKey {
    case text, base64
}

private func decodeContent(from decoder: any Decoder) throws -> [UInt8]? {
    let container = try decoder.container(keyedBy: ContentKey.self)
    if let text = try container.decodeIfPresent(String.self, forKey: .text) { return Array(text.utf8) }
    guard let encoded = try container.decodeIfPresent(String.self, forKey: .base64) else { return nil }
    guard let data = Data(base64Encoded: encoded) else {
        throw DocumentFault(field: "base64", reason: "is not base64")
    }
    return Array(data)
}

private func encode(content: [UInt8], to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: ContentKey.self)
    if let text = String(validating: content, as: UTF8.self) {
        try container.encode(text, forKey: .text)
    } else {
        try container.encode(Data(content).base64EncodedString(), forKey: .base64)
    }
}

extension SnapshotRecord.File: Codable {
    private enum Key: String, CodingKey {
        case path, modified, sizeBytes, digest, pieces
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        path = try container.decode(String.self, forKey: .path)
        modified = try container.decode(Timestamp.self, forKey: .modified)
        sizeBytes = try container.decode(Int64.self, forKey: .sizeBytes)
        digest = try container.decode(Digest.self, forKey: .digest)
        content = try decodeContent(from: decoder)
        pieces = try container.decodeIfPresent(Int.self, forKey: .pieces) ?? 0
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(path, forKey: .path)
        try container.encode(modified, forKey: .modified)
        try container.encode(sizeBytes, forKey: .sizeBytes)
        try container.encode(digest, forKey: .digest)
        if let content {
            try Snapshots.encode(content: content, to: encoder)
        } else {
            try container.encode(pieces, forKey: .pieces)
        }
    }
}

extension SnapshotRecord.Piece: Codable {
    private enum Key: String, CodingKey {
        case path, offset
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        path = try container.decode(String.self, forKey: .path)
        offset = try container.decode(Int64.self, forKey: .offset)
        content = try decodeContent(from: decoder) ?? []
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(path, forKey: .path)
        try container.encode(offset, forKey: .offset)
        try Snapshots.encode(content: content, to: encoder)
    }
}

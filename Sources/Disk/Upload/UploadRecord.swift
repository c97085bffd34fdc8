import Model

/// An upload that was begun: what is expected, and how much of it is on the disk for certain.
package struct UploadRecord: Hashable, Sendable {
    /// The attachment's id, and so the upload's.
    package var id: TestID
    package var owner: MediaOwner
    package var digest: Digest
    package var sizeBytes: Int64
    /// So many bytes were written and synced; what lies behind them in the file counts for nothing after a crash.
    package var offset: Int64
    package var dateBegun: Timestamp
    /// Who brought it so far, in this process; nothing of it is on the disk.
    var writer: Int?
}

extension UploadRecord: Codable {
    private enum Key: String, CodingKey { case id, digest, sizeBytes, offset, dateBegun }

    /// What names its owner is among the other members.
    package init(from decoder: any Decoder) throws {
        owner = try MediaOwner(from: decoder)
        let container = try decoder.container(keyedBy: Key.self)
        id = try container.decode(TestID.self, forKey: .id)
        digest = try container.decode(Digest.self, forKey: .digest)
        sizeBytes = try container.decode(Int64.self, forKey: .sizeBytes)
        offset = try container.decode(Int64.self, forKey: .offset)
        dateBegun = try container.decode(Timestamp.self, forKey: .dateBegun)
    }

    package func encode(to encoder: any Encoder) throws {
        try owner.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: .id)
        try container.encode(digest, forKey: .digest)
        try container.encode(sizeBytes, forKey: .sizeBytes)
        try container.encode(offset, forKey: .offset)
        try container.encode(dateBegun, forKey: .dateBegun)
    }
}

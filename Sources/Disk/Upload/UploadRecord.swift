import Model

/// The state of an upload: the expected content, and how many bytes are certainly on disk.
package struct UploadRecord: Hashable, Sendable {
    /// The id of the attachment and the upload.
    package var id: TestID
    package var owner: MediaOwner
    package var digest: Digest
    package var sizeBytes: Int64
    /// The number of bytes that were written and synced; bytes after them in the file are ignored after a crash.
    package var offset: Int64
    package var dateBegun: Timestamp
    /// The last writer in this process; not stored.
    var writer: Int?

    package init(
        id: TestID, owner: MediaOwner, digest: Digest, sizeBytes: Int64, offset: Int64, dateBegun: Timestamp
    ) {
        self.id = id
        self.owner = owner
        self.digest = digest
        self.sizeBytes = sizeBytes
        self.offset = offset
        self.dateBegun = dateBegun
    }
}

extension UploadRecord: Codable {
    private enum Key: String, CodingKey { case id, digest, sizeBytes, offset, dateBegun }
    /// No file is longer, whatever a record says.
    private static let mostBytes: Int64 = 1 << 48

    /// The owner is encoded in the same object.
    package init(from decoder: any Decoder) throws {
        owner = try MediaOwner(from: decoder)
        let container = try decoder.container(keyedBy: Key.self)
        id = try container.decode(TestID.self, forKey: .id)
        digest = try container.decode(Digest.self, forKey: .digest)
        sizeBytes = try container.decode(Int64.self, forKey: .sizeBytes)
        offset = try container.decode(Int64.self, forKey: .offset)
        dateBegun = try container.decode(Timestamp.self, forKey: .dateBegun)
        guard 0 <= offset, offset <= sizeBytes, sizeBytes <= Self.mostBytes else {
            throw DocumentFault(field: "offset", reason: "is not within a file of up to \(Self.mostBytes) bytes")
        }
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

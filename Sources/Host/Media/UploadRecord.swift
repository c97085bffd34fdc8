import Model

/// An upload that was begun: what is expected, and how much of it is on the disk for certain.
struct UploadRecord: Codable, Hashable, Sendable {
    /// The attachment's id, and so the upload's.
    var id: TestID
    var test: TestID
    var digest: Digest
    var sizeBytes: Int64
    /// So many bytes were written and synced; what lies behind them in the file counts for nothing after a crash.
    var offset: Int64
    var dateBegun: Timestamp
}

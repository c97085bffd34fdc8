import Model

/// An upload that was begun: what is expected, and how much of it is on the disk for certain.
public struct UploadRecord: Codable, Hashable, Sendable {
    /// The attachment's id, and so the upload's.
    public var id: TestID
    public var test: TestID
    public var digest: Digest
    public var sizeBytes: Int64
    /// So many bytes were written and synced; what lies behind them in the file counts for nothing after a crash.
    public var offset: Int64
    public var dateBegun: Timestamp
}

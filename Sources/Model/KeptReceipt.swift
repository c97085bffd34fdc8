/// What a hub says that has a test and has not yet handed it on: it is kept there durably. It is no proof of delivery.
public struct KeptReceipt: Hashable, Sendable, Codable {
    public var test: TestID
    /// SHA-256 of the bytes that the hub has.
    public var digest: Digest
    /// When it had stored them durably, by the hub's clock.
    public var keptAt: Timestamp
    /// Nothing else: whoever reads a receipt must not take this for one.
    public var status: Status

    public enum Status: String, Hashable, Sendable, Codable {
        case kept
    }

    public init(test: TestID, digest: Digest, keptAt: Timestamp) {
        self.test = test
        self.digest = digest
        self.keptAt = keptAt
        status = .kept
    }
}

/// Why a host will not take a test that came to it in a folder, for the device that put it there.
public struct ExchangeRefusal: Hashable, Sendable, Codable {
    public var test: TestID
    /// SHA-256 of the bytes that were refused.
    public var digest: Digest
    /// As over HTTP: 409 for other bytes under a known id, 422 for what is no test.
    public var status: Int
    /// One sentence for people.
    public var reason: String

    public init(test: TestID, digest: Digest, status: Int, reason: String) {
        self.test = test
        self.digest = digest
        self.status = status
        self.reason = reason
    }
}

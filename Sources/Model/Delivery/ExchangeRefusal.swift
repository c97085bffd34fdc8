/// Why a host rejects a test, an attachment or a change that arrived in a folder; written for the device that put it
/// there.
package struct ExchangeRefusal: Hashable, Sendable, Codable {
    /// The id of the test, the attachment or the change.
    package var test: TestID
    /// SHA-256 of the rejected bytes: a test's file, an attachment's content, a change's document; of no bytes where
    /// there are none.
    package var digest: Digest
    /// As over HTTP: 409 for different bytes under a known id, 412 for a change of another version, 422 for unreadable
    /// content.
    package var status: Int
    /// One sentence for people.
    package var reason: String
    /// With 412: the host's current version.
    package var current: Publication?

    package init(test: TestID, digest: Digest, status: Int, reason: String, current: Publication? = nil) {
        self.test = test
        self.digest = digest
        self.status = status
        self.reason = reason
        self.current = current
    }
}

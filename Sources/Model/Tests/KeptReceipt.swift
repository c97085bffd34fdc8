/// A hub's statement that it holds a test or a change durably and has not delivered it yet. It is no proof of delivery.
package struct KeptReceipt: Hashable, Sendable {
    /// The id of the test, or of the change.
    package var test: TestID
    /// The action on a questionnaire, for a change; `nil` for a test.
    package var action: ChangeAction?
    /// SHA-256 of the bytes that the hub has: a test's file, a change's document; of no bytes where there are none.
    package var digest: Digest
    /// When the hub had stored them durably, by its own clock.
    package var keptAt: Timestamp
    /// Has no other value, so that a reader of receipts never mistakes this for one.
    package var status: Status

    package enum Status: String, Hashable, Sendable, Codable {
        case kept
    }

    package init(test: TestID, action: ChangeAction? = nil, digest: Digest, keptAt: Timestamp) {
        self.test = test
        self.action = action
        self.digest = digest
        self.keptAt = keptAt
        status = .kept
    }
}

extension KeptReceipt: Codable {
    private enum Key: String, CodingKey {
        case test, change, action, digest, keptAt, status
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        action = try container.decodeIfPresent(ChangeAction.self, forKey: .action)
        test = try container.decode(TestID.self, forKey: action == nil ? .test : .change)
        digest = try container.decode(Digest.self, forKey: .digest)
        keptAt = try container.decode(Timestamp.self, forKey: .keptAt)
        status = try container.decode(Status.self, forKey: .status)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(test, forKey: action == nil ? .test : .change)
        try container.encodeIfPresent(action, forKey: .action)
        try container.encode(digest, forKey: .digest)
        try container.encode(keptAt, forKey: .keptAt)
        try container.encode(status, forKey: .status)
    }
}

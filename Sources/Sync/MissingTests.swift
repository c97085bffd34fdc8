import Model

/// Tests that the server acknowledged and does not have any more, as after its return to an older backup.
public struct MissingTests: Codable, Hashable, Sendable {
    /// When the first of them was missed.
    public var since: Timestamp
    /// In the order of their ids.
    public var tests: [TestID]
}

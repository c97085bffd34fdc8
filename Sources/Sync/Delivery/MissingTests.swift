import Model

/// Tests that the server acknowledged and does not have any more, as after its return to an older backup.
package struct MissingTests: Codable, Hashable, Sendable {
    /// When the first of them was missed.
    package var since: Timestamp
    /// In the order of their ids.
    package var tests: [TestID]
}

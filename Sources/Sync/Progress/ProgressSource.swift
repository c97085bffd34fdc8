import Model
import WireFormat

/// What a device or a hub says of its open tests.
package struct ProgressSource: Sendable {
    /// By it the remote replaces what it heard before.
    package var sender: String
    /// The person whose key goes with a report: with another one the remote may take other tests of it.
    package var person: @Sendable () -> String?
    /// The open tests of now. Blocks on the disk.
    package var tests: @Sendable () throws -> [OpenTest]

    package init(
        sender: String, person: @escaping @Sendable () -> String? = { nil },
        tests: @escaping @Sendable () throws -> [OpenTest]
    ) {
        self.sender = sender
        self.person = person
        self.tests = tests
    }
}

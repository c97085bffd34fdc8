import Model
import OutboxStore
import Sync

/// A finished test or a change that a sync would not send now, with the reason.
package struct BlockedItem: Hashable, Sendable, Encodable {
    package var id: TestID
    package var kind: OutboxKind
    package var status: TestStatus
    /// The earliest time at which it is sent.
    package var notBefore: Timestamp?
    /// Why it waits, how the last attempt failed, why the server rejected it, or why the file cannot be read.
    package var reason: String?
}

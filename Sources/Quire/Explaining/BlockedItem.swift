import Model
import OutboxStore

/// A finished test or a change that a sync would not send now, with the reason.
package struct BlockedItem: Hashable, Sendable {
    package var id: TestID
    package var kind: OutboxKind
    package var status: TestStatus
    /// The earliest time at which it is sent.
    package var notBefore: Timestamp?
    package var reason: Reason?

    init(_ item: OutboxItem, _ reason: Reason?) {
        (id, kind, status) = (item.id, item.kind, item.status)
        self.reason = reason
    }

    package enum Reason: Hashable, Sendable {
        case obstacle(SendingObstacle)
        /// The bytes of an attachment are not on this device.
        case bytesMissing(path: String)
        /// The last attempt failed, or the server rejected it.
        case tried(Receipt.Delivery)
        /// It has a status in which nothing is sent.
        case status(TestStatus)
        case unreadable(OutboxError)
    }
}

import Model
import OutboxStore

/// A test that is finished and would not be sent by a sync now, and why.
public struct HeldBack: Hashable, Sendable, Encodable {
    public var id: TestID
    public var status: TestStatus
    /// It is not sent before.
    public var notBefore: Timestamp?
    /// What the last attempt came to, why the server would not take it, or why the file cannot be read.
    public var reason: String?
}

extension QuireStore {
    /// What is finished, not delivered, and not among `due`.
    public func heldBack(except due: Set<TestID>) throws -> [HeldBack] {
        let now = clock.now
        var found: [HeldBack] = []
        for item in try outbox.scan().items where !item.status.isDraft && !item.status.isDelivered {
            if item.status == .done, due.contains(item.id) { continue }
            var held = HeldBack(id: item.id, status: item.status)
            // A damaged record of what was tried says no more than none.
            held.reason = (try? outbox.receipt(item))?.delivery?.reason
            do {
                let modified = try outbox.read(item).modified
                if item.status == .done, modified > now { held.notBefore = modified }
            } catch OutboxError.notFound {
                continue
            } catch let error as OutboxError {
                held.reason = error.description
            }
            found.append(held)
        }
        return found
    }
}

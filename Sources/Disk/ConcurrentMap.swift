import Dispatch
import Synchronization

extension Array where Element: Sendable {
    /// What becomes of each element, in their order, worked out by all cores: for blocking work on more elements than a
    /// person would wait for one by one. Not to be called on the cooperative pool.
    package func concurrentMap<Result: Sendable>(
        _ transform: @Sendable (Element) throws -> Result
    ) throws -> [Result] {
        // A part takes long enough to be worth a thread, and there are enough of them for all cores to end at about the same time.
        let partSize = 64
        guard count > partSize else { return try map(transform) }
        let partCount = (count + partSize - 1) / partSize
        let parts = Mutex([[Result]](repeating: [], count: partCount))
        let failure = Mutex<(any Error)?>(nil)
        DispatchQueue.concurrentPerform(iterations: partCount) { part in
            if failure.withLock({ $0 != nil }) { return }
            do {
                let made = try self[part * partSize..<Swift.min(count, (part + 1) * partSize)].map(transform)
                parts.withLock { $0[part] = made }
            } catch {
                failure.withLock { $0 = $0 ?? error }
            }
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
        return parts.withLock { $0.flatMap(\.self) }
    }
}

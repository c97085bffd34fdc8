import Dispatch
import Synchronization

extension Array where Element: Sendable {
    /// Transforms the elements on all cores, and returns the results in the order of the elements.
    ///
    /// For blocking work on many elements. Must not be called on the cooperative thread pool.
    ///
    /// - Parameter partSize: the number of elements that one thread transforms at a time; no more than that are transformed on the
    ///   caller's thread. Large enough to be worth a thread, small enough for all cores to finish at about the same time.
    package func concurrentMap<Result: Sendable>(
        partSize: Int = 64, _ transform: @Sendable (Element) throws -> Result
    ) throws -> [Result] {
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

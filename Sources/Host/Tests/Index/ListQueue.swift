import Dispatch
import Synchronization

/// One list at a time: many of them at once take no more than one thread from everything else.
final class ListQueue: Sendable {
    let queue = DispatchQueue(label: "quire.lists", qos: .utility)
    private let isScheduled = Atomic(false)

    /// New tests are read together, a moment after the first of them arrived, and not when a list is requested.
    private static let pause = DispatchTimeInterval.seconds(1)

    /// Runs the work on the queue soon, once for all that ask for it until then.
    func soon(_ work: @escaping @Sendable () -> Void) {
        guard !isScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        queue.asyncAfter(deadline: .now() + Self.pause) { [self] in
            isScheduled.store(false, ordering: .releasing)
            work()
        }
    }
}

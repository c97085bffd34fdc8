import DequeModule
import Dispatch
import Synchronization

/// Runs blocking file work on a separate thread, so that the cooperative pool's few threads stay free.
///
/// - Parameter queue: a separate one for work that must not block other work.
package func offload<Result: Sendable>(
    on queue: DispatchQueue? = nil, _ work: @escaping @Sendable () throws -> Result
) async throws -> Result {
    let depth = BlockingThreads.depth
    return try await withCheckedThrowingContinuation { continuation in
        let resume: @Sendable () -> Void = {
            let result = Swift.Result { try BlockingThreads.$depth.withValue(depth + 1) { try work() } }
            continuation.resume(with: result)
        }
        if let queue { queue.async(execute: resume) } else { BlockingThreads.atDepth(depth).run(resume) }
    }
}

/// Threads for work that waits for a disk or a network, at most `most` at once; more work waits its turn.
///
/// Dispatch's global queue has a thread for each core, and on Linux adds one a second while they are blocked.
package final class BlockingThreads: Sendable {
    /// How many threads wait for the code that runs: one that waits for a task (`BlockingCall`) which itself offloads work must
    /// not keep that work waiting, so each depth has threads of its own.
    @TaskLocal package static var depth = 0

    private static let all = (0...2).map { _ in BlockingThreads(most: 16) }

    static func atDepth(_ depth: Int) -> BlockingThreads { all[min(depth, all.count - 1)] }

    typealias Work = @Sendable () -> Void

    private struct State {
        /// Serial queues: Dispatch gives each a thread of its own, and takes it back when there is no work.
        var idle: [DispatchQueue] = []
        var made = 0
        var waiting: Deque<Work> = []
    }

    private let most: Int
    private let state = Mutex(State())

    init(most: Int) { self.most = most }

    func run(_ work: @escaping Work) {
        let queue: DispatchQueue? = state.withLock { state in
            if let queue = state.idle.popLast() { return queue }
            guard state.made < most else {
                state.waiting.append(work)
                return nil
            }
            state.made += 1
            return DispatchQueue(label: "quire.blocking.\(state.made)")
        }
        guard let queue else { return }
        queue.async {
            work()
            while let next = self.next(orIdle: queue) { next() }
        }
    }

    private func next(orIdle queue: DispatchQueue) -> Work? {
        state.withLock { state in
            if let next = state.waiting.popFirst() { return next }
            state.idle.append(queue)
            return nil
        }
    }
}

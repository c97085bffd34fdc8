import DequeModule
import Dispatch
import Glibc
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

/// Threads for blocking work: at most `most` run at once, and more work waits its turn. Of those that wait for a network, up to
/// `mostWaiting` do not count: for each of them another one may run.
///
/// Dispatch's global queue has a thread for each core, and on Linux adds one a second while they are blocked.
package final class BlockingThreads: Sendable {
    /// How many threads wait for the code that runs: one that waits for a task (`BlockingCall`) which itself offloads work must
    /// not keep that work waiting, so each depth has threads of its own.
    @TaskLocal package static var depth = 0

    /// So many threads wait for a network at once.
    package static let mostWaiting = 64

    /// Few: work that computes shares the cores with the loops that serve connections.
    private static let all = (0...2).map { _ in BlockingThreads(most: max(4, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    static func atDepth(_ depth: Int) -> BlockingThreads { all[min(depth, all.count - 1)] }

    /// Runs what waits for a network, on whichever thread.
    package static func waiting<Result>(_ wait: () throws -> Result) rethrows -> Result {
        depth == 0 ? try wait() : try atDepth(depth - 1).waiting(wait)
    }

    typealias Work = @Sendable () -> Void

    private struct State {
        /// Serial queues: Dispatch gives each a thread of its own, and takes it back when there is no work.
        var idle: [DispatchQueue] = []
        var made = 0
        var running = 0
        var waiting = 0
        var queued: Deque<Work> = []
    }

    private let most: Int
    private let state = Mutex(State())

    init(most: Int) { self.most = most }

    func run(_ work: @escaping Work) {
        state.withLock { $0.queued.append(work) }
        startNext()
    }

    /// Lets others run while this thread waits.
    func waiting<Result>(_ wait: () throws -> Result) rethrows -> Result {
        let isLeft = state.withLock { state in
            guard state.waiting < Self.mostWaiting else { return false }
            state.waiting += 1
            state.running -= 1
            return true
        }
        guard isLeft else { return try wait() }
        startNext()
        defer {
            state.withLock { state in
                state.waiting -= 1
                state.running += 1
            }
        }
        return try wait()
    }

    /// Starts the work that has been queued for longest, if one more may run.
    private func startNext() {
        let start: (queue: DispatchQueue, work: Work)? = state.withLock { state in
            guard state.running < most, let work = state.queued.popFirst() else { return nil }
            state.running += 1
            if let queue = state.idle.popLast() { return (queue, work) }
            state.made += 1
            return (DispatchQueue(label: "quire.blocking.\(state.made)"), work)
        }
        guard let (queue, work) = start else { return }
        queue.async {
            work()
            while let next = self.next(orIdle: queue) { next() }
        }
    }

    private func next(orIdle queue: DispatchQueue) -> Work? {
        state.withLock { state in
            if state.running <= most, let next = state.queued.popFirst() { return next }
            state.running -= 1
            state.idle.append(queue)
            return nil
        }
    }
}

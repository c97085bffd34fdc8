import NIOCore
import Synchronization

/// Lets tasks run on an event loop, so that a request is answered without a change of threads.
final class LoopExecutor: TaskExecutor {
    let eventLoop: any EventLoop

    private init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// One a loop, for as long as the process lives: a task does not keep its executor alive.
    private static let all = Mutex<[ObjectIdentifier: LoopExecutor]>([:])

    static func of(_ eventLoop: any EventLoop) -> LoopExecutor {
        all.withLock { all in
            if let known = all[ObjectIdentifier(eventLoop)] { return known }
            let made = LoopExecutor(eventLoop)
            all[ObjectIdentifier(eventLoop)] = made
            return made
        }
    }
}

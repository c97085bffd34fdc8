import Dispatch
import Synchronization

/// What a blocking call on another thread comes to.
final class OutcomeOfThread<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)
    private let isDone = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () throws -> Value) {
        DispatchQueue.global().async { [self] in
            let outcome = Result { try body() }
            result.withLock { $0 = outcome }
            isDone.signal()
        }
    }

    func wait() throws -> Value {
        isDone.wait()
        // Proof: the semaphore is signalled after the result was set.
        // swift-format-ignore: NeverForceUnwrap
        return try result.withLock { $0! }.get()
    }
}

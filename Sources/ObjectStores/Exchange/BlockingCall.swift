import Dispatch
import Model
import Synchronization

/// Waits for an object store on a thread that may block: never one of the cooperative pool, whose few threads do the work
/// that is waited for.
package enum BlockingCall {
    private final class Answer<Success: Sendable>: Sendable {
        let result = Mutex<Result<Success, ObjectStoreError>?>(nil)
    }

    package static func wait<Success: Sendable>(
        _ work: @escaping @Sendable () async throws(ObjectStoreError) -> Success
    ) throws(ObjectStoreError) -> Success {
        let answer = Answer<Success>()
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            let result: Result<Success, ObjectStoreError>
            do throws(ObjectStoreError) {
                result = .success(try await work())
            } catch {
                result = .failure(error)
            }
            answer.result.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        guard let result = answer.result.withLock({ $0 }) else {
            throw ObjectStoreError(.cancelled, "stopped")
        }
        return try result.get()
    }
}

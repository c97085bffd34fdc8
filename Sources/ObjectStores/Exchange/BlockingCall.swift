import Disk
import Dispatch
import Model
import Synchronization
import SystemPackage

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
        let depth = BlockingThreads.depth
        Task.detached {
            await BlockingThreads.$depth.withValue(depth) {
                let result: Result<Success, ObjectStoreError>
                do throws(ObjectStoreError) {
                    result = .success(try await work())
                } catch {
                    result = .failure(error)
                }
                answer.result.withLock { $0 = result }
            }
            done.signal()
        }
        BlockingThreads.waiting { done.wait() }
        guard let result = answer.result.withLock({ $0 }) else {
            throw ObjectStoreError(.cancelled, "stopped")
        }
        return try result.get()
    }

    /// The same for code that works with files.
    ///
    /// - Parameter path: the file that an error names.
    package static func wait<Success: Sendable>(
        _ store: any ObjectStore, _ path: FilePath,
        _ work: @escaping @Sendable (any ObjectStore) async throws(ObjectStoreError) -> Success
    ) throws(FileError) -> Success {
        do throws(ObjectStoreError) {
            return try wait { () async throws(ObjectStoreError) in try await work(store) }
        } catch {
            throw FileError(error, store, path)
        }
    }
}

extension FileError {
    /// A failed call of an object store, for code that works with files.
    package init(_ error: ObjectStoreError, _ store: any ObjectStore, _ path: FilePath) {
        let code: Errno =
            switch error.kind {
            case .unreachable: .hostIsDown
            case .interrupted, .unavailable, .cancelled: .connectionReset
            case .refused: .permissionDenied
            case .full: .noSpace
            case .tooLong: .fileTooLarge
            case .otherContent, .unusable: .protocolError
            }
        self.init("use", FilePath(store.place).pushing(path), code, sentence: error.reason)
    }
}

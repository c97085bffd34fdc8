import Dispatch

/// Runs blocking file work on a thread of its own kind, so that the cooperative pool's few threads stay free.
///
/// - Parameter queue: one of its own for work that must not take the threads of other work.
package func offload<Result: Sendable>(
    on queue: DispatchQueue = .global(), _ work: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        queue.async {
            continuation.resume(with: Swift.Result { try work() })
        }
    }
}

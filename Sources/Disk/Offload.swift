import Dispatch

/// Runs blocking file work on a separate thread, so that the cooperative pool's few threads stay free.
///
/// - Parameter queue: a separate one for work that must not block other work.
package func offload<Result: Sendable>(
    on queue: DispatchQueue = .global(), _ work: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        queue.async {
            continuation.resume(with: Swift.Result { try work() })
        }
    }
}

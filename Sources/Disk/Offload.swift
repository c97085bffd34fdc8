import Dispatch

/// Runs blocking file work on a thread of its own kind, so that the cooperative pool's few threads stay free.
public func offload<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
            continuation.resume(with: Swift.Result { try work() })
        }
    }
}

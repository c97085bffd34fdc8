import Disk
import Quire

/// Sending again, all at once.
extension PageRouter {
    /// `retry`: all that waits for a later time. `resend`: all that the server does not have any more.
    func retryAll(_ request: PageRequest, _ verb: String) async throws -> PageReply {
        let store = storeContext.store
        switch verb {
        case "retry": _ = try await offload { try store.retryAll() }
        case "resend": _ = try await offload { try store.resending.resendMissing() }
        default: throw PageProblem.notFound(request.language)
        }
        // Offline it goes by itself later: the person reads that there.
        return try await sync(request)
    }
}

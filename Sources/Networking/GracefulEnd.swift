import ServiceLifecycle

extension ServiceGroup {
    /// Runs the services until the task is cancelled, then lets what they are doing end.
    package func runUntilCancelled() async throws {
        // Not a child: with the task it would be cut off in the middle of its answers.
        let services = Task { try await run() }
        try await withTaskCancellationHandler {
            do {
                try await services.value
            } catch let error as ServiceGroupError where error == .alreadyFinished() && Task.isCancelled {
                // It was asked to end before it began.
            }
        } onCancel: {
            Task { await triggerGracefulShutdown() }
        }
    }
}

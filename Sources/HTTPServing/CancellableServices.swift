import Logging
import ServiceLifecycle

/// Services that run until their task is cancelled, and then let what is being answered end.
package struct CancellableServices: Sendable {
    private let services: [any Service]
    private let shutdownSeconds: Int
    private let logger: Logger

    /// - Parameter shutdownSeconds: what is being answered then has this long to end.
    package init(_ services: [any Service], shutdownSeconds: Int, logger: Logger) {
        self.services = services
        self.shutdownSeconds = shutdownSeconds
        self.logger = logger
    }

    package func run() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        // A request to end that comes before the group runs would be lost to the group; this service hears of it.
        let stop = StopRequest(stream: stream, continuation: continuation)
        var configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: $0) } + [
                .init(service: stop, successTerminationBehavior: .gracefullyShutdownGroup)
            ], logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(shutdownSeconds)
        let group = ServiceGroup(configuration: configuration)
        // A task of its own: the group would drop what is being answered if it was cancelled itself.
        let running = Task { try await group.run() }
        try await withTaskCancellationHandler {
            try await running.value
        } onCancel: {
            continuation.finish()
        }
    }

    private struct StopRequest: Service {
        let stream: AsyncStream<Void>
        let continuation: AsyncStream<Void>.Continuation

        func run() async throws {
            await withGracefulShutdownHandler {
                for await _ in stream {}
            } onGracefulShutdown: {
                continuation.finish()
            }
        }
    }
}

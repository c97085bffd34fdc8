import Disk
import Glibc

/// The signals by which a program is asked to end.
enum Termination {
    /// A file at its size limit (RLIMIT_FSIZE) is an error of the write, which is reported and cleaned up after.
    static func outliveFullFiles() { signal(SIGXFSZ, SIG_IGN) }

    /// Runs a service; SIGTERM and SIGINT cancel it, and it ends as its own code says. A second one ends it at once.
    ///
    /// One that comes while the service is starting counts as well.
    static func cancelling(_ service: @escaping @Sendable () async throws -> Void) async throws {
        // A client that leaves is an error of a write, not the end of the service.
        signal(SIGPIPE, SIG_IGN)
        // Each connection is an open file.
        OpenFileLimit.raise()
        let task = Task { try await service() }
        let signals = try SignalEvents([SIGTERM, SIGINT]) { number in
            if task.isCancelled { _exit(128 + number) }
            task.cancel()
        }
        defer { signals.stop() }
        do {
            try await task.value
        } catch is CancellationError where task.isCancelled {
            // It was asked to end before it had started.
        }
    }
}

import Dispatch
import Glibc

/// The signals by which a program is asked to end.
enum Termination {
    /// A file that may grow no further (RLIMIT_FSIZE) is an error of the write, which is told and cleaned up after.
    static func outliveFullFiles() { signal(SIGXFSZ, SIG_IGN) }

    /// Runs a service; SIGTERM and SIGINT cancel it, and it ends as its own code says. A second one ends it at once.
    static func cancelling(_ service: @escaping @Sendable () async throws -> Void) async throws {
        // A client that leaves is an error of a write, not the end of the service.
        signal(SIGPIPE, SIG_IGN)
        openAsManyFilesAsAllowed()
        let task = Task { try await service() }
        let sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                if task.isCancelled { _exit(128 + number) }
                task.cancel()
            }
            source.resume()
            return source
        }
        defer { for source in sources { source.cancel() } }
        try await task.value
    }

    /// Each connection is an open file. The soft limit is low for the sake of select(2), which is not used here.
    private static func openAsManyFilesAsAllowed() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        // Where it is refused, the limit is what it was.
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

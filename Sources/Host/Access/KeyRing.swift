import Disk
import Logging
import Model
import Synchronization
import WireFormat

/// The keys of a running host, which follow their files.
final class KeyRing: Sendable {
    private struct State {
        var content = KeyStore.Content()
        var stamp: FileStamp?
        /// Whether the stamp would show a later change.
        var isConclusive = false
        var readAt: ContinuousClock.Instant?
        var reported: Set<String> = []
        /// Under way, where requests that come meanwhile wait for it.
        var reading: Task<KeyStore.Content, any Error>?
    }

    /// A file that was edited in place leaves the folder's time as it was.
    private static let longestPause = Duration.seconds(2)

    private let store: KeyStore
    private let logger: Logger
    private let state = Mutex(State())

    init(store: KeyStore, logger: Logger) {
        self.store = store
        self.logger = logger
    }

    /// The keys as they are now. Asks the disk for one status, and reads the files only after a change.
    func current() async throws -> KeyStore.Content {
        let stamp = try store.stamp()
        let known = state.withLock { state -> KeyStore.Content? in
            guard state.stamp == stamp, stamp == nil || state.isConclusive,
                let readAt = state.readAt, readAt.duration(to: .now) < Self.longestPause
            else { return nil }
            return state.content
        }
        if let known { return known }
        // A folder shows a change at once, and what was read before does not have it.
        guard store.files.isShared else { return try await offload { [self] in try read() } }
        return try await reading().value
    }

    /// The one read under way of keys that are asked for over the network.
    private func reading() -> Task<KeyStore.Content, any Error> {
        state.withLock { state in
            if let reading = state.reading { return reading }
            let reading = Task { [self] in
                defer { self.state.withLock { $0.reading = nil } }
                return try await offload { try self.read() }
            }
            state.reading = reading
            return reading
        }
    }

    /// Blocks on the disk.
    func read() throws -> KeyStore.Content {
        let (time, instant) = (store.clock.now, ContinuousClock.now)
        // Before the files: a change in between is noticed by the next request.
        let stamp = try store.stamp()
        let content = try store.read(after: state.withLock { $0.readAt == nil ? nil : $0.content })
        let news = state.withLock { state in
            state.content = content
            state.stamp = stamp
            state.isConclusive = stamp?.isConclusive(at: time) ?? true
            state.readAt = instant
            let news = content.faults.filter { !state.reported.contains($0) }
            state.reported = Set(content.faults)
            return news
        }
        for fault in news { logger.warning("\(fault)") }
        return content
    }
}

import CacheStore
import Disk
import Synchronization

/// The stretches of a body from the cache, opened one after the other.
final class StretchSource: Sendable {
    struct Stretch: Sendable {
        /// Finds the content; it blocks on the disk.
        var open: @Sendable () throws -> Cache.Lookup<Cache.StoredContentSource>
    }

    private struct State {
        var rest: ArraySlice<Stretch>
        var current: Cache.StoredContentSource?
    }

    private let state: Mutex<State>
    /// Called for content that turned out to be damaged during the read.
    private let fault: @Sendable (ContentReader) -> Void

    init(stretches: [Stretch], fault: @escaping @Sendable (ContentReader) -> Void) {
        state = Mutex(State(rest: stretches[...]))
        self.fault = fault
    }

    /// Opens the next stretch.
    ///
    /// - Returns: whether its content is there.
    func open() async throws -> Bool {
        guard let next = state.withLock({ $0.rest.popFirst() }) else { return false }
        guard let source = try await offload({ try next.open().value }) else { return false }
        state.withLock { $0.current = source }
        return true
    }

    /// The next part of the body, for one reader.
    func next() async throws -> HTTPBody.Part? {
        while true {
            guard let current = state.withLock({ $0.current }) else {
                if state.withLock({ $0.rest.isEmpty }) { return nil }
                // Half of the body is out: it cannot be taken back, only broken off.
                guard try await open() else { throw RemoteFailure(.interrupted, "stored content is gone") }
                continue
            }
            switch current {
            case .bytes(let bytes):
                state.withLock { $0.current = nil }
                if !bytes.isEmpty { return .bytes(bytes) }
            case .stream(let reader):
                do {
                    if let piece = try await offload({ try reader.next() }) { return .bytes(piece) }
                } catch {
                    if error is ContentFault { fault(reader) }
                    throw error
                }
                state.withLock { $0.current = nil }
            }
        }
    }
}

import Synchronization

/// Who writes to an upload: one connection at a time, the latest one. An older one may still be open, for all that the
/// server can see, when its client has long come back.
final class UploadSlot: Sendable {
    struct State {
        /// Counts those that wrote.
        var writer = 0
        /// What the present one has written; `nil` when all that is of use is counted in the record.
        var writtenBytes: Int64?
    }

    private let state = Mutex(State())

    /// Does something that nobody writes during and, unless he takes over himself, after.
    func takeOver<Result: Sendable>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try state.withLock { state in
            state.writer += 1
            return try body(&state)
        }
    }

    /// - Returns: the number of the new writer.
    func begin(at offset: Int64) -> Int {
        takeOver { state in
            state.writtenBytes = offset
            return state.writer
        }
    }

    /// Does something as this writer.
    ///
    /// - Returns: `nil` when another one has taken over.
    func write<Result: Sendable>(as writer: Int, _ body: (inout State) throws -> Result) rethrows -> Result? {
        try state.withLock { state in state.writer == writer ? try body(&state) : nil }
    }
}

import Synchronization
import SystemPackage

/// Ensures that one connection at a time, the latest one, writes to an upload. To the server, an older connection may
/// still look open long after its client has reconnected.
final class UploadSlot: Sendable {
    struct State {
        /// The number of the current writer, unique in this process across all slots.
        private(set) var writer = UploadSlot.nextNumber()
        /// The bytes written by the current writer; `nil` if the record counts all useful ones.
        var writtenBytes: Int64?
        /// Files of completed uploads that were moved out of reach of writers.
        var wholes: [FilePath] = []
        /// The upload is forgotten: later requests need another slot.
        var isEnded = false

        /// From now on, earlier writers are rejected.
        mutating func takeOver() { writer = UploadSlot.nextNumber() }
    }

    private static let lastNumber = Atomic<Int>(0)

    private static func nextNumber() -> Int { lastNumber.add(1, ordering: .relaxed).newValue }

    private let state = Mutex(State())

    /// Runs a function while no writer is active.
    ///
    /// - Returns: `nil`, with nothing done, if the upload is forgotten.
    func use<Result: Sendable>(_ body: (inout State) throws -> Result) rethrows -> Result? {
        try state.withLock { state in state.isEnded ? nil : try body(&state) }
    }

    /// Runs a function as this writer.
    ///
    /// - Returns: `nil` if another one has taken over.
    func write<Result: Sendable>(as writer: Int, _ body: (inout State) throws -> Result) rethrows -> Result? {
        try state.withLock { state in state.writer == writer ? try body(&state) : nil }
    }
}

import Synchronization
import SystemPackage

/// Who writes to an upload: one connection at a time, the latest one. An older one may still be open, for all that the
/// server can see, when its client has long come back.
final class UploadSlot: Sendable {
    struct State {
        /// The number of the one that may write; no other of this process has it, in whatever slot.
        private(set) var writer = UploadSlot.nextNumber()
        /// What the present one has written; `nil` when all that is of use is counted in the record.
        var writtenBytes: Int64?
        /// Files of whole uploads that were taken out of everybody's reach.
        var wholes: [FilePath] = []
        /// The upload is forgotten: whoever comes later needs another slot.
        var isEnded = false

        /// From now on nobody who has written may go on.
        mutating func takeOver() { writer = UploadSlot.nextNumber() }
    }

    private static let lastNumber = Atomic<Int>(0)

    private static func nextNumber() -> Int { lastNumber.add(1, ordering: .relaxed).newValue }

    private let state = Mutex(State())

    /// Does something that nobody writes during.
    ///
    /// - Returns: `nil`, with nothing done, when the upload is forgotten.
    func use<Result: Sendable>(_ body: (inout State) throws -> Result) rethrows -> Result? {
        try state.withLock { state in state.isEnded ? nil : try body(&state) }
    }

    /// Does something as this writer.
    ///
    /// - Returns: `nil` when another one has taken over.
    func write<Result: Sendable>(as writer: Int, _ body: (inout State) throws -> Result) rethrows -> Result? {
        try state.withLock { state in state.writer == writer ? try body(&state) : nil }
    }
}

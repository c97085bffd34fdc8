import Disk
import Model
import SystemPackage

/// Tests that another device finished, and that are handed on from here.
extension Outbox {
    public enum Acceptance: Hashable, Sendable {
        /// It is kept here from now on, durably.
        case taken
        /// These very bytes are here already, in this state.
        case known(TestStatus)
        /// Other bytes are here under this id, and stay.
        case different(TestStatus)
    }

    /// Takes a finished test as it is. When this returns, its bytes survive a crash.
    ///
    /// Other bytes that were refused (`rejected`, `conflict`) make room: they go to quarantine, where nothing is lost.
    ///
    /// - Parameter bytes: a test with this id, checked by the caller.
    public func accept(_ id: TestID, bytes: [UInt8]) throws -> Acceptance {
        try makeFolders()
        return try editing {
            while let item = try find(id) {
                let known: [UInt8]
                do throws(FileError) {
                    known = try fileSystem.readFile(item.path, maximumBytes: Self.maximumTestBytes).bytes
                } catch {
                    // The sweeper moved it on in this moment.
                    if error.isMissing { continue }
                    throw error
                }
                if known == bytes {
                    // It may have got here and failed at the sync: what is said now holds after a crash.
                    try fileSystem.makeDurable(folder: OutboxLayout.folder(item.status))
                    return .known(item.status)
                }
                guard item.status == .rejected || item.status == .conflict else { return .different(item.status) }
                let reason = "other bytes came under this id after these were refused"
                try quarantine.take(item.path, reason: reason)
                try quarantine.take(OutboxLayout.receiptPath(id, item.status), reason: reason)
            }
            try makingRoom { isRepeated throws(FileError) in
                try fileSystem.writeDurably(
                    bytes, to: OutboxLayout.testPath(id, .done), temporaryFolder: OutboxLayout.temporary,
                    replacing: isRepeated)
            }
            return .taken
        }
    }
}

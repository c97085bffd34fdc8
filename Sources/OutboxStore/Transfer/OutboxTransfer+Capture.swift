import Disk
import Model

/// The outbox as of one moment.
extension OutboxTransfer {
    /// Attempts to see the outbox without a move between two listings; a sweep moves up to 32 tests at a time.
    private static let captureAttempts = 20

    /// Writes the same as `export`, without the bytes of attachments, as of one moment: edits wait meanwhile, and a
    /// capture during a move of the sweeper is repeated.
    ///
    /// - Parameter start: starts a capture and returns a function that receives its bytes, in order; earlier bytes are
    ///   void.
    /// - Throws: `FileError`; `OutboxError` if the lock is unavailable.
    package func capture(_ start: () throws -> ([UInt8]) throws -> Void) throws -> ExportReport {
        try outbox.editing {
            for _ in 1..<Self.captureAttempts {
                let before = try outbox.scan()
                let report = try captureOnce(start)
                let after = try outbox.scan()
                if before.items == after.items, before.receipts == after.receipts { return report }
            }
            // Each test has its state at some moment of the capture.
            return try captureOnce(start)
        }
    }

    /// Notes the versions that leave, so that they are known when they come back.
    private func captureOnce(_ start: () throws -> ([UInt8]) throws -> Void) throws -> ExportReport {
        var former = FormerVersions.read(fileSystem)
        let report = try export(includingMedia: false, to: start()) { item, bytes, receipt in
            if Outbox.canBeFormer(item, receipt) { former.note(item, Digest(sha256Of: bytes)) }
        }
        former.write(keeping: Set(report.tests), to: fileSystem)
        return report
    }
}

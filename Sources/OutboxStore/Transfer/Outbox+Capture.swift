import Disk
import Model
import SystemPackage

/// The outbox as of one moment.
extension Outbox {
    /// Attempts to see the outbox without a move between two listings; a sweep moves up to 32 tests at a time.
    private static let captureAttempts = 20

    /// Writes the same as `export`, without the bytes of attachments, as of one moment: edits wait meanwhile, and a
    /// capture during a move of the sweeper is repeated.
    ///
    /// - Parameter start: starts a capture and returns a function that receives its bytes, in order; earlier bytes are
    ///   void.
    /// - Throws: `FileError`; `OutboxError` if the lock is unavailable.
    package func capture(_ start: () throws -> ([UInt8]) throws -> Void) throws -> ExportReport {
        try editing {
            for _ in 1..<Self.captureAttempts {
                let before = try scan()
                let report = try captureOnce(start)
                let after = try scan()
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
            if Self.canBeFormer(item, receipt) { former.note(item, Digest(sha256Of: bytes)) }
        }
        former.write(keeping: Set(report.tests), to: fileSystem)
        return report
    }

    /// The digests of all bytes in the folder of attachments, sorted.
    package func mediaDigests() throws -> [Digest] {
        guard try fileSystem.status(at: OutboxLayout.media) != nil else { return [] }
        return try fileSystem.list(OutboxLayout.media).filter { $0.kind == .regular }
            .compactMap { OutboxLayout.mediaDigest(fileName: $0.name) }.sorted { $0.hex < $1.hex }
    }
}

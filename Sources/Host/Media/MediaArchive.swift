import Disk
import HTTPTypes
import Model
import SystemPackage

/// The files that belong to tests: uploads under way, and what has arrived, by its digest.
///
/// The order of writes: the bytes of an upload, synced; at the end the digest is compared, the file gets its name, and
/// then the receipt is written, each durable before the next. Whoever is killed in between has acknowledged nothing: what
/// is asked again finds what is there.
///
/// All calls block on the disk: run them with `offload`.
final class MediaArchive: Sendable {
    let fileSystem: any FileSystem
    let shelf: UploadShelf
    private let tests: TestArchive
    private let changes: QuestionnaireArchive
    private let clock: any StoreClock

    init(
        fileSystem: any FileSystem, tests: TestArchive, changes: QuestionnaireArchive, clock: any StoreClock,
        maximumBytes: Int64
    ) {
        self.fileSystem = fileSystem
        self.tests = tests
        self.changes = changes
        self.clock = clock
        shelf = UploadShelf(
            fileSystem, folder: HostLayout.uploads, temporaryFolder: HostLayout.temporary, clock: clock,
            maximumBytes: maximumBytes)
    }

    /// Makes the folders, and removes what is of no use any more: uploads that ended, and those that were given up.
    func recover() throws {
        for folder in [HostLayout.media, HostLayout.uploads] { try fileSystem.makeFolderIfMissing(folder) }
        try fileSystem.makeDurable(folder: "")
        try shelf.recover { try changes.receipt(of: $0) != nil }
    }

    // MARK: What a test names

    /// What the stored test names under this id.
    ///
    /// - Throws: `UploadFault` when there is no such test, or it names nothing of this id.
    func attachment(_ id: TestID, of test: TestID) throws -> Attachment {
        guard let stored = try tests.stored(test) else { throw UploadFault.testUnknown(test) }
        guard let attachment = stored.record.attachments.first(where: { $0.id == id }) else {
            throw UploadFault.notAttached(id, to: test)
        }
        return attachment
    }

    /// All that a test names; `nil` when there is no such test.
    func attachments(of test: TestID) throws -> [Attachment]? { try tests.stored(test)?.record.attachments }

    /// Whether its bytes are here, whole.
    func hasArrived(_ attachment: Attachment) throws -> Bool {
        try tests.hasArrived(attachment)
    }

    /// The receipt of an attachment that has arrived, written first where a crash prevented it; `nil` as long as it is
    /// missing.
    func receipt(of attachment: Attachment) throws -> [UInt8]? {
        guard try hasArrived(attachment) else { return nil }
        // Whoever gave it its name may have been killed before it was durable.
        try fileSystem.makeDurable(folder: HostLayout.media)
        if let known = try changes.receipt(of: attachment.id), known.receipt.digest == attachment.digest {
            try fileSystem.makeDurable(folder: HostLayout.receipts)
            return known.bytes
        }
        return try changes.keep(
            Receipt(
                test: attachment.id, digest: attachment.digest, status: .sent, receivedAt: clock.now, action: .attach))
    }

    /// Takes the bytes of an attachment in that came another way than over HTTP, and writes the receipt.
    ///
    /// - Throws: `UploadFault.digestMismatch`, `UploadFault.tooLong`, `FileError`.
    func take(_ attachment: Attachment, from content: OpenContent) throws -> [UInt8] {
        try shelf.checkRoom(for: attachment.sizeBytes)
        try fileSystem.makeFolderIfMissing(HostLayout.media)
        try fileSystem.makeDurable(folder: "")
        var builder = DigestBuilder()
        var offset: Int64 = 0
        try fileSystem.writeDurably(
            to: HostLayout.mediaFile(attachment.digest), temporaryFolder: HostLayout.temporary
        ) { take in
            while offset <= attachment.sizeBytes {
                let piece = try content.piece(at: offset, maximumBytes: .max)
                if piece.isEmpty { break }
                offset += Int64(piece.count)
                piece.withUnsafeBytes { builder.update($0) }
                try take(piece)
            }
            // Before it gets its name.
            guard offset == attachment.sizeBytes, builder.finish() == attachment.digest else {
                throw UploadFault.digestMismatch
            }
        }
        guard let receipt = try receipt(of: attachment) else { throw UploadFault.unknown(attachment.id) }
        return receipt
    }

    /// Gives the bytes of a whole upload their name, and writes the receipt.
    ///
    /// - Throws: `UploadFault.digestMismatch` when they are not those of the digest: then it begins anew.
    func complete(_ record: UploadRecord, of attachment: Attachment) throws -> [UInt8] {
        let bytes = try shelf.checkedBytes(of: record)
        try fileSystem.move(bytes, to: HostLayout.mediaFile(record.digest), replacing: true)
        try fileSystem.makeDurable(folder: HostLayout.media)
        guard let receipt = try receipt(of: attachment) else { throw UploadFault.unknown(record.id) }
        try shelf.end(record.id)
        return receipt
    }
}

import Disk
import HTTPTypes
import Model
import Synchronization
import SystemPackage

/// The files that belong to tests: uploads that go on where they broke off, and what has arrived, by its digest.
///
/// The order of writes: the bytes, synced, then how many of them there are; at the end the digest is compared, the file
/// gets its name, and then the receipt is written, each durable before the next. Whoever is killed in between has
/// acknowledged nothing: what is asked again finds what is there.
///
/// All calls block on the disk: run them with `offload`.
final class MediaArchive: Sendable {
    /// An upload that nobody went on with for so long is removed when the host starts.
    static let longestPauseSeconds = 30 * 86_400.0
    /// After so many bytes they are synced and counted: as much as a crash may cost.
    static let syncBytes: Int64 = 4 << 20
    /// What stays free on the disk for tests.
    static let spareBytes: Int64 = 16 << 20

    let fileSystem: any FileSystem
    private let tests: TestArchive
    private let changes: QuestionnaireArchive
    private let clock: any StoreClock
    let maximumBytes: Int64
    private let slots = Mutex<[TestID: UploadSlot]>([:])

    init(
        fileSystem: any FileSystem, tests: TestArchive, changes: QuestionnaireArchive, clock: any StoreClock,
        maximumBytes: Int64
    ) {
        self.fileSystem = fileSystem
        self.tests = tests
        self.changes = changes
        self.clock = clock
        self.maximumBytes = maximumBytes
    }

    /// Makes the folders, and removes what is of no use any more: uploads that ended, and those that were given up.
    func recover() throws {
        for folder in [HostLayout.media, HostLayout.uploads] { try fileSystem.makeFolderIfMissing(folder) }
        try fileSystem.makeDurable(folder: "")
        for entry in try fileSystem.list(HostLayout.uploads) where entry.kind == .regular {
            guard let id = HostLayout.uploadID(ofFile: entry.name) else { continue }
            if let record = try? record(of: id), try changes.receipt(of: id) == nil,
                let status = try fileSystem.status(at: HostLayout.upload(id)),
                clock.now.seconds(since: status.modified) < MediaArchive.longestPauseSeconds
            {
                // Behind what was counted may be anything.
                try? cut(id, to: record.offset)
                continue
            }
            try forget(id)
        }
    }

    private func cut(_ id: TestID, to offset: Int64) throws(FileError) {
        let file = try fileSystem.open(HostLayout.uploadBytes(id), .update)
        defer { fileSystem.closeQuietly(file) }
        try fileSystem.continuing { () throws(FileError) in try fileSystem.resize(file, to: offset) }
    }

    private func forget(_ id: TestID) throws(FileError) {
        // The record first: bytes without one are nothing.
        try fileSystem.removeIfPresent(HostLayout.upload(id))
        try fileSystem.removeIfPresent(HostLayout.uploadBytes(id))
    }

    // MARK: What a test names

    /// What the stored test names under this id.
    ///
    /// - Throws: `Problem` when there is no such test, or it names nothing of this id.
    func attachment(_ id: TestID, of test: TestID) throws -> Attachment {
        guard let stored = try tests.stored(test) else {
            throw Problem(
                .notFound, kind: "test-unknown", title: "The test is not here",
                detail: "The host does not have test \(test): deliver it first, then its attachments.")
        }
        guard let attachment = stored.record.attachments.first(where: { $0.id == id }) else {
            throw Problem(
                .unprocessableContent, kind: "not-attached", title: "The test does not name it",
                detail: "Test \(test) names no attachment \(id).")
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

    // MARK: Uploads

    /// The upload of an attachment: the one that was begun, or a new one.
    func begin(_ attachment: Attachment, of test: TestID) throws -> UploadRecord {
        if let known = try record(of: attachment.id), known.digest == attachment.digest,
            known.sizeBytes == attachment.sizeBytes
        {
            return try pause(known.id) ?? known
        }
        guard attachment.sizeBytes <= maximumBytes else {
            throw Problem(
                .contentTooLarge,
                "It has \(attachment.sizeBytes) bytes, and the host takes files of at most \(maximumBytes).")
        }
        guard try fileSystem.freeBytes() > attachment.sizeBytes + MediaArchive.spareBytes else {
            throw FileError("write", HostLayout.uploads, .noSpace)
        }
        let record = UploadRecord(
            id: attachment.id, test: test, digest: attachment.digest, sizeBytes: attachment.sizeBytes, offset: 0,
            dateBegun: clock.now)
        try cut(record.id, to: 0)
        try save(record)
        return record
    }

    /// The upload with this id, with all counted that has arrived; whoever was writing to it no longer does.
    ///
    /// - Returns: `nil` when there is none.
    func pause(_ id: TestID) throws -> UploadRecord? {
        try slot(id).takeOver { state in
            guard var record = try record(of: id) else { return nil }
            if let written = state.writtenBytes, written > record.offset {
                try fileSystem.makeDurable(file: HostLayout.uploadBytes(id))
                record.offset = written
                try save(record)
            }
            state.writtenBytes = nil
            return record
        }
    }

    /// Gives an upload up.
    ///
    /// - Returns: whether there was one.
    func cancel(_ id: TestID) throws -> Bool {
        try slot(id).takeOver { state in
            state.writtenBytes = nil
            guard try record(of: id) != nil else { return false }
            try forget(id)
            try fileSystem.makeDurable(folder: HostLayout.uploads)
            return true
        }
    }

    /// Goes on with an upload from `offset` on, which is where it stands, or 0 to begin anew.
    func append(to id: TestID, from offset: Int64) throws -> UploadWriter? {
        guard var record = try pause(id) else { return nil }
        record.offset = offset
        return try UploadWriter(record, slot: slot(id), archive: self)
    }

    func save(_ record: UploadRecord) throws {
        try fileSystem.writeDurably(
            try DocumentCoding.encode(record), to: HostLayout.upload(record.id), temporaryFolder: HostLayout.temporary)
    }

    /// Gives the bytes of a whole upload their name, and forgets the upload.
    ///
    /// - Throws: a 400 `Problem` when they are not those of the digest: then it begins anew.
    func complete(_ record: UploadRecord) throws {
        let bytes = HostLayout.uploadBytes(record.id)
        guard try OpenContent(bytes, in: fileSystem).digest() == record.digest else {
            var anew = record
            anew.offset = 0
            let empty = anew
            try slot(record.id).takeOver { state in
                state.writtenBytes = nil
                try save(empty)
            }
            throw Problem(
                .badRequest, kind: "digest-mismatch", title: "The content is not what was sent",
                detail: "The bytes that arrived do not match the digest that the test names: send them again.")
        }
        try fileSystem.move(bytes, to: HostLayout.mediaFile(record.digest), replacing: true)
        try fileSystem.makeDurable(folder: HostLayout.media)
    }

    /// Forgets an upload whose receipt is written.
    func end(_ id: TestID) throws {
        try forget(id)
        slots.withLock { $0[id] = nil }
    }

    private func record(of id: TestID) throws -> UploadRecord? {
        do {
            let (bytes, _) = try fileSystem.readFile(HostLayout.upload(id), maximumBytes: 64 << 10)
            let record = try DocumentCoding.decode(UploadRecord.self, from: bytes)
            guard record.id == id, (0...record.sizeBytes).contains(record.offset) else { return nil }
            return record
        } catch let error as FileError where error.isMissing {
            return nil
        } catch is DocumentFault {
            // Without it nothing is lost but what had arrived: the upload begins anew.
            return nil
        }
    }

    private func slot(_ id: TestID) -> UploadSlot {
        slots.withLock { slots in
            if let slot = slots[id] { return slot }
            let slot = UploadSlot()
            slots[id] = slot
            return slot
        }
    }
}

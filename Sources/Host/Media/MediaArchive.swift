import Disk
import HTTPTypes
import Model
import SystemPackage

/// The files that belong to tests and questionnaires: uploads in progress, and received files. Those of tests are
/// stored by their digests, those of questionnaires under their paths in the folder of questionnaires.
///
/// The order of writes: the bytes of an upload, synced; at the end the file is moved out of reach of connections that
/// may still send, its digest is compared, it is renamed, and then the receipt is written, each durable before the
/// next. A crash in between has acknowledged nothing, and the next request finds the current state.
///
/// All calls block on the disk: run them with `offload`.
package final class MediaArchive: Sendable {
    let fileSystem: any FileSystem
    package let uploads: UploadStore
    /// Uploads in a bucket, in the place of those in the folder.
    private let shared: UploadBucket?
    private let bucket: SharedPlace?
    private let tests: TestArchive
    private let changes: QuestionnaireArchive
    private let clock: any StoreClock

    package init(
        fileSystem: any FileSystem, tests: TestArchive, changes: QuestionnaireArchive, clock: any StoreClock,
        maximumBytes: Int64
    ) {
        self.fileSystem = fileSystem
        bucket = tests.shared
        shared = bucket.map { UploadBucket($0.files, clock: clock, maximumBytes: maximumBytes) }
        self.tests = tests
        self.changes = changes
        self.clock = clock
        uploads = UploadStore(
            fileSystem, folder: HostLayout.uploads, temporaryFolder: HostLayout.temporary, clock: clock,
            maximumBytes: maximumBytes)
    }

    /// Makes the folders, and removes uploads that have ended or were abandoned.
    package func recover() throws {
        if let shared { return try shared.recover { try changes.receipt(of: $0) != nil } }
        for folder in [HostLayout.media, HostLayout.uploads] { try fileSystem.makeFolderIfMissing(folder) }
        try fileSystem.makeDurable(folder: "")
        try uploads.recover { try changes.receipt(of: $0) != nil }
    }

    /// The uploads under way.
    var underWay: any Uploads { shared ?? uploads }

    // MARK: What is named

    /// The attachment with this id in the stored test, or with this path in a questionnaire.
    ///
    /// - Parameter sizeBytes: as announced. A questionnaire does not state it.
    /// - Throws: `UploadFault` when there is no such test, or it names nothing of this id; when no questionnaire names
    ///   the path, or the id is that of something else.
    package func attachment(_ id: TestID, of owner: MediaOwner, sizeBytes: Int64?) throws -> Attachment {
        switch owner {
        case .test(let test):
            guard let stored = try tests.received.stored(test) else { throw UploadFault.testUnknown(test) }
            guard let attachment = stored.record.attachments.first(where: { $0.id == id }) else {
                throw UploadFault.notAttached(id, to: test)
            }
            return attachment
        case .questionnaire(let path):
            var (isNamed, type) = try tests.catalog.naming(MediaPath(path))
            if !isNamed, let bucket {
                // Another host may have published it a moment ago.
                try bucket.mirror.look()
                (isNamed, type) = try tests.catalog.naming(MediaPath(path))
            }
            guard isNamed else { throw UploadFault.notNamed(path) }
            try check(id, for: path.digest)
            guard let sizeBytes else { throw UploadFault.lengthUnknown }
            let longest = QuestionnaireMirror.maximumMediaBytes
            if bucket != nil, sizeBytes > longest {
                throw UploadFault.tooLong(sizeBytes: sizeBytes, maximumBytes: longest)
            }
            return Attachment(
                id: id, questionId: "", name: path.fileName,
                mediaType: MediaType.of(fileName: path.fileName, stated: type), sizeBytes: sizeBytes,
                digest: path.digest)
        }
    }

    /// - Throws: `UploadFault.otherContent` when the id is that of something else.
    func check(_ id: TestID, for digest: Digest) throws {
        if try changes.isOfTest(id) { throw UploadFault.otherContent(digest) }
        if let known = try changes.receipt(of: id)?.receipt, known.action != .attach || known.digest != digest {
            throw UploadFault.otherContent(known.digest ?? digest)
        }
    }

    /// All that a test names; `nil` when there is no such test.
    func attachments(of test: TestID) throws -> [Attachment]? { try tests.received.stored(test)?.record.attachments }

    /// Whether its bytes are here, whole.
    func hasArrived(_ attachment: Attachment, of owner: MediaOwner) throws -> Bool {
        switch owner {
        case .test: return try tests.received.hasArrived(attachment)
        case .questionnaire(let path):
            if let bucket { return try bucket.log.has(path.digest, file: path.description) }
            return try tests.catalog.media(MediaPath(path))?.digest == path.digest
        }
    }

    /// The same of attachments of tests, by their places in the list.
    func haveArrived(_ attachments: [Attachment]) throws -> [Bool] { try tests.received.haveArrived(attachments) }

    /// The bytes of a test's attachment; `nil` while they are missing.
    func content(of attachment: Attachment) throws -> OpenContent? {
        guard let content = try tests.received.files.media(attachment.digest) else { return nil }
        let status = try content.status()
        return status.kind == .regular && status.sizeBytes == attachment.sizeBytes ? content : nil
    }

    /// Where its bytes belong.
    private func place(
        of attachment: Attachment, _ owner: MediaOwner
    ) throws(FileError) -> (files: any FileSystem, path: FilePath, folder: FilePath, temporary: FilePath) {
        switch owner {
        case .test:
            (fileSystem, HostLayout.mediaFile(attachment.digest), HostLayout.media, HostLayout.temporary)
        case .questionnaire(let path):
            // The folder of questionnaires may be on another disk.
            (try tests.catalog.folder(), MediaPath(path).file, FilePath(ContentPath.folder), "")
        }
    }

    /// The receipt of a received attachment, written first if a crash prevented it; `nil` while the attachment is
    /// missing.
    ///
    /// - Throws: `UploadFault.otherContent` when the id is that of something else, whose receipt stays.
    package func receipt(of attachment: Attachment, _ owner: MediaOwner) throws -> [UInt8]? {
        try check(attachment.id, for: attachment.digest)
        guard try hasArrived(attachment, of: owner) else { return nil }
        if let bucket { return try receipt(ofShared: attachment, owner, bucket) }
        let place = try place(of: attachment, owner)
        // The process that renamed it may have been killed before it was durable; and a person may have copied it
        // there.
        if owner.path != nil { try place.files.makeDurable(file: place.path) }
        try place.files.makeDurable(folder: place.folder)
        if let known = try changes.receipt(of: attachment.id) {
            try fileSystem.makeDurable(folder: HostLayout.receipts)
            return known.bytes
        }
        let receipt = Receipt(
            test: attachment.id, digest: attachment.digest, status: .sent, receivedAt: clock.now, action: .attach)
        guard let kept = try changes.keep(receipt) else { throw UploadFault.otherContent(attachment.digest) }
        // The process that moved the bytes may have been killed before the upload was forgotten.
        try uploads.end(attachment.id)
        return kept
    }

    /// The same in a bucket: a file arrives when its object is made, by the store's clock.
    private func receipt(
        ofShared attachment: Attachment, _ owner: MediaOwner, _ bucket: SharedPlace
    ) throws -> [UInt8] {
        if let known = try changes.receipt(of: attachment.id) {
            // The host that wrote it may have been killed before the pieces were removed.
            try shared?.forget(attachment.id)
            return known.bytes
        }
        let made = try bucket.files.status(of: Self.sharedPlace(of: attachment, owner))?.modified
        let receipt = Receipt(
            test: attachment.id, digest: attachment.digest, status: .sent, receivedAt: made ?? clock.now,
            action: .attach)
        guard let kept = try changes.keep(receipt) else { throw UploadFault.otherContent(attachment.digest) }
        try shared?.forget(attachment.id)
        return kept
    }

    private static func sharedPlace(of attachment: Attachment, _ owner: MediaOwner) -> FilePath {
        owner.path == nil ? HostLayout.mediaFile(attachment.digest) : HostLayout.content(attachment.digest)
    }

    /// Moves the bytes of an attachment to the archive, and writes the receipt.
    ///
    /// - Throws: `UploadFault.digestMismatch`, `UploadFault.tooLong`, `FileError`.
    func take(_ attachment: Attachment, _ owner: MediaOwner, from content: OpenContent) throws -> [UInt8] {
        if let bucket { return try take(attachment, owner, from: content, bucket) }
        try uploads.checkRoom(for: attachment.sizeBytes)
        let place = try place(of: attachment, owner)
        try place.files.makeFolderIfMissing(place.folder)
        try place.files.makeDurable(folder: "")
        var builder = DigestBuilder()
        var offset: Int64 = 0
        try place.files.writeDurably(to: place.path, temporaryFolder: place.temporary) { take in
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
        guard let receipt = try receipt(of: attachment, owner) else { throw UploadFault.unknown(attachment.id) }
        return receipt
    }

    /// The same in a bucket.
    private func take(
        _ attachment: Attachment, _ owner: MediaOwner, from content: OpenContent, _ bucket: SharedPlace
    ) throws -> [UInt8] {
        guard attachment.sizeBytes <= uploads.maximumBytes else {
            throw UploadFault.tooLong(sizeBytes: attachment.sizeBytes, maximumBytes: uploads.maximumBytes)
        }
        guard try content.status().sizeBytes == attachment.sizeBytes, try content.digest() == attachment.digest else {
            throw UploadFault.digestMismatch
        }
        try bucket.files.put(
            content, as: Self.sharedPlace(of: attachment, owner), sizeBytes: attachment.sizeBytes,
            digest: attachment.digest)
        if let path = owner.path { try bucket.publish(path, at: clock.now) }
        guard let receipt = try receipt(of: attachment, owner) else { throw UploadFault.unknown(attachment.id) }
        return receipt
    }

    /// Gives the bytes of a whole upload their name, and writes the receipt.
    ///
    /// - Throws: `UploadFault.digestMismatch` if the bytes do not match the digest: then the upload restarts.
    ///   `UploadFault.superseded` if another connection has taken it over.
    package func complete(_ record: UploadRecord, of attachment: Attachment) throws -> [UInt8] {
        if let bucket, let shared { return try complete(record, of: attachment, shared, bucket) }
        do {
            let bytes = try uploads.checkedBytes(of: record)
            do {
                return try place(bytes, record, attachment)
            } catch {
                uploads.giveBack(bytes, of: record.id)
                throw error
            }
        } catch {
            // Another connection may have been faster, and moved the same bytes to their place.
            let isTaken = error as? UploadFault == .superseded || (error as? FileError)?.isMissing == true
            guard isTaken, let known = try receipt(of: attachment, record.owner) else { throw error }
            return known
        }
    }

    /// The same in a bucket: the pieces become one object. Any number of hosts may do it at once.
    private func complete(
        _ record: UploadRecord, of attachment: Attachment, _ shared: UploadBucket, _ bucket: SharedPlace
    ) throws -> [UInt8] {
        do {
            guard let upload = try shared.find(record.id), upload.record.digest == attachment.digest,
                upload.record.offset == attachment.sizeBytes
            else { throw UploadFault.superseded }
            let place = Self.sharedPlace(of: attachment, record.owner)
            guard try bucket.files.join(upload.pieces, as: place, digest: attachment.digest, in: fileSystem) else {
                _ = try shared.restart(upload)
                throw UploadFault.digestMismatch
            }
            if let path = record.owner.path { try bucket.publish(path, at: clock.now) }
        } catch {
            if error as? UploadFault == .digestMismatch { throw error }
            // Another host may have been faster, and removed the pieces; or another connection has restarted the upload.
            if let known = try receipt(of: attachment, record.owner) { return known }
            throw (error as? FileError)?.isMissing == true ? UploadFault.superseded : error
        }
        guard let receipt = try receipt(of: attachment, record.owner) else { throw UploadFault.unknown(record.id) }
        return receipt
    }

    private func place(_ bytes: FilePath, _ record: UploadRecord, _ attachment: Attachment) throws -> [UInt8] {
        let receipt: [UInt8]
        if record.owner.path != nil {
            receipt = try take(attachment, record.owner, from: try OpenContent(bytes, in: fileSystem))
        } else {
            try fileSystem.move(bytes, to: HostLayout.mediaFile(record.digest), replacing: true)
            try fileSystem.makeDurable(folder: HostLayout.media)
            guard let kept = try self.receipt(of: attachment, record.owner) else {
                throw UploadFault.unknown(record.id)
            }
            receipt = kept
        }
        try uploads.end(record.id)
        return receipt
    }
}

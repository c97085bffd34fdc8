import Disk
import Model
import SystemPackage

/// Files of answers, and the intake of bytes that questionnaires share.
///
/// A draft names them with their digests; their bytes are in `media`. When the test is finished, each gets a file of
/// its own in `done` that waits for the test: it can be recreated from the test alone.
extension Outbox {
    /// Received bytes that belong to nothing yet.
    package struct SpooledMedia: Sendable {
        let temporary: TemporaryFile
        package let digest: Digest
        package let sizeBytes: Int64
    }

    /// Bytes that are being received. The caller either finishes or gives up.
    package struct MediaSpool: Sendable {
        let temporary: TemporaryFile
        /// The name of the file.
        package let name: String
        var builder = DigestBuilder()
        package internal(set) var sizeBytes: Int64 = 0
    }

    /// Starts to receive the bytes of a file, without holding a lock.
    package func mediaSpool(named name: String) throws -> MediaSpool {
        try makeFolders()
        let temporary = try makingRoom { _ throws(FileError) in
            try fileSystem.makeTemporaryFile(in: OutboxLayout.temporary)
        }
        return MediaSpool(temporary: temporary, name: name)
    }

    /// - Throws: `OutboxError.unfit` if it becomes too long.
    package func append(_ piece: [UInt8], to spool: inout MediaSpool) throws {
        let start = spool.sizeBytes
        guard start + Int64(piece.count) <= Attachment.maximumBytes else {
            let most = ByteCount.format(Attachment.maximumBytes)
            throw OutboxError.unfit(
                file: spool.name, reason: "it is longer than \(most), the most that one file may have")
        }
        piece.withUnsafeBytes { spool.builder.update($0) }
        try makingRoom { [spool] _ throws(FileError) in
            try fileSystem.writeAll(spool.temporary.file, piece, at: start)
        }
        spool.sizeBytes += Int64(piece.count)
    }

    /// Makes the received bytes durable. After a failure, they are given up.
    package func finish(_ spool: MediaSpool) throws -> SpooledMedia {
        do {
            try fileSystem.continuing { () throws(FileError) in try fileSystem.sync(spool.temporary.file) }
        } catch {
            giveUp(spool)
            throw error
        }
        return SpooledMedia(
            temporary: spool.temporary, digest: spool.builder.finish(), sizeBytes: spool.sizeBytes)
    }

    package func giveUp(_ spool: MediaSpool) { giveUp(spool.temporary) }
    package func giveUp(_ spooled: SpooledMedia) { giveUp(spooled.temporary) }

    /// Receives the bytes of a file, piece by piece, and makes them durable, without holding a lock.
    ///
    /// - Parameters:
    ///   - name: the name of the file, for the error.
    ///   - next: returns the next piece, empty at the end.
    package func spoolMedia(named name: String, _ next: () throws -> [UInt8]) throws -> SpooledMedia {
        var spool = try mediaSpool(named: name)
        do {
            while true {
                let piece = try next()
                if piece.isEmpty { break }
                try append(piece, to: &spool)
            }
        } catch {
            giveUp(spool)
            throw error
        }
        return try finish(spool)
    }

    /// The same with the bytes of a file.
    package func spoolMedia(named name: String, from content: OpenContent) throws -> SpooledMedia {
        var offset: Int64 = 0
        return try spoolMedia(named: name) {
            let piece = try content.piece(at: offset, maximumBytes: .max)
            offset += Int64(piece.count)
            return piece
        }
    }

    /// Runs a function that moves the bytes to their place; after a failure, they are given up.
    func consuming<Result>(_ spooled: SpooledMedia, _ place: () throws -> Result) throws -> Result {
        do {
            let result = try place()
            fileSystem.closeQuietly(spooled.temporary.file)
            return result
        } catch {
            giveUp(spooled.temporary)
            throw error
        }
    }

    /// Gives up received bytes. The next sweep of temporary files removes the rest.
    private func giveUp(_ temporary: TemporaryFile) {
        do throws(FileError) { try fileSystem.removeIfPresent(temporary.path) } catch {}
        fileSystem.closeQuietly(temporary.file)
    }

    /// Attaches a file to an answer of a draft. When this returns, the file and its place in the test survive a crash.
    ///
    /// The same file under the same name at the same question is attached once.
    ///
    /// - Throws: `OutboxError.frozen` if the test is finished.
    package func attach(
        _ spooled: SpooledMedia, to test: TestID, questionId: String, name: String, mediaType: String
    ) throws -> (test: StoredTest, attachment: Attachment) {
        try consuming(spooled) {
            try editing {
                var attachment = Attachment(
                    id: makeID(), questionId: questionId, name: name, mediaType: mediaType,
                    sizeBytes: spooled.sizeBytes, digest: spooled.digest)
                let item = try draft(test)
                var record = try read(item).record
                // The bytes first: a test never names missing bytes.
                try place(spooled)
                if let known = record.attachments.first(where: {
                    $0.digest == attachment.digest && $0.questionId == questionId && $0.name == name
                }) {
                    attachment = known
                    try fileSystem.makeDurable(folder: OutboxLayout.folder(item.status))
                    return (try read(item), attachment)
                }
                guard record.attachments.count < Attachment.mostInTest else {
                    throw OutboxError.tooManyAttachments(test)
                }
                record.attachments.append(attachment)
                return (try save(record, of: item), attachment)
            }
        }
    }

    /// Receives the bytes of an attachment that arrive with its digest.
    ///
    /// - Returns: whether they were new.
    func takeMedia(_ digest: Digest, named name: String, _ next: () throws -> [UInt8]) throws -> Bool {
        let spooled = try spoolMedia(named: name, next)
        return try consuming(spooled) {
            guard spooled.digest == digest else { throw TarFault(name, "its bytes are not those of its name") }
            return try editing {
                let isNew = try !hasBytes(digest)
                try place(spooled)
                return isNew
            }
        }
    }

    /// Removes bytes that exist elsewhere (those of a rejected archive, or of a device's attachment that the upstream
    /// rejected) if nothing here names them. The next sweep moves the rest to quarantine.
    package func giveUpMedia(_ digests: [Digest]) {
        guard !digests.isEmpty else { return }
        do {
            try editing {
                let use = try mediaUse()
                for digest in digests where !use.isNamed(digest) {
                    try fileSystem.removeIfPresent(OutboxLayout.mediaPath(digest))
                }
            }
        } catch {
            // The rejection is the error to report.
        }
    }

    /// Removes an attachment from a draft. The next sweep moves its bytes to quarantine, unless something else needs
    /// them.
    ///
    /// - Parameter name: its name, or a prefix of its digest, eight digits or more, which distinguishes files of one
    ///   name.
    /// - Throws: `OutboxError.notAttached`, `.attachedTwice`.
    @discardableResult
    package func detach(_ name: String, questionId: String, from test: TestID) throws -> StoredTest {
        try edit(test) { record in
            let question = QuestionInstance.written(questionId)
            let here = record.attachments.filter { QuestionInstance.written($0.questionId) == question }
            var meant = here.filter { $0.name == name }
            if meant.isEmpty, name.count >= Attachment.markDigits {
                meant = here.filter { $0.digest.hex.hasPrefix(name.lowercased()) }
            }
            guard let first = meant.first else {
                throw OutboxError.notAttached(test, questionId: questionId, name: name)
            }
            guard meant.count == 1 else { throw OutboxError.attachedTwice(test, questionId: questionId, meant) }
            record.attachments.removeAll { $0.id == first.id }
        }
    }

    /// The same for the one with this identity.
    @discardableResult
    package func detach(_ id: TestID, from test: TestID) throws -> StoredTest {
        try edit(test) { record in record.attachments.removeAll { $0.id == id } }
    }

    /// Moves the bytes to their place. The caller may hold the edit lock.
    func place(_ spooled: SpooledMedia) throws {
        try place(spooled.temporary.path, spooled.digest, sizeBytes: spooled.sizeBytes)
    }

    /// - Parameter source: a synced file with these bytes.
    func place(_ source: FilePath, _ digest: Digest, sizeBytes: Int64) throws {
        let path = OutboxLayout.mediaPath(digest)
        if let known = try fileSystem.status(at: path), known.kind == .regular, known.sizeBytes == sizeBytes,
            try OpenContent(path, in: fileSystem).digest() == digest
        {
            // The writer may have been killed before it was durable.
            try fileSystem.makeDurable(file: path)
            try fileSystem.removeIfPresent(source)
        } else {
            try makingRoom { _ throws(FileError) in
                try fileSystem.move(source, to: path, replacing: true)
            }
        }
        try fileSystem.makeDurable(folder: OutboxLayout.media)
    }

    // MARK: Items

    /// Makes the files of attachments for a test that is about to be finished, or was finished by hand. The caller may
    /// hold the edit lock.
    func addMedia(of record: TestRecord) throws {
        guard !record.attachments.isEmpty else { return }
        for attachment in record.attachments {
            let item = OutboxItem(id: attachment.id, kind: .media, status: .done)
            let bytes = try DocumentCoding.encode(MediaChange(attachment, of: record))
            try makingRoom { _ throws(FileError) in
                try fileSystem.stage(bytes, to: item.path, temporaryFolder: OutboxLayout.temporary)
            }
        }
        try fileSystem.makeDurable(folder: OutboxLayout.folder(.done))
    }

    /// Makes the missing files of attachments for a test that was moved to `done` by hand.
    package func completeMedia(of item: OutboxItem) throws {
        try editing {
            guard let stored = try? read(item), stored.status == .done else { return }
            var incomplete = stored.record
            incomplete.attachments = try incomplete.attachments.filter { attachment in
                // If the bytes are not here, another machine has them.
                try find(attachment.id) == nil && hasBytes(attachment.digest)
            }
            try addMedia(of: incomplete)
        }
    }

    /// Withdraws the attachments of a test that is a draft again. None of them was sent before the test.
    func withdrawMedia(of record: TestRecord) throws {
        for attachment in record.attachments {
            try fileSystem.removeIfPresent(OutboxItem(id: attachment.id, kind: .media, status: .done).path)
        }
        if !record.attachments.isEmpty { try fileSystem.makeDurable(folder: OutboxLayout.folder(.done)) }
    }

    /// For a new revision: with a new identity for delivery.
    package func renewed(_ attachment: Attachment) -> Attachment {
        var renewed = attachment
        renewed.id = makeID()
        return renewed
    }

    /// - Throws: `OutboxError.needed` if a test that waits to be sent names it, `.shown` if a questionnaire does.
    func refuseNeededMedia(_ item: OutboxItem) throws {
        guard case .media(let media)? = try? readChange(item).change else { return }
        switch media.owner {
        case .test(let test):
            guard let owner = try find(test), !owner.status.isDelivered, !owner.status.isDraft else { return }
            throw OutboxError.needed(item.id, by: test)
        case .questionnaire(let path):
            guard case .waiting = try namingChanges().standing(of: path, in: media.questionnaire) else { return }
            throw OutboxError.shown(item.id, by: media.questionnaire, questionId: media.attachment.questionId, path)
        }
    }

    /// Discards the attachments of a test together with it.
    func discardMedia(ofTest test: TestID, reason: String) throws {
        for stored in try changes(.media) {
            guard case .media(let media) = stored.change, media.owner == .test(test), !stored.item.status.isDelivered
            else {
                continue
            }
            try putAside(stored.item, reason: reason)
        }
    }
}

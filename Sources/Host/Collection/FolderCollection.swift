import Disk
import Model
import ObjectStores
import SystemPackage

/// Collects a folder that devices use as their remote: imports their tests and changes, and exports receipts and
/// questionnaires to it.
///
/// It may be repeated at any time and from any point at which it was interrupted. A test is durable in the archive
/// before its receipt is written to the folder. No test is removed from the folder; a change or an attachment is
/// removed when its receipt, or the reason for its rejection, is there. All calls block on the disk.
package struct FolderCollection: Sendable {
    let archive: TestArchive
    let changes: QuestionnaireArchive
    let favorites: FavoriteArchive
    /// Whose favourites are set and unset.
    let person: String
    private let media: MediaArchive
    let folder: any ExchangeFiles

    package struct Report: Sendable, Equatable, Encodable {
        /// New to the host.
        package var taken: [TestID] = []
        /// They were here already.
        package var known = 0
        /// The host will not take them; the folder says why.
        package var refused: [TestID] = []
        /// Changes of questionnaires, and favourites, that were carried out now.
        package var changes: [TestID] = []
        /// Changes of another version than the host has: their devices ask the person.
        package var conflicts: [TestID] = []
        /// Changes that stay in the folder, since their base has not been carried out.
        package var waiting = 0
        /// Files that belong to tests, new to the host.
        package var attachments: [TestID] = []
        /// Questionnaires that are in the folder now.
        package var questionnaires = 0
        /// Files that were written or removed because they had changed.
        package var changedFiles = 0
        /// The read and write errors; they stopped nothing else.
        package var faults: [String] = []
        /// Something found no room, on the host's disk or in the folder.
        package var isFull = false
        package init() {}

        mutating func note(_ error: FileError, at path: FilePath? = nil) {
            faults.append((path.map { "\($0): " } ?? "") + error.description)
            if error.isFull { isFull = true }
        }
    }

    /// - Parameters:
    ///   - path: an existing folder; the marker is added where it is missing.
    ///   - maximumMediaBytes: the most bytes of one file that belongs to a test.
    ///   - token: the token of this host's clients; favourites belong to its owner.
    /// - Throws: `FileError`, `DocumentFault`, `HostError.ownFolder`.
    package init(
        _ path: FilePath, archive: TestArchive, maximumMediaBytes: Int64 = Attachment.maximumBytes,
        token: AccessToken? = nil
    ) throws {
        try Self.refuseOwn(path, archive)
        self.init(
            try ExchangeFolder(making: path), archive: archive, maximumMediaBytes: maximumMediaBytes, token: token)
    }

    /// The same in a bucket, or a part of one.
    ///
    /// - Throws: `FileError`, `DocumentFault`, `HostError.ownFolder`.
    package init(
        _ store: any ObjectStore, archive: TestArchive, maximumMediaBytes: Int64 = Attachment.maximumBytes,
        token: AccessToken? = nil
    ) throws {
        if let own = archive.shared?.files.store.place,
            (own + "/").hasPrefix(store.place + "/") || store.place.hasPrefix(own + "/")
        {
            throw HostError.ownFolder(FilePath(store.place))
        }
        self.init(
            try ExchangeBucket(making: store), archive: archive, maximumMediaBytes: maximumMediaBytes, token: token)
    }

    /// - Parameter files: an exchange that has its marker.
    package init(
        _ files: any ExchangeFiles, archive: TestArchive, maximumMediaBytes: Int64 = Attachment.maximumBytes,
        token: AccessToken? = nil
    ) {
        self.archive = archive
        changes = QuestionnaireArchive(of: archive)
        favorites = FavoriteArchive(archive.hostFiles, changes, archive.catalog, clock: archive.clock)
        person = token?.person ?? FavoriteArchive.everybody
        media = MediaArchive(
            fileSystem: archive.fileSystem, tests: archive, changes: changes, clock: archive.clock,
            maximumBytes: maximumMediaBytes)
        folder = files
    }

    /// The export replaces existing files, and has no answer keys.
    private static func refuseOwn(_ path: FilePath, _ archive: TestArchive) throws {
        let exchange = try POSIXFileSystem(root: path)
        var own = [archive.fileSystem]
        // Unreadable questionnaires are reported by the export.
        if let questionnaires = try? archive.catalog.folder() { own.append(questionnaires) }
        for place in ["", ExchangeLayout.questionnaires] as [FilePath] {
            guard let status = try exchange.status(at: place), status.kind == .folder else { continue }
            for own in own {
                let other = try own.status(at: "")
                if other?.inode == status.inode, other?.modifiedNanoseconds == status.modifiedNanoseconds {
                    throw HostError.ownFolder(exchange.root)
                }
            }
        }
    }

    /// Where another folder of questionnaires was used before, all that was published would be taken for deleted.
    ///
    /// - Throws: `HostError.nothingPublished`, `HostError.damaged`, `FileError`.
    package func checkThatQuestionnairesAreLeft() throws { try changes.checkThatSomeAreLeft() }

    /// - Throws: `FileError` when the folder cannot be read or written at all, `HostError`.
    package func collect() throws -> Report {
        var report = Report()
        try folder.removeAbandonedFiles()
        recover(&report)
        // Questionnaires first, because tests, favourites and attachments refer to them.
        var refusals = try takeQuestionnaires(&report)
        let unsaid = try takeTests(&report)
        refusals += try takeFavorites(&report)
        try takeAttachments(&report)
        try unlessFull(&report) { report in
            // Attachments that were taken have left their room.
            for id in unsaid {
                guard let receipt = try archive.receipt(of: id) else { continue }
                try put(receipt, at: ExchangeLayout.receipt(id), &report)
            }
            try refreshReceipts(&report)
        }
        try unlessFull(&report) { try putQuestionnaires(&$0) }
        // A device that hears of another version finds it there.
        for refusal in refusals { try unlessFull(&report) { try put(refusal, &$0) } }
        return report
    }

    private func unlessFull(_ report: inout Report, _ work: (inout Report) throws -> Void) throws {
        do {
            try work(&report)
        } catch let error as FileError where error.isFull {
            report.note(error)
        }
    }

    /// Numbers the published versions: a change based on one may arrive after it was deleted.
    private func recover(_ report: inout Report) {
        do {
            try changes.recover()
        } catch is FileError {
            // Unreadable questionnaires are reported by the export.
        } catch {
            report.faults.append("\(error)")
        }
    }

    // MARK: Tests

    /// - Returns: those that the host has, and whose receipts found no room.
    private func takeTests(_ report: inout Report) throws -> [TestID] {
        var unsaid: [TestID] = []
        for name in try folder.names(in: ExchangeLayout.tests).sorted() {
            guard let id = ExchangeLayout.testID(fileName: name) else { continue }
            do {
                try take(id, &report)
            } catch let error as HostError {
                report.faults.append(error.description)
            } catch let error as FileError {
                if error.isOfAll { throw error }
                if error.isFull, try archive.receipt(of: id) != nil {
                    unsaid.append(id)
                } else {
                    report.note(error, at: ExchangeLayout.test(id))
                }
            }
        }
        return unsaid
    }

    private func take(_ id: TestID, _ report: inout Report) throws {
        let path = ExchangeLayout.test(id)
        let bytes: [UInt8]
        do throws(FileError) {
            guard let found = try folder.read(path, maximumBytes: Int64(TestSubmission.maximumBytes)) else { return }
            bytes = found.bytes
        } catch {
            guard error.code == .fileTooLarge else { throw error }
            report.faults.append("\(path): it is too long for a test")
            return
        }
        func refuse(_ fault: DocumentFault) throws {
            try self.refuse(id, bytes, 422, "The test cannot be read: \(fault).", &report)
        }
        let submission: TestSubmission
        do throws(DocumentFault) {
            submission = try TestSubmission(bytes, id: id)
        } catch {
            return try refuse(error)
        }
        switch try archive.store(submission) {
        case .stored(let receipt):
            report.taken.append(id)
            try put(receipt, at: ExchangeLayout.receipt(id), &report)
        case .known(let receipt):
            report.known += 1
            try put(receipt, at: ExchangeLayout.receipt(id), &report)
        case .refused(let refusal): try self.refuse(id, bytes, 422, refusal.detail, &report)
        case .invalid(let fault): try refuse(fault)
        case .different:
            try self.refuse(
                id, bytes, 409, "The host has test \(id) with other bytes, and keeps them: send yours under a new id.",
                &report)
        }
    }

    // MARK: Attachments

    private func takeAttachments(_ report: inout Report) throws {
        for name in try folder.names(in: ExchangeLayout.attachments).sorted() {
            guard let id = ExchangeLayout.attachmentID(fileName: name) else { continue }
            do {
                try takeAttachment(id, &report)
            } catch let error as HostError {
                report.faults.append(error.description)
            } catch let error as DocumentFault {
                // Half a file, perhaps: its device puts it there again.
                report.faults.append("\(ExchangeLayout.attachment(id)): \(error)")
            } catch let error as FileError {
                if error.isOfAll { throw error }
                report.note(error, at: ExchangeLayout.attachment(id))
            }
        }
    }

    private func takeAttachment(_ id: TestID, _ report: inout Report) throws {
        guard let (file, _) = try folder.read(ExchangeLayout.attachment(id), maximumBytes: 64 << 10) else { return }
        let change = try MediaChange(file: file)
        let bytes = ExchangeLayout.bytes(change.digest)
        do {
            let attachment = try media.attachment(id, of: change.owner, sizeBytes: change.sizeBytes)
            try UploadFault.check(attachment, announced: change.digest, length: change.sizeBytes)
            var receipt = try media.receipt(of: attachment, change.owner)
            if receipt == nil {
                // Not there yet, or not any more: its device sees that, and puts it there.
                guard let content = try folder.open(bytes) else { return }
                receipt = try media.take(attachment, change.owner, from: content)
                report.attachments.append(id)
            }
            guard let receipt else { return }
            do throws(FileError) {
                try put(receipt, at: ExchangeLayout.receipt(id), &report)
            } catch {
                guard error.isFull else { throw error }
                // The host has it, durably; without a receipt its device would only put it there again.
                try removeAttachment(id, bytes, &report)
                return try put(receipt, at: ExchangeLayout.receipt(id), &report)
            }
        } catch UploadFault.testUnknown {
            // It may come another way.
            return
        } catch UploadFault.notNamed {
            // So may the questionnaire.
            return
        } catch UploadFault.digestMismatch {
            report.faults.append("\(bytes): its bytes are not those of its name; its device puts them there again")
        } catch let fault as UploadFault {
            let refusal = ExchangeRefusal(
                test: id, digest: change.digest, status: fault.status, reason: fault.description)
            report.refused.append(id)
            try put(try DocumentCoding.encode(refusal), at: ExchangeLayout.refusal(id), &report)
        }
        // The host has it durably, and its receipt is in the folder; or the bytes are useless. The room is for others.
        try removeAttachment(id, bytes, &report)
    }

    private func removeAttachment(_ id: TestID, _ bytes: FilePath, _ report: inout Report) throws(FileError) {
        try folder.remove(bytes)
        try folder.remove(ExchangeLayout.attachment(id))
        report.changedFiles += 1
    }

    /// A refused test stays in the folder.
    private func refuse(
        _ id: TestID, _ bytes: [UInt8], _ status: Int, _ reason: String, _ report: inout Report
    ) throws {
        let refusal = ExchangeRefusal(test: id, digest: Digest(sha256Of: bytes), status: status, reason: reason)
        report.refused.append(id)
        report.faults.append("\(ExchangeLayout.test(id)) is refused: \(reason)")
        try put(try DocumentCoding.encode(refusal), at: ExchangeLayout.refusal(id), &report)
    }

    /// Also for tests that are no longer in the folder: they may have been rated since.
    private func refreshReceipts(_ report: inout Report) throws {
        for name in try folder.names(in: ExchangeLayout.receipts) {
            guard let id = ExchangeLayout.receiptID(fileName: name) else { continue }
            do {
                if let receipt = try archive.receipt(of: id) {
                    try put(receipt, at: ExchangeLayout.receipt(id), &report)
                }
            } catch let error as HostError {
                report.faults.append(error.description)
            }
        }
    }

    func put(_ bytes: [UInt8], at path: FilePath, _ report: inout Report) throws(FileError) {
        // An existing file that is too long is not ours.
        if let found = try? folder.read(path, maximumBytes: Int64(bytes.count) + 1), found.bytes == bytes {
            // It may have been written a moment ago by a collection that was broken off.
            return try folder.confirm(path)
        }
        try folder.write(bytes, to: path, replacing: true)
        report.changedFiles += 1
    }
}

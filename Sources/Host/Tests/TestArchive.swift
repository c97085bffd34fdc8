import Disk
import Logging
import Model
import SystemPackage

/// The tests that the host received, and its receipts, as files.
///
/// A test is durable before its receipt is written, and the receipt before it is reported. A delivery never overwrites
/// either, so any number of processes may deliver and rate at once. The disk is authoritative: a receipt is read each
/// time, and lists come from an index that follows the files.
///
/// All calls block on the disk: run them with `offload`.
package struct TestArchive: Sendable {
    let fileSystem: any FileSystem
    let catalog: QuestionnaireCatalog
    let clock: any StoreClock
    let logger: Logger
    let index: TestIndex
    let overviews = OverviewMemory()
    /// The parts of the receipts that are released.
    var release = ReceiptRelease()

    /// The outcome of a delivery; with the bytes of the receipt's file.
    package enum Delivery: Hashable, Sendable {
        /// The test is new.
        case stored([UInt8])
        /// These very bytes were stored before.
        case known([UInt8])
        /// Other bytes are stored under this id, or it is that of something else; they stay.
        case different
        /// It is new, and its questionnaire does not take it: nothing was stored.
        case refused(TestRefusal)
    }

    /// - Parameters:
    ///   - fileSystem: rooted in the data folder.
    ///   - catalog: where the keys for rating are.
    ///   - isWatched: for a caller that lists tests often: the kernel reports changes, instead of a scan.
    package init(
        fileSystem: any FileSystem, catalog: QuestionnaireCatalog, clock: any StoreClock, logger: Logger,
        isWatched: Bool = false
    ) {
        self.fileSystem = fileSystem
        self.catalog = catalog
        self.clock = clock
        self.logger = logger
        index = TestIndex(isWatched: isWatched)
    }

    /// Makes the folders that are missing.
    package func makeFolders() throws(FileError) {
        for folder in [HostLayout.tests, HostLayout.receipts, HostLayout.temporary] {
            try fileSystem.makeFolderIfMissing(folder)
        }
        try fileSystem.makeDurable(folder: "")
    }

    /// Recovers from a crash: temporary files without a writer, tests without a receipt.
    package func recover() throws {
        try fileSystem.removeAbandonedTemporaryFiles(in: HostLayout.temporary)
        let receipts = Set(
            try fileSystem.list(HostLayout.receipts).compactMap { HostLayout.receiptID(ofFile: $0.name) })
        for id in try ids() where !receipts.contains(id) {
            do {
                _ = try receipt(of: id)
            } catch {
                // One damaged file is no reason to turn all the others away.
                logger.warning("\(error)")
            }
        }
    }

    /// Stores a test, once.
    ///
    /// When it returns, the test and its receipt are durable.
    ///
    /// - Parameter person: the person whose key came with the test.
    package func store(_ submission: TestSubmission, provenBy person: String? = nil) throws -> Delivery {
        if let known = try delivery(known: submission, provenBy: person) { return known }
        // The number of a person's tests is limited: two of them at once must not both be the last.
        let lock =
            try needsAttemptsLock(submission.record)
            ? LockFile.acquire(HostLayout.attemptsLock, in: fileSystem, wait: true) : nil
        defer { withExtendedLifetime(lock) {} }
        return try storeNew(submission, provenBy: person)
    }

    private func storeNew(_ submission: TestSubmission, provenBy person: String?) throws -> Delivery {
        // The receipt of a change, or of an attachment.
        if try storedReceipt(of: submission.id)?.receipt.action != nil { return .different }
        let now = clock.now
        if let refusal = try admission(of: submission.record, receivedAt: now, provenBy: person).refusal {
            return .refused(refusal)
        }
        do throws(FileError) {
            // Its modification time is its time of arrival: a receipt that a crash prevented is made from it later. Its
            // name is made durable before the receipt is looked for.
            try fileSystem.stage(
                submission.bytes, to: HostLayout.test(submission.id), temporaryFolder: HostLayout.temporary,
                replacing: false, modified: now)
        } catch {
            // Another delivery was quicker by a moment.
            if error.code == .fileExists, let known = try delivery(known: submission, provenBy: person) { return known }
            throw error
        }
        return .stored(try released(receipt(of: submission, receivedAt: now, provenBy: person)))
    }

    private func delivery(known submission: TestSubmission, provenBy person: String?) throws -> Delivery? {
        guard let (stored, status) = try storedTest(submission.id) else { return nil }
        guard stored == submission.bytes else { return .different }
        var receipt = try receipt(of: submission, receivedAt: status.modified, provenBy: person)
        if let proven = try notePerson(of: submission.record, provenBy: person) { receipt = proven }
        return .known(try released(receipt))
    }

    /// Whether there is a test of this id.
    func isStored(_ id: TestID) throws(FileError) -> Bool { try fileSystem.status(at: HostLayout.test(id)) != nil }

    /// The released receipt. Its file is written first if a crash prevented it.
    ///
    /// - Returns: `nil` when there is no such test.
    /// - Throws: `HostError.damaged`, `FileError`.
    package func receipt(of id: TestID) throws -> [UInt8]? {
        // The receipt of a change or of a file is none of a test.
        if let stored = try storedReceipt(of: id), stored.receipt.action == nil {
            return try released(stored.bytes)
        }
        guard let (bytes, status) = try storedTest(id) else { return nil }
        return try released(receipt(of: try submission(bytes, id), receivedAt: status.modified))
    }

    /// A test and its receipt as far as the files show, without writing anything: only the running host makes receipts,
    /// since it knows where the keys are.
    ///
    /// - Returns: `nil` when there is no such test.
    func stored(_ id: TestID) throws -> (record: TestRecord, receipt: Receipt)? {
        guard let (bytes, status) = try storedTest(id) else { return nil }
        let submission = try submission(bytes, id)
        let receipt = try storedReceipt(of: id)?.receipt
        if let receipt, receipt.action == nil { return (submission.record, receipt) }
        return (submission.record, plainReceipt(of: submission, receivedAt: status.modified))
    }

    /// All the tests, in the order of their ids.
    package func ids() throws(FileError) -> [TestID] {
        try fileSystem.list(HostLayout.tests).filter { $0.kind == .regular }
            .compactMap { HostLayout.testID(ofFile: $0.name) }
            .sorted()
    }

    private func storedTest(_ id: TestID) throws -> (bytes: [UInt8], status: FileStatus)? {
        let path = HostLayout.test(id)
        do throws(FileError) {
            return try fileSystem.readFile(path, maximumBytes: Int64(TestSubmission.maximumBytes))
        } catch {
            if error.isMissing { return nil }
            guard error.code == .fileTooLarge else { throw error }
            throw HostError.damaged(fileSystem.root.pushing(path), reason: "it is too long for a test")
        }
    }

    private func submission(_ bytes: [UInt8], _ id: TestID) throws(HostError) -> TestSubmission {
        do throws(DocumentFault) {
            return try TestSubmission(bytes, id: id)
        } catch {
            throw .damaged(fileSystem.root.pushing(HostLayout.test(id)), reason: error.description)
        }
    }

    func storedReceipt(of id: TestID) throws -> (bytes: [UInt8], receipt: Receipt)? {
        do {
            let (bytes, _) = try fileSystem.readFile(HostLayout.receipt(id), maximumBytes: 16 << 20)
            return (bytes, try DocumentCoding.decode(Receipt.self, from: bytes))
        } catch let error as FileError where error.isMissing {
            return nil
        } catch let fault as DocumentFault {
            throw HostError.damaged(fileSystem.root.pushing(HostLayout.receipt(id)), reason: fault.description)
        }
    }

    /// The receipt of an existing test: the stored one, or a new one. Both are durable when it returns.
    private func receipt(
        of submission: TestSubmission, receivedAt: Timestamp, provenBy person: String? = nil
    ) throws -> [UInt8] {
        func first() throws -> Receipt {
            try firstReceipt(of: submission, receivedAt: receivedAt, provenBy: person)
        }
        // The test's writer has not synced its name, or was killed before.
        try fileSystem.makeDurable(folder: HostLayout.tests)
        if let (bytes, receipt) = try storedReceipt(of: submission.id) {
            if receipt.action != nil {
                // It is that of something else, and stays.
                return try DocumentCoding.encode(try first())
            }
            if receipt.digest == submission.digest {
                // The same for the receipt's writer.
                try fileSystem.makeDurable(folder: HostLayout.receipts)
                return bytes
            }
            // The test's file was removed, and it was sent again with other answers: the old receipt is wrong.
            return try write(try first(), replacing: true)
        }
        do {
            return try write(try first(), replacing: false)
        } catch let error as FileError where error.code == .fileExists {
            // Two deliveries at once: the receipt of the quicker one counts.
            guard try storedReceipt(of: submission.id) != nil else { throw error }
            return try self.receipt(of: submission, receivedAt: receivedAt)
        }
    }

    func write(_ receipt: Receipt, replacing: Bool) throws -> [UInt8] {
        let bytes = try DocumentCoding.encode(receipt)
        try fileSystem.writeDurably(
            bytes, to: HostLayout.receipt(receipt.test), temporaryFolder: HostLayout.temporary, replacing: replacing)
        return bytes
    }

    /// The host's receipt for a test that has just arrived: rated by the key, as far as possible.
    private func firstReceipt(
        of submission: TestSubmission, receivedAt: Timestamp, provenBy person: String?
    ) throws -> Receipt {
        var receipt = plainReceipt(of: submission, receivedAt: receivedAt)
        try noteTime(of: submission.record, in: &receipt)
        let admission = try admission(of: submission.record, receivedAt: receivedAt, provenBy: person)
        switch try assessment(of: submission.record) {
        case .nothingToRate: break
        case .unknownVersion:
            receipt.status = .checking
            receipt.reasonCode = .unknownVersion
        case .evaluated(let evaluation): receipt.take(evaluation)
        }
        admission.note(in: &receipt)
        return receipt
    }

    private func plainReceipt(of submission: TestSubmission, receivedAt: Timestamp) -> Receipt {
        Receipt(test: submission.id, digest: submission.digest, status: .sent, receivedAt: receivedAt)
    }

    /// Says how long a test took, and whether that was longer than the limit of the version that was taken.
    func noteTime(of record: TestRecord, in receipt: inout Receipt) throws {
        guard let taken = try version(of: record)?.questionnaire.timeTaken(by: record) else { return }
        receipt.timeTaken = taken
        receipt.late = taken.isLate
    }

    /// The result of the key for a test.
    enum Assessment {
        /// The questionnaire is not here, or the version has no key.
        case nothingToRate
        /// The questionnaire has a key, and the version that the test was taken with is not known here.
        case unknownVersion
        case evaluated(Evaluation)
    }

    /// Compares a test with the key of the version that it was taken with, and with no other.
    func assessment(of record: TestRecord) throws -> Assessment {
        guard let version = try version(of: record) else {
            let current = try catalog.document(id: record.questionnaire.id)?.published
            return current?.key.isEmpty == false ? .unknownVersion : .nothingToRate
        }
        let evaluation = Rating.evaluate(
            record.answers, attachments: record.attachments, to: version.questionnaire.arranged(for: record),
            by: version.key, at: clock.now)
        return evaluation.map { .evaluated($0) } ?? .nothingToRate
    }

    /// The version that a test was taken with, and its key; `nil` when it is not known here.
    func version(of record: TestRecord) throws -> PublishedQuestionnaire? {
        try catalog.version(id: record.questionnaire.id, digest: record.questionnaire.digest)
    }
}

extension Receipt {
    /// Takes over an evaluation; the test is rated when no question waits for a person.
    mutating func take(_ evaluation: Evaluation) {
        self.evaluation = evaluation
        status = evaluation.isComplete ? .rated : .checking
        reasonCode = evaluation.isComplete ? nil : .unreadAnswers
    }
}

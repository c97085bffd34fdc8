import Disk
import Logging
import Model
import Results
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
    let files: any TestFiles
    let catalog: QuestionnaireCatalog
    let clock: any StoreClock
    let logger: Logger
    let index: TestIndex
    /// The index in the host's folder; hosts that share a bucket have none.
    let indexFile: TestIndexFile?
    let overviews = OverviewMemory()
    /// The bucket that hosts share; `nil` for a host in a folder.
    var shared: SharedPlace?
    /// The parts of the receipts that are released.
    var release = ReceiptRelease()

    /// The outcome of a delivery; with the bytes of the receipt's file.
    package enum Delivery: Equatable, Sendable {
        /// The test is new.
        case stored([UInt8])
        /// These very bytes were stored before.
        case known([UInt8])
        /// Other bytes are stored under this id, or it is that of something else; they stay.
        case different
        /// It is new, and its questionnaire does not take it: nothing was stored.
        case refused(TestRefusal)
        /// It is new, and its answers are not ones of a test: nothing was stored.
        case invalid(DocumentFault)
    }

    /// - Parameters:
    ///   - fileSystem: rooted in the data folder.
    ///   - files: where tests and receipts are, if elsewhere.
    ///   - catalog: where the keys for rating are.
    ///   - isWatched: for a caller that lists tests often: the kernel reports changes, instead of a scan, and the index is kept in a
    ///     file.
    package init(
        fileSystem: any FileSystem, files: (any TestFiles)? = nil, catalog: QuestionnaireCatalog,
        clock: any StoreClock, logger: Logger, isWatched: Bool = false
    ) {
        self.fileSystem = fileSystem
        self.files = files ?? TestFolder(fileSystem)
        self.catalog = catalog
        self.clock = clock
        self.logger = logger
        index = TestIndex(isWatched: isWatched)
        indexFile = self.files.isShared ? nil : TestIndexFile(fileSystem: fileSystem, isWritten: isWatched)
    }

    /// Where the host keeps its other small files.
    var hostFiles: any HostFiles { shared?.files ?? HostFolder(fileSystem) }

    /// Makes the folders that are missing.
    package func makeFolders() throws(FileError) {
        for folder in [HostLayout.tests, HostLayout.receipts, HostLayout.temporary] {
            try fileSystem.makeFolderIfMissing(folder)
        }
        try fileSystem.makeDurable(folder: "")
    }

    /// Recovers from a crash: temporary files without a writer, tests without a receipt.
    package func recover() throws {
        if !files.isShared { try fileSystem.removeAbandonedTemporaryFiles(in: HostLayout.temporary) }
        let receipts = try files.receiptIDs()
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
        do throws(DocumentFault) {
            try submission.checkAnswers()
        } catch {
            return .invalid(error)
        }
        guard try needsAttemptsLock(submission.record) else { return try storeNew(submission, provenBy: person) }
        // The number of a person's tests is limited: two of them at once must not both be the last.
        return try files.lockedAttempts { try storeNew(submission, provenBy: person) }
    }

    private func storeNew(_ submission: TestSubmission, provenBy person: String?) throws -> Delivery {
        let former = try storedReceipt(of: submission.id)
        // The receipt of a change, or of an attachment.
        if former?.receipt.action != nil { return .different }
        let now = clock.now
        if let refusal = try admit(submission.record, receivedAt: now, provenBy: person).refusal {
            return .refused(refusal)
        }
        guard let arrivedAt = try files.arrive(submission.bytes, submission.id, at: now) else {
            // Another delivery was quicker by a moment.
            if let known = try delivery(known: submission, provenBy: person) { return known }
            throw FileError("write", files.place(of: HostLayout.test(submission.id)), .fileExists)
        }
        var receipt = try receipt(of: submission, receivedAt: arrivedAt, provenBy: person, isFirst: former == nil)
        // Another host may have made the receipt a moment ago, without the key.
        if files.isShared, let proven = try notePerson(of: submission.record, provenBy: person) { receipt = proven }
        return .stored(try released(receipt, of: submission.record))
    }

    private func delivery(known submission: TestSubmission, provenBy person: String?) throws -> Delivery? {
        guard let (stored, arrivedAt) = try storedTest(submission.id) else { return nil }
        guard stored == submission.bytes else { return .different }
        var receipt = try receipt(of: submission, receivedAt: arrivedAt, provenBy: person)
        if let proven = try notePerson(of: submission.record, provenBy: person) { receipt = proven }
        return .known(try released(receipt, of: submission.record))
    }

    /// The released receipt. Its file is written first if a crash prevented it.
    ///
    /// - Returns: `nil` when there is no such test.
    /// - Throws: `HostError.damaged`, `FileError`.
    package func receipt(of id: TestID) throws -> [UInt8]? {
        // The receipt of a change or of a file is none of a test.
        if let stored = try storedReceipt(of: id), stored.receipt.action == nil {
            return try released(stored.bytes)
        }
        guard let (bytes, arrivedAt) = try storedTest(id) else { return nil }
        return try released(receipt(of: try submission(bytes, id), receivedAt: arrivedAt))
    }

    /// A test and its receipt as far as the files show, without writing anything: only the running host makes receipts,
    /// since it knows where the keys are.
    ///
    /// - Returns: `nil` when there is no such test.
    func stored(_ id: TestID) throws -> (record: TestRecord, receipt: Receipt)? {
        try storedVersion(of: id).map { ($0.record, $0.receipt) }
    }

    /// The same with the stored version of the receipt, which another receipt is to follow; `nil` where there is none.
    func storedVersion(
        of id: TestID
    ) throws -> (record: TestRecord, receipt: Receipt, version: FileVersion?)? {
        guard let (bytes, arrivedAt) = try storedTest(id) else { return nil }
        return try storedVersion(of: id, bytes, arrivedAt, try storedReceipt(of: id))
    }

    /// The same of files that were read already.
    func stored(_ id: TestID, _ files: StoredTest) throws -> (record: TestRecord, receipt: Receipt) {
        let kept = try files.receipt.map { try storedReceipt(of: id, $0) }
        let found = try storedVersion(of: id, files.bytes, files.arrivedAt, kept)
        return (found.record, found.receipt)
    }

    private func storedVersion(
        of id: TestID, _ bytes: [UInt8], _ arrivedAt: Timestamp, _ kept: StoredReceipt?
    ) throws -> (record: TestRecord, receipt: Receipt, version: FileVersion?) {
        let submission = try submission(bytes, id)
        // The receipt of something else is none of a test.
        if let kept, kept.receipt.action == nil { return (submission.record, kept.receipt, kept.version) }
        return (submission.record, plainReceipt(of: submission, receivedAt: arrivedAt), kept?.version)
    }

    /// All the tests, in the order of their ids.
    package func ids() throws(FileError) -> [TestID] { try files.ids() }

    /// - Returns: `nil` when there is no such test.
    func record(of id: TestID) throws -> TestRecord? {
        try storedTest(id).map { try submission($0.bytes, id).record }
    }

    private func storedTest(_ id: TestID) throws -> (bytes: [UInt8], arrivedAt: Timestamp)? {
        do throws(FileError) {
            return try files.test(id, maximumBytes: Int64(TestSubmission.maximumBytes))
        } catch {
            guard error.code == .fileTooLarge else { throw error }
            throw HostError.damaged(files.place(of: HostLayout.test(id)), reason: "it is too long for a test")
        }
    }

    private func submission(_ bytes: [UInt8], _ id: TestID) throws(HostError) -> TestSubmission {
        do throws(DocumentFault) {
            return try TestSubmission(bytes, id: id)
        } catch {
            throw .damaged(files.place(of: HostLayout.test(id)), reason: error.description)
        }
    }

    static let maximumReceiptBytes: Int64 = 16 << 20

    /// A receipt as it is kept now.
    struct StoredReceipt: Sendable {
        var version: FileVersion
        var receipt: Receipt

        var bytes: [UInt8] { version.bytes }
    }

    func storedReceipt(of id: TestID) throws -> StoredReceipt? {
        try files.receipt(id, maximumBytes: Self.maximumReceiptBytes).map { try storedReceipt(of: id, $0) }
    }

    private func storedReceipt(of id: TestID, _ version: FileVersion) throws(HostError) -> StoredReceipt {
        do throws(DocumentFault) {
            return StoredReceipt(
                version: version, receipt: try DocumentCoding.decode(Receipt.self, from: version.bytes))
        } catch {
            throw HostError.damaged(files.place(of: HostLayout.receipt(id)), reason: error.description)
        }
    }

    /// The receipt of an existing test: the stored one, or a new one. Both are durable when it returns.
    ///
    /// - Parameter isFirst: there was none a moment ago, so it is not looked for.
    private func receipt(
        of submission: TestSubmission, receivedAt: Timestamp, provenBy person: String? = nil, isFirst: Bool = false
    ) throws -> [UInt8] {
        func first() throws -> Receipt {
            try firstReceipt(of: submission, receivedAt: receivedAt, provenBy: person)
        }
        // The test's writer has not synced its name, or was killed before.
        try files.confirmTests()
        if let stored = isFirst ? nil : try storedReceipt(of: submission.id) {
            if stored.receipt.action != nil {
                // It is that of something else, and stays.
                return try DocumentCoding.encode(try first())
            }
            if stored.receipt.digest == submission.digest {
                // The same for the receipt's writer.
                try files.confirmReceipts()
                return stored.bytes
            }
            // The test's file was removed, and it was sent again with other answers: the old receipt is wrong.
            if let bytes = try write(try first(), after: stored.version) { return bytes }
        } else if let bytes = try write(try first(), after: nil) {
            return bytes
        }
        // Two deliveries at once: the receipt of the quicker one counts.
        guard try storedReceipt(of: submission.id) != nil else {
            throw FileError("write", files.place(of: HostLayout.receipt(submission.id)), .fileExists)
        }
        return try receipt(of: submission, receivedAt: receivedAt)
    }

    /// - Parameter former: the version that it follows; `nil` for the first one.
    /// - Returns: `nil` where another writer was quicker.
    func write(_ receipt: Receipt, after former: FileVersion?) throws -> [UInt8]? {
        let bytes = try DocumentCoding.encode(receipt)
        return try files.put(receipt: bytes, of: receipt.test, after: former) ? bytes : nil
    }

    /// The host's receipt for a test that has just arrived: rated by the key, as far as possible.
    private func firstReceipt(
        of submission: TestSubmission, receivedAt: Timestamp, provenBy person: String?
    ) throws -> Receipt {
        var receipt = plainReceipt(of: submission, receivedAt: receivedAt)
        let admission = try admission(of: submission.record, receivedAt: receivedAt, provenBy: person)
        switch try assessment(of: submission.record) {
        case .nothingToRate: break
        case .unknownVersion:
            receipt.status = .checking
            receipt.reasonCode = .unknownVersion
        case .evaluated(let evaluation): receipt.take(evaluation)
        }
        admission.note(in: &receipt)
        try noteTime(of: submission.record, in: &receipt)
        return receipt
    }

    private func plainReceipt(of submission: TestSubmission, receivedAt: Timestamp) -> Receipt {
        Receipt(test: submission.id, digest: submission.digest, status: .sent, receivedAt: receivedAt)
    }

    /// Says how long a test took, and whether that was longer than the limit of the version that was taken. What only the
    /// device's clock says is not proven.
    func noteTime(of record: TestRecord, in receipt: inout Receipt) throws {
        guard let taken = try version(of: record)?.questionnaire.timeTaken(by: record) else { return }
        receipt.timeTaken = taken
        receipt.late = receipt.late == true || taken.isLate
        if taken.isLate, taken.measuredBy == .deviceClock {
            receipt.reasonCode = receipt.reasonCode ?? .lateUnproven
        }
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

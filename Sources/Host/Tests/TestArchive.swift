import Disk
import Logging
import Model
import SystemPackage

/// The tests that the host received, and its receipts, as files.
///
/// A test is durable before its receipt is written, and the receipt before it is reported. A delivery never overwrites
/// either, so any number of processes may deliver and rate at once.
///
/// All calls block on the disk: run them with `offload`.
package struct TestArchive: Sendable {
    let fileSystem: any FileSystem
    package let received: ReceivedTests
    package let lists: TestLists
    let catalog: QuestionnaireCatalog
    let clock: any StoreClock
    private let overviews = OverviewMemory()
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
        received = ReceivedTests(files: files ?? TestFolder(fileSystem), logger: logger)
        let indexFile = received.files.isShared ? nil : TestIndexFile(fileSystem: fileSystem, isWritten: isWatched)
        lists = TestLists(
            received: received, index: TestIndex(isWatched: isWatched, file: indexFile, clock: clock))
        self.catalog = catalog
        self.clock = clock
    }

    private var keys: KeyRating { KeyRating(catalog: catalog, clock: clock) }
    private var admissions: TestAdmissions {
        TestAdmissions(received: received, lists: lists, catalog: catalog, clock: clock)
    }

    package var ratings: TestRatings { TestRatings(received: received, lists: lists, keys: keys) }
    package var results: TestResults { TestResults(lists: lists, catalog: catalog, memory: overviews) }

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
        if !received.files.isShared { try fileSystem.removeAbandonedTemporaryFiles(in: HostLayout.temporary) }
        let receipts = try received.files.receiptIDs()
        for id in try received.ids() where !receipts.contains(id) {
            do {
                _ = try receipt(of: id)
            } catch {
                // One damaged file is no reason to turn all the others away.
                received.logger.warning("\(error)")
            }
        }
    }

    /// Stores a test, once.
    ///
    /// When it returns, the test and its receipt are durable.
    ///
    /// - Parameters:
    ///   - person: the person whose key came with the test.
    ///   - claim: notes whose test it is, once its bytes are stored and before its receipt is made: after a crash in between the
    ///     receipt is made by that note.
    package func store(
        _ submission: TestSubmission, provenBy person: String? = nil, claim: () throws -> Void = {}
    ) throws -> Delivery {
        if let known = try delivery(known: submission, provenBy: person, claim) { return known }
        do throws(DocumentFault) {
            try submission.checkAsNew()
        } catch {
            return .invalid(error)
        }
        guard try admissions.needsAttemptsLock(submission.record) else {
            return try storeNew(submission, provenBy: person, claim)
        }
        // The number of a person's tests is limited: two of them at once must not both be the last.
        return try received.files.lockedAttempts { try storeNew(submission, provenBy: person, claim) }
    }

    private func storeNew(
        _ submission: TestSubmission, provenBy person: String?, _ claim: () throws -> Void
    ) throws -> Delivery {
        let former = try received.storedReceipt(of: submission.id)
        // The receipt of a change, or of an attachment.
        if former?.receipt.action != nil { return .different }
        let now = clock.now
        if let refusal = try admissions.admit(submission.record, receivedAt: now, provenBy: person).refusal {
            return .refused(refusal)
        }
        guard let arrivedAt = try received.files.arrive(submission.bytes, submission.id, at: now) else {
            // Another delivery was quicker by a moment.
            if let known = try delivery(known: submission, provenBy: person, claim) { return known }
            throw FileError("write", received.files.place(of: HostLayout.test(submission.id)), .fileExists)
        }
        try claim()
        let receipt = try receipt(of: submission, receivedAt: arrivedAt, provenBy: person, isFirst: former == nil)
        return .stored(try released(try proven(receipt, of: submission.record, by: person), of: submission.record))
    }

    private func delivery(
        known submission: TestSubmission, provenBy person: String?, _ claim: () throws -> Void
    ) throws -> Delivery? {
        guard let (stored, arrivedAt) = try received.storedTest(submission.id) else { return nil }
        guard stored == submission.bytes else { return .different }
        try claim()
        let receipt = try receipt(of: submission, receivedAt: arrivedAt, provenBy: person)
        return .known(try released(try proven(receipt, of: submission.record, by: person), of: submission.record))
    }

    /// The receipt with the proof that came with a delivery: another process may have made it a moment ago, without the key.
    private func proven(
        _ receipt: ReceivedTests.ReceiptFile, of record: TestRecord, by person: String?
    ) throws -> ReceivedTests.ReceiptFile {
        if receipt.receipt.person?.verified == true { return receipt }
        return try received.notePerson(of: record, provenBy: person) ?? receipt
    }

    /// The released receipt. Its file is written first if a crash prevented it.
    ///
    /// - Returns: `nil` when there is no such test.
    /// - Throws: `HostError.damaged`, `FileError`.
    package func receipt(of id: TestID) throws -> [UInt8]? {
        // The receipt of a change or of a file is none of a test.
        if let stored = try received.storedReceipt(of: id), stored.receipt.action == nil {
            return try released(stored.file)
        }
        guard let (bytes, arrivedAt) = try received.storedTest(id) else { return nil }
        return try released(receipt(of: try received.submission(bytes, id), receivedAt: arrivedAt))
    }

    /// The receipt of an existing test: the stored one, or a new one. Both are durable when it returns.
    ///
    /// - Parameter isFirst: there was none a moment ago, so it is not looked for.
    private func receipt(
        of submission: TestSubmission, receivedAt: Timestamp, provenBy person: String? = nil, isFirst: Bool = false
    ) throws -> ReceivedTests.ReceiptFile {
        func first() throws -> Receipt {
            let named = submission.record.person?.id
            // A receipt that is made again: whose key came is known from the note about its owner.
            let isKnown = isFirst || named == nil || named == person
            let prover = try isKnown ? person : TestOwners(files: hostFiles).prover(of: submission.id, naming: named)
            return try firstReceipt(of: submission, receivedAt: receivedAt, provenBy: prover)
        }
        // The test's writer has not synced its name, or was killed before.
        try received.files.confirmTests()
        if let stored = isFirst ? nil : try received.storedReceipt(of: submission.id) {
            if stored.receipt.action != nil {
                // It is that of something else, and stays.
                return try ReceivedTests.ReceiptFile(try first())
            }
            if stored.receipt.digest == submission.digest {
                // The same for the receipt's writer.
                try received.files.confirmReceipts()
                return stored.file
            }
            // The test's file was removed, and it was sent again with other answers: the old receipt is wrong.
            if let file = try received.write(try first(), after: stored.version) { return file }
        } else if let file = try received.write(try first(), after: nil) {
            return file
        }
        // Two deliveries at once: the receipt of the quicker one counts.
        guard try received.storedReceipt(of: submission.id) != nil else {
            throw FileError("write", received.files.place(of: HostLayout.receipt(submission.id)), .fileExists)
        }
        return try receipt(of: submission, receivedAt: receivedAt, provenBy: person)
    }

    /// The host's receipt for a test that has just arrived: rated by the key, as far as possible.
    private func firstReceipt(
        of submission: TestSubmission, receivedAt: Timestamp, provenBy person: String?
    ) throws -> Receipt {
        var receipt = Receipt(submission, receivedAt: receivedAt)
        let admission = try admissions.admission(of: submission.record, receivedAt: receivedAt, provenBy: person)
        switch try keys.assessment(of: submission.record) {
        case .nothingToRate: break
        case .unknownVersion:
            receipt.status = .checking
            receipt.reasonCode = .unknownVersion
        case .evaluated(let evaluation): receipt.take(evaluation)
        }
        admission.note(in: &receipt)
        try keys.noteTime(of: submission.record, in: &receipt)
        return receipt
    }

    // MARK: What is given out

    /// The receipt without the parts that are not released yet.
    ///
    /// - Parameter record: its test, if that was read already.
    /// - Returns: the same bytes where nothing is kept back or added.
    private func released(_ stored: ReceivedTests.ReceiptFile, of record: TestRecord? = nil) throws -> [UInt8] {
        let receipt = stored.receipt
        guard receipt.action == nil, receipt.evaluation != nil else { return stored.bytes }
        let released = release.released(receipt, by: try terms(of: receipt, record), now: clock.now)
        return released == receipt ? stored.bytes : try DocumentCoding.encode(released)
    }

    /// The terms of the version that a test was taken with. Where the time was extended since, others may be taking it still:
    /// then it is not closed before they are.
    private func terms(of receipt: Receipt, _ record: TestRecord?) throws -> ReceiptRelease.Terms {
        guard receipt.status == .rated, let record = try record ?? received.record(of: receipt.test) else {
            return .init()
        }
        // A person rated a test whose version is not known here: nothing of a key can be given out.
        guard var terms = try catalog.version(of: record).map(ReceiptRelease.Terms.init) else { return .init() }
        let current = try catalog.document(id: record.questionnaire.id)?.published.questionnaire.closesAt
        terms.closesAt = [terms.closesAt, current].compactMap(\.self).max()
        return terms
    }

    /// A test and its receipt, with its version, for those who may read all tests.
    ///
    /// - Returns: `nil` when there is no such test.
    package func handedIn(
        _ id: TestID
    ) throws -> (record: TestRecord, receipt: Receipt, version: PublishedQuestionnaire?)? {
        guard let (record, receipt) = try received.stored(id) else { return nil }
        return (record, receipt, try catalog.version(of: record))
    }

    /// The tests of a questionnaire that were started and have not arrived, for a command beside a running host, or without one.
    ///
    /// - Parameters:
    ///   - id: the host's id.
    ///   - arrived: the tests of it that are here.
    package func openTests(of id: String, arrived: Set<TestID>) throws -> [HeardTest] {
        try ProgressStore(files: hostFiles, clock: clock).openTests(of: id, arrived: arrived, in: catalog)
    }
}

import Disk
import Logging
import Model

/// The tests that a host received and their receipts, as their files are now.
///
/// The disk is authoritative: a receipt is read each time. A write never overwrites another one's: it follows the version that
/// it was made of, or fails.
package struct ReceivedTests: Sendable {
    let files: any TestFiles
    let logger: Logger

    // MARK: Tests

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
        return (submission.record, Receipt(submission, receivedAt: arrivedAt), kept?.version)
    }

    /// All the tests, in the order of their ids.
    package func ids() throws(FileError) -> [TestID] { try files.ids() }

    /// - Returns: `nil` when there is no such test.
    func record(of id: TestID) throws -> TestRecord? {
        try storedTest(id).map { try submission($0.bytes, id).record }
    }

    func storedTest(_ id: TestID) throws -> (bytes: [UInt8], arrivedAt: Timestamp)? {
        do throws(FileError) {
            return try files.test(id, maximumBytes: Int64(TestSubmission.maximumBytes))
        } catch {
            guard error.code == .fileTooLarge else { throw error }
            throw HostError.damaged(files.place(of: HostLayout.test(id)), reason: "it is too long for a test")
        }
    }

    func submission(_ bytes: [UInt8], _ id: TestID) throws(HostError) -> TestSubmission {
        do throws(DocumentFault) {
            return try TestSubmission(bytes, id: id)
        } catch {
            throw .damaged(files.place(of: HostLayout.test(id)), reason: error.description)
        }
    }

    /// The index entry of a test, read from its files.
    ///
    /// - Returns: `nil` when there is no such test.
    func item(of id: TestID) throws -> TestIndex.Item? { try stored(id).map { TestIndex.Item($0.record, $0.receipt) } }

    /// The same of files that were read already.
    func item(of id: TestID, in files: StoredTest) throws -> TestIndex.Item {
        let (record, receipt) = try stored(id, files)
        return TestIndex.Item(record, receipt)
    }

    // MARK: Receipts

    static let maximumReceiptBytes: Int64 = 16 << 20

    /// A receipt as it is kept now.
    struct StoredReceipt: Sendable {
        var version: FileVersion
        var receipt: Receipt

        var bytes: [UInt8] { version.bytes }
        var file: ReceiptFile { ReceiptFile(receipt: receipt, bytes: bytes) }
    }

    /// A receipt and the bytes of its file: who has made or read one need not read it again.
    struct ReceiptFile: Sendable {
        var receipt: Receipt
        var bytes: [UInt8]

        init(receipt: Receipt, bytes: [UInt8]) {
            self.receipt = receipt
            self.bytes = bytes
        }

        init(_ receipt: Receipt) throws {
            self.init(receipt: receipt, bytes: try DocumentCoding.encode(receipt))
        }
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

    /// - Parameter former: the version that it follows; `nil` for the first one.
    /// - Returns: `nil` where another writer was quicker.
    func write(_ receipt: Receipt, after former: FileVersion?) throws -> ReceiptFile? {
        let file = try ReceiptFile(receipt)
        return try files.put(receipt: file.bytes, of: receipt.test, after: former) ? file : nil
    }

    /// Notes that a test which is here already came with a key of its person.
    ///
    /// - Returns: the receipt where it changed.
    func notePerson(of record: TestRecord, provenBy key: String?) throws -> ReceiptFile? {
        guard let person = record.person, person.id == key else { return nil }
        return try files.lockedReceipts {
            while true {
                guard let stored = try storedReceipt(of: record.id), stored.receipt.action == nil,
                    stored.receipt.person?.verified != true
                else { return nil }
                var receipt = stored.receipt
                receipt.person = Receipt.ProvenPerson(id: person.id, verified: true)
                // Another host may have changed it meanwhile.
                if let file = try write(receipt, after: stored.version) { return file }
            }
        }
    }

    // MARK: Earlier receipts: a mark replaces a receipt, and what it was before stays, numbered from 1.

    /// A receipt as it was once, and its number.
    package struct FormerReceipt: Sendable {
        package var number: Int
        package var receipt: Receipt
    }

    /// The versions of a test's receipt before the current one, the oldest first.
    package func history(of id: TestID) throws -> [FormerReceipt] {
        let current = try storedReceipt(of: id)?.bytes
        return try files.formers(of: id).compactMap { number, bytes in
            if bytes == current { return nil }
            do throws(DocumentFault) {
                return FormerReceipt(number: number, receipt: try DocumentCoding.decode(Receipt.self, from: bytes))
            } catch {
                throw HostError.damaged(
                    files.place(of: HostLayout.formerReceipt(number, of: id)), reason: error.description)
            }
        }
    }

    /// Puts a receipt in the place of the stored version, which is kept as a former one, durably, before that.
    ///
    /// - Returns: `false` where another writer was quicker.
    func replace(_ version: FileVersion?, by receipt: Receipt) throws -> Bool {
        if let version { try files.keepFormer(version.bytes, of: receipt.test) }
        return try write(receipt, after: version) != nil
    }

    // MARK: Files

    /// Whether the bytes of an attachment are here, whole.
    func hasArrived(_ attachment: Attachment) throws(FileError) -> Bool {
        try haveArrived([attachment]) == [true]
    }

    /// The same of some, by their places in the list.
    func haveArrived(_ attachments: [Attachment]) throws(FileError) -> [Bool] {
        if attachments.isEmpty { return [] }
        return zip(try files.mediaSizes(attachments.map(\.digest)), attachments).map { $0 == $1.sizeBytes }
    }
}

extension Receipt {
    /// The receipt of a test of which nothing more is known.
    init(_ submission: TestSubmission, receivedAt: Timestamp) {
        self.init(test: submission.id, digest: submission.digest, status: .sent, receivedAt: receivedAt)
    }
}

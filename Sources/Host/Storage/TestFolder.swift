import Disk
import Model
import SystemPackage

/// The tests and receipts of a host in its data folder.
struct TestFolder: TestFiles {
    private let fileSystem: any FileSystem

    /// - Parameter fileSystem: rooted in the data folder.
    init(_ fileSystem: any FileSystem) { self.fileSystem = fileSystem }

    var isShared: Bool { false }

    func place(of path: FilePath) -> FilePath { fileSystem.root.pushing(path) }

    // MARK: - Tests

    func ids() throws(FileError) -> [TestID] {
        try fileSystem.list(HostLayout.tests).filter { $0.kind == .regular }
            .compactMap { HostLayout.testID(ofFile: $0.name) }
            .sorted()
    }

    func isStored(_ id: TestID) throws(FileError) -> Bool { try fileSystem.status(at: HostLayout.test(id)) != nil }

    func test(_ id: TestID, maximumBytes: Int64) throws(FileError) -> (bytes: [UInt8], arrivedAt: Timestamp)? {
        try fileSystem.readFileIfPresent(HostLayout.test(id), maximumBytes: maximumBytes)
            .map { ($0.bytes, $0.status.modified) }
    }

    func arrive(_ bytes: [UInt8], _ id: TestID, at time: Timestamp) throws(FileError) -> Timestamp? {
        do throws(FileError) {
            // Its modification time is its time of arrival: a receipt that a crash prevented is made from it later. Its
            // name is made durable before the receipt is looked for.
            try fileSystem.stage(
                bytes, to: HostLayout.test(id), temporaryFolder: HostLayout.temporary, replacing: false, modified: time)
            return time
        } catch {
            guard error.code == .fileExists else { throw error }
            return nil
        }
    }

    func time(_ now: Timestamp) -> Timestamp { now }

    func confirmTests() throws(FileError) { try fileSystem.makeDurable(folder: HostLayout.tests) }

    // MARK: - Receipts

    func receiptIDs() throws(FileError) -> Set<TestID> {
        Set(try fileSystem.list(HostLayout.receipts).compactMap { HostLayout.receiptID(ofFile: $0.name) })
    }

    func receipt(_ id: TestID, maximumBytes: Int64) throws(FileError) -> FileVersion? {
        try fileSystem.readFileIfPresent(HostLayout.receipt(id), maximumBytes: maximumBytes)
            .map { FileVersion(bytes: $0.bytes, number: 1) }
    }

    func confirmReceipts() throws(FileError) { try fileSystem.makeDurable(folder: HostLayout.receipts) }

    func put(receipt bytes: [UInt8], of id: TestID, after former: FileVersion?) throws(FileError) -> Bool {
        let path = HostLayout.receipt(id)
        guard former != nil else {
            return try fileSystem.writeDurablyIfAbsent(bytes, to: path, temporaryFolder: HostLayout.temporary)
        }
        try fileSystem.writeDurably(bytes, to: path, temporaryFolder: HostLayout.temporary)
        return true
    }

    /// The former version is durable before the receipt is replaced. A crash in between leaves a copy of the current one,
    /// which the next mark recognises.
    func keepFormer(_ bytes: [UInt8], of id: TestID) throws(FileError) {
        let last = try formerNumbers(of: id).last ?? 0
        if last > 0 {
            let path = HostLayout.formerReceipt(last, of: id)
            if try fileSystem.readFileIfPresent(path, maximumBytes: ReceivedTests.maximumReceiptBytes)?.bytes == bytes {
                // Its writer may have failed before the name was durable.
                return try fileSystem.makeDurable(folder: HostLayout.formerReceipts(of: id))
            }
        }
        try fileSystem.makeDurableFolder(HostLayout.formerReceipts(of: id))
        _ = try fileSystem.writeDurablyIfAbsent(
            bytes, to: HostLayout.formerReceipt(last + 1, of: id), temporaryFolder: HostLayout.temporary)
    }

    func formers(of id: TestID) throws(FileError) -> [(number: Int, bytes: [UInt8])] {
        var formers: [(number: Int, bytes: [UInt8])] = []
        for number in try formerNumbers(of: id) {
            let path = HostLayout.formerReceipt(number, of: id)
            let file = try fileSystem.readFileIfPresent(path, maximumBytes: ReceivedTests.maximumReceiptBytes)
            if let bytes = file?.bytes { formers.append((number, bytes)) }
        }
        return formers
    }

    private func formerNumbers(of id: TestID) throws(FileError) -> [Int] {
        do throws(FileError) {
            return try fileSystem.list(HostLayout.formerReceipts(of: id)).compactMap {
                HostLayout.receiptNumber(ofFile: $0.name)
            }.sorted()
        } catch {
            if error.isMissing { return [] }
            throw error
        }
    }

    func lockedReceipts<Result>(_ body: () throws -> Result) throws -> Result {
        try locked(HostLayout.ratingLock, body)
    }

    func lockedAttempts<Result>(_ body: () throws -> Result) throws -> Result {
        try locked(HostLayout.attemptsLock, body)
    }

    private func locked<Result>(_ path: FilePath, _ body: () throws -> Result) throws -> Result {
        let lock = try LockFile.acquire(path, in: fileSystem, wait: true)
        defer { withExtendedLifetime(lock) {} }
        return try body()
    }

    // MARK: - Files of tests

    func mediaSizes(_ digests: [Digest]) throws(FileError) -> [Int64?] {
        var sizes: [Int64?] = []
        for digest in digests {
            let status = try fileSystem.status(at: HostLayout.mediaFile(digest))
            sizes.append(status?.kind == .regular ? status?.sizeBytes : nil)
        }
        return sizes
    }

    func media(_ digest: Digest) throws(FileError) -> OpenContent? {
        do throws(FileError) {
            return try OpenContent(HostLayout.mediaFile(digest), in: fileSystem)
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }

    // MARK: - Finding

    func note(_ test: TestID, of person: String, in questionnaire: String) {}

    func tests(of person: String, in questionnaire: String) -> [TestID]? { nil }

    func takenAttempts(of person: String, in questionnaire: String) -> [TakenAttempt]? { nil }

    func take(_ attempt: TakenAttempt, of person: String, in questionnaire: String, after number: Int) -> Bool { true }

    func stamps(of ids: [TestID]) throws(FileError) -> [(test: FileStamp?, receipt: FileStamp?)] {
        guard ids.count != 1 else {
            return [
                (try stamp(HostLayout.test(ids[0])), try stamp(HostLayout.receipt(ids[0])))
            ]
        }
        let tests = try fileSystem.statuses(of: ids.map(HostLayout.testName), in: HostLayout.tests)
        let receipts = try fileSystem.statuses(of: ids.map(HostLayout.receiptName), in: HostLayout.receipts)
        return zip(tests, receipts).map { ($0.map { FileStamp($0) }, $1.map { FileStamp($0) }) }
    }

    func read(_ tests: [(id: TestID, receipt: FileStamp?)]) -> [StoredTest?]? { nil }

    private func stamp(_ path: FilePath) throws(FileError) -> FileStamp? {
        try fileSystem.status(at: path).map { FileStamp($0) }
    }

    func nameChanges() throws(FileError) -> NameChanges {
        try fileSystem.nameChanges(in: [HostLayout.tests, HostLayout.receipts])
    }
}

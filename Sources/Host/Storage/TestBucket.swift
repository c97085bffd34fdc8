import Disk
import Model
import ObjectStores
import Synchronization
import SystemPackage

/// The tests and receipts of any number of hosts in an object store: `tests/<uuid>.test.json`, made once, and
/// `receipts/<uuid>.receipt.json/<number>`, of which the greatest number counts.
///
/// A test arrives when its object is made, by the store's clock: each host makes the same receipt of it.
struct TestBucket: TestFiles {
    private let files: HostBucket
    private let arrived = ArrivedMedia()

    init(_ files: HostBucket) { self.files = files }

    var isShared: Bool { true }

    func place(of path: FilePath) -> FilePath { files.place(of: path) }

    // MARK: - Tests

    func ids() throws(FileError) -> [TestID] {
        try files.names(in: HostLayout.tests).compactMap { HostLayout.testID(ofFile: $0) }.sorted()
    }

    func isStored(_ id: TestID) throws(FileError) -> Bool { try files.status(of: HostLayout.test(id)) != nil }

    func test(_ id: TestID, maximumBytes: Int64) throws(FileError) -> (bytes: [UInt8], arrivedAt: Timestamp)? {
        try files.content(of: HostLayout.test(id), maximumBytes: maximumBytes).map { ($0.bytes, $0.modified) }
    }

    func arrive(_ bytes: [UInt8], _ id: TestID, at time: Timestamp) throws(FileError) -> Timestamp? {
        let path = HostLayout.test(id)
        return try files.putIfAbsent(bytes, as: path) ? made(path) : nil
    }

    func time(_ now: Timestamp) throws(FileError) -> Timestamp {
        let path = HostLayout.proof.appending(name: "time-\(TestID.random())")
        _ = try files.putIfAbsent([], as: path)
        let time = try made(path)
        try files.remove(path)
        return time
    }

    /// When an object was made that was just stored.
    private func made(_ path: FilePath) throws(FileError) -> Timestamp {
        guard let status = try files.status(of: path) else {
            throw FileError(
                "use", place(of: path), .protocolError,
                sentence: "\(place(of: path)) is gone a moment after it was stored: the store answers inconsistently")
        }
        return status.modified
    }

    func confirmTests() {}

    // MARK: - Receipts

    func receiptIDs() throws(FileError) -> Set<TestID> { Set(try versions(of: nil).keys) }

    func receipt(_ id: TestID, maximumBytes: Int64) throws(FileError) -> FileVersion? {
        try files.current(HostLayout.receipt(id), maximumBytes: maximumBytes)
    }

    func confirmReceipts() {}

    func put(receipt bytes: [UInt8], of id: TestID, after former: FileVersion?) throws(FileError) -> Bool {
        try files.replace(HostLayout.receipt(id), bytes, former: former)
    }

    /// Each version stays.
    func keepFormer(_ bytes: [UInt8], of id: TestID) {}

    func formers(of id: TestID) throws(FileError) -> [(number: Int, bytes: [UInt8])] {
        let path = HostLayout.receipt(id)
        guard let last = try versions(of: id)[id] else { return [] }
        var formers: [(number: Int, bytes: [UInt8])] = []
        for number in 1..<max(last, 1) {
            let bytes = try files.version(number, of: path, maximumBytes: ReceivedTests.maximumReceiptBytes)
            if let bytes { formers.append((number, bytes)) }
        }
        return formers
    }

    func lockedReceipts<Result>(_ body: () throws -> Result) throws -> Result { try body() }

    func lockedAttempts<Result>(_ body: () throws -> Result) throws -> Result { try body() }

    // MARK: - Files of tests

    func mediaSizes(_ digests: [Digest]) throws(FileError) -> [Int64?] {
        var known = arrived.sizes(of: digests)
        let unknown = Array(Set(digests.filter { known[$0] == nil }))
        if !unknown.isEmpty {
            let found = try files.statuses(ofEach: unknown.map { HostLayout.mediaFile($0).string })
            for (digest, status) in zip(unknown, found) { known[digest] = status?.sizeBytes }
            arrived.note(unknown.compactMap { digest in known[digest].map { (digest, $0) } })
        }
        return digests.map { known[$0] }
    }

    func media(_ digest: Digest) throws(FileError) -> OpenContent? { try files.open(HostLayout.mediaFile(digest)) }

    // MARK: - Finding

    func note(_ test: TestID, of person: String, in questionnaire: String) throws(FileError) {
        let folder = HostLayout.attempts(of: person, in: questionnaire)
        _ = try files.putIfAbsent([UInt8(ascii: "\n")], as: folder.appending(name: test.description))
    }

    func tests(of person: String, in questionnaire: String) throws(FileError) -> [TestID]? {
        try files.names(in: HostLayout.attempts(of: person, in: questionnaire)).compactMap { TestID($0) }
    }

    func takenAttempts(of person: String, in questionnaire: String) throws(FileError) -> [TakenAttempt]? {
        let log = HostLayout.attemptLog(of: person, in: questionnaire)
        var numbers: [Int] = []
        try files.eachVersion(in: log) { _, number in numbers.append(number) }
        var attempts: [TakenAttempt] = []
        for number in numbers {
            guard let found = try files.versionContent(number, of: log, maximumBytes: 64 << 10) else { continue }
            do throws(DocumentFault) {
                var attempt = try DocumentCoding.decode(TakenAttempt.self, from: found.bytes)
                // No entry is younger than its object, whatever the clock of its host said.
                (attempt.number, attempt.takenAt) = (number, min(attempt.takenAt, found.modified))
                attempt.madeAt = found.modified
                attempts.append(attempt)
            } catch {
                throw FileError(
                    "read", place(of: log), .protocolError,
                    sentence: "\(place(of: log)) is damaged at \(number) (\(error)): restore it from a copy")
            }
        }
        return attempts
    }

    func take(
        _ attempt: TakenAttempt, of person: String, in questionnaire: String, after number: Int
    ) throws(FileError) -> Bool {
        let log = HostLayout.attemptLog(of: person, in: questionnaire)
        let bytes: [UInt8]
        do {
            bytes = try DocumentCoding.encode(attempt)
        } catch {
            throw FileError("write", place(of: log), .invalidArgument, sentence: "\(error)")
        }
        return try files.replace(log, bytes, former: FileVersion(bytes: [], number: number))
    }

    func stamps(of ids: [TestID]) throws(FileError) -> [(test: FileStamp?, receipt: FileStamp?)] {
        if ids.isEmpty { return [] }
        let receipts = try versions(of: ids.count == 1 ? ids[0] : nil)
        var stamps: [(test: FileStamp?, receipt: FileStamp?)] = []
        for id in ids {
            // A test is never changed; those of a list were there a moment ago.
            var isThere = ids.count > 1
            if !isThere { isThere = try isStored(id) }
            stamps.append((isThere ? FileStamp(version: 1) : nil, receipts[id].map { FileStamp(version: $0) }))
        }
        return stamps
    }

    func read(_ tests: [(id: TestID, receipt: FileStamp?)]) throws(FileError) -> [StoredTest?]? {
        // A receipt that was made after the list was read has version 1.
        let numbers = tests.map { max(1, $0.receipt?.version ?? 1) }
        let names = zip(tests, numbers).flatMap { test, number in
            [HostLayout.test(test.id).string, HostBucket.versionName(number, of: HostLayout.receipt(test.id))]
        }
        let found = try files.contents(
            ofEach: names, maximumBytes: max(Int64(TestSubmission.maximumBytes), ReceivedTests.maximumReceiptBytes),
            togetherBytes: Self.bytesAtOnce)
        return (0..<found.count / 2).map { place in
            guard let test = found[place * 2] else { return nil }
            let receipt = found[place * 2 + 1].map { FileVersion(bytes: $0.bytes, number: numbers[place]) }
            // A longer one is as none that can be read.
            let bytes = test.bytes.count <= TestSubmission.maximumBytes ? test.bytes : []
            return StoredTest(bytes: bytes, arrivedAt: test.modified, receipt: receipt)
        }
    }

    /// So much of tests is held in memory before they are decoded, and what was asked for meanwhile.
    static let bytesAtOnce = 16 << 20

    /// The number of the current version of each receipt.
    private func versions(of id: TestID?) throws(FileError) -> [TestID: Int] {
        let folder = id.map { HostLayout.receipt($0) } ?? HostLayout.receipts
        var versions: [TestID: Int] = [:]
        try files.eachVersion(in: folder) { path, number in
            guard let name = path.name, let id = HostLayout.receiptID(ofFile: name) else { return }
            versions[id] = max(number, versions[id] ?? 0)
        }
        return versions
    }

    func nameChanges() throws(FileError) -> NameChanges {
        throw FileError("watch", place(of: HostLayout.tests), .notSupported)
    }
}

/// The sizes of files that were seen, of so many: what has arrived stays, and a list asks for each file of its tests.
private final class ArrivedMedia: Sendable {
    private static let most = 100_000

    private let sizes = Mutex<[Digest: Int64]>([:])

    func sizes(of digests: [Digest]) -> [Digest: Int64] {
        sizes.withLock { sizes in
            var found: [Digest: Int64] = [:]
            for digest in digests { found[digest] = sizes[digest] }
            return found
        }
    }

    func note(_ found: [(digest: Digest, sizeBytes: Int64)]) {
        sizes.withLock { sizes in
            if sizes.count + found.count > Self.most { sizes.removeAll() }
            for (digest, sizeBytes) in found.prefix(Self.most) { sizes[digest] = sizeBytes }
        }
    }
}

import Disk
import Model
import Synchronization
import SystemPackage

/// The source of lists of tests, in memory: a page costs what it returns, however many tests there are.
///
/// It is derived from the files and follows them. Where the kernel reports which names changed, only those are read again;
/// elsewhere every file's time and size is compared. A host keeps it in a file, too (`TestIndexFile`), so that after a start
/// only those tests are read whose files changed since.
final class TestIndex: Sendable {
    /// The entry of one test.
    struct Item: Sendable {
        /// Without the state of files, which arrive later than the test.
        var summary: TestSummary
        var attachments: [Attachment]
        /// The version that it was taken with.
        var version: Digest
        /// Whether a teacher sent it back to be corrected.
        var isReturned: Bool
        var points: QuestionPoints
    }

    struct State {
        /// With their files as they were when they were read; a test that is damaged has no more than these.
        var tests = PackedTests()
        var orders = TestOrders()
        /// Counts the times that anything changed.
        var generation = 0
        /// The tests of each person of each questionnaire.
        var attempts: [Attempts: [TestID]] = [:]
        var changes: NameChanges?
        /// Tests whose files changed since they were read.
        var outdated = Set<TestID>()
        /// Files as a list just showed them.
        var seen: [TestID: Stamps] = [:]
        /// Whether everything was looked at since the changes are reported.
        var isComplete = false
        var isWatchable = true
        /// Whether the file of the index was looked for.
        var isLoaded = false
        /// The tests that differ from those of the file.
        var unsaved = Set<TestID>()
    }

    struct Attempts: Hashable {
        var person: String
        var questionnaire: String

        init?(_ summary: TestSummary) {
            guard let person = summary.person else { return nil }
            self.init(person: person.id, questionnaire: summary.questionnaire.id)
        }

        init(person: String, questionnaire: String) {
            self.person = person
            self.questionnaire = questionnaire
        }
    }

    /// Those of a test's files: `nil` for a file that is not there, or that may change within the step of its time.
    struct Stamps: Hashable {
        var test: FileStamp?
        var receipt: FileStamp?

        init(test: FileStamp?, receipt: FileStamp?) {
            self.test = test
            self.receipt = receipt
        }

        init(_ found: (test: FileStamp?, receipt: FileStamp?), _ now: Timestamp) {
            test = found.test.flatMap { $0.isConclusive(at: now) ? $0 : nil }
            receipt = found.receipt.flatMap { $0.isConclusive(at: now) ? $0 : nil }
        }
    }

    private let state: Mutex<State>
    /// Where it is kept; `nil` for hosts that share a bucket.
    let file: TestIndexFile?
    private let clock: any StoreClock

    init(isWatched: Bool, file: TestIndexFile?, clock: any StoreClock) {
        self.file = file
        self.clock = clock
        var state = State()
        state.isWatchable = isWatched
        self.state = Mutex(state)
    }

    /// - Returns: at most `limit` tests whose ids come after `id`, and whether more may follow.
    /// - Throws: `FileError` when the files cannot be looked at.
    func page(
        _ filter: TestLists.Filter, after id: String?, limit: Int, of tests: ReceivedTests
    ) throws -> (items: [Item], hasMore: Bool) {
        try state.withLock { state in
            try refresh(&state, tests)
            let ids = state.orders.ids(status: filter.status, questionnaire: filter.questionnaire)
            var place = id.map { TestOrders.place(after: $0, in: ids) } ?? 0
            var found: [Item] = []
            while place < ids.count, found.count < limit {
                if let item = state.tests.item(ids[place]), filter.takes(item.summary) { found.append(item) }
                place += 1
            }
            return (found, place < ids.count)
        }
    }

    /// All tests of some questionnaires, and a number that is another one when anything has changed.
    ///
    /// - Parameter known: the number of the last call: with the same one there is nothing new.
    /// - Returns: no items where nothing is new.
    func items(
        of questionnaires: [String], since known: Int?, of tests: ReceivedTests
    ) throws -> (items: [Item]?, generation: Int) {
        try state.withLock { state in
            try refresh(&state, tests)
            if known == state.generation { return (nil, state.generation) }
            let ids = questionnaires.flatMap { state.orders.ids(status: nil, questionnaire: $0) }
            return (ids.compactMap { state.tests.item($0) }, state.generation)
        }
    }

    /// The tests of a person of a questionnaire, in no order.
    func tests(of person: String, in questionnaire: String, of tests: ReceivedTests) throws -> [TestSummary] {
        try state.withLock { state in
            try refresh(&state, tests)
            let ids = state.attempts[Attempts(person: person, questionnaire: questionnaire)] ?? []
            return ids.compactMap { state.tests.item($0)?.summary }
        }
    }

    // MARK: Its file

    /// So many changes are read again after a start sooner than a small index is written.
    private static let fewChanges = 64

    /// Writes the file, if enough has changed: a part of the tests, so that each change costs the same however many tests there
    /// are.
    ///
    /// - Parameter isLast: whether the host ends: then any change is enough.
    func save(isLast: Bool) throws {
        guard let file, file.isWritten else { return }
        try state.withLock { state in
            let enough = isLast ? 1 : max(Self.fewChanges, state.tests.count / 32)
            guard state.unsaved.count >= enough else { return }
            try file.write(state)
            state.unsaved = []
        }
    }

    // MARK: Following the files

    private func refresh(_ state: inout State, _ tests: ReceivedTests) throws {
        try noteChanges(&state, tests)
        if state.outdated.isEmpty { return }
        state.generation += 1
        let now = clock.now
        var removed: [TestOrders.Entry] = []
        var added: [TestOrders.Entry] = []
        // Also when a later request to the bucket fails: the tests that were read stay in the index.
        defer { state.orders.apply(removed: removed, added: added) }
        let seen = state.seen
        state.seen = [:]
        var rest = Array(state.outdated)[...]
        while !rest.isEmpty {
            let read: [(id: TestID, stamps: Stamps?, item: Item?)]
            if tests.files.isShared {
                read = try Self.readShared(rest.prefix(Self.testsAtOnce), seen, tests)
            } else {
                read = try Array(rest.prefix(Self.testsAtOnce)).concurrentMap { id in
                    // Before the read: a later write has another time.
                    let stamps = try seen[id] ?? Self.stamps(of: id, tests, now)
                    return (id: id, stamps: stamps, item: try Self.readItem(of: id, tests) { try tests.item(of: id) })
                }
            }
            rest = rest.dropFirst(read.count)
            for (id, stamps, item) in read {
                let change = state.put(item, stamps, of: id)
                if let former = change.former { removed.append(former) }
                if let item = change.item { added.append(item) }
                state.outdated.remove(id)
            }
        }
    }

    /// - Returns: `nil` where there is no such test, or a damaged one, which is logged.
    private static func readItem(
        of id: TestID, _ tests: ReceivedTests, _ read: () throws -> Item?
    ) throws -> Item? {
        do {
            return try read()
        } catch let error as HostError {
            tests.logger.warning("\(error)")
        } catch let error as FileError where error.isUnwritable || error.code == .tooManySymbolicLinkLevels {
            tests.logger.warning("\(error)")
        }
        return nil
    }

    /// Reads tests that a list has just shown, many at a time: two requests for each.
    ///
    /// - Returns: the first ones, as many as may be in memory together.
    private static func readShared(
        _ ids: ArraySlice<TestID>, _ seen: [TestID: Stamps], _ tests: ReceivedTests
    ) throws -> [(id: TestID, stamps: Stamps?, item: Item?)] {
        let found = try tests.files.read(ids.map { (id: $0, receipt: seen[$0]?.receipt) }) ?? []
        guard !found.isEmpty else { throw FileError("read", tests.files.place(of: HostLayout.tests), .protocolError) }
        return try zip(ids, found).map { id, files in
            let item = try readItem(of: id, tests) { try files.map { try tests.item(of: id, in: $0) } }
            return (id: id, stamps: seen[id], item: item)
        }
    }

    /// So many are held in memory before they are packed.
    private static let testsAtOnce = 128

    /// Finds out which tests' files are not those that were read.
    private func noteChanges(_ state: inout State, _ tests: ReceivedTests) throws {
        if !state.isLoaded {
            state.isLoaded = true
            file?.load(into: &state, tests.logger)
        }
        if state.isWatchable, state.changes == nil {
            do throws(FileError) {
                state.changes = try tests.files.nameChanges()
            } catch {
                state.isWatchable = false
                if error.code != .notSupported { tests.logger.warning("\(error)") }
            }
        }
        if let changes = state.changes {
            do throws(FileError) {
                let taken = try changes.take()
                if let taken, state.isComplete {
                    for name in taken[HostLayout.tests] ?? [] {
                        if let id = HostLayout.testID(ofFile: name) { state.outdated.insert(id) }
                    }
                    for name in taken[HostLayout.receipts] ?? [] {
                        // A receipt without a test is that of a change.
                        guard let id = HostLayout.receiptID(ofFile: name), state.tests.contains(id) else { continue }
                        state.outdated.insert(id)
                    }
                    return
                }
            } catch {
                (state.changes, state.isWatchable) = (nil, false)
                tests.logger.warning("\(error)")
            }
            state.isComplete = false
        }
        try compareAll(&state, tests)
        state.isComplete = true
    }

    private func compareAll(_ state: inout State, _ tests: ReceivedTests) throws {
        let now = clock.now
        var gone = Set(state.tests.ids)
        var rest = try tests.ids()[...]
        while !rest.isEmpty {
            // One list of a bucket says it of all; a later look is a request for each.
            let ids = tests.files.isShared ? rest : rest.prefix(Self.filesAtOnce)
            rest = rest.dropFirst(ids.count)
            for (id, found) in zip(ids, try tests.files.stamps(of: Array(ids))) {
                gone.remove(id)
                let stamps = Stamps(found, now)
                let isKnown = stamps.test != nil && (stamps.receipt != nil || found.receipt == nil)
                if !isKnown || state.tests.stamps(id) != stamps {
                    state.outdated.insert(id)
                    if tests.files.isShared { state.seen[id] = stamps }
                }
            }
        }
        state.outdated.formUnion(gone)
    }

    /// So many are looked at together: the names of all of them would take as much memory as the index.
    private static let filesAtOnce = 4096

    private static func stamps(of id: TestID, _ tests: ReceivedTests, _ now: Timestamp) throws -> Stamps? {
        guard let found = try tests.files.stamps(of: [id]).first, found.test != nil else { return nil }
        return Stamps(found, now)
    }
}

extension TestIndex.Item {
    init(_ record: TestRecord, _ receipt: Receipt) {
        summary = TestSummary(
            id: record.id,
            questionnaire: TestSummary.Subject(id: record.questionnaire.id, title: record.questionnaire.title),
            person: record.person?.reference, status: receipt.status ?? .sent, receivedAt: receipt.receivedAt,
            digest: receipt.digest,
            score: receipt.evaluation?.score, maximum: receipt.evaluation?.maximum, parent: record.parent,
            attempt: receipt.attempt, verified: receipt.person?.verified, late: receipt.late ?? false,
            timeTaken: receipt.timeTaken)
        attachments = record.attachments
        version = record.questionnaire.digest
        isReturned = receipt.returned != nil
        points = QuestionPoints(receipt.evaluation)
    }
}

import Disk
import Model
import SystemPackage

/// A person's actions on a test.
extension Outbox {
    /// Starts a test: makes its identity and its sequence number, and its file in `empty`.
    package func begin(_ questionnaire: QuestionnaireReference, deviceID: String) throws -> StoredTest {
        try create(questionnaire, deviceID: deviceID, as: .empty) { _ in }
    }

    /// Makes a test and its file in one durable step: one flush of the file, one of the folder.
    ///
    /// - Parameters:
    ///   - status: `empty`, `in-progress`, or `done` for a test that is finished immediately.
    ///   - fill: sets the answers before the file is written.
    package func create(
        _ questionnaire: QuestionnaireReference, deviceID: String, as status: TestStatus,
        fill: (inout TestRecord) throws -> Void
    ) throws -> StoredTest {
        precondition(status.isDraft || status == .done, "a test begins as a draft or finished")
        return try adding {
            let number = try nextSequence(deviceID: deviceID)
            let record = try newRecord(questionnaire, deviceID: deviceID, number, as: status, fill)
            do {
                return try write(record, as: status, replacing: false)
            } catch {
                // The name may exist although its sync failed. After the error the caller retries: the test must not
                // exist twice.
                do throws(FileError) { try fileSystem.removeIfPresent(OutboxLayout.testPath(record.id, status)) } catch
                {}
                throw error
            }
        }
    }

    /// The most tests that are made together: they are open, and in memory, at the same time.
    package static let mostTogether = stagedFiles

    /// Makes several tests together, one for each questionnaire, like `create`: their bytes share a flush where the
    /// disk has one for all, their names another. When this returns, all of them survive a crash; a crash in between
    /// may leave some of them, each complete.
    ///
    /// - Parameters:
    ///   - questionnaires: at most `mostTogether`.
    ///   - fill: sets the answers of each, counted from 0, before any file is written.
    package func create(
        _ questionnaires: [QuestionnaireReference], deviceID: String, as status: TestStatus,
        fill: (Int, inout TestRecord) throws -> Void
    ) throws -> [StoredTest] {
        precondition(status.isDraft || status == .done, "a test begins as a draft or finished")
        precondition(questionnaires.count <= Self.mostTogether, "that many tests are not made together")
        if questionnaires.isEmpty { return [] }
        try makeFolders()
        return try editing {
            let first = try nextSequence(deviceID: deviceID, count: questionnaires.count)
            let tests = try questionnaires.enumerated().map { number, questionnaire in
                let record = try newRecord(questionnaire, deviceID: deviceID, first + number, as: status) {
                    try fill(number, &$0)
                }
                return try encoded(record, as: status)
            }
            let files = tests.map {
                StagedFile($0.bytes, to: OutboxLayout.testPath($0.record.id, status), isReplacing: false)
            }
            var others: [FilePath] = []
            do {
                try makingRoom { isRepeated throws(FileError) in
                    let kept = try fileSystem.stage(files, temporaryFolder: OutboxLayout.temporary)
                    // In a second attempt, existing files are those of the first.
                    if isRepeated { return }
                    others = kept
                    if let other = kept.first { throw FileError("make", other, .fileExists) }
                }
                try fileSystem.makeDurable(folder: OutboxLayout.folder(status))
            } catch {
                // As above: after the error the caller retries.
                for file in files where !others.contains(file.target) {
                    do throws(FileError) { try fileSystem.removeIfPresent(file.target) } catch {}
                }
                throw error
            }
            return tests
        }
    }

    private func newRecord(
        _ questionnaire: QuestionnaireReference, deviceID: String, _ sequence: Int, as status: TestStatus,
        _ fill: (inout TestRecord) throws -> Void
    ) throws -> TestRecord {
        let now = clock.now
        var record = TestRecord(
            id: makeID(), questionnaire: questionnaire, dateStarted: now, deviceId: deviceID, sequence: sequence)
        try fill(&record)
        if status == .done, record.dateFinished == nil { record.dateFinished = now }
        return record
    }

    /// Saves a draft as given, whatever has changed since it was read: where other programs may edit it too, use
    /// ``edit(_:_:)``. When this returns, the answers survive a crash.
    ///
    /// - Throws: `OutboxError.frozen` if the test is finished, `.notFound` if it is gone.
    @discardableResult
    package func save(_ record: TestRecord) throws -> StoredTest {
        try editing { try save(record, of: try draft(record.id)) }
    }

    func draft(_ id: TestID) throws -> OutboxItem {
        guard let item = try find(id) else { throw OutboxError.notFound(id.description) }
        guard item.status.isDraft else { throw OutboxError.frozen(id, item.status) }
        return item
    }

    func save(_ record: TestRecord, of item: OutboxItem) throws -> StoredTest {
        guard item.status == .empty, !record.answers.isEmpty || !record.attachments.isEmpty else {
            return try write(record, as: item.status, replacing: true)
        }
        try move([OutboxMove(item, to: .inProgress)])
        return try write(record, as: .inProgress, replacing: true)
    }

    /// Changes the current draft on disk, under the lock: concurrent programs do not overwrite each other's answers.
    /// When this returns, the answers survive a crash.
    ///
    /// - Throws: as `save`, and the errors of `change`.
    @discardableResult
    package func edit(_ id: TestID, _ change: (inout TestRecord) throws -> Void) throws -> StoredTest {
        try editing {
            let item = try draft(id)
            var record = try read(item).record
            try change(&record)
            return try save(record, of: item)
        }
    }

    /// Freezes a draft: its bytes no longer change, and it waits to be sent.
    ///
    /// - Parameter confirm: gets the final record under the lock, and may complete it; an error leaves a draft.
    @discardableResult
    package func finish(
        _ id: TestID, at moment: Timestamp? = nil, confirm: (inout TestRecord) throws -> Void = { _ in }
    ) throws -> StoredTest {
        try editing {
            guard let item = try find(id) else { throw OutboxError.notFound(id.description) }
            guard item.status.isDraft else { throw OutboxError.frozen(id, item.status) }
            var record = try read(item).record
            try confirm(&record)
            record.dateFinished = moment ?? clock.now
            // The test's attachments wait beside it before it is frozen.
            try addMedia(of: record)
            // The final bytes first, in the draft's place; then the move, which changes no byte. So a crash leaves a
            // draft or a finished test, never two different ones.
            var stored = try write(record, as: item.status, replacing: true)
            if try move([OutboxMove(item, to: .done)]).isEmpty {
                throw OutboxError.illegalMove(id, from: item.status, to: .done)
            }
            stored.status = .done
            return stored
        }
    }

    /// Makes a finished test a draft again.
    ///
    /// As long as no attempt was made to send it, it is the same test. Once the server may have its bytes, they must
    /// not change: then a new revision is started from its answers, with it as the parent.
    package func reopen(_ id: TestID, deviceID: String) throws -> StoredTest {
        try editing(.backward) {
            let item = try undecided(id)
            guard item.kind == .test else { throw OutboxError.noTest(id, item.kind) }
            if item.status.isDraft { return try read(item) }
            let mayHaveArrived = try receipt(item)?.delivery?.mayHaveArrived ?? false
            if item.status == .done, !mayHaveArrived {
                let path = OutboxLayout.receiptPath(id, .done)
                if try move([OutboxMove(item, to: .inProgress)]).isEmpty { throw OutboxError.sweeperIsRunning }
                // A sweeper may have tried it, and returned it, since the check above: from here on it cannot.
                let draft = OutboxItem(id: id, status: .inProgress)
                if try receipt(item)?.delivery?.mayHaveArrived == true {
                    try move([OutboxMove(draft, to: .done)])
                    throw OutboxError.sweeperIsRunning
                }
                try fileSystem.removeIfPresent(path)
                let stored = try read(draft)
                // They wait for a finished test, and are recreated when it is finished again.
                try withdrawMedia(of: stored.record)
                return stored
            }
            if item.status == .sending { throw OutboxError.illegalMove(id, from: .sending, to: .inProgress) }
            let parent = try read(item).record
            var revision = parent
            revision.id = makeID()
            revision.parent = parent.id
            if parent.shown != nil { revision.orderOf = parent.orderID }
            revision.deviceId = deviceID
            revision.sequence = try nextSequence(deviceID: deviceID)
            revision.dateStarted = clock.now
            revision.dateFinished = nil
            revision.attachments = parent.attachments.map(renewed)
            return try write(revision, as: .inProgress, replacing: false)
        }
    }

    /// Sends a rejected test again, or one that waits for its time immediately.
    ///
    /// - Throws: `OutboxError.unfinished` for a draft in `conflict`, which is not final.
    package func retry(_ id: TestID) throws {
        try editing(.backward) {
            let item = try undecided(id)
            guard item.status == .done || item.status == .rejected || item.status == .conflict else {
                throw OutboxError.illegalMove(id, from: item.status, to: .done)
            }
            if item.kind == .test, item.status == .conflict {
                if try read(item).record.dateFinished == nil { throw OutboxError.unfinished(id) }
                if let other = try otherVersion(of: item) { throw OutboxError.otherVersion(id, other.status) }
            }
            try fileSystem.setModified(item.path, nanoseconds: clock.now.nanosecondsSinceEpoch)
            if item.status != .done {
                try settle([OutboxSettlement(move: OutboxMove(item, to: .done), receipt: try receipt(item))])
            }
        }
    }

    /// Removes a test from the outbox, with its receipt. Both move to quarantine: nothing is deleted.
    ///
    /// - Returns: its new path.
    /// - Throws: `OutboxError.delivered` for a test that the server has: its proof of delivery stays.
    @discardableResult
    public func discard(_ id: TestID) throws -> FilePath {
        try editing {
            let item = try undecided(id)
            if item.status == .sending { throw OutboxError.sweeperIsRunning }
            if item.status.isDelivered { throw OutboxError.delivered(id) }
            if item.kind == .media { try refuseNeededMedia(item) }
            guard let place = try discard(item, reason: "discarded by its owner, from \(item.status.rawValue)") else {
                throw OutboxError.notFound(id.description)
            }
            return place
        }
    }

    /// Moves an item to quarantine, with what belongs to it.
    ///
    /// - Returns: its new path; `nil` if a sweeper has just claimed it, or a person moved it: then it was not discarded.
    func discard(_ item: OutboxItem, reason: String) throws -> FilePath? {
        let named = try contentPaths(item)
        let draft = item.kind == .test && item.status.isDraft ? listed(item)?.record : nil
        guard let place = try putAside(item, reason: reason) else { return nil }
        if let draft { passOnParent(of: draft) }
        if item.kind == .test { try discardMedia(ofTest: item.id, reason: reason) }
        try withdrawMedia(named: named, reason: reason)
        return place
    }

    /// Lets the drafts that go on from a discarded draft revise what that one revised: no server will ever see it. Without room
    /// on the disk they name the discarded one, and it is discarded all the same.
    private func passOnParent(of gone: TestRecord) {
        for other in (try? scan().tests) ?? [] where other.status.isDraft && other.id != gone.id {
            guard let stored = listed(other), stored.record.parent == gone.id else { continue }
            var record = stored.record
            record.parent = gone.parent == record.id ? nil : gone.parent
            guard (try? write(record, as: other.status, replacing: true)) != nil else { continue }
            // It is no change of the answers: the latest draft stays the latest.
            try? fileSystem.setModified(other.path, nanoseconds: stored.modified.nanosecondsSinceEpoch)
        }
    }

    /// Moves a file to quarantine, with its receipt and the other files beside it.
    ///
    /// - Returns: its new path; `nil` if it is gone from its folder.
    @discardableResult
    func putAside(_ item: OutboxItem, reason: String) throws -> FilePath? {
        guard let place = try quarantine.take(item.path, reason: reason) else { return nil }
        try quarantine.take(OutboxLayout.receiptPath(item.id, item.status), reason: reason)
        if item.status == .conflict { try quarantine.take(OutboxLayout.theirsPath(item.id), reason: reason) }
        return place
    }

    /// The test that a person decides about: the version in `conflict`, if there is one.
    package func undecided(_ id: TestID) throws -> OutboxItem {
        for kind in OutboxKind.allCases {
            let conflict = OutboxItem(id: id, kind: kind, status: .conflict)
            if try fileSystem.status(at: conflict.path)?.kind == .regular { return conflict }
        }
        guard let item = try find(id) else { throw OutboxError.notFound(id.description) }
        return item
    }

    // MARK: Parts

    /// The direction in which an edit moves tests: to a more advanced status, or back.
    enum Direction: Int64 {
        case forward = 1
        case backward = 2
    }

    /// Runs an edit that adds something to the outbox, which may not have been used yet.
    func adding<Result>(_ body: () throws -> Result) throws -> Result {
        // If the lock file exists, the folders were made durably; one that is missing since then is made when needed.
        if try fileSystem.status(at: OutboxLayout.editLock) == nil { try makeFolders() } else { restoreReserve() }
        return try editing { try body() }
    }

    func editing<Result>(_ direction: Direction = .forward, _ body: () throws -> Result) throws -> Result {
        // The first edit creates the file, for which a full disk may have no room.
        let lock = try makingRoom { _ throws(FileError) in
            try LockFile.acquire(OutboxLayout.editLock, in: fileSystem, wait: true)
        }
        guard let lock else { throw OutboxError.sweeperIsRunning }
        return try withExtendedLifetime(lock) {
            // An earlier call may have moved a test and failed, or crashed, at the sync: it is made durable before
            // anyone relies on it.
            let unfinished = try lock.mark()
            if unfinished > 0 { try makeMovesDurable(Direction(rawValue: unfinished) ?? .forward) }
            try lock.setMark(direction.rawValue)
            let result = try body()
            // After a failure here the next edit only syncs more than needed.
            do throws(FileError) { try lock.setMark(0) } catch {}
            return result
        }
    }

    /// Makes moves durable that a crashed edit did not flush, before another flush of the source folder could lose
    /// them.
    func makeUnfinishedEditDurable() throws {
        guard let mark = try fileSystem.status(at: OutboxLayout.editLock)?.sizeBytes, mark > 0 else { return }
        try makeMovesDurable(Direction(rawValue: mark) ?? .forward)
    }

    /// Syncs all folders, each target before its source.
    private func makeMovesDurable(_ direction: Direction) throws {
        try quarantine.makeDurable()
        let forward = TestStatus.allCases.sorted { $0.advancement > $1.advancement }
        for status in direction == .forward ? forward : forward.reversed() {
            try fileSystem.makeDurable(folder: OutboxLayout.folder(status))
        }
    }

    private func write(_ record: TestRecord, as status: TestStatus, replacing: Bool) throws -> StoredTest {
        let test = try encoded(record, as: status)
        try put(test.bytes, to: OutboxLayout.testPath(record.id, status), replacing: replacing)
        return test
    }

    private func encoded(_ record: TestRecord, as status: TestStatus) throws -> StoredTest {
        let bytes = try DocumentCoding.encode(record)
        guard Int64(bytes.count) <= Self.maximumTestBytes else {
            throw OutboxError.tooLong(record.id, sizeBytes: bytes.count)
        }
        return StoredTest(record: record, status: status, bytes: bytes, modified: clock.now)
    }
}

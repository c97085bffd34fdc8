import Disk
import Model
import SystemPackage

/// A person's actions on their tests: they are created, answered, finished, opened again, and discarded.
package struct OutboxEdits: Sendable {
    let outbox: Outbox

    var fileSystem: any FileSystem { outbox.fileSystem }
    var clock: any StoreClock { outbox.clock }

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
        return try outbox.adding {
            let number = try outbox.sequence.next(deviceID: deviceID)
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
    static let mostTogether = Outbox.stagedFiles

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
        try outbox.makeFolders()
        return try outbox.editing {
            let first = try outbox.sequence.next(deviceID: deviceID, count: questionnaires.count)
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
                try outbox.makingRoom { isRepeated throws(FileError) in
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
            id: outbox.makeID(), questionnaire: questionnaire, dateStarted: now, deviceId: deviceID, sequence: sequence)
        try fill(&record)
        if status == .done, record.dateFinished == nil { record.dateFinished = now }
        return record
    }

    /// Saves a draft as given, whatever has changed since it was read: where other programs may edit it too, use
    /// ``update(_:_:)``. When this returns, the answers survive a crash.
    ///
    /// - Throws: `OutboxError.frozen` if the test is finished, `.notFound` if it is gone.
    @discardableResult
    package func save(_ record: TestRecord) throws -> StoredTest {
        try outbox.editing { try save(record, of: try draft(record.id)) }
    }

    func draft(_ id: TestID) throws -> OutboxItem {
        guard let item = try outbox.find(id) else { throw OutboxError.notFound(id.description) }
        guard item.status.isDraft else { throw OutboxError.frozen(id, item.status) }
        return item
    }

    func save(_ record: TestRecord, of item: OutboxItem) throws -> StoredTest {
        guard item.status == .empty, !record.answers.isEmpty || !record.attachments.isEmpty else {
            return try write(record, as: item.status, replacing: true)
        }
        try outbox.moves.move([OutboxMove(item, to: .inProgress)])
        return try write(record, as: .inProgress, replacing: true)
    }

    /// Changes the current draft on disk, under the lock: concurrent programs do not overwrite each other's answers.
    /// When this returns, the answers survive a crash.
    ///
    /// - Throws: as `save`, and the errors of `change`.
    @discardableResult
    package func update(_ id: TestID, _ change: (inout TestRecord) throws -> Void) throws -> StoredTest {
        try outbox.editing {
            let item = try draft(id)
            var record = try outbox.read(item).record
            try change(&record)
            return try save(record, of: item)
        }
    }

    func write(_ record: TestRecord, as status: TestStatus, replacing: Bool) throws -> StoredTest {
        let test = try encoded(record, as: status)
        try outbox.put(test.bytes, to: OutboxLayout.testPath(record.id, status), replacing: replacing)
        return test
    }

    func encoded(_ record: TestRecord, as status: TestStatus) throws -> StoredTest {
        let bytes = try DocumentCoding.encode(record)
        guard Int64(bytes.count) <= Outbox.maximumTestBytes else {
            throw OutboxError.tooLong(record.id, sizeBytes: bytes.count)
        }
        return StoredTest(record: record, status: status, bytes: bytes, modified: clock.now)
    }
}

extension Outbox {
    /// A person's actions on their tests.
    package var edits: OutboxEdits { OutboxEdits(outbox: self) }

    /// Removes a test from the outbox, with its receipt. Both move to quarantine: nothing is deleted.
    ///
    /// - Returns: its new path.
    /// - Throws: `OutboxError.delivered` for a test that the server has: its proof of delivery stays.
    @discardableResult
    public func discard(_ id: TestID) throws -> FilePath { try edits.discard(id) }
}

import Model
import OutboxStore

/// Changing drafts, and measuring how long that takes.
extension QuireStore {
    /// Changes the current draft on disk, durably, and notes how long the person worked on it.
    ///
    /// - Parameter activeSeconds: how long the test was open since that was last noted, by a monotonic clock.
    /// - Throws: as ``OutboxEdits/update(_:_:)``.
    @discardableResult
    public func edit(
        _ id: TestID, activeSeconds: Double = 0, _ change: (inout TestRecord) throws -> Void
    ) throws -> StoredTest {
        try outbox.edits.update(id) { record in
            try change(&record)
            noteTiming(activeSeconds, in: &record)
        }
    }

    /// The active time, and the time of the server where it was heard since the test was started.
    func noteTiming(_ activeSeconds: Double, in record: inout TestRecord) {
        var timing = record.timing ?? TestTiming()
        timing.add(activeSeconds: activeSeconds)
        if let heard = journal.contact()?.serverTime {
            timing.note(serverTime: heard.time, heardAt: heard.moment, startedAt: record.dateStarted)
        }
        record.timing = timing == TestTiming() ? nil : timing
    }

    /// How long a test took so far, where its time is limited and its version is here.
    package func timeTaken(by record: TestRecord) throws -> TimeTaken? {
        try questionnaire(of: record)?.timeTaken(by: record, now: clock.now)
    }
}

import Model
import OutboxStore

/// Hands in by itself the tests whose time limit is over, where their authors want that.
package struct TimeLimits: Sendable {
    let store: QuireStore

    private var outbox: Outbox { store.outbox }
    private var limitClock: TimeLimitClock { store.limitClock }
    private var documents: QuestionnaireDocuments { store.documents }
    private var testAttachments: TestAttachments { store.testAttachments }
    private var taking: TestTaking { store.taking }
    private var revisions: Revisions { store.revisions }

    /// Hands in a draft whose time is over, as it is: required questions without an answer and answers that are not right yet
    /// stay so. A draft that was moved to a newer version stays, as the other one is handed in.
    ///
    /// - Parameters:
    ///   - activeSeconds: how long the test was open since that was last noted, by a monotonic clock.
    ///   - hasAnswer: whether an answer was saved just now, by a person who may have gone on after the end.
    /// - Returns: the finished test; `nil` where it is none of these, or is finished already.
    /// - Throws: `StoreError.missingFiles` when an attachment has lost its bytes: it can be attached again in the draft.
    package func finish(
        _ id: TestID, activeSeconds: Double = 0, hasAnswer: Bool = false
    ) throws -> StoredTest? {
        guard let item = try outbox.find(id), item.status.isDraft,
            let stored = try outbox.whereItLies(item, outbox.read), stored.status.isDraft
        else { return nil }
        let record = stored.record
        let now = limitClock.now(for: record)
        guard let questionnaire = try documents.questionnaire(of: record), let limit = questionnaire.timeLimit,
            questionnaire.isEnded(record, now: now), try !isMoved(record)
        else { return nil }
        let lost = try testAttachments.lost(of: record)
        if !lost.isEmpty { throw StoreError.missingFiles(id, lost) }
        var timing = record.timing
        let end = TimeLimitEnd.end(
            &timing, adding: activeSeconds, limit: limit, startedAt: record.dateStarted,
            answeredAt: hasAnswer ? now : nil)
        do {
            let stored = try outbox.edits.finish(id, at: end) { changed in
                // An answer that came in between is of a person who is still at it.
                guard changed == record else { throw Changed() }
                changed.leaveOutHidden(in: questionnaire)
                changed.flagged = []
                changed.timing = timing
                changed.parent = try revisions.finishedParent(of: changed)
            }
            taking.noteFinished(stored)
            return stored
        } catch is Changed {
            return try finish(id, activeSeconds: activeSeconds, hasAnswer: true)
        } catch OutboxError.frozen {
            return nil
        }
    }

    private struct Changed: Error {}

    /// So long after the end a person who is still at it has handed in: a browser that comes back by then first sends what was typed
    /// into it while the page was away.
    package static let secondsAfterEnd = 3600.0

    /// Hands in all drafts whose time is over: of a browser or a terminal that was killed, of a computer that was switched off.
    ///
    /// - Parameter pause: how many seconds after the end.
    @discardableResult
    package func finishAll(pause: Double = secondsAfterEnd) throws -> [StoredTest] {
        try outbox.scan().items.filter(\.status.isDraft).compactMap { item in
            // One that cannot be read, or has lost a file, waits for its person.
            guard let record = outbox.listed(item)?.record,
                let questionnaire = try? documents.questionnaire(of: record),
                questionnaire.finishesAtTimeLimit,
                questionnaire.isEnded(record, now: limitClock.now(for: record).adding(seconds: -pause))
            else { return nil }
            return try? finish(item.id)
        }
    }

    /// Whether the draft goes on in a newer version: as the same attempt, which was started at the same moment. Once that is
    /// finished it does not name the draft any more.
    private func isMoved(_ record: TestRecord) throws -> Bool {
        try outbox.scan().tests.contains { item in
            guard item.id != record.id, let stored = outbox.listed(item) else { return false }
            let other = stored.record
            return other.dateStarted == record.dateStarted && other.questionnaire.id == record.questionnaire.id
                && (other.parent == record.id
                    || (other.deviceId == record.deviceId ? other.sequence > record.sequence : !stored.status.isDraft))
        }
    }
}

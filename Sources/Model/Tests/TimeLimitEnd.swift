/// The end of a test that is handed in by itself when its time limit is over.
package enum TimeLimitEnd {
    /// A program needs some time to save and to hand in: a test that it ends within so many seconds ended in time.
    package static let graceSeconds = 30.0

    /// Ends a test whose time is over.
    ///
    /// What was answered up to the end, and up to a few seconds after it, is in time. How long a program takes until it can
    /// hand in makes no test late. The app's `timing.js` has the same rule; `Tests/Vectors/timing.json` has the cases.
    ///
    /// - Parameters:
    ///   - timing: as it was noted with the last answer.
    ///   - active: the active seconds since then.
    ///   - limit: the time limit, in seconds.
    ///   - answeredAt: the moment of an answer that came after the end, if one did.
    /// - Returns: the moment at which the test is finished.
    package static func end(
        _ timing: inout TestTiming?, adding active: Double = 0, limit: Int, startedAt start: Timestamp,
        answeredAt: Timestamp? = nil
    ) -> Timestamp {
        let end = start.adding(seconds: Double(limit))
        let late = answeredAt.flatMap { $0 > end.adding(seconds: graceSeconds) ? $0 : nil }
        var noted = timing ?? TestTiming()
        if late == nil { noted.cut(to: Double(limit)) }
        let most = late == nil ? Double(limit) - (noted.activeSeconds ?? 0) : .infinity
        noted.add(activeSeconds: min(active, most))
        timing = noted == TestTiming() ? nil : noted
        return late ?? end
    }
}

extension TestTiming {
    /// Leaves out the seconds after the end that the program itself took.
    fileprivate mutating func cut(to limit: Double) {
        let most = limit + TimeLimitEnd.graceSeconds
        if let active = activeSeconds, active > limit, active <= most { activeSeconds = limit }
        if let from = startedBefore, let to = finishedAfter {
            let between = to.seconds(since: from)
            if between > limit, between <= most { finishedAfter = from.adding(seconds: limit) }
        }
    }
}

extension Questionnaire {
    /// Whether a draft is to be handed in by itself now.
    package func isEnded(_ record: TestRecord, now: Timestamp) -> Bool {
        finishesAtTimeLimit && timeLeft(since: record.dateStarted, now: now) == 0
    }

    /// The seconds before the end of a time limit at which a person is warned, the last one first.
    package static let timeWarnings = [60, 300]

    /// The warning that holds with so much time left; `nil` for none, and where the time is over.
    package static func timeWarning(left: Int) -> Int? { left > 0 ? timeWarnings.first { left <= $0 } : nil }
}

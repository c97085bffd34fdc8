/// How long a person worked on a test, measured on the device and bounded by the server's clock.
package struct TestTiming: Hashable, Sendable, Codable {
    /// Seconds during which the test was open, by a monotonic clock.
    package var activeSeconds: Double?
    /// The first server time that the device learned after the start: the test had been started by then.
    package var startedBefore: Timestamp?
    /// The last server time that the device learned before the end: the test was not finished by then.
    package var finishedAfter: Timestamp?

    package init(activeSeconds: Double? = nil, startedBefore: Timestamp? = nil, finishedAfter: Timestamp? = nil) {
        self.activeSeconds = activeSeconds
        self.startedBefore = startedBefore
        self.finishedAfter = finishedAfter
    }

    /// Adds active time. A value that is not measurable changes nothing.
    package mutating func add(activeSeconds seconds: Double) {
        guard seconds.isFinite, seconds >= 0.001 else { return }
        let total = (activeSeconds ?? 0) + seconds
        activeSeconds = (total * 1000).rounded() / 1000
    }

    /// Notes the time that the server stated last. What was heard before the start says nothing about the test.
    ///
    /// The app's `timing.js` has the same rule; `Tests/Vectors/timing.json` has the cases.
    ///
    /// - Parameters:
    ///   - moment: when the device heard it, by its own clock.
    ///   - start: the start of the test, by the same clock.
    package mutating func note(serverTime: Timestamp, heardAt moment: Timestamp, startedAt start: Timestamp) {
        guard moment >= start else { return }
        if startedBefore == nil { startedBefore = serverTime }
        finishedAfter = max(finishedAfter ?? serverTime, serverTime)
    }
}

/// The time that a test with a time limit took.
package struct TimeTaken: Hashable, Sendable, Codable {
    /// The clock by which the time was measured.
    package enum Measure: String, Hashable, Sendable, Codable {
        /// The time during which the test was open, by the device's monotonic clock.
        case activeTime
        /// Between two server times: a lower bound that no device clock can change.
        case serverClock
        /// Between start and end by the device's clock, which may have been set.
        case deviceClock
    }

    package var limitSeconds: Int
    package var tookSeconds: Double
    package var measuredBy: Measure

    package var isLate: Bool { tookSeconds > Double(limitSeconds) }

    package init(limitSeconds: Int, tookSeconds: Double, measuredBy: Measure) {
        self.limitSeconds = limitSeconds
        self.tookSeconds = tookSeconds
        self.measuredBy = measuredBy
    }
}

extension Questionnaire {
    /// How long a test took, where the time is limited: the longest of the measured times.
    ///
    /// - Parameter now: the end for a draft; a finished test has its own.
    package func timeTaken(by record: TestRecord, now: Timestamp? = nil) -> TimeTaken? {
        guard let timeLimit else { return nil }
        var taken: [(seconds: Double, by: TimeTaken.Measure)] = []
        if let end = record.dateFinished ?? now { taken.append((end.seconds(since: record.dateStarted), .deviceClock)) }
        if let from = record.timing?.startedBefore, let to = record.timing?.finishedAfter {
            taken.append((to.seconds(since: from), .serverClock))
        }
        if let active = record.timing?.activeSeconds { taken.append((active, .activeTime)) }
        // Of equal times the one that is hardest to dispute counts.
        let measured = taken.filter { $0.seconds.isFinite && $0.seconds >= 0 }
        guard let longest = measured.max(by: { $0.seconds <= $1.seconds }) else { return nil }
        return TimeTaken(
            limitSeconds: timeLimit, tookSeconds: (longest.seconds * 1000).rounded() / 1000, measuredBy: longest.by)
    }
}

/// When a questionnaire may be taken, how often, and what becomes of a test that is late.
package struct Availability: Hashable, Sendable {
    package enum Late: String, Hashable, Sendable, Codable {
        case accept
        case mark
        case refuse
    }

    package var opensAt: Timestamp?
    package var closesAt: Timestamp?
    /// How many tests a person may hand in.
    package var attempts: Int?
    package var late: Late
    package var otherMembers: [String: JSONValue] = [:]

    package init(opensAt: Timestamp? = nil, closesAt: Timestamp? = nil, attempts: Int? = nil, late: Late = .accept) {
        self.opensAt = opensAt
        self.closesAt = closesAt
        self.attempts = attempts
        self.late = late
    }

    /// Whether a test may begin now.
    package enum Access: Hashable, Sendable {
        case open
        case opens(at: Timestamp)
        /// It was closed, but a late test is accepted, or marked.
        case late(since: Timestamp)
        case closed(since: Timestamp)
        case noAttemptLeft(of: Int)

        package var mayBegin: Bool {
            switch self {
            case .open, .late: true
            case .opens, .closed, .noAttemptLeft: false
            }
        }
    }

    /// - Parameter attempt: the number of the test that would begin, from 1.
    package func access(now: Timestamp, attempt: Int) -> Access {
        if let attempts, !allows(attempt: attempt) { return .noAttemptLeft(of: attempts) }
        if let opensAt, now < opensAt { return .opens(at: opensAt) }
        guard let closesAt, isClosed(at: now) else { return .open }
        return late == .refuse ? .closed(since: closesAt) : .late(since: closesAt)
    }

    /// Whether the time has ended. A test of its last moment is in time.
    package func isClosed(at time: Timestamp) -> Bool { closesAt.map { time > $0 } ?? false }

    /// Whether a person may hand in a test with this number, from 1.
    package func allows(attempt: Int) -> Bool { attempts.map { $0 <= 0 || attempt <= $0 } ?? true }

    /// Whether a test was late, by what the device's wall clock cannot change: the active time of a monotonic clock, and the
    /// times of the server before and after the end of the test.
    package enum Lateness: Hashable, Sendable {
        case onTime
        /// It may have been late, but nothing proves it: it was received after the end, and the last time of a server that
        /// it knows of is before.
        case unproven
        case late(byTimeLimit: Bool, byClosing: Bool)
    }

    /// - Parameters:
    ///   - limitSeconds: the time limit of the questionnaire.
    ///   - receivedAt: when the host received the test.
    package func lateness(timing: TestTiming?, limitSeconds: Int?, receivedAt: Timestamp) -> Lateness {
        var isOverLimit = false
        if let limitSeconds, limitSeconds > 0 {
            let active = timing?.activeSeconds ?? 0
            var between = 0.0
            if let from = timing?.startedBefore, let to = timing?.finishedAfter { between = to.seconds(since: from) }
            isOverLimit = max(active, between) > Double(limitSeconds)
        }
        var isAfterClosing = false
        var isUnproven = false
        if let closesAt, isClosed(at: receivedAt) {
            isAfterClosing = timing?.finishedAfter.map { $0 > closesAt } ?? false
            isUnproven = !isAfterClosing
        }
        if isOverLimit || isAfterClosing { return .late(byTimeLimit: isOverLimit, byClosing: isAfterClosing) }
        return isUnproven ? .unproven : .onTime
    }
}

extension Availability: Codable {
    private enum Key: String, CodingKey, CaseIterable { case opensAt, closesAt, attempts, late }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        opensAt = try container.decodeIfPresent(Timestamp.self, forKey: .opensAt)
        closesAt = try container.decodeIfPresent(Timestamp.self, forKey: .closesAt)
        attempts = try container.decodeIfPresent(Int.self, forKey: .attempts)
        late = try container.decodeIfPresent(Late.self, forKey: .late) ?? .accept
        otherMembers = try UnknownMembers.decode(from: decoder, known: Key.allCases)
    }

    package func encode(to encoder: any Encoder) throws {
        try UnknownMembers.encode(otherMembers, to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(opensAt, forKey: .opensAt)
        try container.encodeIfPresent(closesAt, forKey: .closesAt)
        try container.encodeIfPresent(attempts, forKey: .attempts)
        if late != .accept { try container.encode(late, forKey: .late) }
    }
}

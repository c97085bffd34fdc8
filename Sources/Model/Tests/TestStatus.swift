/// The status of a test. On disk it is the name of the folder that holds the test's file.
public enum TestStatus: String, CaseIterable, Sendable, Codable, Hashable {
    case empty
    case inProgress = "in-progress"
    case done
    case sending
    case sent
    case checking
    case rated
    case conflict
    case rejected

    /// The allowed transitions of a test's status.
    package var legalMoves: Set<TestStatus> {
        switch self {
        case .empty: [.inProgress, .done]
        case .inProgress: [.done]
        case .done: [.sending, .inProgress]
        case .sending: [.done, .sent, .checking, .rated, .conflict, .rejected]
        case .sent: [.checking, .rated]
        case .checking: [.rated]
        case .rated: []
        case .conflict, .rejected: [.done]
        }
    }

    /// How far along its life a test is. If a test is found in two folders, the greater one is correct.
    package var advancement: Int {
        switch self {
        case .empty: 0
        case .inProgress: 1
        case .done: 2
        case .sending: 3
        case .conflict: 4
        case .rejected: 5
        case .sent: 6
        case .checking: 7
        case .rated: 8
        }
    }

    /// A draft: its content may still change.
    public var isDraft: Bool { self == .empty || self == .inProgress }

    /// Finished here and not yet acknowledged by the server.
    public var isWaiting: Bool { self == .done || self == .sending }

    /// The statuses of a test that the server has, in the order in which it goes through them.
    package static let delivered: [TestStatus] = [.sent, .checking, .rated]

    /// The server has it.
    public var isDelivered: Bool { Self.delivered.contains(self) }

    /// The server has it, and its score is not final.
    package var awaitsRating: Bool { isDelivered && self != .rated }
}

import Synchronization
import WireFormat

/// The drafts and files that arrive now: so many of a person, and of all, since their bytes are gathered in memory.
final class DraftArrivals: Sendable {
    private let bounds: DraftBounds
    private let counts = Mutex<[String: Int]>([:])

    /// After so long there is room again, as a rule.
    private static let pauseSeconds = 5

    init(_ bounds: DraftBounds) { self.bounds = bounds }

    /// - Throws: `HubProblem` of 429 or 503, before any byte is taken.
    func begin(of person: String) throws {
        try counts.withLock { counts in
            if counts[person, default: 0] >= bounds.personArrivals {
                throw Self.problem(429, "So many drafts of this person arrive just now")
            }
            if counts.values.reduce(0, +) >= bounds.totalArrivals {
                throw Self.problem(503, "So many drafts arrive just now")
            }
            counts[person, default: 0] += 1
        }
    }

    func end(of person: String) {
        counts.withLock { counts in
            let left = counts[person, default: 0] - 1
            counts[person] = left > 0 ? left : nil
        }
    }

    private static func problem(_ status: Int, _ detail: String) -> HubProblem {
        var problem = HubProblem(status, "\(detail): try again in \(pauseSeconds) s.")
        problem.headerFields[.retryAfter] = String(pauseSeconds)
        return problem
    }
}

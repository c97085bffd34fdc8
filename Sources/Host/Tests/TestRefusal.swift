import Model
import WireFormat

/// Why a questionnaire does not take a test that arrived.
package enum TestRefusal: Hashable, Sendable {
    case notOpen(until: Timestamp)
    case closed(since: Timestamp)
    case noAttemptLeft(of: Int)
    case overTimeLimit(of: Int)

    /// The last part of the problem's type.
    var kind: String {
        switch self {
        case .notOpen: "not-open"
        case .closed: "closed"
        case .noAttemptLeft: "no-attempt-left"
        case .overTimeLimit: "over-time-limit"
        }
    }

    var title: String {
        switch self {
        case .notOpen: "The questionnaire is not open yet"
        case .closed: "The questionnaire is closed"
        case .noAttemptLeft: "No attempt is left"
        case .overTimeLimit: "The time limit was exceeded"
        }
    }

    /// One sentence for people.
    var detail: String {
        switch self {
        case .notOpen(let time): "This questionnaire opens at \(time): send the test then."
        case .closed(let time):
            "This questionnaire was closed at \(time), and the test was finished later: ask your teacher."
        case .noAttemptLeft(1):
            "This person has handed in this questionnaire already, which may be done once: ask your teacher."
        case .noAttemptLeft(let count):
            "This person has handed in this questionnaire \(count) times, and no more are taken: ask your teacher."
        case .overTimeLimit(let seconds):
            """
            This test took longer than its time limit of \(TimeSpan.exact(seconds: Double(seconds))), \
            and late ones are not taken: ask your teacher.
            """
        }
    }

    var problem: Problem { Problem(.unprocessableContent, kind: kind, title: title, detail: detail) }
}

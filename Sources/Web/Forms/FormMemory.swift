import Model
import Synchronization

/// The answers from each form since it was shown: if a person goes back to one and corrects an answer, no other program
/// was involved.
///
/// A form has a number of its own each time it is shown, so two windows never pass for one. Only in memory: after a restart
/// the person is asked once too often, never once too seldom.
final class FormMemory: Sendable {
    private struct State {
        var marks: [String: [Int: String]] = [:]
        /// The forms, the oldest first.
        var order: [String] = []
    }

    private let state = Mutex(State())

    /// Forms beyond this number are forgotten, the oldest first.
    private static let most = 2000

    static func newNumber() -> String { TestID.random().description }

    /// The marks of the answers that the form gave last, by question.
    func marks(_ form: String?, of test: TestID) -> [Int: String] {
        guard let form else { return [:] }
        return state.withLock { $0.marks["\(test) \(form)"] ?? [:] }
    }

    func note(_ outcomes: [AnswerForm.Outcome], _ form: String?, of test: TestID) {
        guard let form, form.utf8.count <= 64 else { return }
        let key = "\(test) \(form)"
        state.withLock { state in
            if state.marks[key] == nil {
                state.order.append(key)
                if state.order.count > Self.most { state.marks[state.order.removeFirst()] = nil }
            }
            for outcome in outcomes where outcome.kind == .saved || outcome.kind == .unchanged {
                state.marks[key, default: [:]][outcome.index] = outcome.mark
            }
        }
    }
}

import Model

/// How a person stopped taking a test.
package enum TakeOutcome: Hashable, Sendable {
    /// They said that they are done. The record is saved as a draft; to finish it is the caller's part.
    case finished(TestRecord)
    /// They left, or their terminal did. The record is saved.
    case left(TestRecord)
}

/// Why a test cannot be taken, or was not saved.
package enum TakeFault: Error, CustomStringConvertible {
    case notATerminal
    /// A call to the system failed on the terminal.
    case terminal(call: String, code: Int32)
    /// The person left, or had to, while the answers could not be saved: here they are.
    case notSaved(TestRecord, reason: String)

    package var description: String {
        switch self {
        case .notATerminal: "this is not a terminal: give the answers with --answers FILE"
        case .terminal(let call, let code): "the terminal failed (\(call), error \(code)): the answers so far are saved"
        case .notSaved(_, let reason): "the last answers are not saved: \(reason)"
        }
    }
}

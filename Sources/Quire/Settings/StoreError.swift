import Model
import SystemPackage

/// Why a store is unusable, and what to do about it.
public enum StoreError: DescribedError, Equatable {
    case noStore(FilePath)
    case alreadyThere(FilePath)
    case newerFormat(FilePath, found: Int, known: Int)
    case damagedSettings(FilePath, reason: String)
    /// It is of an older format, and another process uses it.
    case inUse(FilePath)
    case notOnThisDevice(id: String, reason: String)
    /// The server was asked, and has none of this id.
    case unknown(id: String)
    /// The server forbids use of the stored version without validation, and cannot be reached.
    case mustAskServer(id: String)
    case deletedHere(id: String)
    /// It was changed here, or a change was withdrawn, after it was opened: a change based on the opened version would
    /// undo that.
    case changedSince(id: String)
    /// The version that a draft was started with is no longer on this device.
    case versionIsGone(id: String, draft: TestID)
    case missingAnswers([String])
    /// Of attachments of a draft, the bytes are not on this device.
    case missingFiles(TestID, [Attachment])

    public var description: String {
        switch self {
        case .noStore(let path):
            "there is no store at \(path.string): make one with “quire init --remote URL”, or name another with --store"
        case .alreadyThere(let path):
            "there is a store at \(path.string) already: change its remote with “quire remote set URL”"
        case .newerFormat(let path, let found, let known):
            "the store at \(path.string) has format \(found) and this program knows \(known): use a newer quire"
        case .damagedSettings(let path, let reason):
            "\(path.string) cannot be read (\(reason)): repair it with an editor, or see “quire doctor”"
        case .inUse(let path):
            "the store at \(path.string) is of an older format and is in use: end the other program, then try again"
        case .notOnThisDevice(let id, let reason):
            "questionnaire “\(id)” cannot be opened (\(reason)): pull it when there is a network"
        case .unknown(let id):
            "there is no questionnaire “\(id)”, neither here nor on the server: see “quire list” and “quire search”"
        case .mustAskServer(let id):
            "the server wants to be asked before “\(id)” is used again, and it cannot be reached: try again with a network"
        case .deletedHere(let id):
            "questionnaire “\(id)” was deleted here, and the next sync notifies the server: “quire outbox ls”"
        case .changedSince(let id):
            "questionnaire “\(id)” was changed here after it was opened: look at it again, nothing was taken"
        case .versionIsGone(let id, let draft):
            "the version of “\(id)” that the draft was started with is not on this device any more, so the two cannot be "
                + "compared: “quire take \(draft)” opens the draft in the current one"
        case .missingAnswers(let questions):
            "not finished: \(questions.count == 1 ? "a required question has" : "required questions have") no answer: "
                + questions.joined(separator: ", ")
        case .missingFiles(let test, let files):
            "not finished: not on this device any more: "
                + files.map { "“\($0.name)” (question “\($0.questionId)”, \($0.mark))" }.joined(separator: ", ")
                + ": attach the same file again, or take it away with “quire attach \(test) QUESTION NAME --remove”"
        }
    }
}

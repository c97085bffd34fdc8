import Model

/// Why the outbox cannot do something, and what to do about it.
public enum OutboxError: DescribedError, Hashable {
    case notFound(String)
    case ambiguous(String, count: Int)
    /// It is no longer a draft, and its bytes do not change.
    case frozen(TestID, TestStatus)
    case illegalMove(TestID, from: TestStatus, to: TestStatus)
    /// Another version of a test in `conflict` that is a draft.
    case unfinished(TestID)
    /// A file that is not a test, or not the one that its name says.
    case unreadable(path: String, reason: String)
    case sweeperIsRunning
    /// The lock of this file is not exclusive, so two processes could send at once.
    case lockIsFree(path: String)
    case delivered(TestID)
    case tooLong(TestID, sizeBytes: Int)
    /// An operation for tests alone was requested for another item.
    case noTest(TestID, OutboxKind)
    /// A finished test names it.
    case needed(TestID, by: TestID)
    /// A questionnaire that waits to be sent shows it.
    case shown(TestID, by: String, questionId: String, ContentPath)
    /// The draft has no file of this name.
    case notAttached(TestID, questionId: String, name: String)
    /// Several files of the question match this name.
    case attachedTwice(TestID, questionId: String, [Attachment])
    case tooManyAttachments(TestID)
    /// The file cannot be attached, for this reason.
    case unfit(file: String, reason: String)
    /// No item in conflict matches this text.
    case noConflict(String)
    /// A deletion has no content for a new questionnaire.
    case notBoth(TestID)
    /// Of two versions under one id only one can be discarded; the other one has this status.
    case otherVersion(TestID, TestStatus)

    public var description: String {
        switch self {
        case .notFound(let id): "there is no test “\(id)”: see “quire tests” for those that there are"
        case .ambiguous(let prefix, let count): "\(count) tests begin with “\(prefix)”: give more of the id"
        case .frozen(let id, let status):
            "test \(id) is in \(status.rawValue) and can no longer be changed: “quire outbox reopen \(id)” "
                + "goes on from its answers"
        case .illegalMove(let id, let from, let to):
            "test \(id) is in \(from.rawValue), from where it cannot go to \(to.rawValue)"
        case .unfinished(let id):
            "test \(id) was not finished, so it is not sent: “quire outbox reopen \(id)” continues with its answers, “quire "
                + "outbox discard \(id)” puts it aside"
        case .unreadable(let path, let reason): "\(path) cannot be used: \(reason)"
        case .delivered(let id): "test \(id) was delivered: its file and its receipt are your proof, and they stay"
        case .tooLong(let id, let size):
            "test \(id) would be \(ByteCount.format(Int64(size))), more than the \(ByteCount.format(4 << 20)) that a "
                + "server takes: shorten its longest answers; the saved answers are unchanged"
        case .noTest(let id, let kind):
            "\(id) is a \(kind.rawValue) and no test: “quire why \(id)” shows what can be done with it"
        case .shown(let id, let questionnaire, let question, let path):
            "questionnaire “\(questionnaire)” shows \(id) and waits to be sent: take it away with “quire attach "
                + "\(questionnaire) \(question) \(path) --remove”"
        case .needed(let id, let test):
            "attachment \(id) is a part of test \(test), which is finished: “quire outbox reopen \(test)” makes it a draft "
                + "again, “quire outbox discard \(test)” discards both"
        case .notAttached(let test, let question, let name):
            "test \(test) has no attachment “\(name)” to question “\(question)”: see “quire why \(test)”"
        case .attachedTwice(let test, let question, let files):
            "\(files.count) files to question “\(question)” are meant by this ("
                + files.map { "\($0.mark): \($0.name), \(ByteCount.format($0.sizeBytes))" }.joined(separator: "; ")
                + "): say which, “quire attach \(test) \(question) \(files.first?.mark ?? "") --remove”"
        case .tooManyAttachments(let test):
            "test \(test) has \(Attachment.mostInTest) attachments, which is the most: take some away with “quire attach --remove”"
        case .unfit(let file, let reason): "\(file) is not attached: \(reason)"
        case .notBoth(let id):
            "it was deleted here, so there is no version of yours to keep beside the server's: “quire resolve \(id) --mine” "
                + "deletes it there, “--theirs” keeps it"
        case .otherVersion(let id, let status):
            "another version of test \(id) lies in \(status.rawValue), and a server takes one of each test: “quire outbox "
                + "reopen \(id)” makes a test of its own of the one in conflict, “quire outbox discard \(id)” takes that away"
        case .noConflict(let id): "“\(id)” is no conflict: see “quire conflicts” for those that there are"
        case .lockIsFree(let path):
            "the file system gives the lock \(path) to everybody who asks, so nothing is sent from here, lest two "
                + "programs do it at once: move the store to a disk of this machine, or mount the volume with locks"
        case .sweeperIsRunning: "another process is sending right now: it will take this along, or try again later"
        }
    }
}

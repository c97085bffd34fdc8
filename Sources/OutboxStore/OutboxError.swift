import Model

/// What the outbox cannot do, and what to do about it.
public enum OutboxError: Error, Equatable, CustomStringConvertible {
    case notFound(String)
    case ambiguous(String, count: Int)
    /// It is no longer a draft, and its bytes do not change.
    case frozen(TestID, TestStatus)
    case illegalMove(TestID, from: TestStatus, to: TestStatus)
    /// A file that is not a test, or not the one that its name says.
    case unreadable(path: String, reason: String)
    case sweeperIsRunning
    /// The lock of this file keeps nobody out, so that two could send at once.
    case lockIsFree(path: String)
    case delivered(TestID)
    case tooLong(TestID, sizeBytes: Int)

    public var description: String {
        switch self {
        case .notFound(let id): "there is no test “\(id)”: see “quire tests” for those that there are"
        case .ambiguous(let prefix, let count): "\(count) tests begin with “\(prefix)”: give more of the id"
        case .frozen(let id, let status):
            "test \(id) is in \(status.rawValue) and can no longer be changed: “quire outbox reopen \(id)” "
                + "goes on from its answers"
        case .illegalMove(let id, let from, let to):
            "test \(id) is in \(from.rawValue), from where it cannot go to \(to.rawValue)"
        case .unreadable(let path, let reason): "\(path) cannot be used: \(reason)"
        case .delivered(let id): "test \(id) was delivered: its file and its receipt are your proof, and they stay"
        case .tooLong(let id, let size):
            "test \(id) would be \(ByteCount.format(Int64(size))), more than the \(ByteCount.format(4 << 20)) that a "
                + "server takes: shorten its longest answers; what was saved before is unchanged"
        case .lockIsFree(let path):
            "the file system gives the lock \(path) to everybody who asks, so nothing is sent from here, lest two "
                + "programs do it at once: move the store to a disk of this machine, or mount the volume with locks"
        case .sweeperIsRunning: "another process is sending right now: it will take this along, or try again later"
        }
    }
}

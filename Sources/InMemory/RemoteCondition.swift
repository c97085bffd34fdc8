/// How a `ScriptedRemote` behaves.
public enum RemoteCondition: Hashable, Sendable {
    case online
    /// There is no way to it, which a device knows without a request.
    case offline
    /// Each request takes this long on the remote's clock.
    case slow(Duration)
    /// Each request is answered with this status, instead of the work.
    case failing(status: Int)
}

import Model
import Sync

/// Guesses without traffic whether the remote can be reached.
struct Connectivity: Sendable {
    let journal: Journal
    let clock: any StoreClock

    /// So long another page in the place of the remote is taken to be still there, in seconds.
    static let strangerSeconds = 60.0

    /// See ``QuireStore/isOnline(_:)``.
    func isOnline(_ remote: (any Remote)?) -> (isOnline: Bool, reason: String?) {
        guard let remote else { return (false, "no remote is set") }
        let presence = remote.presence()
        if case .away(let reason) = presence { return (false, reason) }
        if let contact = journal.contact(), contact.trouble == .notTheServer,
            (0..<Self.strangerSeconds).contains(clock.now.seconds(since: contact.at))
        {
            return (false, contact.reason)
        }
        if presence == .certain { return (true, nil) }
        // The network leads there; only the last contact shows, for a while, whether the remote answers.
        if let contact = journal.contact(), !contact.isReachable, clock.now.seconds(since: contact.at) < 300 {
            return (false, contact.reason)
        }
        return (true, nil)
    }
}

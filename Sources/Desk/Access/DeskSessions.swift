import Host
import Model
import Synchronization

/// The sessions of the desk. They are kept in memory: a restart ends them.
final class DeskSessions: Sendable {
    struct Session: Sendable {
        var identity: HostIdentity
        /// As marks are signed.
        var name: String
        /// In each form of this session, so that no foreign form passes for one.
        var formToken: String
        var startedAt: Timestamp
    }

    static let cookie = "quire-desk"
    static let seconds = 12 * 3600
    /// Beyond this the oldest session ends.
    static let most = 500

    private let sessions = Mutex<[Digest: Session]>([:])

    /// - Returns: the value of the cookie, which is nowhere else.
    func start(_ identity: HostIdentity, name: String, now: Timestamp) -> String {
        let secret = Self.random()
        let session = Session(identity: identity, name: name, formToken: Self.random(), startedAt: now)
        sessions.withLock { sessions in
            sessions = sessions.filter { Self.isValid($0.value, now) }
            while sessions.count >= Self.most,
                let oldest = sessions.min(by: { $0.value.startedAt < $1.value.startedAt })
            {
                sessions[oldest.key] = nil
            }
            sessions[Digest(sha256Of: secret.utf8)] = session
        }
        return secret
    }

    func session(_ secret: String?, now: Timestamp) -> Session? {
        guard let secret else { return nil }
        // By its digest: the time of the look-up says nothing about the secret.
        let session = sessions.withLock { $0[Digest(sha256Of: secret.utf8)] }
        return session.flatMap { Self.isValid($0, now) ? $0 : nil }
    }

    func end(_ secret: String?) {
        guard let secret else { return }
        sessions.withLock { $0[Digest(sha256Of: secret.utf8)] = nil }
    }

    static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return Hexadecimal.encode((0..<20).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    private static func isValid(_ session: Session, _ now: Timestamp) -> Bool {
        abs(now.seconds(since: session.startedAt)) < Double(seconds)
    }

    static func setCookie(_ secret: String) -> String {
        "\(cookie)=\(secret); Path=/desk; HttpOnly; SameSite=Strict; Max-Age=\(seconds)"
    }

    static let removeCookie = "\(cookie)=; Path=/desk; HttpOnly; SameSite=Strict; Max-Age=0"
}

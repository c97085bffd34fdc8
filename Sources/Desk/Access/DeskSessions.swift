import Disk
import Host
import Model
import Synchronization

/// The sessions of the desk. Hosts that share a bucket share them, too; any other host keeps them in memory, and a restart ends them.
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

    private let shared: SharedLogIns?
    private let openToken = Mutex<String?>(nil)
    private let sessions = Mutex<[Digest: Session]>([:])

    init(shared: SharedLogIns?) { self.shared = shared }

    /// - Parameter key: that was shown.
    /// - Returns: the value of the cookie, which is nowhere else.
    func start(_ identity: HostIdentity, name: String, showing key: String, now: Timestamp) async throws -> String {
        let secret = Self.random()
        if let shared {
            try await offload {
                try shared.start(secret, identity, name: name, showing: key, seconds: Self.seconds)
            }
            return secret
        }
        let session = Session(identity: identity, name: name, formToken: Self.formToken(secret), startedAt: now)
        sessions.withLock { sessions in
            sessions = sessions.filter { Self.isValid($0.value.startedAt, now) }
            while sessions.count >= Self.most,
                let oldest = sessions.min(by: { $0.value.startedAt < $1.value.startedAt })
            {
                sessions[oldest.key] = nil
            }
            sessions[Digest(sha256Of: secret.utf8)] = session
        }
        return secret
    }

    func session(_ secret: String?, now: Timestamp) async throws -> Session? {
        guard let secret else { return nil }
        let session: Session?
        if let shared {
            session = try await offload { try shared.find(secret) }.map {
                Session(
                    identity: $0.identity, name: $0.name, formToken: Self.formToken(secret), startedAt: $0.startedAt)
            }
        } else {
            // By its digest: the time of the look-up says nothing about the secret.
            session = sessions.withLock { $0[Digest(sha256Of: secret.utf8)] }
        }
        return session.flatMap { Self.isValid($0.startedAt, now) ? $0 : nil }
    }

    func end(_ secret: String?) async throws {
        guard let secret else { return }
        if let shared { return try await offload { try shared.end(secret) } }
        sessions.withLock { $0[Digest(sha256Of: secret.utf8)] = nil }
    }

    /// In the forms of a host that asks for no key.
    func openFormToken() async throws -> String {
        if let known = openToken.withLock({ $0 }) { return known }
        let new = Self.random()
        var token = new
        if let shared { token = try await offload { try shared.openFormToken(new: new) } }
        return openToken.withLock { known in
            let first = known ?? token
            known = first
            return first
        }
    }

    private static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return Hexadecimal.encode((0..<20).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// It says nothing about the secret.
    private static func formToken(_ secret: String) -> String { Digest(sha256Of: "form \(secret)".utf8).hex }

    private static func isValid(_ startedAt: Timestamp, _ now: Timestamp) -> Bool {
        abs(now.seconds(since: startedAt)) < Double(seconds)
    }

    static func setCookie(_ secret: String) -> String {
        "\(cookie)=\(secret); Path=/desk; HttpOnly; SameSite=Strict; Max-Age=\(seconds)"
    }

    static let removeCookie = "\(cookie)=; Path=/desk; HttpOnly; SameSite=Strict; Max-Age=0"
}

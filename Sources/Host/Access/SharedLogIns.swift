import Model
import SystemPackage

/// The log-ins of the host's pages that all hosts of a bucket know: `sessions/<digest>.json`, by the SHA-256 of the secret that the browser
/// has. The secret itself is nowhere else.
///
/// All calls block on the store: run them with `offload`.
package struct SharedLogIns: Sendable {
    package struct LogIn: Hashable, Sendable, Codable {
        package var identity: HostIdentity
        /// As marks are signed.
        package var name: String
        package var startedAt: Timestamp
        /// Ties a log-in with a token of the command line to that token.
        fileprivate var token: Digest?
    }

    let files: HostBucket
    let access: AccessControl
    let clock: any StoreClock

    private static let maximumBytes: Int64 = 64 << 10
    /// Beyond this the oldest log-in ends.
    private static let most = 500

    /// - Parameters:
    ///   - key: that was shown.
    ///   - seconds: after which a log-in has ended.
    package func start(
        _ secret: String, _ identity: HostIdentity, name: String, showing key: String, seconds: Int
    ) throws {
        let token = identity.key == nil ? AccessToken(key)?.proof(for: secret) : nil
        let logIn = LogIn(identity: identity, name: name, startedAt: clock.now, token: token)
        _ = try files.putIfAbsent(DocumentCoding.encode(logIn), as: Self.path(secret))
        let all = try files.files(below: HostLayout.sessions).filter { $0.name.hasSuffix(Self.ending) }
            .sorted { $0.modified < $1.modified }
        for (place, old) in all.enumerated()
        where place < all.count - Self.most || clock.now.seconds(since: old.modified) > Double(seconds) {
            try files.remove(HostLayout.sessions.appending(name: old.name))
        }
    }

    /// - Returns: `nil` where there is none, or it was made with a token that this host does not have.
    package func find(_ secret: String) throws -> LogIn? {
        guard let bytes = try files.bytes(of: Self.path(secret), maximumBytes: Self.maximumBytes) else { return nil }
        let logIn: LogIn
        do throws(DocumentFault) {
            logIn = try DocumentCoding.decode(LogIn.self, from: bytes)
        } catch {
            throw HostError.damaged(files.place(of: Self.path(secret)), reason: error.description)
        }
        guard logIn.identity.key == nil else { return logIn }
        return access.hasToken { $0.proof(for: secret) == logIn.token } ? logIn : nil
    }

    package func end(_ secret: String) throws { try files.remove(Self.path(secret)) }

    private static func path(_ secret: String) -> FilePath {
        HostLayout.sessions.appending(name: Digest(sha256Of: secret.utf8).hex + ending)
    }

    private static let ending = ".json"

    // MARK: Without keys

    private static let openForms = HostLayout.sessions.appending(name: "open")

    /// The token in the forms of hosts that ask for no key: one for all hosts of the bucket.
    ///
    /// - Parameter new: taken where there is none yet.
    package func openFormToken(new: String) throws -> String {
        if try files.putIfAbsent(Array(new.utf8), as: Self.openForms) { return new }
        guard let known = try files.bytes(of: Self.openForms, maximumBytes: Self.maximumBytes) else { return new }
        return String(decoding: known, as: UTF8.self)
    }
}

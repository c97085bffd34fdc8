import Crypto
import HTTPTypes
import Model
import Synchronization

/// Who may come in: the one-time code, the cookie that it is exchanged for, the names the page may be called by, and where
/// a change may come from.
///
/// The cookie is signed with the store's key and not remembered, so it holds over a restart.
final class Gatekeeper: Sendable {
    private let key: SymmetricKey
    private let listen: PageAddress
    private let allowsNetwork: Bool
    private let state: Mutex<State>

    private struct State {
        var port: Int
        var code: String
        var wrongTries = 0
    }

    /// Wrong codes after which the code is changed: nobody guesses one of 2^80.
    private static let tolerableTries = 20

    init(key: [UInt8], listen: PageAddress, allowsNetwork: Bool) {
        self.key = SymmetricKey(data: key)
        self.listen = listen
        self.allowsNetwork = allowsNetwork
        state = Mutex(State(port: listen.port, code: Self.newCode()))
    }

    /// The port that was really taken.
    func setPort(_ port: Int) { state.withLock { $0.port = port } }

    // MARK: The code

    /// What lets the next browser in, once.
    var code: String { state.withLock { $0.code } }

    enum Exchange {
        case accepted(Session)
        case wrong
    }

    /// Takes the code for a session; it is of no more use then.
    func exchange(_ given: String) -> Exchange {
        let wanted = Self.normalized(given)
        return state.withLock { state in
            guard Self.isSame(wanted, state.code) else {
                state.wrongTries += 1
                if state.wrongTries >= Self.tolerableTries {
                    state.code = Self.newCode()
                    state.wrongTries = 0
                }
                return .wrong
            }
            state.code = Self.newCode()
            return .accepted(newSession())
        }
    }

    /// Sixteen characters of 32, none of which is taken for another: read aloud and typed without doubt.
    private static func newCode() -> String {
        let alphabet = Array("abcdefghjkmnpqrstuvwxyz234567890".unicodeScalars)
        var generator = SystemRandomNumberGenerator()
        var code = ""
        for _ in 0..<16 { code.unicodeScalars.append(alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]) }
        return code
    }

    private static func normalized(_ text: String) -> String {
        String(text.lowercased().filter { !$0.isWhitespace && $0 != "-" }.prefix(64))
    }

    /// Takes the same time wherever they differ.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        let key = SymmetricKey(size: .bits256)
        let code = HMAC<SHA256>.authenticationCode(for: Array(one.utf8), using: key)
        return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: Array(other.utf8), using: key)
    }

    // MARK: The session

    /// A browser that was let in.
    struct Session: Hashable, Sendable {
        var id: String
        var cookie: String
        /// What every form of this browser carries, so that another page cannot make one.
        var formToken: String
    }

    private func newSession() -> Session {
        var generator = SystemRandomNumberGenerator()
        return session(Hexadecimal.encode((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }))
    }

    private func session(_ id: String) -> Session {
        Session(id: id, cookie: id + "." + sign("session " + id), formToken: sign("form " + id))
    }

    private func sign(_ text: String) -> String {
        Hexadecimal.encode(Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key)))
    }

    /// Cookies do not know ports: two pages on one machine need two names.
    var cookieName: String { "quire-\(state.withLock { $0.port })" }

    func session(in cookies: [String: String]) -> Session? {
        guard let cookie = cookies[cookieName] else { return nil }
        let parts = cookie.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let given = Hexadecimal.decode(parts[1]) else { return nil }
        let id = String(parts[0])
        guard
            HMAC<SHA256>.isValidAuthenticationCode(given, authenticating: Array("session \(id)".utf8), using: key)
        else { return nil }
        return session(id)
    }

    /// A cookie for a year, for this page alone, out of reach of scripts and of other sites.
    func setCookie(_ session: Session) -> String {
        "\(cookieName)=\(session.cookie); Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000"
    }

    // MARK: Host and origin

    /// Whether the page may be called by this name. A foreign name that was made to point here (DNS rebinding) is refused.
    func allows(authority: String?) -> Bool {
        guard let authority else { return false }
        let port = state.withLock { $0.port }
        var host = authority[...]
        if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") {
            guard Int(host[host.index(after: colon)...]) == port else { return false }
            host = host[..<colon]
        } else if port != 80 {
            return false
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        let name = host.lowercased()
        if HostAndPort.isLoopback(name) || name == listen.host.lowercased() { return true }
        return allowsNetwork && PageAddress.isLiteral(name)
    }

    /// Whether a change comes from a form of this page, shown to this browser.
    func allowsChange(_ fields: HTTPFields, authority: String, session: Session, formToken: String?) -> Bool {
        allowsOrigin(fields, authority: authority) && formToken.map { isFormToken($0, of: session) } ?? false
    }

    /// As far as the browser tells where it comes from.
    func allowsOrigin(_ fields: HTTPFields, authority: String) -> Bool {
        if let origin = fields[.origin], origin != "http://\(authority)" { return false }
        if let site = fields[.secFetchSite], site != "same-origin" { return false }
        return true
    }

    func isFormToken(_ token: String, of session: Session) -> Bool { Self.isSame(token, session.formToken) }
}

extension HTTPField.Name {
    // Proof: these are constants, and each is a token of RFC 9110.
    // swift-format-ignore: NeverForceUnwrap
    static let secFetchSite = Self("Sec-Fetch-Site")!
    // Proof: as above.
    // swift-format-ignore: NeverForceUnwrap
    static let secFetchDest = Self("Sec-Fetch-Dest")!
    // Proof: as above.
    // swift-format-ignore: NeverForceUnwrap
    static let referrerPolicy = Self("Referrer-Policy")!
    // Proof: as above.
    // swift-format-ignore: NeverForceUnwrap
    static let crossOriginOpenerPolicy = Self("Cross-Origin-Opener-Policy")!
    // Proof: as above.
    // swift-format-ignore: NeverForceUnwrap
    static let crossOriginResourcePolicy = Self("Cross-Origin-Resource-Policy")!
}

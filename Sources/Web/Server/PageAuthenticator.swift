import Crypto
import HTTPServing
import HTTPTypes
import Model
import Synchronization

/// Decides who has access: by the one-time code, the cookie for which it is exchanged, the allowed names of the page,
/// and the origin of a change.
///
/// A cookie holds for this run of the page alone, since cookies go to any program that listens on the port while the page
/// is away. After a restart a browser proves itself with a second cookie, which browsers send to one secret path only: the
/// page proves that it is the page by naming that path (docs/page.md, Safety). Nothing about a browser is stored but the
/// paths that were named.
final class PageAuthenticator: Sendable {
    private let key: SymmetricKey
    private let listen: HostAndPort
    private let allowsNetwork: Bool
    /// A random name of this run of the page.
    private let run: String
    private let state: Mutex<State>
    /// The browsers that came in this run, and the ids of those whose access was closed.
    private let browsers = Mutex<(came: [String: Browser], closed: Set<String>)>(([:], []))
    /// The places of return that were named in this run.
    private let named = Mutex<[Former: Int]>([:])

    private struct State {
        var port: Int
        var code: String
        /// Ids that were offered to programs which know the code.
        var offered: [String] = []
        /// The cookies that were sent back.
        var entered: Set<String> = []

        mutating func changeCode() {
            code = PageAuthenticator.newCode()
            offered = []
        }
    }

    init(key: [UInt8], listen: HostAndPort, allowsNetwork: Bool) {
        self.key = SymmetricKey(data: key)
        self.listen = listen
        self.allowsNetwork = allowsNetwork
        run = Self.random(bytes: 8)
        state = Mutex(State(port: listen.port, code: Self.newCode()))
    }

    /// Sets the port that is listened on.
    func setPort(_ port: Int) { state.withLock { $0.port = port } }

    private static func random(bytes count: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        return Hexadecimal.encode((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    // MARK: The code

    /// Gives the next browser access, once.
    var code: String { state.withLock { $0.code } }

    /// Whether this is the code. It stays valid.
    func isCode(_ given: String) -> Bool { Self.isSame(Self.normalized(given), code) }

    enum Exchange {
        case accepted(Session)
        case wrong
    }

    /// Exchanges the code for a session; it is of no more use then.
    ///
    /// Wrong codes change nothing: a guesser who tries a million a second needs 10 billion years for one of 2^80, and a
    /// limit would only lock out the owner.
    func exchange(_ given: String) -> Exchange {
        let wanted = Self.normalized(given)
        return state.withLock { state in
            guard Self.isSame(wanted, state.code) else { return .wrong }
            state.changeCode()
            return .accepted(session(Self.random(bytes: 16)))
        }
    }

    /// So many are open at once.
    private static let mostOffers = 16

    /// Offers access to a program that follows the printed address and sends no forms, such as curl: a cookie for this run
    /// which uses up the code when it comes back, and is void where the code was used up before.
    func offer() -> String {
        let id = Self.random(bytes: 16)
        state.withLock { $0.offered = $0.offered.suffix(Self.mostOffers - 1) + [id] }
        return "\(cookieName)=\(id).\(run).\(sign("offer \(id) \(run)")); Path=/; HttpOnly; SameSite=Strict"
    }

    /// Gives access to the program that sends back an offered cookie; the code is used up then.
    func enter(with cookies: [String: String]) -> Session? {
        guard let id = offeredID(cookies[cookieName] ?? "") else { return nil }
        return state.withLock { state in
            guard state.offered.contains(id) else { return nil }
            state.changeCode()
            state.entered.insert(id)
            return session(id)
        }
    }

    private func offeredID(_ cookie: String) -> String? {
        let parts = cookie.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        return parts.count == 3 && Self.isSame(parts[2], sign("offer \(parts[0]) \(run)")) ? parts[0] : nil
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

    /// A browser that has access.
    struct Session: Hashable, Sendable {
        var id: String
        var cookie: String
        /// Part of every form of this browser, so that another page cannot make one.
        var formToken: String
    }

    /// A browser that had access in an earlier run of the page, if it is that browser: its cookie alone proves nothing.
    struct Former: Hashable, Sendable {
        var id: String
        var run: String
    }

    enum Visitor {
        case known(Session)
        case former(Former)
        case stranger
    }

    private func session(_ id: String) -> Session {
        Session(id: id, cookie: "\(id).\(run)." + sign("session \(id) \(run)"), formToken: sign("form " + id))
    }

    private func sign(_ text: String) -> String {
        Hexadecimal.encode(Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key)))
    }

    /// Cookies do not know ports: two pages on one machine need two names.
    var cookieName: String { "quire-\(state.withLock { $0.port })" }

    func visitor(with cookies: [String: String]) -> Visitor {
        guard let cookie = cookies[cookieName] else { return .stranger }
        switch signed(cookie) {
        case .known(let session) where isClosed(session.id): return .stranger
        case .former(let former) where isClosed(former.id): return .stranger
        case let visitor: return visitor
        }
    }

    private func signed(_ cookie: String) -> Visitor {
        if let id = offeredID(cookie) {
            return state.withLock { $0.entered.contains(id) } ? .known(session(id)) : .stranger
        }
        let parts = cookie.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, Self.isSame(parts[2], sign("session \(parts[0]) \(parts[1])")) else { return .stranger }
        return parts[1] == run ? .known(session(parts[0])) : .former(Former(id: parts[0], run: parts[1]))
    }

    // MARK: Who has access

    /// A browser, or another program, that came in this run of the page.
    struct Browser: Hashable, Sendable {
        /// Names it in the form that closes it.
        var mark: String
        /// How it names itself.
        var agent: String
        var lastCame: Timestamp
    }

    /// The browsers that came in this run, the last one first.
    var known: [Browser] {
        browsers.withLock { Array($0.came.values) }.sorted { ($1.lastCame, $0.mark) < ($0.lastCame, $1.mark) }
    }

    func mark(of session: Session) -> String { String(sign("listed " + session.id).prefix(32)) }

    func note(_ session: Session, agent: String?, now: Timestamp) {
        let browser = Browser(mark: mark(of: session), agent: String((agent ?? "").prefix(300)), lastCame: now)
        browsers.withLock { if !$0.closed.contains(session.id) { $0.came[session.id] = browser } }
    }

    func isClosed(_ id: String) -> Bool { browsers.withLock { $0.closed.contains(id) } }

    /// Closes the access of a browser, for good: it needs a new code.
    ///
    /// - Parameter noteClosed: notes durably that a browser has no access, by the mark of that.
    /// - Returns: false where none of this mark came in this run: nothing is closed.
    func close(_ mark: String, noteClosed: (String) throws -> Void) rethrows -> Bool {
        guard let id = browsers.withLock({ $0.came.first { Self.isSame($0.value.mark, mark) }?.key }) else {
            return false
        }
        // For the runs to come first: no cookie of this run or of an earlier one is of use to it then.
        try noteClosed(closedMark(id))
        browsers.withLock {
            $0.came[id] = nil
            $0.closed.insert(id)
        }
        return true
    }

    /// Cookies for a year, for this page alone, out of reach of scripts and of other sites: the session's, and those that
    /// prove the browser to the next run.
    func setCookies(_ session: Session) -> [String] {
        let next = Former(id: session.id, run: run)
        return ["\(cookieName)=\(session.cookie); Path=/" + Self.attributes]
            + (0..<Self.places).map { number in
                "\(returnCookieName)=\(proof(next, number)); Path=\(path(next, number))" + Self.attributes
            }
    }

    private static let attributes = "; HttpOnly; SameSite=Strict; Max-Age=31536000"

    // MARK: The return of a browser after a restart

    /// The first part of the paths at which a browser proves itself.
    static let returnPath = "return"
    /// An interrupted return uses one up; the others are spare.
    private static let places = 3

    private var returnCookieName: String { cookieName + "-return" }

    private func place(_ former: Former, _ number: Int) -> String {
        String(sign("place \(former.id) \(former.run) \(number)").prefix(32))
    }

    private func path(_ former: Former, _ number: Int) -> String { "/\(Self.returnPath)/" + place(former, number) }

    private func proof(_ former: Former, _ number: Int) -> String {
        sign("return \(former.id) \(former.run) \(number)")
    }

    private func closedMark(_ id: String) -> String { String(sign("closed \(id)").prefix(32)) }

    private func namedMark(_ former: Former, _ number: Int) -> String {
        String(sign("named \(former.id) \(former.run) \(number)").prefix(32))
    }

    /// The path to which only this browser's proof belongs; `nil` if all of them were used before, or its access was closed.
    ///
    /// A program that listened on the port has the first cookie, too, and learns the path. To lure the browser there it
    /// would have to listen again, so each path is used in one run only, and a proof counts in the run that used it.
    ///
    /// - Parameters:
    ///   - isClosed: whether the access was closed, by the mark of that.
    ///   - spend: notes durably that a path was named, by its mark; false where it was named before.
    func returnPath(
        of former: Former, isClosed: (String) throws -> Bool, spend: (String) throws -> Bool
    ) rethrows -> String? {
        if try isClosed(closedMark(former.id)) { return nil }
        return try named.withLock { named in
            if let number = named[former] { return path(former, number) }
            for number in 0..<Self.places {
                guard try spend(namedMark(former, number)) else { continue }
                named[former] = number
                return path(former, number)
            }
            return nil
        }
    }

    /// The session of a browser that arrived with the proof, and the cookies that set it.
    func comeBack(_ former: Former, to place: String, with cookies: [String: String]) -> [String]? {
        guard let number = named.withLock({ $0[former] }), let given = cookies[returnCookieName],
            Self.isSame(place, self.place(former, number)), Self.isSame(given, proof(former, number))
        else { return nil }
        let gone = (0..<Self.places).map {
            "\(returnCookieName)=; Path=\(path(former, $0)); HttpOnly; SameSite=Strict; Max-Age=0"
        }
        return gone + setCookies(session(former.id))
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
        return allowsNetwork && HostAndPort.isLiteral(name)
    }

    /// Whether a change comes from a form of this page, shown to this browser.
    func allowsChange(_ fields: HTTPFields, authority: String, session: Session, formToken: String?) -> Bool {
        allowsOrigin(fields, authority: authority) && formToken.map { isFormToken($0, of: session) } ?? false
    }

    /// Whether a person followed a link on another site. `SameSite=Strict` keeps the cookie from such a request and from the
    /// redirects that follow it.
    static func isVisitFromElsewhere(_ fields: HTTPFields) -> Bool {
        fields[.secFetchSite] == "cross-site" && fields[.secFetchMode] == "navigate"
    }

    /// Whether a program asks that is no browser and takes any content, such as curl.
    static func isProgram(_ fields: HTTPFields) -> Bool {
        fields[.secFetchSite] == nil && fields[.secFetchMode] == nil
            && fields[.accept]?.lowercased().contains("text/html") != true
    }

    /// Checks the origin, as far as the browser states it.
    func allowsOrigin(_ fields: HTTPFields, authority: String) -> Bool {
        RequestOrigin.isOwn(fields, authority: authority, schemes: ["http"])
    }

    func isFormToken(_ token: String, of session: Session) -> Bool { Self.isSame(token, session.formToken) }
}

extension HTTPField.Name {
    // Proof: these are constants, and each is a token of RFC 9110.
    // swift-format-ignore: NeverForceUnwrap
    static let secFetchMode = Self("Sec-Fetch-Mode")!
    // Proof: as above.
    // swift-format-ignore: NeverForceUnwrap
    static let serviceWorker = Self("Service-Worker")!
    // Proof: as above.
    // swift-format-ignore: NeverForceUnwrap
    static let secFetchDest = Self("Sec-Fetch-Dest")!
}

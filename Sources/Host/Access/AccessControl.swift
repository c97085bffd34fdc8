import Disk
import HTTPTypes
import Hummingbird
import Model
import Networking
import WireFormat

/// Decides the role of a request's sender by the key that it shows, and whether that suffices.
///
/// The keys are those of the data folder, and the host's token files: the takers' token is a taker's key, and the
/// authors' token is a teacher's, since it lists tests too.
final class AccessControl: Sendable {
    private let token: AccessToken?
    private let authorToken: AccessToken?
    private let isOpen: Bool
    private let clock: any StoreClock
    private let guesses: GuessLimit

    /// - Parameter isOpen: without any key, changes and lists need no author's token where none is set.
    init(token: AccessToken?, authorToken: AccessToken?, isOpen: Bool, clock: any StoreClock) {
        self.token = token
        self.authorToken = authorToken
        self.isOpen = isOpen
        self.clock = clock
        guesses = GuessLimit(clock: clock)
    }

    /// Identifies the sender of a request that needs a role.
    ///
    /// - Throws: a `Problem` of 401, 403 or 429.
    func caller(
        needing minimum: AccessRole, _ authorization: String?, from client: String, _ keys: KeyStore.Content
    ) throws(Problem) -> Caller {
        let unknown = roleWithoutKey(keys).map { Caller(role: $0) }
        // Where nothing has to be shown a wrong key does no harm, and says nothing.
        if let unknown, unknown.role >= minimum { return known(authorization, keys) ?? unknown }
        guard let caller = try caller(showing: authorization, from: ClientAddress.key(client), keys) ?? unknown else {
            throw unauthorized(authorization, keys)
        }
        guard caller.role >= minimum else { throw forbidden(caller.role, minimum, keys) }
        return caller
    }

    /// The role of those who show nothing; `nil` where the host asks for keys.
    func roleWithoutKey(_ keys: KeyStore.Content) -> AccessRole? {
        if keys.asksForKeys || token != nil { return nil }
        return isOpen && authorToken == nil ? .admin : .taker
    }

    /// Whether one of the host's tokens is such a one.
    func hasToken(where matches: (AccessToken) -> Bool) -> Bool {
        [token, authorToken].contains { $0.map(matches) ?? false }
    }

    /// The sender, if its key is right.
    private func known(_ authorization: String?, _ keys: KeyStore.Content) -> Caller? {
        guard let text = BearerKey.text(in: authorization), let authorization else { return nil }
        if let entry = entry(text, keys) {
            guard entry.isValid(at: clock.now) else { return nil }
            let key = entry.key
            let owner = key.person.map { "person " + $0 } ?? authorization
            return Caller(
                role: key.role, isOfKey: true, key: key.id,
                isGuessable: key.code == true && PersonalCode(text)?.isGuessable ?? true, person: key.person,
                expires: key.expires, favorites: AccessToken.person(owner))
        }
        // Both are compared, whichever is right: the time says nothing.
        let isAuthor = authorToken?.isShown(in: authorization) ?? false
        let isTaker = token?.isShown(in: authorization) ?? false
        guard isAuthor || isTaker else { return nil }
        let opensAll = isOpen && authorToken == nil && !keys.asksForKeys
        let role: AccessRole = isAuthor ? .teacher : opensAll ? .admin : .taker
        return Caller(role: role, isOfKey: true, favorites: AccessToken.person(authorization))
    }

    private static let noDigest = Digest(sha256Of: [])

    /// The key with this text, which may be revoked or expired.
    private func entry(_ text: String, _ keys: KeyStore.Content) -> KeyStore.Entry? {
        let digest = BearerKey.digest(of: text)
        let entry = (AccessKey.id(in: text) ?? keys.codes[digest]).flatMap { keys.entries[$0] }
        // Compared also for an unknown id: it takes as long as a wrong key.
        return BearerKey.areEqual(digest, entry?.key.digest ?? Self.noDigest) ? entry : nil
    }

    private func caller(
        showing authorization: String?, from client: String, _ keys: KeyStore.Content
    ) throws(Problem) -> Caller? {
        guard authorization != nil else { return nil }
        guard let caller = known(authorization, keys) else {
            // A device that does not know yet that its key was revoked is not guessing.
            if let text = BearerKey.text(in: authorization), entry(text, keys) != nil { return nil }
            if let seconds = guesses.secondsAfterWrong(from: client) { throw AccessControl.tooManyGuesses(seconds) }
            return nil
        }
        // A key of the data folder cannot be guessed: wrong ones from the same address never shut it out. A school's own
        // short code can.
        if caller.key != nil, !caller.isGuessable { return caller }
        // One name for each code: a code that was right says nothing about another one. After too many wrong guesses even a
        // right token is rejected, so that it looks like a wrong one.
        let name = "\(caller.role.rawValue) \(caller.key ?? "")"
        if let seconds = guesses.secondsAfterRight(name, from: client) { throw AccessControl.tooManyGuesses(seconds) }
        return caller
    }

    // MARK: Refusals

    private static func tooManyGuesses(_ seconds: Int) -> Problem {
        var problem = Problem(
            .tooManyRequests, "Too many wrong keys were shown from this address: try again in \(seconds) s.")
        problem.headerFields[.retryAfter] = String(seconds)
        return problem
    }

    private func forbidden(_ role: AccessRole, _ minimum: AccessRole, _ keys: KeyStore.Content) -> Problem {
        let detail: String
        if keys.asksForKeys {
            detail = role.refusal(needing: minimum)
        } else if authorToken != nil {
            detail =
                "This needs the author's token, and the request does not show it: give it to the devices of authors."
        } else {
            detail =
                "This host takes no changes of questionnaires and lists no tests: "
                + "it was started without --author-token-file, and has no keys."
        }
        return .notAllowed(detail)
    }

    private func unauthorized(_ authorization: String?, _ keys: KeyStore.Content) -> Problem {
        var problem = Problem(.unauthorized, reasonOfRefusal(authorization, keys))
        problem.headerFields[.wwwAuthenticate] =
            "Bearer realm=\"quire\"" + (authorization != nil ? ", error=\"invalid_token\"" : "")
        return problem
    }

    private func reasonOfRefusal(_ authorization: String?, _ keys: KeyStore.Content) -> String {
        guard authorization != nil else { return "The host asks for a key: send one as Bearer token." }
        if let text = BearerKey.text(in: authorization), let entry = entry(text, keys) {
            return entry.revoked != nil
                ? "This key was revoked: ask for another one." : "This key has expired: ask for another one."
        }
        return "The key is not one of the host's."
    }
}

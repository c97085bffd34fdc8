import HTTPTypes
import Hummingbird
import Model
import Synchronization

/// Decides what a request may do, by its token.
///
/// The taker's token opens questionnaires and everything about a test whose UUID the client knows. The author's token
/// opens changes of questionnaires and the list of all tests as well.
final class AccessControl: Sendable {
    /// The right that a request needs.
    enum Right: Hashable, Sendable {
        /// Granted to everyone: it shows that a host is here.
        case none
        case take
        case author
    }

    /// The role of a token.
    private enum Role: Hashable, Sendable {
        /// No token, or another one than the host's.
        case stranger
        case taker
        case author
    }

    private struct Acquaintance: Hashable {
        var client: String
        var role: Role
    }

    /// Wrong tokens that one client may show in a minute, unless the host is run with a limit of its own for all requests.
    static let guessesPerMinute = 60

    private let token: AccessToken?
    private let authorToken: AccessToken?
    private let isOpen: Bool
    private let guesses: RateLimit
    /// Clients that have shown a right token: another client behind the same address cannot shut them out.
    private let acquaintances = Mutex<Set<Acquaintance>>([])

    /// - Parameter isOpen: changes and lists need no author's token where none is set.
    init(token: AccessToken?, authorToken: AccessToken?, isOpen: Bool, clock: any StoreClock) {
        self.token = token
        self.authorToken = authorToken
        self.isOpen = isOpen
        guesses = RateLimit(perMinute: AccessControl.guessesPerMinute, clock: clock)
    }

    /// - Throws: a `Problem` of 401, 403 or 429.
    func check(_ right: Right, _ authorization: String?, from client: String) throws(Problem) {
        // Where nothing has to be shown a wrong token does no harm, and says nothing.
        if right == .none || (right == .take && token == nil) { return }
        if right == .author, authorToken == nil, isOpen, token == nil { return }
        let role = try role(showing: authorization, from: client)
        if role == .stranger, token != nil { throw AccessControl.unauthorized(hasToken: authorization != nil) }
        guard right == .author, role != .author else { return }
        if authorToken != nil {
            throw AccessControl.notAllowed(
                "This needs the author's token, and the request does not show it: give it to the devices of authors.")
        }
        guard isOpen else {
            throw AccessControl.notAllowed(
                "This host takes no changes of questionnaires and lists no tests: "
                    + "it was started without --author-token-file.")
        }
    }

    /// Whose favourites a request is about.
    func person(showing authorization: String?) -> String {
        guard let authorization, role(of: authorization) != .stranger else { return FavoriteArchive.everybody }
        return AccessToken.person(authorization)
    }

    private func role(of authorization: String) -> Role {
        // Both are compared, whichever is right: the time says nothing.
        let isAuthor = authorToken?.isShown(in: authorization) ?? false
        let isTaker = token?.isShown(in: authorization) ?? false
        return isAuthor ? .author : isTaker ? .taker : .stranger
    }

    private func role(showing authorization: String?, from client: String) throws(Problem) -> Role {
        guard let authorization else { return .stranger }
        let role = role(of: authorization)
        let acquaintance = Acquaintance(client: client, role: role)
        if role == .stranger {
            if let seconds = guesses.secondsToWait(client) { throw AccessControl.tooManyGuesses(seconds) }
        } else if !acquaintances.withLock({ $0.contains(acquaintance) }) {
            // After too many wrong guesses, even a correct one is rejected, so that they look alike.
            if let seconds = guesses.secondsUntilNext(client) { throw AccessControl.tooManyGuesses(seconds) }
            acquaintances.withLock { known in
                if known.count >= RateLimit.maximumClients { known = [] }
                known.insert(acquaintance)
            }
        }
        return role
    }

    private static func tooManyGuesses(_ seconds: Int) -> Problem {
        var problem = Problem(
            .tooManyRequests, "Too many wrong tokens were shown from this address: try again in \(seconds) s.")
        problem.headerFields[.retryAfter] = String(seconds)
        return problem
    }

    private static func notAllowed(_ detail: String) -> Problem {
        Problem(.forbidden, kind: "not-allowed", title: "The token does not allow this", detail: detail)
    }

    private static func unauthorized(hasToken: Bool) -> Problem {
        var problem = Problem(
            .unauthorized, hasToken ? "The token is not the host's." : "The host asks for a token: send one as Bearer.")
        problem.headerFields[.wwwAuthenticate] =
            "Bearer realm=\"quire\"" + (hasToken ? ", error=\"invalid_token\"" : "")
        return problem
    }
}

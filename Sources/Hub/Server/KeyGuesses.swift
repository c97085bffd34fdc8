import Disk
import HTTPTypes
import Model
import Networking
import Synchronization
import WireFormat

/// Bounds the keys that one address may try at the hub, whether the upstream is there or not: as a host bounds them.
///
/// A key that the hub does not know counts as wrong until it turns out right. The same key from the same address counts once: a
/// device that does not know yet that its key was revoked is not guessing. A log-in at the desk shows its key in a form that is not
/// read here: each one that the upstream refuses counts.
final class KeyGuesses: Sendable {
    private struct Guess: Hashable {
        var client: String
        var digest: Digest
    }

    /// What is settled after the reply to a request.
    struct Admission: Sendable {
        fileprivate var client: String
        /// A key that the hub does not know counts as wrong.
        fileprivate var hasGuess = false
        fileprivate var isLogIn = false
    }

    private let keys: DeviceKeys
    private let limit: GuessLimit
    private let tried = Mutex<Set<Guess>>([])

    static let mostTried = 20_000

    init(keys: DeviceKeys, clock: any StoreClock) {
        self.keys = keys
        limit = GuessLimit(clock: clock)
    }

    /// Looks at the key of a request before anything else does.
    ///
    /// - Returns: what is to be settled after the reply.
    /// - Throws: `HubProblem` of 429.
    func admit(
        _ authorization: String?, _ method: HTTPRequest.Method, path: String, from client: String
    ) throws -> Admission {
        var admission = Admission(client: client, hasGuess: try isGuess(authorization, from: client))
        guard method == .post, Self.isLogIn(path) else { return admission }
        if let seconds = limit.secondsAfterWrong(from: client) { throw Self.tooMany(seconds) }
        admission.isLogIn = true
        return admission
    }

    /// Whether a key counts as wrong from now on.
    private func isGuess(_ authorization: String?, from client: String) throws -> Bool {
        guard let key = BearerKey.text(in: authorization), keys.knownAccess(authorization) != .open else {
            return false
        }
        let guess = Guess(client: client, digest: BearerKey.digest(of: key))
        if keys.isKnown(authorization) {
            if Self.isGuessable(key), let seconds = limit.secondsAfterRight(guess.digest.hex, from: client) {
                throw Self.tooMany(seconds)
            }
            return false
        }
        if tried.withLock({ $0.contains(guess) }) { return false }
        if let seconds = limit.secondsAfterWrong(from: client) { throw Self.tooMany(seconds) }
        tried.withLock { tried in
            if tried.count >= Self.mostTried { tried = [] }
            tried.insert(guess)
        }
        return true
    }

    /// Takes what counted back where the key was right.
    func settle(_ admission: Admission, _ authorization: String?, path: String, status: HTTPResponse.Status) {
        if admission.isLogIn, status != .forbidden { limit.giveBack(admission.client) }
        guard admission.hasGuess else { return }
        let isOwn = [.accessSelf, .people].contains(try? APIPath(path.prefix { $0 != "?" }))
        guard keys.isKnown(authorization) || isOwn && (status.kind == .successful || status == .notModified) else {
            return
        }
        limit.giveBack(admission.client)
    }

    /// The desk's log-in, as a host reads its address.
    private static func isLogIn(_ path: String) -> Bool {
        let segments = path.prefix { $0 != "?" }.split(separator: "/").map { PercentEncoding.decode($0)?.lowercased() }
        return segments == ["desk", "login"]
    }

    /// Keys that hosts make have an underscore, and are long.
    private static func isGuessable(_ key: String) -> Bool {
        BearerKey.code(in: key)?.isGuessable ?? (key.utf8.count < 16)
    }

    private static func tooMany(_ seconds: Int) -> HubProblem {
        var problem = HubProblem(
            429, "Too many wrong keys were shown from this address: try again in \(seconds) s.")
        problem.headerFields[.retryAfter] = String(seconds)
        return problem
    }
}

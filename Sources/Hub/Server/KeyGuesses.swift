import Disk
import HTTPTypes
import Model
import Networking
import Synchronization
import WireFormat

/// Bounds the keys that one address may try at the hub, whether the upstream is there or not: as a host bounds them.
///
/// A key that the hub does not know counts as wrong until it turns out right. The same key from the same address counts once: a
/// device that does not know yet that its key was revoked is not guessing.
final class KeyGuesses: Sendable {
    struct Guess: Hashable, Sendable {
        fileprivate var client: String
        fileprivate var digest: Digest
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
    /// - Returns: the guess to be settled after the reply; `nil` where there is none.
    /// - Throws: `HubProblem` of 429.
    func admit(_ authorization: String?, from client: String) throws -> Guess? {
        guard let key = BearerKey.text(in: authorization), keys.knownAccess(authorization) != .open else { return nil }
        let guess = Guess(client: client, digest: BearerKey.digest(of: key))
        if keys.isKnown(authorization) {
            if Self.isGuessable(key), let seconds = limit.secondsAfterRight(guess.digest.hex, from: client) {
                throw Self.tooMany(seconds)
            }
            return nil
        }
        if tried.withLock({ $0.contains(guess) }) { return nil }
        if let seconds = limit.secondsAfterWrong(from: client) { throw Self.tooMany(seconds) }
        tried.withLock { tried in
            if tried.count >= Self.mostTried { tried = [] }
            tried.insert(guess)
        }
        return guess
    }

    /// Takes a guess back whose key was right.
    func settle(_ guess: Guess, _ authorization: String?, path: String, status: HTTPResponse.Status) {
        let isOwn = [.accessSelf, .people].contains(try? APIPath(path.prefix { $0 != "?" }))
        guard keys.isKnown(authorization) || isOwn && (status.kind == .successful || status == .notModified) else {
            return
        }
        limit.giveBack(guess.client)
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

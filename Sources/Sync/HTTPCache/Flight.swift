import CacheStore
import HTTPCaching
import HTTPTypes
import Model
import Synchronization

/// One question to the origin that several requests wait for (RFC 9111 section 4: collapsed requests).
final class Flight: Sendable {
    /// The result for waiters.
    enum Landing: Sendable {
        /// A response that is being stored: others that may have it read it as it arrives.
        case shared(ArrivingReply)
        /// A 304: the stored response is valid.
        case confirmed(CacheVariant)
        /// No request was needed: the response was stored in the meantime.
        case stored
        /// The origin could not be asked, or answered with an error.
        case failed(status: Int?, any Error)
        /// Nothing that others may have: each asks on its own.
        case alone
    }

    private let outcome = Awaited<Landing>()

    /// The first landing counts.
    func land(_ landing: Landing) { outcome.settle(.success(landing)) }

    var hasLanded: Bool { outcome.isSettled }
    var waitingCount: Int { outcome.waitingCount }

    /// - Throws: `CancellationError` when the task that waits is cancelled.
    func wait() async throws -> Landing { try await outcome.wait() }
}

/// A response that is being kept, while its body comes.
struct ArrivingReply: Sendable {
    var response: StoredResponse
    var variant: StoredVariant
    var relay: BodyRelay
    var length: Int64?
}

/// The requests in flight, by key.
final class Flights: Sendable {
    private struct State {
        var flights: [String: Flight] = [:]
        /// Background tasks: bodies being stored, and refreshes.
        var tasks = 0
        /// The bodies among them; `nil` once the HTTP cache is gone.
        var relays: [ObjectIdentifier: BodyRelay]? = [:]
        /// Counts changes (RFC 9111 section 4.4), and when the last one of each URL was.
        var changes = 0
        var lastChange: [String: Int] = [:]
        /// Changes before this one are forgotten.
        var forgottenBefore = 0
        var idle: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// The flight under this key, and whether it is new: its creator asks, lands and removes it.
    func join(_ key: String) -> (flight: Flight, isNew: Bool) {
        state.withLock { state in
            if let flight = state.flights[key] { return (flight, false) }
            let flight = Flight()
            state.flights[key] = flight
            return (flight, true)
        }
    }

    func existing(_ key: String) -> Flight? { state.withLock { $0.flights[key] } }

    /// No request joins it any more.
    func remove(_ key: String, _ flight: Flight) {
        state.withLock { state in
            if state.flights[key] === flight { state.flights[key] = nil }
        }
    }

    /// The request that started a flight leaves it.
    ///
    /// - Returns: whether no request waits for it; then none joins it any more, and it need not continue.
    func leave(_ key: String, _ flight: Flight) -> Bool {
        state.withLock { state in
            guard !flight.hasLanded, flight.waitingCount == 0 else { return false }
            if state.flights[key] === flight { state.flights[key] = nil }
            return true
        }
    }

    /// Counts a background task.
    func begin() { state.withLock { $0.tasks += 1 } }

    func end() {
        let idle = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.tasks -= 1
            if state.tasks > 0 { return [] }
            defer { state.idle = [] }
            return state.idle
        }
        for continuation in idle { continuation.resume() }
    }

    /// A body begins to come.
    func begin(_ relay: BodyRelay) {
        begin()
        let isOrphan = state.withLock { state in
            state.relays?[ObjectIdentifier(relay)] = relay
            return state.relays == nil
        }
        if isOrphan { relay.orphan() }
    }

    func end(_ relay: BodyRelay) {
        state.withLock { _ = $0.relays?.removeValue(forKey: ObjectIdentifier(relay)) }
        end()
    }

    /// The HTTP cache is gone: arriving bodies are for their readers alone.
    func orphan() {
        let relays = state.withLock { state in
            defer { state.relays = nil }
            return state.relays ?? [:]
        }
        for relay in relays.values { relay.orphan() }
    }

    // MARK: Changes

    /// How many changes there were: noted when a question is asked.
    var changes: Int { state.withLock { $0.changes } }

    /// Something was changed: earlier responses on their way into the cache may be outdated, and no request joins them.
    func noteChange(_ url: String) {
        state.withLock { state in
            state.changes += 1
            if state.lastChange.count >= 1000 {
                state.lastChange = [:]
                state.forgottenBefore = state.changes
            }
            state.lastChange[url] = state.changes
            state.flights[url] = nil
            for key in state.flights.keys where key.hasPrefix(url + "\n") { state.flights[key] = nil }
        }
    }

    /// Whether a URL was changed since then, as far as is known.
    func isChanged(_ url: String, since number: Int) -> Bool {
        state.withLock { state in
            state.lastChange[url].map { $0 > number } ?? (state.forgottenBefore > number)
        }
    }

    // MARK: Work in the background

    /// Returns when nothing is under way in the background.
    func idle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.tasks == 0 { return true }
                state.idle.append(continuation)
                return false
            }
            if isIdle { continuation.resume() }
        }
    }
}

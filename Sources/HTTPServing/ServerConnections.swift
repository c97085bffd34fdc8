import Disk
import Dispatch
import Logging
import NIOCore
import Synchronization

/// The connections of one server, within its bounds.
package final class ServerConnections: Sendable {
    /// A connection with its progress, as far as other threads read it.
    final class Connection: LedgerConnection {
        private let guarded: NIOLoopBound<ConnectionGuard>
        fileprivate let client: String
        private let progressedAt: Atomic<Double>
        private let isServersTurn = Atomic(false)

        init(_ guarded: NIOLoopBound<ConnectionGuard>, address: String, now: Double) {
            self.guarded = guarded
            client = ClientAddress.key(address)
            progressedAt = Atomic(now)
        }

        func note(_ progress: ConnectionProgress) {
            progressedAt.store(progress.progressedAt, ordering: .relaxed)
            isServersTurn.store(progress.isServersTurn, ordering: .relaxed)
        }

        var waitsSince: Double? {
            isServersTurn.load(ordering: .relaxed) ? nil : progressedAt.load(ordering: .relaxed)
        }

        fileprivate func turnAway(afterSeconds seconds: Int) {
            let guarded = guarded
            guarded.eventLoop.execute { guarded.value.turnAway(afterSeconds: seconds) }
        }

        fileprivate func close() {
            let guarded = guarded
            guarded.eventLoop.execute { guarded.value.close() }
        }
    }

    /// A connection that hears why it is turned away; it gives way to those that are turned away later.
    private final class Leaving: LedgerConnection {
        let connection: Connection
        private let since: Double

        init(_ connection: Connection, since: Double) {
            self.connection = connection
            self.since = since
        }

        // One that is still being answered stays until it is.
        var waitsSince: Double? { connection.waitsSince.map { _ in since } }
    }

    private struct State {
        var staying: ConnectionLedger<Connection>
        var leaving: ConnectionLedger<Leaving>
        var leavers: [ObjectIdentifier: Leaving] = [:]
        var bodies: BodyLedger<Connection>
        var advice = ReturnAdvice()
    }

    package let bounds: ConnectionBounds
    private let state: Mutex<State>
    private let isShort: @Sendable () -> Bool
    /// Whether the content of such a request is held in memory until it is answered.
    let holdsContent: @Sendable (RequestLine) -> Bool
    private let logger: Logger
    private let reportedAt = Mutex<Double?>(nil)

    /// That there are too many is reported at most once in this time.
    private static let reportSeconds = 60.0

    /// - Parameters:
    ///   - isShort: whether a new connection has to take the place of another one, however few there are.
    ///   - holdsContent: whether the content of such a request is held in memory until it is answered.
    package init(
        _ bounds: ConnectionBounds, logger: Logger, isShort: @escaping @Sendable () -> Bool = { false },
        holdsContent: @escaping @Sendable (RequestLine) -> Bool = { _ in true }
    ) {
        self.bounds = bounds
        self.logger = logger
        self.isShort = isShort
        self.holdsContent = holdsContent
        state = Mutex(
            State(
                staying: ConnectionLedger(bounds),
                leaving: ConnectionLedger(
                    ConnectionBounds(total: bounds.leaving, perAddress: max(1, bounds.leaving / 2))),
                bodies: BodyLedger(limit: bounds.bodyBytes)))
    }

    /// Seconds of a clock that only moves forward.
    var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

    /// How many there are, without those that are turned away.
    package var count: Int { state.withLock { $0.staying.count } }

    /// Counts a new connection. Where there are too many, this one or another one is turned away.
    func admit(_ guarded: NIOLoopBound<ConnectionGuard>, from address: String) -> Connection {
        let now = now
        let connection = Connection(guarded, address: address, now: now)
        let isShort = isShort()
        let leaver: Connection? = state.withLock {
            switch $0.staying.admit(connection, from: connection.client, isShort: isShort) {
            case .admitted(let displaced): displaced
            case .refused: connection
            }
        }
        if let leaver {
            report(
                isShort
                    ? "the limit of open files is near: raise it with ulimit -n, or LimitNOFILE= in a systemd unit"
                    : "too many connections", address, isShort ? .critical : .warning)
            turnAway(leaver, now: now)
        }
        return connection
    }

    /// So many bytes of a request's content came.
    func hold(_ count: Int, for connection: Connection, from address: String) {
        let leaver = state.withLock { state in
            let leaver = state.bodies.hold(count, for: connection, from: connection.client)
            if let leaver { state.staying.remove(leaver, from: leaver.client) }
            return leaver
        }
        guard let leaver else { return }
        report("too much content of requests in memory", address)
        turnAway(leaver, now: now)
    }

    /// A request is answered.
    func answered(_ connection: Connection?) {
        let now = now
        state.withLock {
            $0.advice.answered(now: now)
            if let connection { $0.bodies.release(connection) }
        }
    }

    /// Removes a closed connection.
    func remove(_ connection: Connection) {
        state.withLock { state in
            state.bodies.release(connection)
            state.staying.remove(connection, from: connection.client)
            if let leaving = state.leavers.removeValue(forKey: ObjectIdentifier(connection)) {
                state.leaving.remove(leaving, from: connection.client)
            }
        }
    }

    private func turnAway(_ connection: Connection, now: Double) {
        let leaving = Leaving(connection, since: now)
        let random = Double.random(in: 0..<1)
        let (seconds, gone) = state.withLock { state -> (Int, Connection?) in
            state.bodies.release(connection)
            state.advice.turnedAway(now: now)
            let seconds = state.advice.seconds(random: random, now: now)
            switch state.leaving.admit(leaving, from: connection.client) {
            case .admitted(let former):
                state.leavers[ObjectIdentifier(connection)] = leaving
                if let former { state.leavers[ObjectIdentifier(former.connection)] = nil }
                return (seconds, former?.connection)
            case .refused: return (seconds, connection)
            }
        }
        // The reply first: also one that cannot wait until it is read may arrive.
        connection.turnAway(afterSeconds: seconds)
        gone?.close()
    }

    private func report(_ what: String, _ address: String, _ level: Logger.Level = .warning) {
        let now = now
        let isDue = reportedAt.withLock { last in
            if let last, now - last < Self.reportSeconds { return false }
            last = now
            return true
        }
        guard isDue else { return }
        logger.log(
            level: level,
            "\(what) (there may be \(bounds.perAddress) connections from one address, \(bounds.total) in all, and \(bounds.bodyBytes) bytes of content; now from \(address)): for each further one, the one that has waited longest for its client hears 503 and is closed"
        )
    }
}

/// The head of a request, as far as it decides how its content is kept.
package struct RequestLine: Hashable, Sendable {
    package var method: String
    package var target: String
    package var contentType: String?

    package init(method: String, target: String, contentType: String?) {
        self.method = method
        self.target = target
        self.contentType = contentType
    }
}

import Disk
import HTTPTypes
import NIOCore
import Synchronization

/// The clients' connections, within the bounds of `ConnectionLedger`.
final class ConnectionTable: Sendable {
    /// A connection that hears why it is turned away; it gives way to those that are turned away later.
    private final class Leaving: LedgerConnection {
        let stream: ByteStream
        private let since: Double

        init(_ stream: ByteStream, since: Double) {
            self.stream = stream
            self.since = since
        }

        var waitsSince: Double? { since }
    }

    private struct State {
        var ledger: ConnectionLedger<ByteStream>
        var leaving: ConnectionLedger<Leaving>
        var leavers: [ObjectIdentifier: Leaving] = [:]
        var advice = ReturnAdvice()
        var isClosed = false
    }

    private let state: Mutex<State>
    private let isShort: @Sendable () -> Bool

    /// - Parameter isShort: whether a new connection has to take the place of another one, however few there are.
    init(_ bounds: ConnectionBounds, isShort: @escaping @Sendable () -> Bool = { false }) {
        let leaving = ConnectionBounds(total: bounds.leaving, perAddress: max(1, bounds.leaving / 2))
        state = Mutex(State(ledger: ConnectionLedger(bounds), leaving: ConnectionLedger(leaving)))
        self.isShort = isShort
    }

    private static var now: Double { Double(NIODeadline.now().uptimeNanoseconds) / 1e9 }

    /// Accepts a connection, and turns one away where there are too many, perhaps this one.
    ///
    /// - Returns: false where it is to be closed: the hub ends.
    func admit(_ stream: ByteStream, from client: String) -> Bool {
        let isShort = isShort()
        let now = Self.now
        let (isOpen, leaver, gone) = state.withLock { state -> (Bool, ByteStream?, ByteStream?) in
            if state.isClosed { return (false, nil, nil) }
            var leaver: ByteStream? = stream
            if case .admitted(let displaced) = state.ledger.admit(stream, from: client, isShort: isShort) {
                leaver = displaced
            }
            guard let leaver else { return (true, nil, nil) }
            state.advice.turnedAway(now: now)
            let leaving = Leaving(leaver, since: now)
            guard case .admitted(let former) = state.leaving.admit(leaving, from: client) else {
                return (true, leaver, leaver)
            }
            state.leavers[ObjectIdentifier(leaver)] = leaving
            if let former { state.leavers[ObjectIdentifier(former.stream)] = nil }
            return (true, leaver, former?.stream)
        }
        leaver?.turnAway()
        gone?.close()
        return isOpen
    }

    func remove(_ stream: ByteStream, from client: String) {
        state.withLock { state in
            state.ledger.remove(stream, from: client)
            if let leaving = state.leavers.removeValue(forKey: ObjectIdentifier(stream)) {
                state.leaving.remove(leaving, from: client)
            }
        }
    }

    func answered() {
        let now = Self.now
        state.withLock { $0.advice.answered(now: now) }
    }

    /// The answer to one that is turned away.
    var refusal: HubProblem {
        let (now, random) = (Self.now, Double.random(in: 0..<1))
        let seconds = state.withLock { $0.advice.seconds(random: random, now: now) }
        var problem = HubProblem(503, "The hub has more to do than it can now: come again in \(seconds) s.")
        problem.headerFields[.retryAfter] = String(seconds)
        return problem
    }

    var count: Int { state.withLock { $0.ledger.count } }

    /// Accepts no more connections.
    func close() { state.withLock { $0.isClosed = true } }

    var streams: [ByteStream] { state.withLock { $0.ledger.connections + $0.leaving.connections.map(\.stream) } }
}

extension ConnectionBounds {
    /// The bounds of a hub in a process that may have this many files open. A connection can need three descriptors: its
    /// own, one to the upstream and a file.
    static func hub(openFiles: Int) -> ConnectionBounds {
        // 128 stay free for the listener, the store and the upstream's idle connections.
        let total = min(most, max(16, (openFiles - 128) / 3))
        return ConnectionBounds(total: total, perAddress: max(4, total / shareOfOneAddress))
    }

    /// The bounds of a hub without a limit of open files: enough for a room of 40 devices behind one address, with six
    /// connections each, four times over.
    static var hub: ConnectionBounds { ConnectionBounds(total: most, perAddress: most / shareOfOneAddress) }
}

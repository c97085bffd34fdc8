import Disk
import Synchronization

/// The clients' connections, within the bounds of `ConnectionLedger`.
final class ConnectionTable: Sendable {
    private struct State {
        var ledger: ConnectionLedger<ByteStream>
        var isClosed = false
    }

    private let state: Mutex<State>

    init(_ bounds: ConnectionBounds) { state = Mutex(State(ledger: ConnectionLedger(bounds))) }

    /// Accepts a connection, and ends another where there are too many.
    ///
    /// - Returns: false where it is to be closed.
    func admit(_ stream: ByteStream, from client: String) -> Bool {
        let admission = state.withLock { $0.isClosed ? .refused : $0.ledger.admit(stream, from: client) }
        guard case .admitted(let displaced) = admission else { return false }
        displaced?.close()
        return true
    }

    func remove(_ stream: ByteStream, from client: String) {
        state.withLock { $0.ledger.remove(stream, from: client) }
    }

    var count: Int { state.withLock { $0.ledger.count } }

    /// Accepts no more connections.
    func close() { state.withLock { $0.isClosed = true } }

    var streams: [ByteStream] { state.withLock { $0.ledger.connections } }
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

import Disk
import Dispatch
import Logging
import NIOCore
import Synchronization

/// The connections of one server, within its bounds.
package final class ServerConnections: Sendable {
    /// A connection with its progress, as far as other threads read it.
    final class Connection: LedgerConnection {
        let channel: any Channel
        fileprivate let client: String
        private let progressedAt: Atomic<Double>
        private let isServersTurn = Atomic(false)

        init(_ channel: any Channel, address: String, now: Double) {
            self.channel = channel
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
    }

    package let bounds: ConnectionBounds
    private let ledger: Mutex<ConnectionLedger<Connection>>
    private let logger: Logger
    private let reportedAt = Mutex<Double?>(nil)

    /// That there are too many is reported at most once in this time.
    private static let reportSeconds = 60.0

    package init(_ bounds: ConnectionBounds, logger: Logger) {
        self.bounds = bounds
        self.logger = logger
        ledger = Mutex(ConnectionLedger(bounds))
    }

    /// Seconds of a clock that only moves forward.
    var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

    /// How many there are.
    package var count: Int { ledger.withLock { $0.count } }

    /// - Returns: `nil` for one that has no place.
    func admit(_ channel: any Channel, from address: String) -> Connection? {
        let connection = Connection(channel, address: address, now: now)
        switch ledger.withLock({ $0.admit(connection, from: connection.client) }) {
        case .admitted(inPlaceOf: nil): return connection
        case .admitted(let displaced?):
            report(address)
            displaced.channel.close(promise: nil)
            return connection
        case .refused:
            report(address)
            return nil
        }
    }

    func remove(_ connection: Connection) { ledger.withLock { $0.remove(connection, from: connection.client) } }

    private func report(_ address: String) {
        let now = now
        let isDue = reportedAt.withLock { last in
            if let last, now - last < Self.reportSeconds { return false }
            last = now
            return true
        }
        guard isDue else { return }
        logger.warning(
            "too many connections (\(bounds.perAddress) from one address, \(bounds.total) in all; now from \(address)): the one that has waited longest for its client is closed for each new one"
        )
    }
}

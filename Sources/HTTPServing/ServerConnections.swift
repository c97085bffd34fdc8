import Disk
import Dispatch
import Logging
import NIOCore
import Synchronization

/// The connections of one server, within its bounds.
package final class ServerConnections: Sendable {
    typealias Member = ConnectionLedger<Connection>.Member

    final class Connection: Sendable {
        let channel: any Channel

        init(_ channel: any Channel) { self.channel = channel }
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
    func admit(_ connection: Connection, from address: String) -> Member? {
        switch ledger.withLock({ $0.admit(connection, from: address, now: now) }) {
        case .admitted(let member, inPlaceOf: nil): return member
        case .admitted(let member, let leaver?):
            report(address)
            leaver.channel.close(promise: nil)
            return member
        case .refused:
            report(address)
            return nil
        }
    }

    func remove(_ member: Member) { ledger.withLock { $0.remove(member) } }

    private func report(_ address: String) {
        let now = now
        let isDue = reportedAt.withLock { last in
            if let last, now - last < Self.reportSeconds { return false }
            last = now
            return true
        }
        guard isDue else { return }
        logger.warning(
            "too many connections (\(bounds.perAddress) from one address, \(bounds.total) in all; now from \(address)): the one with the least progress is closed for each new one"
        )
    }
}

import Synchronization

/// The connections of a server by client address: decides which one to close when there are too many.
///
/// An address at its limit gets a new connection in place of its own one with the least progress, so that a client, or
/// a classroom behind one router, is not locked out by its own idle or stalled connections. When the server is full,
/// the address with the most connections loses one. A connection whose request is being processed is never closed.
package struct ConnectionLedger<Connection: AnyObject & Sendable>: Sendable {
    /// The part of a connection that other threads see.
    package final class Member: Sendable {
        package let connection: Connection
        let address: String
        private let progressedAt: Atomic<Double>
        private let isServersTurn = Atomic(false)

        init(_ connection: Connection, _ address: String, now: Double) {
            self.connection = connection
            self.address = address
            progressedAt = Atomic(now)
        }

        /// Publishes the connection's progress.
        package func note(_ progress: ConnectionProgress) {
            progressedAt.store(progress.progressedAt, ordering: .relaxed)
            isServersTurn.store(progress.isServersTurn, ordering: .relaxed)
        }

        fileprivate var lastProgress: Double? {
            isServersTurn.load(ordering: .relaxed) ? nil : progressedAt.load(ordering: .relaxed)
        }
    }

    /// The decision about a new connection.
    package enum Admission: Sendable {
        /// The connection is accepted; the other one must be closed.
        case admitted(Member, inPlaceOf: Connection?)
        case refused
    }

    package let bounds: ConnectionBounds
    package private(set) var count = 0
    private var members: [String: [ObjectIdentifier: Member]] = [:]

    package init(_ bounds: ConnectionBounds) { self.bounds = bounds }

    /// - Parameters:
    ///   - address: an IP address as text.
    ///   - now: in seconds, by the clock of the connections' progress.
    package mutating func admit(_ connection: Connection, from address: String, now: Double) -> Admission {
        let key = ClientAddress.key(address)
        var leaver: Member?
        if members[key]?.count ?? 0 >= bounds.perAddress {
            leaver = stalest(of: key)
            if leaver == nil { return .refused }
        } else if count >= bounds.total {
            // The address with the most connections; the newcomer's own where it is one of them.
            let most = members.max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }
            leaver = most.flatMap { stalest(of: $0.key) }
            if leaver == nil { return .refused }
        }
        if let leaver { remove(leaver) }
        let member = Member(connection, key, now: now)
        members[key, default: [:]][ObjectIdentifier(connection)] = member
        count += 1
        return .admitted(member, inPlaceOf: leaver?.connection)
    }

    /// Forgets a closed connection; may be called twice.
    package mutating func remove(_ member: Member) {
        let id = ObjectIdentifier(member.connection)
        guard members[member.address]?[id] === member else { return }
        members[member.address]?[id] = nil
        if members[member.address]?.isEmpty == true { members[member.address] = nil }
        count -= 1
    }

    private func stalest(of key: String) -> Member? {
        var found: (member: Member, time: Double)?
        for member in (members[key] ?? [:]).values {
            guard let time = member.lastProgress, time < found?.time ?? .infinity else { continue }
            found = (member, time)
        }
        return found?.member
    }
}

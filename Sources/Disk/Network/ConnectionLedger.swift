/// A connection that a `ConnectionLedger` may end.
package protocol LedgerConnection: AnyObject, Sendable {
    /// When the client last made progress, in seconds of a monotonic clock; `nil` while the server works for it.
    var waitsSince: Double? { get }
}

/// The connections of a server by client: decides which one to turn away when there are too many.
///
/// A client at its limit gets a new connection in place of its own one that has waited longest, so that a client, or
/// a classroom behind one router, is not locked out by its own idle or stalled connections. When the server is full,
/// the client with the most connections loses one. A connection whose request is being processed is never closed.
package struct ConnectionLedger<Connection: LedgerConnection>: Sendable {
    /// The decision about a new connection.
    package enum Admission: Sendable {
        /// The connection is accepted; the other one must be turned away.
        case admitted(inPlaceOf: Connection?)
        case refused
    }

    /// A client's connections, in no order: a removed one is replaced by the last.
    private struct Client {
        var connections: [Connection] = []
        var places: [ObjectIdentifier: Int] = [:]

        mutating func add(_ connection: Connection) {
            places[ObjectIdentifier(connection)] = connections.count
            connections.append(connection)
        }

        /// - Returns: whether it was there.
        mutating func remove(_ connection: Connection) -> Bool {
            guard let place = places.removeValue(forKey: ObjectIdentifier(connection)) else { return false }
            let last = connections.removeLast()
            if last !== connection {
                connections[place] = last
                places[ObjectIdentifier(last)] = place
            }
            return true
        }

        /// Of some random ones, the one that has waited longest; of all where none of them waits.
        func longestWaiting(sampleSize: Int) -> Connection? {
            if connections.count > sampleSize {
                let sample = (0..<sampleSize).compactMap { _ in connections.randomElement() }
                if let found = Self.longestWaiting(of: sample) { return found }
            }
            return Self.longestWaiting(of: connections)
        }

        private static func longestWaiting(of connections: [Connection]) -> Connection? {
            var found: (connection: Connection, since: Double)?
            for connection in connections {
                guard let since = connection.waitsSince, since < found?.since ?? .infinity else { continue }
                found = (connection, since)
            }
            return found?.connection
        }
    }

    package let bounds: ConnectionBounds
    package private(set) var count = 0
    private var clients: [String: Client] = [:]

    /// If all connections of a client were examined for each of its new ones, a client could keep the server busy.
    private static var sampleSize: Int { 16 }

    package init(_ bounds: ConnectionBounds) { self.bounds = bounds }

    /// - Parameters:
    ///   - client: `ClientAddress.key`.
    ///   - isShort: whether there is room for no more connections than there are, for another reason than their number.
    package mutating func admit(
        _ connection: Connection, from client: String, isShort: Bool = false
    ) -> Admission {
        var displaced: Connection?
        if let crowded = crowded(for: client, isShort: isShort) {
            displaced = clients[crowded]?.longestWaiting(sampleSize: Self.sampleSize)
            guard let displaced else { return .refused }
            remove(displaced, from: crowded)
        }
        clients[client, default: Client()].add(connection)
        count += 1
        return .admitted(inPlaceOf: displaced)
    }

    /// The client that loses a connection before this one gets another; `nil` if there is room.
    private func crowded(for client: String, isShort: Bool) -> String? {
        let own = clients[client]?.connections.count ?? 0
        if own >= bounds.perAddress { return client }
        if count < bounds.total, !isShort { return nil }
        let most = clients.max { ($0.value.connections.count, $0.key) < ($1.value.connections.count, $1.key) }
        // Two clients with about as many do not take turns in closing each other's.
        guard let most, own == 0 || most.value.connections.count > own + 1 else { return client }
        return most.key
    }

    /// Removes a closed connection; may be called twice.
    package mutating func remove(_ connection: Connection, from client: String) {
        guard clients[client]?.remove(connection) == true else { return }
        count -= 1
        if clients[client]?.connections.isEmpty == true { clients[client] = nil }
    }

    package var connections: [Connection] { clients.values.flatMap(\.connections) }
}

/// The memory that a server's requests hold while their content arrives and is worked on: decides which one to turn away when
/// it is too much.
///
/// Bytes count that have come, not those that were announced. The client that has most in memory loses the request that has
/// made the least progress, so a client that sends much and never ends shuts out no other one. A request that is being
/// answered stays; so does one that is alone.
package struct BodyLedger<Connection: LedgerConnection>: Sendable {
    private struct Holder: Sendable {
        var connection: Connection
        var client: String
        var bytes: Int
    }

    private let limit: Int
    private var holders: [ObjectIdentifier: Holder] = [:]
    package private(set) var bytes = 0

    package init(limit: Int) { self.limit = limit }

    /// - Parameter client: `ClientAddress.key`.
    /// - Returns: the connection to be turned away, perhaps this one; it holds nothing any more.
    package mutating func hold(_ count: Int, for connection: Connection, from client: String) -> Connection? {
        bytes += count
        holders[ObjectIdentifier(connection), default: Holder(connection: connection, client: client, bytes: 0)]
            .bytes += count
        guard bytes > limit, holders.count > 1 else { return nil }
        let found = stalestOfLargestClient() ?? connection
        release(found)
        return found
    }

    /// The request is answered, or the connection is closed; may be called twice.
    package mutating func release(_ connection: Connection) {
        bytes -= holders.removeValue(forKey: ObjectIdentifier(connection))?.bytes ?? 0
    }

    private func stalestOfLargestClient() -> Connection? {
        var clients: [String: (bytes: Int, stalest: (connection: Connection, since: Double)?)] = [:]
        for holder in holders.values {
            var client = clients[holder.client] ?? (0, nil)
            client.bytes += holder.bytes
            if let since = holder.connection.waitsSince, since < client.stalest?.since ?? .infinity {
                client.stalest = (holder.connection, since)
            }
            clients[holder.client] = client
        }
        let most = clients.max { ($0.value.bytes, $0.key) < ($1.value.bytes, $1.key) }
        return most?.value.stalest?.connection
    }
}

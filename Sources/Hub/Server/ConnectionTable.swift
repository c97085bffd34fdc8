import Synchronization

/// The clients' connections, and which of them has to end when there are too many.
///
/// A newcomer is not turned away for the sake of connections that wait for their client: the one that has waited longest ends
/// in its place, of the same client where that has its share, else of the client that has most. So one device, however many
/// connections it opens, takes none from another, and those that share an address with it (a router, a proxy) get through.
final class ConnectionTable: Sendable {
    struct Limits: Sendable {
        /// Of all clients. A connection can need three descriptors: its own, one to the upstream and a file. With a few
        /// hundred kilobytes each at worst, as many as these fit a small machine.
        var total = 4096
        /// Of one client: a room behind one address has 40 devices with six connections each, four times over.
        var ofOneClient = 1024

        /// The limits that fit the number of descriptors.
        static func fitting(_ openFiles: Int) -> Limits {
            // Kept back for the listener, the store and the upstream's idle connections.
            let total = min(4096, max(16, (openFiles - 128) / 3))
            return Limits(total: total, ofOneClient: max(4, min(1024, total / 4)))
        }
    }

    /// A client's connections, in no order: one that goes is replaced by the last.
    private struct Client {
        var streams: [ByteStream] = []
        var places: [ObjectIdentifier: Int] = [:]

        mutating func add(_ stream: ByteStream) {
            places[ObjectIdentifier(stream)] = streams.count
            streams.append(stream)
        }

        /// - Returns: whether it was there.
        mutating func remove(_ stream: ByteStream) -> Bool {
            guard let place = places.removeValue(forKey: ObjectIdentifier(stream)) else { return false }
            let last = streams.removeLast()
            if last !== stream {
                streams[place] = last
                places[ObjectIdentifier(last)] = place
            }
            return true
        }

        /// Of some that are chosen by chance, the one that has waited longest for its client; of all where none of them
        /// waits. `nil` where the hub is at work for each.
        func longestWaiting() -> ByteStream? {
            let sample = (0..<ConnectionTable.sampleSize).compactMap { _ in streams.randomElement() }
            return Self.longestWaiting(of: sample) ?? Self.longestWaiting(of: streams)
        }

        private static func longestWaiting(of streams: [ByteStream]) -> ByteStream? {
            var found: (stream: ByteStream, since: UInt64)?
            for stream in streams {
                guard let since = stream.waitsSince, since < found?.since ?? .max else { continue }
                found = (stream, since)
            }
            return found?.stream
        }
    }

    private struct State {
        var clients: [String: Client] = [:]
        var count = 0
        var isClosed = false
    }

    /// Looking at all connections of a client for each of its new ones would be a way to keep the hub busy.
    private static let sampleSize = 16

    private let limits: Limits
    private let state = Mutex(State())

    init(_ limits: Limits) { self.limits = limits }

    /// Takes a connection in, and ends another where there are too many.
    ///
    /// - Parameter address: the identity of a client (`ClientAddress.key`).
    /// - Returns: false where it is to be closed.
    func admit(_ stream: ByteStream, from address: String) -> Bool {
        let (isTaken, displaced) = state.withLock { state -> (Bool, ByteStream?) in
            if state.isClosed { return (false, nil) }
            var displaced: ByteStream?
            if let crowded = crowded(state, for: address) {
                guard let found = state.clients[crowded]?.longestWaiting() else { return (false, nil) }
                remove(found, of: crowded, &state)
                displaced = found
            }
            state.clients[address, default: Client()].add(stream)
            state.count += 1
            return (true, displaced)
        }
        displaced?.close()
        return isTaken
    }

    /// The client of which a connection has to end before this one has another; `nil` where there is room.
    private func crowded(_ state: State, for address: String) -> String? {
        let own = state.clients[address]?.streams.count ?? 0
        if own >= limits.ofOneClient { return address }
        if state.count < limits.total { return nil }
        let most = state.clients.max { $0.value.streams.count < $1.value.streams.count }
        guard let most, most.value.streams.count > own + 1 else { return address }
        return most.key
    }

    func remove(_ stream: ByteStream, from address: String) {
        state.withLock { remove(stream, of: address, &$0) }
    }

    private func remove(_ stream: ByteStream, of address: String, _ state: inout State) {
        guard state.clients[address]?.remove(stream) == true else { return }
        state.count -= 1
        if state.clients[address]?.streams.isEmpty == true { state.clients[address] = nil }
    }

    var count: Int { state.withLock { $0.count } }

    /// Takes no more connections.
    func close() { state.withLock { $0.isClosed = true } }

    var streams: [ByteStream] { state.withLock { $0.clients.values.flatMap(\.streams) } }
}

import ObjectStores
import Synchronization

/// A store beyond a network that fails once: one call does not arrive there, or its reply does not come back.
final class UnsteadyStore: ObjectStore {
    private let store: any ObjectStore
    private let failing: Int
    private let takesEffect: Bool
    private let count = Mutex(0)

    /// - Parameter failing: the number of the call, from 1.
    init(_ store: any ObjectStore, failing: Int, takesEffect: Bool) {
        self.store = store
        self.failing = failing
        self.takesEffect = takesEffect
    }

    var place: String { store.place }
    var hasFailed: Bool { count.withLock { $0 >= failing } }

    func putIfAbsent(_ name: ObjectName, _ content: ObjectContent) async throws(ObjectStoreError) -> PutOutcome {
        try await call { () async throws(ObjectStoreError) in try await self.store.putIfAbsent(name, content) }
    }

    func get(_ name: ObjectName, range: Range<Int64>?) async throws(ObjectStoreError) -> ObjectBody? {
        try await call { () async throws(ObjectStoreError) in try await self.store.get(name, range: range) }
    }

    func head(_ name: ObjectName) async throws(ObjectStoreError) -> ObjectStatus? {
        try await call { () async throws(ObjectStoreError) in try await self.store.head(name) }
    }

    func list(prefix: String, after: ObjectName?, limit: Int) async throws(ObjectStoreError) -> [ObjectStatus] {
        try await call { () async throws(ObjectStoreError) in
            try await self.store.list(prefix: prefix, after: after, limit: limit)
        }
    }

    func delete(_ name: ObjectName) async throws(ObjectStoreError) {
        try await call { () async throws(ObjectStoreError) in try await self.store.delete(name) }
    }

    private func call<Success: Sendable>(
        _ work: () async throws(ObjectStoreError) -> Success
    ) async throws(ObjectStoreError) -> Success {
        let number = count.withLock {
            $0 += 1
            return $0
        }
        if number == failing, !takesEffect { throw ObjectStoreError(.unreachable, "\(place) cannot be reached") }
        let success = try await work()
        if number == failing { throw ObjectStoreError(.interrupted, "the reply of \(place) did not come") }
        return success
    }
}

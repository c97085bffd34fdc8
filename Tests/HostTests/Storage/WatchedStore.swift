import Model
import ObjectStores
import Synchronization

/// A store in memory that does something before each call, which may end it.
final class WatchedStore: ObjectStore {
    enum Call: Hashable, Sendable {
        case put(String)
        case get(String)
        case head(String)
        case list(String)
        case delete(String)
    }

    let store: any ObjectStore
    let place: String
    private let before: @Sendable (Call) async throws(ObjectStoreError) -> Void

    init(
        _ store: any ObjectStore, place: String? = nil,
        _ before: @escaping @Sendable (Call) async throws(ObjectStoreError) -> Void = { _ in }
    ) {
        (self.store, self.place, self.before) = (store, place ?? store.place, before)
    }

    func putIfAbsent(_ name: ObjectName, _ content: ObjectContent) async throws(ObjectStoreError) -> PutOutcome {
        try await before(.put(name.text))
        return try await store.putIfAbsent(name, content)
    }

    func get(_ name: ObjectName, range: Range<Int64>?) async throws(ObjectStoreError) -> ObjectBody? {
        try await before(.get(name.text))
        return try await store.get(name, range: range)
    }

    func head(_ name: ObjectName) async throws(ObjectStoreError) -> ObjectStatus? {
        try await before(.head(name.text))
        return try await store.head(name)
    }

    func list(prefix: String, after: ObjectName?, limit: Int) async throws(ObjectStoreError) -> [ObjectStatus] {
        try await before(.list(prefix))
        return try await store.list(prefix: prefix, after: after, limit: limit)
    }

    func delete(_ name: ObjectName) async throws(ObjectStoreError) {
        try await before(.delete(name.text))
        try await store.delete(name)
    }
}

/// Counts down.
final class Counter: Sendable {
    private let rest: Mutex<Int>

    init(_ count: Int) { rest = Mutex(count) }

    func next() -> Int {
        rest.withLock { rest in
            rest -= 1
            return rest
        }
    }
}

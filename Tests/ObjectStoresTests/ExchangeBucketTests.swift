import Disk
import InMemory
import Model
import ObjectStores
import Synchronization
import SystemPackage
import Testing

@Suite("The exchange in a bucket")
struct ExchangeBucketTests {
    @Test("a document that is too long for memory is refused when it is opened")
    func tooLong() async throws {
        let store = MemoryObjectStore()
        let bucket = try await offload { try ExchangeBucket(making: store) }
        let version = ExchangeLayout.list.string + "/0000000001"
        let content = [UInt8](repeating: 0x20, count: 64 << 20)
        _ = try await store.putIfAbsent(name(version), content)
        #expect(try await offload { try bucket.open(ExchangeLayout.list)?.status().sizeBytes } == 64 << 20)
        try await store.delete(name(version))
        _ = try await store.putIfAbsent(name(version), content + [0x20])
        let error = await #expect(throws: FileError.self) {
            _ = try await offload { try bucket.open(ExchangeLayout.list) }
        }
        #expect(error?.code == .fileTooLarge)
    }

    @Test("what a host writes is not lost when others have written twice since it looked for the last version")
    func overtaken() async throws {
        let store = MemoryObjectStore()
        let path = ExchangeLayout.list
        let quick = try await offload { try ExchangeBucket(making: store) }
        try await offload { try quick.write(bytes("former"), to: path, replacing: true) }
        let overtaken = OvertakenStore(store, before: try name(path.string + "/0000000002")) {
            try await offload {
                for content in ["quick", "quicker"] { try quick.write(bytes(content), to: path, replacing: true) }
            }
        }
        try await offload {
            try ExchangeBucket(making: overtaken).write(bytes("slow"), to: path, replacing: true)
            #expect(try quick.read(path, maximumBytes: 100)?.bytes == bytes("slow"))
        }
        #expect(overtaken.isOvertaken)
    }

    @Test("a version goes an hour after it was replaced, when another one is made")
    func versionsGo() async throws {
        let clock = ManualClock()
        let store = MemoryObjectStore(clock: clock)
        let path = ExchangeLayout.list
        let bucket = try await offload { try ExchangeBucket(making: store) }
        for minutes in [0, 50, 50, 50, 50] {
            clock.advance(by: .seconds(minutes * 60))
            try await offload { try bucket.write(bytes("at \(clock.now)"), to: path, replacing: true) }
        }
        // Of those made at 0, 50, 100 and 150 minutes one was replaced more than an hour before the last.
        let left = [2, 3, 4, 5].map { "\(path)/000000000\($0)" }
        #expect(try await store.names(path.string + "/") == left)
        #expect(try await offload { try bucket.read(path, maximumBytes: 100)?.bytes } == bytes("at \(clock.now)"))
    }
}

/// A store in which others write before one object is made for the first time.
private final class OvertakenStore: ObjectStore {
    private let store: MemoryObjectStore
    private let name: ObjectName
    private let overtake: @Sendable () async throws -> Void
    private let state = Mutex(false)

    init(_ store: MemoryObjectStore, before name: ObjectName, overtake: @escaping @Sendable () async throws -> Void) {
        self.store = store
        self.name = name
        self.overtake = overtake
    }

    var place: String { store.place }

    var isOvertaken: Bool { state.withLock { $0 } }

    func putIfAbsent(_ name: ObjectName, _ content: ObjectContent) async throws(ObjectStoreError) -> PutOutcome {
        if name == self.name,
            state.withLock({ wasOvertaken in
                defer { wasOvertaken = true }
                return !wasOvertaken
            })
        {
            do { try await overtake() } catch { throw ObjectStoreError(.interrupted, "\(error)") }
        }
        return try await store.putIfAbsent(name, content)
    }

    func get(_ name: ObjectName, range: Range<Int64>?) async throws(ObjectStoreError) -> ObjectBody? {
        try await store.get(name, range: range)
    }

    func head(_ name: ObjectName) async throws(ObjectStoreError) -> ObjectStatus? { try await store.head(name) }

    func list(prefix: String, after: ObjectName?, limit: Int) async throws(ObjectStoreError) -> [ObjectStatus] {
        try await store.list(prefix: prefix, after: after, limit: limit)
    }

    func delete(_ name: ObjectName) async throws(ObjectStoreError) { try await store.delete(name) }
}

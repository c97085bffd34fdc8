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
        let (slow, quick) = try await offload {
            (try ExchangeBucket(making: OvertakenStore(store, path)), try ExchangeBucket(making: store))
        }
        try await offload {
            try quick.write(bytes("former"), to: path, replacing: true)
            try slow.write(bytes("slow"), to: path, replacing: true)
            #expect(try quick.read(path, maximumBytes: 100)?.bytes == bytes("slow"))
        }
        // And it is the only version that is left.
        #expect(try await store.names(path.string + "/") == [path.string + "/0000000004"])
    }
}

/// A store in which another writer makes the versions 2 and 3, and removes 2, before the first put of version 2.
private final class OvertakenStore: ObjectStore {
    private let store: MemoryObjectStore
    private let path: FilePath
    private let isOvertaken = Mutex(false)

    init(_ store: MemoryObjectStore, _ path: FilePath) {
        self.store = store
        self.path = path
    }

    var place: String { store.place }

    func putIfAbsent(_ name: ObjectName, _ content: ObjectContent) async throws(ObjectStoreError) -> PutOutcome {
        let isFirst =
            name.text == path.string + "/0000000002"
            && isOvertaken.withLock { isOvertaken in
                defer { isOvertaken = true }
                return !isOvertaken
            }
        if isFirst, let former = ObjectName(path.string + "/0000000001"),
            let last = ObjectName(path.string + "/0000000003")
        {
            _ = try await store.putIfAbsent(last, Array("quick".utf8))
            try await store.delete(former)
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

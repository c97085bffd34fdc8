import Disk
import InMemory
import Model
import ObjectStores
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
}

import Disk
import InMemory
import Model
import ObjectStores
import Simulation
import Synchronization
import Testing

@Suite("A store proves itself")
struct StoreProofTests {
    @Test("a store that lets one writer win passes, and nothing is left of it", arguments: ObjectStoreKind.here)
    func passes(_ kind: ObjectStoreKind) async throws {
        try await kind.run { (store) async throws in
            try await StoreProof.run(on: store)
            #expect(try await store.names() == [])
        }
    }

    /// A store that lets the last writer win, or none.
    private struct Wrong: ObjectStore {
        let store = MemoryObjectStore()
        let outcome: PutOutcome
        var place: String { "wrong" }

        func putIfAbsent(_ name: ObjectName, _ content: ObjectContent) async throws(ObjectStoreError) -> PutOutcome {
            try await store.delete(name)
            _ = try await store.putIfAbsent(name, content)
            return outcome
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

    @Test("a store with eight winners, or none, is refused", arguments: [(PutOutcome.created, 8), (.exists, 0)])
    func refused(_ outcome: PutOutcome, _ winners: Int) async throws {
        let store = Wrong(outcome: outcome)
        let error = await #expect(throws: ObjectStoreError.self) { try await StoreProof.run(on: store) }
        #expect(error?.kind == .unusable)
        #expect(error?.reason.contains("let \(winners) of 8 writers") == true)
        #expect(try await store.store.names() == [])
    }

    /// A store that looks whether there is an object, and makes it then: now and then two find none. Every second round passes.
    private final class Lax: ObjectStore {
        let store = MemoryObjectStore()
        let generator: Mutex<SeededGenerator>
        let lucky = Mutex<[ObjectName: Bool]>([:])
        var place: String { "lax" }

        init(seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

        func putIfAbsent(_ name: ObjectName, _ content: ObjectContent) async throws(ObjectStoreError) -> PutOutcome {
            let outcome = try await store.putIfAbsent(name, content)
            let isLucky = lucky.withLock { lucky in
                let known = lucky[name] ?? generator.withLock { Bool.random(using: &$0) }
                lucky[name] = known
                return known
            }
            return isLucky ? outcome : .created
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

    @Test(
        "a store that lets two win only every second time is refused, a hundred times",
        arguments: 1...100 as ClosedRange<UInt64>)
    func lax(_ seed: UInt64) async throws {
        let store = Lax(seed: seed)
        let error = await #expect(throws: ObjectStoreError.self) { try await StoreProof.run(on: store) }
        #expect(error?.kind == .unusable)
        #expect(try await store.store.names() == [])
    }
}

import Disk
import InMemory
import Model
import ObjectStores
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
}

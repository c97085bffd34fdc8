import Disk
import Model
import ObjectStores
import Synchronization

/// Objects in memory, for as long as the value lasts.
package final class MemoryObjectStore: ObjectStore {
    private struct Stored {
        var bytes: [UInt8]
        var modified: Timestamp
    }

    package let place = "in-memory"
    private let clock: any StoreClock
    private let objects = Mutex<[ObjectName: Stored]>([:])

    package init(clock: any StoreClock = SystemClock()) { self.clock = clock }

    package func putIfAbsent(
        _ name: ObjectName, _ content: ObjectContent
    ) async throws(ObjectStoreError) -> PutOutcome {
        let bytes = try await Self.read(content)
        return objects.withLock { objects in
            if objects[name] != nil { return .exists }
            objects[name] = Stored(bytes: bytes, modified: clock.now)
            return .created
        }
    }

    private static func read(_ content: ObjectContent) async throws(ObjectStoreError) -> [UInt8] {
        if let bytes = content.bytes { return bytes }
        var bytes: [UInt8] = []
        do {
            while bytes.count < content.sizeBytes {
                let count = min(Int(content.sizeBytes) - bytes.count, Self.pieceBytes)
                let piece = try await content.read(Int64(bytes.count), count)
                if piece.isEmpty { break }
                bytes += piece
            }
        } catch {
            throw error as? ObjectStoreError ?? ObjectStoreError(.interrupted, "\(error)")
        }
        guard bytes.count == content.sizeBytes, Digest(sha256Of: bytes) == content.digest else {
            throw ObjectStoreError(.otherContent, "the content is not what its digest says")
        }
        return bytes
    }

    package func get(_ name: ObjectName, range: Range<Int64>?) async throws(ObjectStoreError) -> ObjectBody? {
        guard let stored = objects.withLock({ $0[name] }) else { return nil }
        let part = ObjectBody.part(range, of: Int64(stored.bytes.count))
        let offset = Mutex(part.lowerBound)
        return ObjectBody(sizeBytes: Int64(stored.bytes.count), modified: stored.modified, range: part) {
            () async throws(ObjectStoreError) -> [UInt8]? in
            offset.withLock { offset in
                let end = min(part.upperBound, offset + Int64(Self.pieceBytes))
                defer { offset = max(offset, end) }
                return offset < end ? Array(stored.bytes[Int(offset)..<Int(end)]) : nil
            }
        }
    }

    package func head(_ name: ObjectName) async throws(ObjectStoreError) -> ObjectStatus? {
        objects.withLock { $0[name] }.map { Self.status(name, $0) }
    }

    package func list(
        prefix: String, after: ObjectName?, limit: Int
    ) async throws(ObjectStoreError) -> [ObjectStatus] {
        precondition(limit > 0)
        let wanted = objects.withLock { objects in
            objects.filter { name, _ in name.hasPrefix(prefix) && (after.map { $0 < name } ?? true) }
        }
        return wanted.sorted { $0.key < $1.key }.prefix(limit).map { Self.status($0.key, $0.value) }
    }

    package func delete(_ name: ObjectName) async throws(ObjectStoreError) {
        _ = objects.withLock { $0.removeValue(forKey: name) }
    }

    private static func status(_ name: ObjectName, _ stored: Stored) -> ObjectStatus {
        ObjectStatus(name: name, sizeBytes: Int64(stored.bytes.count), modified: stored.modified)
    }
}

import Disk
import Model

/// Makes the files of changes, under the lock of edits.
extension Outbox {
    /// Adds several consecutive changes atomically.
    func addNow(
        deviceID: String, _ make: LocalChanges.ChangeMaking
    ) throws -> StoredChange {
        try addNow(try make(makeID(), clock.now, try sequence.next(deviceID: deviceID)))
    }

    @discardableResult
    func addNow(_ change: OutgoingChange) throws -> StoredChange {
        let item = OutboxItem(id: change.id, kind: change.kind, status: .done)
        let bytes = try change.file()
        do {
            try put(bytes, to: item.path, replacing: false)
        } catch {
            // The name may exist although its sync failed. After the error the caller retries: the change must not
            // exist twice.
            do throws(FileError) { try fileSystem.removeIfPresent(item.path) } catch {}
            throw error
        }
        return StoredChange(change: change, item: item, bytes: bytes, modified: clock.now)
    }
}

import Disk
import InMemory
import Model
import Quire

extension QuireStore {
    /// Opens a store in memory, for tests and previews. It behaves as one in a folder does, and lasts as long as its disk.
    ///
    ///     let disk = MemoryFileSystem()
    ///     let store = try QuireStore.inMemory(on: disk)
    ///     let again = try QuireStore.inMemory(on: disk)   // as a second process, or after a restart
    ///
    /// - Parameters:
    ///   - disk: the store that is on it is opened; where there is none it is made.
    ///   - settings: of a new store; those of one whose remote is a `ScriptedRemote` when `nil`.
    ///   - memoryTierBytes: how much content is kept in memory uncompressed, as for `open`.
    /// - Throws: `StoreError`, `FileError`.
    public static func inMemory(
        on disk: MemoryFileSystem? = nil, settings: StoreSettings? = nil, memoryTierBytes: Int = 0,
        clock: any StoreClock = SystemClock()
    ) throws -> QuireStore {
        let disk = disk ?? MemoryFileSystem(clock: clock)
        do {
            return try open(disk, memoryTierBytes: memoryTierBytes, clock: clock)
        } catch StoreError.noStore {
            let settings = settings ?? StoreSettings(remote: ScriptedRemote.origin, deviceId: "in-memory")
            _ = try create(disk, settings: settings, clock: clock)
            return try open(disk, memoryTierBytes: memoryTierBytes, clock: clock)
        }
    }
}

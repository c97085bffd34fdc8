import Disk
import Model
import SystemPackage

/// Reads and writes `store.json`.
struct SettingsFile: Sendable {
    let fileSystem: any FileSystem

    /// Reads the settings, after an upgrade of a store in an older format.
    ///
    /// - Parameter format: the formats that the program knows.
    func read(_ format: StoreFormat = .known) throws -> (StoreSettings, FileStatus) {
        var (bytes, status) = try content()
        // In the current format, one reading is enough.
        if let settings = try? DocumentCoding.decode(StoreSettings.self, from: bytes),
            settings.format == format.current
        {
            return (settings, status)
        }
        if try format.check(bytes, at: fileSystem.root) < format.current {
            try format.upgrade(fileSystem)
            (bytes, status) = try content()
        }
        do throws(DocumentFault) {
            return (try DocumentCoding.decode(StoreSettings.self, from: bytes), status)
        } catch {
            throw StoreError.damagedSettings(
                fileSystem.root.pushing(StoreLayout.settings), reason: error.description)
        }
    }

    private func content() throws -> ([UInt8], FileStatus) {
        do throws(FileError) {
            let (bytes, status) = try fileSystem.readFile(StoreLayout.settings, maximumBytes: 1 << 20)
            return (bytes, status)
        } catch {
            if error.isMissing { throw StoreError.noStore(fileSystem.root) }
            throw error
        }
    }

    /// Writes the settings durably.
    func write(_ settings: StoreSettings) throws {
        try fileSystem.writeDurably(
            try DocumentCoding.encode(settings), to: StoreLayout.settings, temporaryFolder: StoreLayout.temporary)
    }

    /// Whether the file is another one than that of this status.
    func differs(from known: FileStatus?) throws -> Bool {
        func stamp(_ status: FileStatus?) -> [Int64]? {
            status.map { [Int64(bitPattern: $0.inode), $0.modifiedNanoseconds, $0.sizeBytes] }
        }
        return stamp(try fileSystem.status(at: StoreLayout.settings)) != stamp(known)
    }
}

import Disk
import Model
import SystemPackage

/// Space for what arrives: temporary files, allocated within the quota.
extension ResponseStore {
    /// Allocates `sizeBytes` for a temporary file (a new one if there is none), within the quota.
    ///
    /// - Returns: `nil` if there is no room.
    func book(
        _ sizeBytes: Int64, for file: SpooledFile?, url: String, eviction: EvictionPolicy
    ) throws -> SpooledFile? {
        try cache.space.withSpace { used in
            let before = try file.map { try fileSystem.status($0.file).chargedBytes } ?? 0
            // Includes the folder and the entry that follow.
            let needed =
                (sizeBytes + QuotaLedger.blockBytes - 1) / QuotaLedger.blockBytes * QuotaLedger.blockBytes
                - before
            do {
                try cache.space.makeRoom(
                    for: needed + 2 * QuotaLedger.blockBytes, url: url, keeping: [], used: &used, eviction: eviction)
            } catch is CacheError {
                return nil
            }
            if cache.space.isDiskFull(for: needed) { return nil }
            try index.book(used + needed + QuotaLedger.blockBytes)
            var made: SpooledFile?
            var isBooked = false
            used += try cache.files.charge(of: CacheLayout.temporary) {
                made = try file ?? makeSpooledFile()
            }
            guard let made else { return nil }
            do throws(FileError) {
                try allocate(made, sizeBytes)
                isBooked = true
            } catch {
                // The disk is full: the content is not stored, and the started file is removed.
                if !error.isFull { throw error }
            }
            let after = try fileSystem.status(made.file).chargedBytes
            used += after - before
            if isBooked { return made }
            if file == nil {
                try fileSystem.removeIfPresent(made.path)
                used -= after
            }
            return nil
        }
    }

    private func makeSpooledFile() throws(FileError) -> SpooledFile {
        let temporary = try fileSystem.makeTemporaryFile(in: CacheLayout.temporary)
        return SpooledFile(temporary.path, temporary.file, fileSystem)
    }

    func allocate(_ file: SpooledFile, _ sizeBytes: Int64) throws(FileError) {
        do throws(FileError) {
            try fileSystem.continuing { () throws(FileError) in
                try fileSystem.allocate(file.file, sizeBytes: sizeBytes)
            }
        } catch {
            guard error.code == .notSupported || error.code == .noFunction || error.code == .invalidArgument else {
                throw error
            }
            // A file system without allocation: the length alone reserves the space.
            try fileSystem.continuing { () throws(FileError) in try fileSystem.resize(file.file, to: sizeBytes) }
        }
    }

    /// Releases the space of a temporary file beyond its content.
    func cut(_ file: SpooledFile, to sizeBytes: Int64) throws {
        try cache.space.withSpace { used in
            used += try cache.files.charge(of: file.path) {
                try fileSystem.continuing { () throws(FileError) in try fileSystem.resize(file.file, to: sizeBytes) }
            }
        }
    }

    /// Removes a temporary file that is not to become a blob.
    func discard(_ file: SpooledFile) {
        do {
            try cache.space.withSpace { used in
                // Its name may be gone: the complete cache was removed by hand, or the file is already a blob.
                let charged = try fileSystem.status(at: file.path)?.chargedBytes ?? 0
                try fileSystem.removeIfPresent(file.path)
                used -= charged
            }
        } catch {
            // Closing it makes it abandoned: the next eviction removes it.
        }
    }
}

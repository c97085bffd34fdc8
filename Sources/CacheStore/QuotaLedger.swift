import Disk
import Model
import SystemPackage

/// What the cache takes of the disk, as agreed between all processes.
///
/// Space is booked before it is used, under the cache's lock; so the number in the ledger is never less than what is
/// there. A process that dies between the two leaves it too high, which the next count mends. The ledger is never
/// synced: it names the boot that it was written in, and after a restart everything is counted anew.
struct QuotaLedger {
    let fileSystem: any FileSystem
    let bootIdentity: String

    private struct Content: Codable {
        var bootId: String
        var usedBytes: Int64
    }

    /// The booked bytes; `nil` when nobody has counted since the machine started.
    func usedBytes() -> Int64? {
        // An unreadable ledger is the same as none: the bytes are counted again.
        guard !bootIdentity.isEmpty, let (bytes, _) = try? fileSystem.readFile(CacheLayout.ledger, maximumBytes: 4096),
            let content = try? DocumentCoding.decode(Content.self, from: bytes), content.bootId == bootIdentity,
            // No disk holds more: a greater number is somebody's, and sums with it would overflow.
            (0...1 << 60).contains(content.usedBytes)
        else { return nil }
        return content.usedBytes
    }

    /// Whether it is one, of whatever boot.
    func isReadable() -> Bool {
        guard let (bytes, _) = try? fileSystem.readFile(CacheLayout.ledger, maximumBytes: 4096) else { return false }
        return (try? DocumentCoding.decode(Content.self, from: bytes)) != nil
    }

    /// Written in place, under the cache's lock: a torn one is not JSON, and the bytes are counted again.
    func write(usedBytes: Int64) throws {
        let bytes = try DocumentCoding.encodeLine(Content(bootId: bootIdentity, usedBytes: usedBytes))
        let file = try fileSystem.continuing { () throws(FileError) in
            try fileSystem.open(CacheLayout.ledger, .update)
        }
        do {
            try fileSystem.writeAll(file, bytes)
            try fileSystem.resize(file, to: Int64(bytes.count))
        } catch {
            fileSystem.closeQuietly(file)
            throw error
        }
        try fileSystem.close(file)
    }

    /// Counts everything under blobs, entries and tmp, the folders included, as `du` does.
    func count() throws(FileError) -> Int64 {
        var total: Int64 = 0
        for folder in [CacheLayout.blobs, CacheLayout.entries, CacheLayout.temporary] {
            total += try charge(folder)
        }
        return total
    }

    private func charge(_ folder: FilePath) throws(FileError) -> Int64 {
        guard let status = try fileSystem.status(at: folder) else { return 0 }
        var total = status.chargedBytes
        for entry in try fileSystem.list(folder) {
            let path = folder.appending(entry.name)
            if entry.kind == .folder {
                total += try charge(path)
            } else {
                total += try fileSystem.status(at: path)?.chargedBytes ?? 0
            }
        }
        return total
    }

    /// What a new file of this length will take at most, on a file system with blocks of 4 KiB.
    static func charge(forFileOf sizeBytes: Int) -> Int64 {
        (Int64(sizeBytes) + blockBytes - 1) / blockBytes * blockBytes
    }

    static let blockBytes: Int64 = 4096
}

import Disk
import Model
import Synchronization
import SystemPackage

/// The disk space of the cache, as agreed between all processes.
///
/// Space is booked before it is used, under the cache's lock; so the ledger's number is never less than the actual
/// size. A crash in between leaves it too high, which the next count corrects. The ledger is never synced: it names the
/// boot that it was written in, and after a restart everything is recounted.
///
/// The cache's folders may be changed by hand, and so may the number. So the ledger has a mark of both: it is trusted
/// as long as the folders are unchanged since the last booking, else everything is recounted.
final class QuotaLedger: Sendable {
    let fileSystem: any FileSystem
    let bootIdentity: String
    private let session = Mutex<Session?>(nil)
    /// The last written bytes: while they are on disk, no other process has written, and the mark need not be
    /// recomputed.
    private let latest = Mutex<(bytes: [UInt8], usedBytes: Int64, folders: Folders)?>(nil)

    init(fileSystem: any FileSystem, bootIdentity: String) {
        self.fileSystem = fileSystem
        self.bootIdentity = bootIdentity
    }

    /// The file while the cache's lock is held: it is read once and written two or three times for each document.
    private struct Session {
        var file: OpenFile
        /// The file's length; new content may be shorter.
        var sizeBytes: Int
        /// The folders when the lock was taken: bookings are for these until they are updated.
        var folders: Folders
    }

    /// The folders whose names change with bookings, at one moment.
    struct Folders: Sendable, Equatable {
        private let entriesInode, blobsInode: UInt64
        private let entriesNanoseconds, blobsNanoseconds: Int64

        init(entries: FileStatus?, blobs: FileStatus?) {
            entriesInode = entries?.inode ?? 0
            entriesNanoseconds = entries?.modifiedNanoseconds ?? 0
            blobsInode = blobs?.inode ?? 0
            blobsNanoseconds = blobs?.modifiedNanoseconds ?? 0
        }

        /// The inode and the time of each.
        fileprivate var text: String { "\(entriesInode) \(entriesNanoseconds) \(blobsInode) \(blobsNanoseconds)" }
    }

    /// The current folders. A new file in a shard's folder normally has an entry, too: `isUntouched` checks them.
    func folders() throws(FileError) -> Folders {
        Folders(
            entries: try fileSystem.status(at: CacheLayout.entries), blobs: try fileSystem.status(at: CacheLayout.blobs)
        )
    }

    /// Whether none of the folders was changed since the ledger was last written.
    func isUntouched() throws(FileError) -> Bool {
        guard let written = try fileSystem.status(at: CacheLayout.ledger)?.modifiedNanoseconds else { return false }
        var shards: [FileStatus?] = []
        if try fileSystem.status(at: CacheLayout.blobs)?.kind == .folder {
            let names = try fileSystem.list(CacheLayout.blobs).map(\.name)
            shards = try fileSystem.statuses(of: names, in: CacheLayout.blobs)
        }
        shards.append(try fileSystem.status(at: CacheLayout.temporary))
        return shards.allSatisfy { $0.map { $0.modifiedNanoseconds <= written } ?? true }
    }

    /// Keeps the file open during `body`. Only for the holder of the cache's lock.
    ///
    /// - Parameter folders: the current ones.
    func keepingOpen<Result>(_ folders: Folders, _ body: () throws -> Result) throws -> Result {
        let file: OpenFile
        do throws(FileError) {
            file = try fileSystem.continuing { () throws(FileError) in
                try fileSystem.open(CacheLayout.ledger, .update)
            }
        } catch {
            // On a full disk there may be no room for a new file, and eviction must work anyway.
            return try body()
        }
        session.withLock { $0 = Session(file: file, sizeBytes: .max, folders: folders) }
        let result: Result
        do {
            result = try body()
        } catch {
            session.withLock { $0 = nil }
            fileSystem.closeQuietly(file)
            throw error
        }
        session.withLock { $0 = nil }
        try fileSystem.close(file)
        return result
    }

    private struct Content: Codable {
        var bootId: String
        var usedBytes: Int64
        var mark: String?
    }

    /// The booked bytes; `nil` if they were not counted since the machine started, or something was changed by hand
    /// since.
    ///
    /// - Parameter folders: the current ones; read if not given.
    func usedBytes(_ folders: Folders? = nil) -> Int64? {
        // An unreadable ledger counts as missing: the bytes are recounted.
        guard !bootIdentity.isEmpty, let bytes = content(), let folders = try? folders ?? self.folders() else {
            return nil
        }
        if let latest = latest.withLock({ $0 }), latest.folders == folders, latest.bytes == bytes {
            return latest.usedBytes
        }
        guard let content = believed(bytes), content.mark == mark(content.usedBytes, folders) else { return nil }
        return content.usedBytes
    }

    /// The stated number, valid or not; `nil` if it is missing, or from another boot.
    func statedBytes() -> Int64? {
        guard !bootIdentity.isEmpty, let bytes = content(),
            let content = try? DocumentCoding.decode(Content.self, from: bytes), content.bootId == bootIdentity
        else { return nil }
        return content.usedBytes
    }

    private func believed(_ bytes: [UInt8]) -> (usedBytes: Int64, mark: String?)? {
        if let written = lineWritten(in: bytes) { return written }
        guard
            let content = try? DocumentCoding.decode(Content.self, from: bytes), content.bootId == bootIdentity,
            // No disk holds more: a greater number was edited, and sums with it would overflow.
            (0...1 << 60).contains(content.usedBytes)
        else { return nil }
        return (content.usedBytes, content.mark)
    }

    /// Binds the number to the folders that it was counted in.
    private func mark(_ usedBytes: Int64, _ folders: Folders) -> String {
        String(Digest(sha256Of: Array("\(bootIdentity) \(usedBytes) \(folders.text)".utf8)).hex.prefix(Self.markCount))
    }

    private static let markCount = 16

    /// The output of `encodeLine` before the mark; `nil` if the identity needs escapes.
    private var beginning: [UInt8]? {
        guard DocumentCoding.isPlain(bootIdentity) else { return nil }
        return Array("{\"bootId\":\"\(bootIdentity)\",\"mark\":\"".utf8)
    }

    private static let middle = Array("\",\"usedBytes\":".utf8)

    /// The number and the mark of a ledger in exactly our form; `nil` for any other, which a JSON reader parses.
    private func lineWritten(in bytes: [UInt8]) -> (usedBytes: Int64, mark: String?)? {
        guard let beginning, bytes.starts(with: beginning), bytes.suffix(2) == [0x7D, 0x0A] else { return nil }
        let rest = bytes[beginning.count..<bytes.count - 2]
        let afterMark = rest.dropFirst(Self.markCount)
        guard afterMark.starts(with: Self.middle) else { return nil }
        guard let number = DocumentCoding.number(afterMark.dropFirst(Self.middle.count)) else { return nil }
        return (number, String(decoding: rest.prefix(Self.markCount), as: UTF8.self))
    }

    /// Whether it is a valid ledger, of any boot.
    func isReadable() -> Bool {
        guard let (bytes, _) = try? fileSystem.readFile(CacheLayout.ledger, maximumBytes: 4096) else { return false }
        return (try? DocumentCoding.decode(Content.self, from: bytes)) != nil
    }

    private func content() -> [UInt8]? {
        guard let session = session.withLock({ $0 }) else {
            return try? fileSystem.readFile(CacheLayout.ledger, maximumBytes: Self.longest).bytes
        }
        guard let status = try? fileSystem.status(session.file), status.kind == .regular,
            status.sizeBytes <= Self.longest,
            let bytes = try? fileSystem.readPiece(session.file, at: 0, count: Int(status.sizeBytes))
        else { return nil }
        self.session.withLock { $0?.sizeBytes = bytes.count }
        return bytes
    }

    private static let longest: Int64 = 4096

    /// Written in place, under the cache's lock: a torn one is not JSON, and the bytes are recounted.
    ///
    /// - Parameter folders: those that the number is valid for. Without them it is a booking, for the folders as they
    ///   were before: a crash afterwards leaves changed folders, which are recounted, or the same, and a number that is
    ///   too high.
    func write(usedBytes: Int64, _ folders: Folders? = nil) throws {
        let folders = try folders ?? session.withLock { $0?.folders } ?? self.folders()
        let mark = mark(usedBytes, folders)
        let bytes =
            try beginning.map { $0 + Array(mark.utf8) + Self.middle + Array("\(usedBytes)}\n".utf8) }
            ?? DocumentCoding.encodeLine(Content(bootId: bootIdentity, usedBytes: usedBytes, mark: mark))
        latest.withLock { $0 = (bytes, usedBytes, folders) }
        if let session = session.withLock({ $0 }) {
            try fileSystem.writeAll(session.file, bytes)
            if bytes.count < session.sizeBytes {
                try fileSystem.continuing { () throws(FileError) in
                    try fileSystem.resize(session.file, to: Int64(bytes.count))
                }
            }
            self.session.withLock { $0?.sizeBytes = bytes.count }
            return
        }
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
        var names: [String] = []
        func addNamed() throws(FileError) {
            for status in try fileSystem.statuses(of: names, in: folder) { total += status?.chargedBytes ?? 0 }
            names.removeAll(keepingCapacity: true)
        }
        try fileSystem.eachEntry(of: folder) { entry throws(FileError) in
            if entry.kind == .folder {
                total += try charge(folder.appending(name: entry.name))
            } else {
                names.append(entry.name)
                if names.count == Self.looksAtOnce { try addNamed() }
            }
        }
        try addNamed()
        return total
    }

    /// The most names in memory.
    private static let looksAtOnce = 4096

    /// The most space that a new file of this length takes, on a file system with blocks of 4 KiB.
    static func charge(forFileOf sizeBytes: Int) -> Int64 {
        (Int64(sizeBytes) + blockBytes - 1) / blockBytes * blockBytes
    }

    static let blockBytes: Int64 = 4096
}

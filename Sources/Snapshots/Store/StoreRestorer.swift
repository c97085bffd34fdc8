import CacheStore
import Disk
import Model
import OutboxStore
import Quire
import SystemPackage

extension StoreSnapshot {
    /// The result of a restoration.
    package struct RestoreReport: Sendable {
        /// A store was made; otherwise the snapshot was merged into one.
        package var isNew = false
        package var tests = Outbox.ImportReport()
        /// Pins and favourites that were missing.
        package var marks = 0
        /// Questionnaires and media that were missing.
        package var cached = 0
        /// URLs of those for which the quota has no room.
        package var withoutRoom: [String] = []
        /// Tests and receipts that contradict themselves, each with the reason.
        package var refused: [String] = []
        /// Files that a store of this program does not have.
        package var unknown: [String] = []
        package var summary: SnapshotSummary
    }
}

/// Restores one snapshot into a new store, or merges it into an existing one.
final class StoreRestorer {
    private let reader: SnapshotReader
    private let store: QuireStore
    private let isNew: Bool
    private var report: StoreSnapshot.RestoreReport
    /// Its content comes next, unless it is here already.
    private var entry: CacheEntry?
    private var needed: Protection?

    /// - Parameter target: where the store is, or is made.
    init(_ snapshot: StoreSnapshot.Place, to target: StoreSnapshot.Target) throws {
        reader = try StoreSnapshot.open(snapshot)
        if let content = reader.header?.content, content != .store {
            throw SnapshotFault(reader.name, "it is of a host's data: use “quire host snapshot restore”")
        }
        let settings = try reader.takeFirst(StoreSnapshotLayout.settings.string)
        do throws(any Error) {
            store = try target.open()
            isNew = false
        } catch StoreError.noStore {
            if reader.header?.since != nil {
                throw SnapshotFault(reader.name, "it continues another snapshot: restore that one first, then this one")
            }
            store = try target.create(try Self.settings(settings))
            isNew = true
        }
        reader.makeSpool = { [store] in try SnapshotSpool(in: store.fileSystem, folder: OutboxLayout.temporary) }
        report = StoreSnapshot.RestoreReport(isNew: isNew, summary: reader.summary)
    }

    /// Where the settings are damaged, a new device begins with those that every store begins with.
    private static func settings(_ file: SnapshotReader.File?) throws -> StoreSettings {
        guard let file, case .bytes(let bytes) = file.content else {
            return StoreSettings(remote: nil, deviceId: TestID.random().description)
        }
        return StoreSnapshot.portable(try DocumentCoding.decode(StoreSettings.self, from: bytes))
    }

    func restore() throws -> StoreSnapshot.RestoreReport {
        while let file = try reader.peek() {
            if OutboxLayout.holds(file.path) {
                try restoreTests()
            } else {
                _ = try reader.take()
                try restore(file)
            }
        }
        if let entry { try restoreContent(of: entry) }
        report.summary = reader.summary
        store.journal.record(
            "restored", detail: "\(report.tests.taken.count) tests, \(report.cached) cached, from \(reader.name)")
        return report
    }

    private func restore(_ file: SnapshotReader.File) throws {
        switch FilePath(file.path) {
        case StoreSnapshotLayout.settings: break
        case StoreSnapshotLayout.pageKey, StoreSnapshotLayout.token: try restoreSecret(file)
        case let path where path.starts(with: CacheLayout.entries): try restoreEntry(file)
        case let path where path.starts(with: CacheLayout.blobs): try restoreBlob(file)
        default:
            guard let (folder, name) = StoreSnapshotLayout.placeInFolder(file.path) else {
                report.unknown.append(file.path)
                return
            }
            // Another device's events stay its own, and so does its current person.
            if folder == StoreSnapshotLayout.log, !isNew { return }
            if FilePath(file.path) == StoreSnapshotLayout.currentPerson, !isNew { return }
            let isRestored = try copy(file, to: folder.appending(name), in: folder)
            if isRestored, folder == StoreSnapshotLayout.marks { report.marks += 1 }
        }
    }

    // MARK: Tests

    /// All files of the outbox that follow, as an archive that `outbox import` takes.
    private func restoreTests() throws {
        let archive = OutboxArchive(reader)
        let imported = try store.outbox.importTests(
            { try archive.read(into: $0) }, replacing: { reader.outdated },
            refuse: { report.refused.append($0.description) })
        report.unknown += archive.refused
        report.tests.taken += imported.taken
        report.tests.advanced += imported.advanced
        report.tests.known += imported.known
        report.tests.conflicts += imported.conflicts
    }

    // MARK: Plain files

    /// - Returns: whether it was missing.
    private func copy(_ file: SnapshotReader.File, to path: FilePath, in folder: FilePath) throws -> Bool {
        let files = store.fileSystem
        if !folder.isEmpty { try files.makeDurableFolder(folder) }
        if try files.status(at: path) != nil { return false }
        try files.writeDurably(to: path, temporaryFolder: OutboxLayout.temporary, modified: file.modified) { take in
            try file.content.eachPiece(take)
        }
        return true
    }

    /// The page's key, and the token, which from then on lies in the store. Those of an existing store stay.
    private func restoreSecret(_ file: SnapshotReader.File) throws {
        guard isNew, try copy(file, to: FilePath(file.path), in: FilePath()),
            FilePath(file.path) == StoreSnapshotLayout.token
        else { return }
        let path = store.path.pushing(StoreSnapshotLayout.token).string
        try store.changeSettings { $0.tokenFile = path }
    }

    // MARK: Questionnaires

    private func restoreEntry(_ file: SnapshotReader.File) throws {
        if let entry { try restoreContent(of: entry) }
        entry = nil
        guard case .bytes(let bytes) = file.content,
            let entry = try? DocumentCoding.decode(CacheEntry.self, from: bytes),
            CacheLayout.entryPath(url: entry.url).string == file.path
        else {
            report.unknown.append(file.path)
            return
        }
        self.entry = entry
    }

    /// The content of the entry before it, or a version that a test was taken with.
    private func restoreBlob(_ file: SnapshotReader.File) throws {
        guard let blob = CacheLayout.blobName(path: FilePath(file.path)), blob.digest == file.digest,
            !blob.isCompressed || file.sizeBytes <= Cache.maximumContentBytes,
            let sizeBytes = Int(exactly: file.sizeBytes)
        else {
            report.unknown.append(file.path)
            return
        }
        if let entry, entry.digest == file.digest {
            self.entry = nil
            return try restore(entry) { try file.content.piece(at: $0) }
        }
        if try store.cache.restore(blob, sizeBytes: sizeBytes, reading: { try file.content.piece(at: $0) }) == .noRoom {
            report.withoutRoom.append(file.path)
        }
    }

    /// Restores an entry's content that another entry already stored.
    private func restoreContent(of entry: CacheEntry) throws {
        guard let content = try? store.cache.open(entry) else {
            // A snapshot that continues another has only what changed.
            return
        }
        if entry.blob.isCompressed {
            guard let bytes = try store.cache.content(digest: entry.digest) else { return }
            return try restore(entry) { Array(bytes.dropFirst(Int($0)).prefix(SnapshotWriter.pieceBytes)) }
        }
        try restore(entry) { try content.piece(at: $0, maximumBytes: .max) }
    }

    private func restore(_ entry: CacheEntry, _ read: (Int64) throws -> [UInt8]) throws {
        switch try store.cache.restore(entry, isNeeded: isNeeded(entry), reading: read) {
        case .restored: report.cached += 1
        case .known: break
        case .noRoom: report.withoutRoom.append(entry.url)
        }
    }

    /// Whether a test, a pin or a favourite refers to it; the tests and the marks are restored by now.
    private func isNeeded(_ entry: CacheEntry) throws -> Bool {
        let known = try needed ?? store.protection()
        needed = known
        return known.digests.contains(entry.digest) || known.content.contains(entry.digest)
            || entry.document.map { known.documentIDs.contains($0.id) } ?? false
    }
}

extension SnapshotReader.Content {
    /// A piece from `offset` on; nothing at the end.
    func piece(at offset: Int64) throws -> [UInt8] {
        switch self {
        case .bytes(let bytes): Array(bytes.dropFirst(Int(offset)).prefix(SnapshotWriter.pieceBytes))
        case .spool(let spool): try spool.piece(at: offset)
        case .checked: []
        }
    }

    func eachPiece(_ body: ([UInt8]) throws -> Void) throws {
        var offset: Int64 = 0
        while case let piece = try piece(at: offset), !piece.isEmpty {
            try body(piece)
            offset += Int64(piece.count)
        }
    }
}

import CacheStore
import Disk
import Model
import Quire
import SystemPackage

/// Restores questionnaires and media, and the versions that tests were taken with.
final class CacheRestorer {
    private let store: QuireStore
    private let reader: SnapshotReader
    /// Its content comes next, unless it is here already.
    private var entry: CacheEntry?
    private var needed: Protection?
    /// What exists nowhere else: versions of tests, and edits that were made on the device.
    private var durable: Set<FilePath> = []
    private var versionsWithoutRoom: Set<Digest> = []

    private(set) var cached = 0
    private(set) var withoutRoom: [String] = []
    private(set) var withoutContent: [String] = []
    private(set) var kept: [String] = []
    private(set) var unknown: [String] = []

    init(_ store: QuireStore, _ reader: SnapshotReader) {
        self.store = store
        self.reader = reader
    }

    func restoreEntry(_ file: SnapshotReader.File) throws {
        try restoreRest()
        guard case .bytes(let bytes) = file.content,
            let entry = try? DocumentCoding.decode(CacheEntry.self, from: bytes),
            CacheLayout.entryPath(url: entry.url).string == file.path
        else {
            unknown.append(file.path)
            return
        }
        self.entry = entry
    }

    /// The content of the entry before it, or a version that a test was taken with.
    func restoreBlob(_ file: SnapshotReader.File) throws {
        guard let blob = CacheLayout.blobName(path: FilePath(file.path)), blob.digest == file.digest,
            !blob.isCompressed || file.sizeBytes <= Cache.maximumContentBytes,
            let sizeBytes = Int(exactly: file.sizeBytes)
        else {
            unknown.append(file.path)
            return
        }
        if let entry, entry.digest == file.digest {
            self.entry = nil
            return try restore(entry, of: file.sizeBytes) { try file.content.piece(at: $0) }
        }
        let result = try store.cache.transfer.restore(blob, sizeBytes: sizeBytes) { try file.content.piece(at: $0) }
        if result == .noRoom {
            versionsWithoutRoom.insert(blob.digest)
        } else {
            durable.insert(blob.path)
        }
    }

    /// Restores an entry whose content another entry already stored, or the snapshot that this one continues.
    func restoreRest() throws {
        guard let entry else { return }
        self.entry = nil
        do throws(any Error) {
            let content = try store.cache.transfer.open(entry)
            if entry.blob.isCompressed {
                let bytes = try store.cache.transfer.content(of: entry.blob)
                guard let bytes else { return try note(entry, in: &withoutContent) }
                return try restore(entry, of: Int64(bytes.count)) {
                    Array(bytes.dropFirst(Int($0)).prefix(SnapshotWriter.pieceBytes))
                }
            }
            try restore(entry, of: content.status().sizeBytes) { try content.piece(at: $0, maximumBytes: .max) }
        } catch let error as FileError where error.isMissing {
            try note(entry, in: &withoutContent)
        }
    }

    /// URLs are kept in memory, too, and longer than the names of their files.
    private func note(_ entry: CacheEntry, in urls: inout [String]) throws {
        try reader.count([entry.url])
        urls.append(entry.url)
    }

    /// - Parameter sizeBytes: the length of the content, whatever the entry says.
    private func restore(_ entry: CacheEntry, of sizeBytes: Int64, _ read: (Int64) throws -> [UInt8]) throws {
        let path = CacheLayout.entryPath(url: entry.url)
        // It would be read into memory as a whole, and no questionnaire is as long.
        guard Int64(entry.sizeBytes) == sizeBytes, entry.document == nil || sizeBytes <= Cache.maximumContentBytes
        else {
            return unknown.append(path.string)
        }
        let result = try store.cache.transfer.restore(
            entry, isNeeded: isNeeded(entry), replacing: reader.outdated[path.string], reading: read)
        switch result {
        case .restored: cached += 1
        case .known: break
        case .different:
            if reader.header?.since != nil { kept.append(path.string) }
            return
        case .noRoom: return try note(entry, in: &withoutRoom)
        }
        if entry.edited != nil, let restored = try store.cache.transfer.entry(in: path) {
            durable.formUnion([path, restored.blob.path])
        }
    }

    /// Whether a test, a pin or a favourite refers to it; the tests and the marks are restored by now.
    private func isNeeded(_ entry: CacheEntry) throws -> Bool {
        let known = try needed ?? store.protection()
        needed = known
        return known.digests.contains(entry.digest) || known.content.contains(entry.digest)
            || entry.document.map { known.documentIDs.contains($0.id) } ?? false
    }

    /// Makes versions and edits durable.
    func finish() throws {
        try restoreRest()
        try store.cache.transfer.makeDurable(durable)
    }

    /// Tests whose version, or its media, found no room.
    func testsWithoutVersion() throws -> [TestID] {
        if versionsWithoutRoom.isEmpty { return [] }
        return try store.outbox.scan().tests.filter { item in
            // A file that is not a test has no version.
            let record = store.outbox.listed(item)?.record
            return record.map { !versionsWithoutRoom.isDisjoint(with: $0.questionnaire.content) } ?? false
        }.map(\.id)
    }

    /// Whether content that the snapshot leaves to the one that it continues is needed by a test and missing.
    func isAbsent(_ blob: CacheLayout.BlobName, of versions: Set<Digest>) throws -> Bool {
        guard versions.contains(blob.digest) else { return false }
        return try store.fileSystem.status(at: blob.path) == nil
    }
}

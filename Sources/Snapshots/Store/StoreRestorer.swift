import CacheStore
import Disk
import Model
import OutboxStore
import Quire
import SystemPackage

/// Restores one snapshot into a new store, or merges it into an existing one.
final class StoreRestorer {
    private let reader: SnapshotReader
    private let store: QuireStore
    private let cache: CacheRestorer
    private let isNew: Bool
    private var report: StoreSnapshot.RestoreReport
    private var tests: Set<TestID> = []
    /// Folders of files that were there already.
    private var confirmed: Set<FilePath> = []

    /// - Parameter target: where the store is, or is made.
    init(_ snapshot: StoreSnapshot.Place, to target: StoreSnapshot.Target) throws {
        reader = try StoreSnapshot.open(snapshot)
        if let content = reader.header?.content, content != .store {
            throw SnapshotFault(reader.name, "it is of a host's data: use “quire host snapshot restore”")
        }
        if let format = reader.header?.storeFormat, format > StoreSettings.currentFormat {
            throw SnapshotFault(
                reader.name,
                "its store has format \(format), and this program knows up to \(StoreSettings.currentFormat): use a newer Quire"
            )
        }
        let settings = try reader.takeFirst(StoreSnapshotLayout.settings.string)
        let opened = try Self.open(target, settings, reader)
        store = opened.store
        isNew = opened.isNew
        cache = CacheRestorer(store, reader)
        report = StoreSnapshot.RestoreReport(isNew: isNew, summary: reader.summary)
        if opened.hasOtherSettings { report.kept.append(StoreSnapshotLayout.settings.string) }
        let fileSystem = opened.store.fileSystem
        reader.makeSpool = { try SnapshotSpool(in: fileSystem, folder: OutboxLayout.temporary) }
    }

    private struct Opened {
        var store: QuireStore
        var isNew: Bool
        var hasOtherSettings = false
    }

    private static func open(
        _ target: StoreSnapshot.Target, _ settings: SnapshotReader.File?, _ reader: SnapshotReader
    ) throws -> Opened {
        let found: QuireStore
        do throws(any Error) {
            found = try target.open()
        } catch StoreError.noStore {
            if reader.header?.since != nil {
                throw SnapshotFault(reader.name, "it continues another snapshot: restore that one first, then this one")
            }
            var settings = try Self.settings(settings)
            settings.restoring = reader.identity
            return Opened(store: try target.create(settings), isNew: true)
        }
        // An interrupted restore of this very snapshot made it.
        let isNew = found.settings.restoring != nil && found.settings.restoring == reader.identity
        switch try continueSettings(of: found, settings, reader) {
        case .unchanged: return Opened(store: found, isNew: isNew)
        case .kept: return Opened(store: found, isNew: isNew, hasOtherSettings: true)
        case .changed: return Opened(store: try target.open(), isNew: isNew)
        }
    }

    // MARK: Settings

    /// Where the settings are damaged, a new device begins with those that every store begins with.
    private static func settings(_ file: SnapshotReader.File?) throws -> StoreSettings {
        guard let file, case .bytes(let bytes) = file.content else {
            return StoreSettings(remote: nil, deviceId: TestID.random().description)
        }
        return StoreSnapshot.portable(try DocumentCoding.decode(StoreSettings.self, from: bytes))
    }

    private enum SettingsChange {
        case unchanged, changed, kept
    }

    /// Replaces the settings of a store by later ones of a snapshot that continues the one it was made from, unless they were
    /// changed here. The paths of this machine's files and its proxy stay.
    private static func continueSettings(
        of store: QuireStore, _ file: SnapshotReader.File?, _ reader: SnapshotReader
    ) throws -> SettingsChange {
        guard let file, let former = reader.outdated[file.path] else { return .unchanged }
        let arriving = try settings(file)
        var change = SettingsChange.kept
        try store.changeSettings { current in
            let known = StoreSnapshot.portable(current)
            if known == arriving { change = .unchanged }
            guard Digest(sha256Of: try DocumentCoding.encode(known)) == former else { return }
            var settings = arriving
            settings.tokenFile = current.tokenFile
            settings.caFile = current.caFile
            settings.proxy = current.proxy
            settings.restoring = current.restoring
            current = settings
            change = .changed
        }
        return change
    }

    // MARK: Files

    func restore() throws -> StoreSnapshot.RestoreReport {
        while let file = try reader.peek() {
            if OutboxLayout.holds(file.path) {
                try restoreTests()
            } else {
                _ = try reader.take()
                try restore(file)
            }
        }
        for folder in confirmed { try store.fileSystem.makeDurable(folder: folder) }
        try cache.finish()
        report.summary = reader.summary
        // Of a damaged snapshot it is not known what is gone.
        if report.summary.isIntact {
            try removeOutdated()
            try discardGone()
        }
        try findAbsent()
        report.cached = cache.cached
        report.withoutRoom = cache.withoutRoom
        report.withoutContent = cache.withoutContent
        report.testsWithoutVersion = try cache.testsWithoutVersion()
        report.kept += cache.kept
        report.unknown += cache.unknown
        if isNew { try store.changeSettings { $0.restoring = nil } }
        store.journal.record(
            "restored", detail: "\(report.tests.taken.count) tests, \(report.cached) cached, from \(reader.name)")
        return report
    }

    private func restore(_ file: SnapshotReader.File) throws {
        switch FilePath(file.path) {
        case StoreSnapshotLayout.settings: break
        case StoreSnapshotLayout.pageKey, StoreSnapshotLayout.token: try restoreSecret(file)
        case let path where path.isWithin(CacheLayout.entries): try cache.restoreEntry(file)
        case let path where path.isWithin(CacheLayout.blobs): try cache.restoreBlob(file)
        default:
            guard let (folder, name) = StoreSnapshotLayout.placeInFolder(file.path) else {
                report.unknown.append(file.path)
                return
            }
            // Another device's events stay its own, and so does its current person.
            if folder == StoreSnapshotLayout.log, !isNew { return }
            if FilePath(file.path) == StoreSnapshotLayout.currentPerson, !isNew { return }
            let result = try copy(file, to: folder.appending(name: name), in: folder)
            if result == .restored, folder == StoreSnapshotLayout.marks { report.marks += 1 }
            if result == .kept, reader.header?.since != nil { report.kept.append(file.path) }
        }
    }

    /// Removes marks and people that are gone since the snapshot that this one continues, unless they were changed here.
    private func removeOutdated() throws {
        for (text, digest) in reader.outdated.sorted(by: { $0.key < $1.key }) {
            guard let (folder, name) = StoreSnapshotLayout.placeInFolder(text),
                StoreSnapshotLayout.isContinued(folder),
                FilePath(text) != StoreSnapshotLayout.currentPerson,
                case let path = folder.appending(name: name), try self.digest(of: path) == digest
            else { continue }
            try store.fileSystem.removeIfPresent(path)
            try store.fileSystem.makeDurable(folder: folder)
        }
    }

    /// Discards tests that were discarded since the snapshot that this one continues, unless they went on here.
    private func discardGone() throws {
        // Version 1 names tests as gone that could not be read, too.
        guard let header = reader.header, header.since != nil, header.version > 1 else { return }
        let present = tests.union(reader.unchanged.compactMap { OutboxLayout.id(ofFile: FilePath($0)) })
        let gone = reader.outdated.filter { path, _ in
            OutboxLayout.item(ofFile: FilePath(path)).map { !present.contains($0.id) } ?? false
        }
        if gone.isEmpty { return }
        let result = try store.outbox.transfer.discardGone(gone.map { FileDigest(path: $0.key, digest: $0.value) })
        report.discarded = result.discarded.map(\.string)
        report.keptTests = result.kept.map(\.string)
    }

    /// Names files that the snapshot leaves to the one that it continues, and that are not here.
    private func findAbsent() throws {
        if reader.unchanged.isEmpty { return }
        let versions = try store.versionsOfTests().reduce(into: Set<Digest>()) { $0.formUnion($1.content) }
        for text in reader.unchanged where try isAbsent(text, versions) { report.absent.append(text) }
    }

    private func isAbsent(_ text: String, _ versions: Set<Digest>) throws -> Bool {
        let path = FilePath(text)
        if let id = OutboxLayout.id(ofFile: path) { return try store.outbox.find(id) == nil }
        if let digest = OutboxLayout.mediaDigest(ofFile: path) {
            return try !store.outbox.media.hasBytes(digest) && !store.outbox.media.isDelivered(digest)
        }
        // A pull fetches what no test needs.
        if let blob = CacheLayout.blobName(path: path) { return try cache.isAbsent(blob, of: versions) }
        guard let (folder, name) = StoreSnapshotLayout.placeInFolder(text), folder != StoreSnapshotLayout.log else {
            return false
        }
        return try store.fileSystem.status(at: folder.appending(name: name)) == nil
    }

    // MARK: Tests

    /// Each file may have one, and what a damaged file says of itself may be in it. In characters.
    private static let longestReason = 1000

    /// All files of the outbox that follow, as an archive that `outbox import` takes.
    private func restoreTests() throws {
        let archive = OutboxArchive(reader)
        let imported = try store.outbox.transfer.importTests(
            { try archive.read(into: $0) }, knowing: { archive.facts },
            refuse: { report.refused.append(String($0.description.prefix(Self.longestReason))) }, doubt: { _ in })
        report.unknown += archive.refused
        tests.formUnion(archive.ids)
        report.tests.taken += imported.taken
        report.tests.advanced += imported.advanced
        report.tests.known += imported.known
        report.tests.conflicts += imported.conflicts
        report.tests.newer += imported.newer
        report.tests.unproven += imported.unproven
        report.tests.contradicting += imported.contradicting
        report.tests.withoutAnswers += imported.withoutAnswers
    }

    // MARK: Plain files

    private enum Copy {
        /// It was missing, or took the place of its former version.
        case restored
        case known
        /// There is one with other content, which stays.
        case kept
    }

    private func copy(_ file: SnapshotReader.File, to path: FilePath, in folder: FilePath) throws -> Copy {
        let files = store.fileSystem
        if folder.isWithin(StoreSnapshotLayout.authorDrafts) {
            try files.makeDurableFolder(StoreSnapshotLayout.authorDrafts)
            if folder.name == ContentPath.folder {
                try files.makeDurableFolder(folder.folder)
            }
        }
        if !folder.isEmpty { try files.makeDurableFolder(folder) }
        if try files.status(at: path) != nil {
            let digest = try digest(of: path)
            if digest == file.digest {
                // The restore that wrote it may have failed before its name was durable.
                confirmed.insert(folder)
                return .known
            }
            guard let digest, digest == reader.outdated[file.path] else { return .kept }
        }
        try files.writeDurably(to: path, temporaryFolder: OutboxLayout.temporary, modified: file.modified) { take in
            try file.content.eachPiece(take)
        }
        return .restored
    }

    /// `nil` where no regular file is there.
    private func digest(of path: FilePath) throws -> Digest? {
        guard try store.fileSystem.status(at: path)?.kind == .regular else { return nil }
        return try OpenContent(path, in: store.fileSystem).digest()
    }

    /// The page's key, and the token, which from then on lies in the store. Those of an existing store stay.
    private func restoreSecret(_ file: SnapshotReader.File) throws {
        let path = FilePath(file.path)
        let isMissing = try store.fileSystem.status(at: path) == nil
        guard try isNew || (!isMissing && copy(file, to: path, in: FilePath()) != .kept) else {
            report.unusedSecrets.append(file.path)
            return
        }
        guard isNew else { return }
        _ = try copy(file, to: path, in: FilePath())
        if path == StoreSnapshotLayout.token {
            // Other programs start in other folders.
            let token = (POSIXFileSystem.resolved(store.path) ?? store.path).pushing(path).string
            try store.changeSettings { $0.tokenFile = token }
        }
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

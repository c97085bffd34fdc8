import CacheStore
import Disk
import Model
import OutboxStore
import Quire
import SystemPackage

/// Saves one store as a snapshot.
final class StoreSaver {
    /// No other file of a store outside of the outbox's and the cache's folders is longer, but those in quarantine.
    private static let maximumSettingsBytes: Int64 = 1 << 20
    /// So many entries are read before their content is announced and written.
    private static let entriesAtATime = 128
    /// So much content, unpacked, is read before it is written; one that is longer alone.
    private static let contentBytesAtATime = 2 << 20
    /// At most so many contents, whatever lengths their entries state; so many entries are read by one thread.
    private static let partSize = 16

    private static let maximumTestBytes = Int(Outbox.maximumItemBytes)

    private let store: QuireStore
    private let options: StoreSnapshot.Options
    private let since: SnapshotIndex?
    private let spool: SnapshotSpool
    private var leftOut: [String] = []

    init(_ store: QuireStore, _ options: StoreSnapshot.Options, since: SnapshotIndex?, spool: SnapshotSpool) {
        self.store = store
        self.options = options
        self.since = since
        self.spool = spool
    }

    func save(to write: @escaping ([UInt8]) throws -> Void) throws -> StoreSnapshot.SaveReport {
        let settings = StoreSnapshot.portable(store.settings)
        let header = SnapshotHeader(
            content: .store, storeFormat: settings.format, createdAt: store.clock.now, deviceId: settings.deviceId,
            withCache: options.withCache, withSecrets: options.withSecrets, since: since?.digest)
        var writer = try SnapshotWriter(header, options.format, known: since?.digests ?? [:], to: write)

        // Attachments before the tests: one whose test is delivered meanwhile is removed from the store. So is a draft of an author
        // that is published meanwhile, as a change.
        let media = try store.outbox.media.digests()
        let draftFolders = try folders(in: StoreSnapshotLayout.authorDrafts)
        let states = try files(in: draftFolders)
        // Looked at after the states, and written before them: a state never names a picture that is not there.
        let drafts = try files(in: draftFolders.map { $0.appending(name: ContentPath.folder) }) + states
        try writer.announce(
            [StoreSnapshotLayout.settings.string] + media.map { OutboxLayout.mediaPath($0).string }
                + drafts.map(\.string))
        try writer.add(
            StoreSnapshotLayout.settings.string, modified: header.createdAt, try DocumentCoding.encode(settings))
        for path in drafts { try addFile(path, to: &writer) }
        // Directly before the tests: a restore imports both together, so that no attachment is without its test meanwhile.
        for digest in media { try addFile(OutboxLayout.mediaPath(digest), expecting: digest, to: &writer) }

        leftOut += try store.outbox.transfer.capture {
            try spool.clear()
            return { try self.spool.append($0) }
        }.unreadable
        let (tests, files) = (try self.tests(), try files(in: StoreSnapshotLayout.copiedFolders))
        let new = try store.outbox.media.digests().filter { !media.contains($0) }
        let cached = try CachedContent(of: store, isComplete: options.withCache)
        try writer.announce(
            tests.map(\.path) + new.map { OutboxLayout.mediaPath($0).string } + files.map(\.string) + cached.paths)
        try writer.name(earlier: earlierVersions(of: tests))
        try writer.supersede(outdated(by: tests, drafts + files))
        try addTests(to: &writer)
        for digest in new { try addFile(OutboxLayout.mediaPath(digest), expecting: digest, to: &writer) }
        for path in files { try addFile(path, to: &writer) }
        try addSecrets(to: &writer)
        try addCache(cached, to: &writer)
        return StoreSnapshot.SaveReport(
            files: writer.files, contentBytes: writer.contentBytes, digest: try writer.finish(), leftOut: leftOut)
    }

    // MARK: Settings, marks, quarantine, log, drafts of authors

    private func files(in folders: [FilePath]) throws -> [FilePath] {
        try folders.flatMap { folder -> [FilePath] in
            guard try store.fileSystem.status(at: folder)?.kind == .folder else { return [] }
            return try store.fileSystem.list(folder)
                .filter { $0.kind == .regular && !$0.name.hasPrefix(".") && !$0.name.hasSuffix(".tmp") }
                .map(\.name).sorted().map { folder.appending(name: $0) }
        }
    }

    private func folders(in folder: FilePath) throws -> [FilePath] {
        guard try store.fileSystem.status(at: folder)?.kind == .folder else { return [] }
        return try store.fileSystem.list(folder).filter { $0.kind == .folder }.map(\.name).sorted().map {
            folder.appending(name: $0)
        }
    }

    private func addSecrets(to writer: inout SnapshotWriter) throws {
        guard options.withSecrets else { return }
        // With the key alone, a browser whose access was closed would have access to the restored store.
        if try store.fileSystem.status(at: StoreSnapshotLayout.pageKey)?.kind == .regular,
            try !store.pageAccess.hasClosed()
        {
            try addFile(StoreSnapshotLayout.pageKey, to: &writer)
        }
        guard let tokenFile = store.settings.tokenFile else { return }
        let place = try StoreSnapshot.place(of: FilePath(tokenFile))
        let (bytes, status) = try place.folder.readFile(place.name, maximumBytes: Self.maximumSettingsBytes)
        try writer.add(StoreSnapshotLayout.token.string, modified: status.modified, bytes)
    }

    private func addFile(
        _ path: FilePath, expecting expected: Digest? = nil, to writer: inout SnapshotWriter
    ) throws {
        try writer.addFile(path, in: store.fileSystem, expecting: expected) { leftOut.append($0) }
    }

    // MARK: Tests

    private func captured() -> TarReader {
        var offset: Int64 = 0
        return TarReader { buffer in
            let piece = try self.spool.piece(at: offset, maximumBytes: buffer.count)
            offset += Int64(piece.count)
            buffer.copyBytes(from: piece)
            return piece.count
        }
    }

    private func tests() throws -> [FileDigest] {
        var reader = captured()
        var files: [FileDigest] = []
        while let member = try reader.next() {
            guard member.kind == .file else { continue }
            files.append(
                FileDigest(
                    path: member.name, digest: Digest(sha256Of: try reader.content(maximumBytes: Self.maximumTestBytes))
                ))
        }
        return files
    }

    /// What a store that has one of them unchanged replaces by the version in the snapshot.
    private func earlierVersions(of tests: [FileDigest]) -> [FileDigest] {
        let known = store.outbox.formerVersions()
        return tests.flatMap { file -> [FileDigest] in
            guard let item = OutboxLayout.item(ofFile: FilePath(file.path)), item.status != .conflict else { return [] }
            return (known[item.id] ?? []).filter { $0 != file.digest }.sorted { $0.hex < $1.hex }
                .map { FileDigest(path: file.path, digest: $0) }
        }
    }

    private func addTests(to writer: inout SnapshotWriter) throws {
        var reader = captured()
        while let member = try reader.next() {
            guard member.kind == .file else { continue }
            try writer.add(
                member.name, modified: member.modified,
                try reader.content(maximumBytes: Self.maximumTestBytes))
        }
    }

    /// Files of the snapshot that this one continues: those of tests that are changed or gone, and marks and people that are
    /// gone.
    private func outdated(by tests: [FileDigest], _ files: [FilePath]) throws -> [FileDigest] {
        guard let since else { return [] }
        var current = Dictionary(tests.map { ($0.path, Digest?.some($0.digest)) }) { first, _ in first }
        for path in files { current[path.string] = .some(nil) }
        let captured = Set(tests.compactMap { OutboxLayout.id(ofFile: FilePath($0.path)) })
        return try since.outdated(by: current) {
            let path = FilePath($0)
            // One that could not be read is not gone.
            if let id = OutboxLayout.id(ofFile: path), !captured.contains(id), try store.outbox.find(id) != nil {
                return false
            }
            return OutboxLayout.holds($0) && !path.isWithin(OutboxLayout.media)
                || StoreSnapshotLayout.isContinued(path.folder)
        }
    }

    // MARK: Questionnaires

    private func addCache(_ cached: CachedContent, to writer: inout SnapshotWriter) throws {
        // First: a device with little room keeps these.
        for blob in cached.versions { try addVersion(blob, to: &writer) }
        var written = Set(cached.versions.map(\.path.string))
        let cache = store.cache
        for start in stride(from: 0, to: cached.entries.count, by: Self.entriesAtATime) {
            let paths = cached.entries[start..<min(start + Self.entriesAtATime, cached.entries.count)]
            let found = try Array(paths).concurrentMap(partSize: Self.partSize) { try cache.transfer.entry(in: $0) }
            var entries: [(entry: CacheEntry, path: FilePath)] = []
            for (path, entry) in zip(paths, found) {
                if let entry, entry.isPulled, !entry.primary.isPartial {
                    entries.append((entry, path))
                } else {
                    // Content that only passed through an HTTP cache, or parts, which can be fetched again; or it is gone since
                    // it was announced.
                    try writer.omit(path.string)
                    if try entry == nil && store.fileSystem.status(at: path)?.kind == .regular {
                        leftOut.append("\(path): it is no entry of the cache")
                    }
                }
            }
            // Before the content, so that a snapshot which is cut in it does not name them as lost.
            try writer.flushAbsent()
            try writer.announce(Set(entries.map(\.entry.blob.path.string)).filter { !written.contains($0) }.sorted())
            for part in Self.partsByContent(entries) {
                let read = try part.concurrentMap(partSize: 1) { [written] in
                    try Self.read($0.entry, at: $0.path, written, in: cache)
                }
                for entry in read { try addEntry(entry, &written, to: &writer) }
            }
        }
    }

    /// Parts whose content is read at a time.
    private static func partsByContent(
        _ entries: [(entry: CacheEntry, path: FilePath)]
    ) -> [[(entry: CacheEntry, path: FilePath)]] {
        var parts: [[(entry: CacheEntry, path: FilePath)]] = []
        var bytes = 0
        for next in entries {
            if bytes == 0 || parts[parts.count - 1].count == partSize
                || bytes + next.entry.sizeBytes > contentBytesAtATime
            {
                parts.append([])
                bytes = 0
            }
            parts[parts.count - 1].append(next)
            bytes += max(1, next.entry.sizeBytes)
        }
        return parts
    }

    private func addVersion(_ blob: CacheLayout.BlobName, to writer: inout SnapshotWriter) throws {
        guard blob.isCompressed else { return try addFile(blob.path, expecting: blob.digest, to: &writer) }
        guard let bytes = try store.cache.transfer.content(of: blob) else {
            if try store.fileSystem.status(at: blob.path) != nil {
                leftOut.append("\(blob.path): its content does not match its name")
            }
            return try writer.omit(blob.path.string)
        }
        try writer.add(blob.path.string, modified: store.clock.now, bytes)
    }

    /// An entry as it was announced and as it is saved, with its content where that is compressed and not yet saved.
    private struct ReadEntry: Sendable {
        var path: FilePath
        var known: CacheEntry
        var entry: CacheEntry
        var encoded: [UInt8] = []
        var content: [UInt8]?
        /// Why it is left out.
        var missing: String?
    }

    private static func read(
        _ known: CacheEntry, at path: FilePath, _ written: Set<String>, in cache: Cache
    ) throws -> ReadEntry {
        var read = ReadEntry(path: path, known: known, entry: known)
        if known.blob.isCompressed, !written.contains(known.blob.path.string) {
            switch try cache.content(of: known) {
            case .hit(let found): (read.entry, read.content) = (found.entry, found.bytes)
            case .miss(let reason): read.missing = reason
            }
        }
        // Only the pulled response is restored.
        read.entry.variants = []
        if read.missing == nil { read.encoded = try DocumentCoding.encode(read.entry) }
        return read
    }

    private func addEntry(_ read: ReadEntry, _ written: inout Set<String>, to writer: inout SnapshotWriter) throws {
        let (entry, announced) = (read.entry, read.known.blob.path.string)
        if let reason = read.missing {
            leftOut.append("\(entry.url): \(reason)")
            try writer.omit(announced)
            return try writer.omit(read.path.string)
        }
        // An edit made by hand since the entry was read.
        if entry.digest != read.known.digest { try writer.omit(announced) }
        try writer.add(read.path.string, modified: entry.response.responseTime, read.encoded)
        let blob = entry.blob.path
        guard written.insert(blob.string).inserted else { return }
        if let content = read.content {
            try writer.add(blob.string, modified: entry.response.responseTime, content, digest: entry.digest)
        } else {
            try addFile(blob, expecting: entry.digest, to: &writer)
        }
    }
}

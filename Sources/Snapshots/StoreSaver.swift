import CacheStore
import Disk
import Model
import OutboxStore
import Quire
import SystemPackage

/// Saves one store as a snapshot.
struct StoreSaver {
    /// No other file of a store outside of the outbox's and the cache's folders is longer, but those in quarantine.
    private static let maximumSettingsBytes: Int64 = 1 << 20
    /// So many entries are read before their content is announced and written.
    private static let entriesAtATime = 100

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

    mutating func save(to write: @escaping ([UInt8]) throws -> Void) throws -> StoreSnapshot.SaveReport {
        let captured = try store.outbox.capture {
            try spool.clear()
            return { try spool.append($0) }
        }
        leftOut += captured.unreadable
        let settings = try self.settings()
        let files = try otherFiles()
        let media = try store.outbox.mediaDigests()
        let cached = try cachedEntries()

        let header = SnapshotHeader(
            content: .store, storeFormat: settings.format, createdAt: store.clock.now, deviceId: settings.deviceId,
            withCache: options.withCache, withSecrets: options.withSecrets, since: since?.digest)
        var writer = try SnapshotWriter(header, options.format, known: since?.digests ?? [:], to: write)
        try writer.announce(
            [StoreSnapshotLayout.settings.string] + tests().map(\.name)
                + media.map { OutboxLayout.mediaPath($0).string } + files.map(\.string) + cached.map(\.string))

        try writer.add(
            StoreSnapshotLayout.settings.string, modified: header.createdAt, try DocumentCoding.encode(settings))
        try addTests(to: &writer)
        for digest in media { try addFile(OutboxLayout.mediaPath(digest), digest: digest, to: &writer) }
        for path in files { try addFile(path, digest: nil, to: &writer) }
        try addSecrets(to: &writer)
        try addCache(cached, to: &writer)
        return StoreSnapshot.SaveReport(
            files: writer.files, contentBytes: writer.contentBytes, digest: try writer.finish(), leftOut: leftOut)
    }

    // MARK: Settings, marks, quarantine, log

    private func settings() throws -> StoreSettings {
        var settings = store.settings
        // The path leads to a file of this machine; the token itself is a secret.
        settings.tokenFile = nil
        return settings
    }

    private func otherFiles() throws -> [FilePath] {
        try StoreSnapshotLayout.copiedFolders.flatMap { folder -> [FilePath] in
            guard try store.fileSystem.status(at: folder)?.kind == .folder else { return [] }
            return try store.fileSystem.list(folder)
                .filter { $0.kind == .regular && !$0.name.hasPrefix(".") && !$0.name.hasSuffix(".tmp") }
                .map(\.name).sorted().map { folder.appending($0) }
        }
    }

    private mutating func addSecrets(to writer: inout SnapshotWriter) throws {
        guard options.withSecrets else { return }
        if try store.fileSystem.status(at: StoreSnapshotLayout.pageKey)?.kind == .regular {
            try addFile(StoreSnapshotLayout.pageKey, digest: nil, to: &writer)
        }
        guard let tokenFile = store.settings.tokenFile else { return }
        let (folder, name) = try StoreSnapshot.place(of: FilePath(tokenFile))
        let (bytes, status) = try folder.readFile(name, maximumBytes: Self.maximumSettingsBytes)
        try writer.add(StoreSnapshotLayout.token.string, modified: status.modified, bytes)
    }

    /// A file that nothing changes; one that is gone by now is said to be absent.
    private mutating func addFile(_ path: FilePath, digest: Digest?, to writer: inout SnapshotWriter) throws {
        do throws(any Error) {
            let content = try OpenContent(path, in: store.fileSystem)
            let status = try content.status()
            var offset: Int64 = 0
            try writer.add(
                path.string, modified: status.modified, sizeBytes: status.sizeBytes,
                digest: try digest ?? content.digest()
            ) { count in
                let piece = try content.piece(at: offset, maximumBytes: Int64(count))
                offset += Int64(piece.count)
                return piece
            }
        } catch let error as FileError where error.isMissing {
            writer.omit(path.string)
        }
    }

    // MARK: Tests

    private func captured() -> TarReader {
        var offset: Int64 = 0
        return TarReader { buffer in
            let piece = try spool.piece(at: offset, maximumBytes: buffer.count)
            offset += Int64(piece.count)
            buffer.copyBytes(from: piece)
            return piece.count
        }
    }

    private func tests() throws -> [TarMember] {
        var reader = captured()
        var members: [TarMember] = []
        while let member = try reader.next() {
            if member.kind == .file { members.append(member) }
        }
        return members
    }

    private func addTests(to writer: inout SnapshotWriter) throws {
        var reader = captured()
        while let member = try reader.next() {
            guard member.kind == .file else { continue }
            try writer.add(
                member.name, modified: member.modified,
                try reader.content(maximumBytes: Int(Outbox.maximumTestBytes) + (64 << 10)))
        }
    }

    // MARK: Questionnaires

    /// The files of entries that belong into the snapshot.
    private func cachedEntries() throws -> [FilePath] {
        let paths = try store.cache.entryPaths()
        if options.withCache { return paths }
        let needed = try store.protection()
        var urls = needed.urls
        for path in paths {
            guard let entry = try store.cache.entry(in: path), let document = entry.document,
                needed.documentIDs.contains(document.id) || needed.digests.contains(entry.digest)
            else { continue }
            urls.insert(entry.url)
            urls.formUnion(document.media)
        }
        return urls.map { CacheLayout.entryPath(url: $0) }.filter(Set(paths).contains).sorted { $0.string < $1.string }
    }

    private mutating func addCache(_ paths: [FilePath], to writer: inout SnapshotWriter) throws {
        var written: Set<Digest> = []
        for start in stride(from: 0, to: paths.count, by: Self.entriesAtATime) {
            var entries: [(entry: CacheEntry, path: FilePath)] = []
            for path in paths[start..<min(start + Self.entriesAtATime, paths.count)] {
                // What only passed through an HTTP cache, and parts of content, are fetched again.
                if let entry = try store.cache.entry(in: path), entry.isPulled, !entry.primary.isPartial {
                    entries.append((entry, path))
                } else {
                    writer.omit(path.string)
                }
            }
            try writer.announce(
                Set(entries.filter { !written.contains($0.entry.digest) }.map(\.entry.blob.path.string)).sorted())
            for (entry, path) in entries { try addEntry(entry, at: path, &written, to: &writer) }
        }
        for digest in try store.protection().digests.subtracting(written).sorted(by: { $0.hex < $1.hex }) {
            guard let bytes = try store.cache.content(digest: digest) else { continue }
            let name = CacheLayout.BlobName(digest: digest, fileExtension: "json", isCompressed: true).path.string
            try writer.announce([name])
            try writer.add(name, modified: store.clock.now, bytes)
        }
    }

    private mutating func addEntry(
        _ known: CacheEntry, at path: FilePath, _ written: inout Set<Digest>, to writer: inout SnapshotWriter
    ) throws {
        var entry = known
        var content: [UInt8]?
        if !written.contains(entry.digest), entry.blob.isCompressed || entry.sizeBytes <= SnapshotWriter.pieceBytes {
            switch try store.cache.content(of: entry) {
            case .hit(let found): (entry, content) = (found.entry, found.bytes)
            case .miss(let reason):
                leftOut.append("\(entry.url): \(reason)")
                writer.omit(known.blob.path.string)
                return writer.omit(path.string)
            }
        }
        // An edit made by hand since the entry was read.
        if entry.digest != known.digest { writer.omit(known.blob.path.string) }
        try writer.add(path.string, modified: entry.response.responseTime, try DocumentCoding.encode(entry))
        guard written.insert(entry.digest).inserted else { return }
        if let content {
            try writer.add(entry.blob.path.string, modified: entry.response.responseTime, content)
        } else {
            try addFile(entry.blob.path, digest: entry.digest, to: &writer)
        }
    }
}

import Disk
import Logging
import Model
import Synchronization
import SystemPackage

/// The questionnaires of a folder, found by their ids.
///
/// The current files always count: the next request sees a file that was edited, added or removed. Only changed files
/// are read again. An unusable file stays published in its last good version, as long as it exists.
///
/// All calls block on the disk: run them with `offload`.
package final class QuestionnaireCatalog: Sendable {
    /// A longer file is not taken for a questionnaire.
    package static let maximumFileBytes: Int64 = 16 << 20

    let openFolder: @Sendable () throws(FileError) -> any FileSystem
    let clock: any StoreClock
    private let logger: Logger
    private let versions: PublishedVersions?
    private let mayLackFolder: Bool
    private let state = Mutex(CatalogSnapshot.empty)
    /// Held while changed files are read: of two versions of a file the later one is noted last.
    private let reading = Mutex(())
    private let documents = DocumentMemory()
    /// Of media files that were read, with the stamps that they had.
    let knownDigests = Mutex<[MediaPath: (stamp: FileStamp, digest: Digest)]>([:])

    /// - Parameter folder: the folder of the questionnaires' files. It is opened for each request, so that it may be
    ///   replaced by renaming another one.
    package convenience init(folder: FilePath, clock: any StoreClock, logger: Logger) {
        self.init(clock: clock, logger: logger) { () throws(FileError) in try POSIXFileSystem(root: folder) }
    }

    package convenience init(
        clock: any StoreClock, logger: Logger, openFolder: @escaping @Sendable () throws(FileError) -> any FileSystem
    ) {
        self.init(clock: clock, logger: logger, versions: nil, openFolder: openFolder)
    }

    /// - Parameters:
    ///   - versions: where the last good version of each file is kept; `nil` where none is.
    ///   - mayLackFolder: whether a missing folder is as an empty one, for readers of a host's data, which have the versions that
    ///     tests were taken with.
    init(
        clock: any StoreClock, logger: Logger, versions: PublishedVersions?, mayLackFolder: Bool = false,
        openFolder: @escaping @Sendable () throws(FileError) -> any FileSystem
    ) {
        self.versions = versions
        self.mayLackFolder = mayLackFolder
        self.clock = clock
        self.logger = logger
        self.openFolder = openFolder
    }

    /// Looks at every file of the folder and reads those that are new or changed.
    ///
    /// - Throws: `FileError` when the folder cannot be listed. A single file that cannot be read is left out.
    @discardableResult
    package func refresh() throws(FileError) -> CatalogSnapshot {
        let folder: any FileSystem
        do throws(FileError) {
            folder = try openFolder()
        } catch {
            if mayLackFolder, error.isMissing { return .empty }
            throw error
        }
        let look = try look(at: folder)
        if look.isUnchanged { return look.known }
        return try reading.withLock { (_) throws(FileError) in
            // Another request may have read it meanwhile.
            let look = try self.look(at: folder)
            return look.isUnchanged ? look.known : read(look, in: folder)
        }
    }

    /// The names of the folder, and the known metadata of each.
    private struct Look {
        var known: CatalogSnapshot
        var folderModified: Timestamp
        var names: [String]
        var records: [CatalogSnapshot.FileRecord?]

        var isUnchanged: Bool {
            names.count == known.files.count && folderModified == known.folderModified
                && !records.contains { $0 == nil }
        }
    }

    private func look(at folder: any FileSystem) throws(FileError) -> Look {
        let known = state.withLock { $0 }
        // The folder's time first: a file added during the listing makes the next one differ.
        let folderModified = try folder.status(at: "")?.modified ?? .epoch
        let names = try folder.list("").filter { $0.kind == .regular && HostLayout.isQuestionnaire(fileName: $0.name) }
            .map(\.name)
        // If one of them has no status, each is read, which reports its fault.
        let statuses = (try? folder.statuses(of: names, in: "")) ?? names.map { _ in nil }
        let records = zip(names, statuses).map { name, status in
            known.files[name].flatMap { isCurrent($0.stamp, status) ? $0 : nil }
        }
        return Look(known: known, folderModified: folderModified, names: names, records: records)
    }

    private func read(_ look: Look, in folder: any FileSystem) -> CatalogSnapshot {
        var files: [String: CatalogSnapshot.FileRecord] = [:]
        var noting = Noting(versions: versions)
        for (name, record) in zip(look.names, look.records) {
            if let record {
                files[name] = record
                continue
            }
            switch read(name, in: folder) {
            case .questionnaire(let entry, let published, let bytes):
                files[name] = .questionnaire(entry)
                noting.note(
                    PublishedVersions.Version(
                        fileName: name, bytes: bytes, questionnaire: entry.id, digest: published.digest))
            case .broken(let stamp, let reason, let former):
                files[name] = .broken(
                    stamp, reason: reason,
                    formerVersion: former.map { .init(entry: $0.entry, publishedAt: $0.publishedAt) })
            case .gone: break
            }
        }
        if let failure = noting.finish(present: Set(files.keys)) {
            logger.warning("the published versions cannot be kept, so a mistake in a file unpublishes it: \(failure)")
        }
        let snapshot = CatalogSnapshot(files: files, folderModified: look.folderModified)
        report(snapshot, after: look.known)
        state.withLock { $0 = snapshot }
        return snapshot
    }

    /// Stores the read versions, some files at a time: not all of them are in memory at once.
    private struct Noting {
        let versions: PublishedVersions?
        private var pending: [PublishedVersions.Version] = []
        private var pendingBytes = 0
        private var records: [String: PublishedVersions.Record] = [:]
        private var failure: (any Error)?

        /// So many files share their flushes.
        private static let filesTogether = 200
        private static let bytesTogether = 8 << 20

        init(versions: PublishedVersions?) { self.versions = versions }

        mutating func note(_ version: PublishedVersions.Version) {
            guard versions != nil else { return }
            pending.append(version)
            pendingBytes += version.bytes.count
            if pending.count >= Self.filesTogether || pendingBytes >= Self.bytesTogether { stage() }
        }

        private mutating func stage() {
            defer { (pending, pendingBytes) = ([], 0) }
            guard failure == nil, let versions, !pending.isEmpty else { return }
            do {
                records.merge(try versions.stage(pending)) { $1 }
            } catch {
                failure = error
            }
        }

        /// - Returns: why something could not be stored; publishing continues without it.
        mutating func finish(present names: Set<String>) -> (any Error)? {
            stage()
            do {
                try versions?.commit(records, present: names)
            } catch {
                failure = failure ?? error
            }
            return failure
        }
    }

    /// The questionnaire with this id, or the one that a device made under it, with its content and key.
    package func document(id: String) throws(FileError) -> (entry: CatalogEntry, published: PublishedQuestionnaire)? {
        // A file that is given another id while it is read is looked for again, but not for ever.
        for _ in 0..<3 {
            guard let entry = try entry(id: id) else { return nil }
            if let published = documents.published(for: entry) { return (entry, published) }
            let found: (entry: CatalogEntry, published: PublishedQuestionnaire)
            switch read(entry.fileName, in: try openFolder()) {
            case .questionnaire(let current, let published, _): found = (current, published)
            case .broken(_, _, let former?): found = (former.entry, former.published)
            case .broken, .gone: continue
            }
            if found.entry.id.utf8.elementsEqual(id.utf8) || found.entry.localId == id { return found }
        }
        return nil
    }

    /// The version of a questionnaire with this digest, with its key: the current one, or an earlier one. Those are
    /// known without the folder of questionnaires, too: `host rate` does not get its path.
    func version(id: String, digest: Digest) throws -> PublishedQuestionnaire? {
        let current: (entry: CatalogEntry, published: PublishedQuestionnaire)?
        do throws(FileError) {
            current = try document(id: id)
        } catch {
            guard error.isMissing, let published = try versions?.published(id: id, digest: digest) else { throw error }
            return published
        }
        if let current, current.published.digest == digest { return current.published }
        return try versions?.published(id: current?.entry.id ?? id, digest: digest)
    }

    /// Records the digest of a device's own version: tests of that document may arrive, too.
    func noteVersion(of id: String, sentAs digest: Digest) throws {
        guard let versions, let entry = try entry(id: id), entry.digest != digest, let bytes = try file(of: entry)
        else {
            return
        }
        try versions.keep(bytes, of: entry.id, as: digest)
    }

    /// The entry of the questionnaire with this id, as its file is now.
    func entry(id: String) throws(FileError) -> CatalogEntry? {
        if let entry = state.withLock({ $0.entry(id: id) ?? $0.entry(localId: id) }),
            isCurrent(entry.conclusiveStamp, try openFolder().status(at: FilePath(entry.fileName)))
        {
            return entry
        }
        let snapshot = try refresh()
        return snapshot.entry(id: id) ?? snapshot.entry(localId: id)
    }

    /// The current folder, for writing.
    func folder() throws(FileError) -> any FileSystem { try openFolder() }

    /// The bytes of a questionnaire as it is published, the key included; `nil` if its file is gone. For an unusable
    /// file, those of its last good version.
    func file(of entry: CatalogEntry) throws -> [UInt8]? {
        entry.isFormerVersion ? try versions?.last(ofFile: entry.fileName)?.bytes : try rawFile(of: entry)
    }

    /// The bytes of a questionnaire's file, whether they can be used or not; `nil` when it is gone.
    func rawFile(of entry: CatalogEntry) throws(FileError) -> [UInt8]? {
        do throws(FileError) {
            return try openFolder().readFile(
                FilePath(entry.fileName), maximumBytes: QuestionnaireCatalog.maximumFileBytes
            ).bytes
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }

    /// The gzip form of a document's content, made once.
    func gzip(of published: PublishedQuestionnaire, for entry: CatalogEntry) throws(GzipFault) -> [UInt8] {
        if let known = documents.gzip(for: entry) { return known }
        let bytes = try Gzip.compress(published.content)
        documents.keep(gzip: bytes, for: entry)
        return bytes
    }

    private func isCurrent(_ stamp: FileStamp?, _ status: FileStatus?) -> Bool {
        guard let stamp, let status else { return false }
        return status.kind == .regular && FileStamp(status) == stamp
    }

    private enum Reading {
        case questionnaire(CatalogEntry, PublishedQuestionnaire, bytes: [UInt8])
        case broken(FileStamp?, reason: String, Former?)
        /// It was removed since the folder was listed.
        case gone

        struct Former {
            var entry: CatalogEntry
            var published: PublishedQuestionnaire
            var publishedAt: Timestamp
        }
    }

    private func read(_ name: String, in folder: any FileSystem) -> Reading {
        var stamp: FileStamp?
        // Before it is read: later, a second edit of the file may have the time of the first one.
        let now = clock.now
        do {
            let (bytes, status) = try folder.readFile(
                FilePath(name), maximumBytes: QuestionnaireCatalog.maximumFileBytes)
            let read = FileStamp(status)
            stamp = read.isConclusive(at: now) ? read : nil
            let published = try PublishedQuestionnaire(publishing: bytes)
            let entry = CatalogEntry(
                fileName: name, stamp: read, conclusiveStamp: stamp, modified: status.modified, published: published)
            documents.keep(published, for: entry)
            return .questionnaire(entry, published, bytes: bytes)
        } catch let error as FileError where error.isMissing {
            return .gone
        } catch {
            return .broken(stamp, reason: "\(error)", formerVersion(of: name, stamp: stamp))
        }
    }

    /// The version of an unusable file that stays published.
    ///
    /// - Parameter stamp: of the file that cannot be used: as long as it has it, it need not be read again.
    private func formerVersion(of name: String, stamp: FileStamp?) -> Reading.Former? {
        do {
            guard let (bytes, status, record) = try versions?.last(ofFile: name) else { return nil }
            let published = try PublishedQuestionnaire(json: bytes)
            let entry = CatalogEntry(
                fileName: name, stamp: FileStamp(status), conclusiveStamp: stamp, modified: status.modified,
                published: published, isFormerVersion: true)
            documents.keep(published, for: entry)
            return Reading.Former(entry: entry, published: published, publishedAt: record.publishedAt)
        } catch {
            logger.warning("the last good version of \(name.debugDescription) cannot be read: \(error)")
            return nil
        }
    }

    /// Reports the faults of the folder's files once.
    private func report(_ snapshot: CatalogSnapshot, after known: CatalogSnapshot) {
        let former = Set(known.faults)
        for fault in snapshot.faults where !former.contains(fault) { logger.warning("\(fault.description)") }
    }
}

extension CatalogSnapshot.FileRecord {
    /// `nil` where the next look has to read the file again: it could not be read at all, or too soon after a change.
    fileprivate var stamp: FileStamp? {
        switch self {
        case .questionnaire(let entry): entry.conclusiveStamp
        case .broken(let stamp, _, _): stamp
        }
    }
}

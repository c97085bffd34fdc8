import Disk
import Logging
import Model
import Synchronization
import SystemPackage

/// The questionnaires of a folder, found by their ids.
///
/// What is on the disk counts at every moment: a file that was edited, added or removed is seen by the next request.
/// Only what changed is read again. Nothing here locks while it reads; two requests at once do the same work twice,
/// and either result is right.
///
/// All calls block on the disk: run them with `offload`.
public final class QuestionnaireCatalog: Sendable {
    /// A longer file is not taken for a questionnaire.
    public static let maximumFileBytes: Int64 = 16 << 20

    private let openFolder: @Sendable () throws(FileError) -> any FileSystem
    private let clock: any StoreClock
    private let logger: Logger
    private let state = Mutex(CatalogSnapshot.empty)
    private let documents = DocumentMemory()
    private let mediaDigests = Mutex<[MediaPath: (stamp: FileStamp, digest: Digest)]>([:])

    /// - Parameter folder: the folder of the questionnaires' files. It is opened anew for every request, so that it
    ///   may be replaced as a whole by renaming another one.
    public convenience init(folder: FilePath, clock: any StoreClock, logger: Logger) {
        self.init(clock: clock, logger: logger) { () throws(FileError) in try POSIXFileSystem(root: folder) }
    }

    package init(
        clock: any StoreClock, logger: Logger, openFolder: @escaping @Sendable () throws(FileError) -> any FileSystem
    ) {
        self.clock = clock
        self.logger = logger
        self.openFolder = openFolder
    }

    /// Looks at every file of the folder and reads those that are new or changed.
    ///
    /// - Throws: `FileError` when the folder cannot be listed. A single file that cannot be read is left out.
    @discardableResult
    public func refresh() throws(FileError) -> CatalogSnapshot {
        let folder = try openFolder()
        let known = state.withLock { $0 }
        // The folder's time first: what is added while it is read makes the next look a newer one.
        let folderModified = try folder.status(at: "")?.modified ?? .epoch
        let names = try folder.list("").filter { $0.kind == .regular && HostLayout.isQuestionnaire(fileName: $0.name) }
            .map(\.name)
        // Where one of them cannot be looked at, each is read, and what is wrong with it is told by that.
        let statuses = (try? folder.statuses(of: names, in: "")) ?? names.map { _ in nil }
        let records = zip(names, statuses).map { name, status in
            known.files[name].flatMap { isCurrent($0.stamp, status) ? $0 : nil }
        }
        let isChanged = names.count != known.files.count || records.contains { $0 == nil }
        if !isChanged, folderModified == known.folderModified { return known }
        var files: [String: CatalogSnapshot.FileRecord] = [:]
        for (name, record) in zip(names, records) { files[name] = record ?? self.record(of: name, in: folder) }
        let snapshot = CatalogSnapshot(files: files, folderModified: folderModified)
        report(snapshot, after: known)
        state.withLock { $0 = snapshot }
        return snapshot
    }

    /// The questionnaire with this id, or the one that a device made under it, with its content and key.
    public func document(id: String) throws(FileError) -> (entry: CatalogEntry, published: PublishedQuestionnaire)? {
        // A file that is given another id while it is read is looked for again, but not for ever.
        for _ in 0..<3 {
            guard let entry = try entry(id: id) else { return nil }
            if let published = documents.published(for: entry) { return (entry, published) }
            if case .questionnaire(let current, let published) = read(entry.fileName, in: try openFolder()),
                current.id.utf8.elementsEqual(id.utf8) || current.localId == id
            {
                return (current, published)
            }
        }
        return nil
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

    /// The folder as it is now, to write into.
    func folder() throws(FileError) -> any FileSystem { try openFolder() }

    /// The bytes of a questionnaire's file, the key included; `nil` when it is gone.
    func file(of entry: CatalogEntry) throws(FileError) -> [UInt8]? {
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

    /// Whether a questionnaire names such a file, and the type that it states for it.
    func naming(_ path: MediaPath) throws(FileError) -> (isNamed: Bool, type: String?) {
        let named = try refresh().media(path)
        return (named != nil, named?.type)
    }

    /// A media file that a questionnaire names.
    ///
    /// - Returns: `nil` when none names it or there is no such file. A symbolic link is no file, and nor is anything
    ///   behind one.
    func media(_ requested: MediaPath) throws(FileError) -> MediaFile? {
        guard let (path, type) = try refresh().media(requested) else { return nil }
        let folder = try openFolder()
        for parent in path.folders where try folder.status(at: parent)?.kind != .folder { return nil }
        guard try folder.status(at: path.file)?.kind == .regular else { return nil }
        let content = try OpenContent(path.file, in: folder)
        let status = try content.status()
        guard status.kind == .regular else { return nil }
        let stamp = FileStamp(status)
        if let remembered = mediaDigests.withLock({ $0[path] }), remembered.stamp == stamp {
            return MediaFile(path: path, statedType: type, status: status, digest: remembered.digest, content: content)
        }
        let isConclusive = stamp.isConclusive(at: clock.now)
        let digest = try content.digest()
        mediaDigests.withLock { $0[path] = isConclusive ? (stamp, digest) : nil }
        return MediaFile(path: path, statedType: type, status: status, digest: digest, content: content)
    }

    private func isCurrent(_ stamp: FileStamp?, _ status: FileStatus?) -> Bool {
        guard let stamp, let status else { return false }
        return status.kind == .regular && FileStamp(status) == stamp
    }

    private func record(of name: String, in folder: any FileSystem) -> CatalogSnapshot.FileRecord {
        switch read(name, in: folder) {
        case .questionnaire(let entry, _): .questionnaire(entry)
        case .broken(let stamp, let reason): .broken(stamp, reason: reason)
        }
    }

    private enum Reading {
        case questionnaire(CatalogEntry, PublishedQuestionnaire)
        case broken(FileStamp?, reason: String)
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
            let published = try PublishedQuestionnaire(json: bytes)
            let entry = CatalogEntry(
                fileName: name, stamp: read, conclusiveStamp: stamp, modified: status.modified, published: published)
            documents.keep(published, for: entry)
            return .questionnaire(entry, published)
        } catch {
            return .broken(stamp, reason: "\(error)")
        }
    }

    /// Says once what is wrong with the folder's files.
    private func report(_ snapshot: CatalogSnapshot, after known: CatalogSnapshot) {
        for case (let name, .broken(_, let reason)) in snapshot.files {
            if case .broken(_, reason) = known.files[name] { continue }
            logger.warning("\(name.debugDescription) is left out: \(reason)")
        }
        for (name, owner) in snapshot.shadowed where known.shadowed[name] != owner {
            logger.warning(
                "\(name.debugDescription) is left out: \(owner.debugDescription) has the same id; give it another one")
        }
    }
}

extension CatalogSnapshot.FileRecord {
    /// `nil` where the next look has to read the file again: it could not be read at all, or too soon after a change.
    fileprivate var stamp: FileStamp? {
        switch self {
        case .questionnaire(let entry): entry.conclusiveStamp
        case .broken(let stamp, _): stamp
        }
    }
}

import Disk
import Logging
import Model
import Synchronization
import SystemPackage

/// The questionnaires of a bucket as files of this host, made from the log: a copy that may be deleted. And the other way: the
/// folder that this host publishes.
///
/// All calls block: run them with `offload`.
final class QuestionnaireMirror: Sendable {
    private struct State {
        var lookedAt: ContinuousClock.Instant?
        var snapshot: CatalogSnapshot.Identity?
        /// The files of the published folder as they were when they were last looked at.
        var known: [String: Digest] = [:]
    }

    /// The published questionnaires are read again after this time; a version that a test was taken with, at once.
    private static let pause = Duration.milliseconds(200)
    /// A longer picture, sound or film is not published into a bucket.
    static let maximumMediaBytes: Int64 = 64 << 20

    private let log: QuestionnaireLog
    private let copies: ScratchFolder
    /// The folder that is published; `nil` for a host without one.
    private let source: QuestionnaireCatalog?
    private let clock: any StoreClock
    private let logger: Logger
    private let state = Mutex(State())

    init(
        _ log: QuestionnaireLog, copies: ScratchFolder, source: QuestionnaireCatalog?, clock: any StoreClock,
        logger: Logger
    ) {
        self.log = log
        self.copies = copies
        self.source = source
        self.clock = clock
        self.logger = logger
    }

    /// The folder with the questionnaires as they are now.
    func folder() throws(FileError) -> any FileSystem {
        do {
            try state.withLock { state in
                let now = ContinuousClock.now
                if let last = state.lookedAt, now - last < Self.pause { return }
                if source != nil, state.lookedAt != nil { publishChanges(&state) }
                try show()
                state.lookedAt = now
            }
        } catch let error as FileError {
            throw error
        } catch {
            throw FileError("use", log.place, .protocolError, sentence: "\(error)")
        }
        return copies.fileSystem
    }

    /// Shows all that hosts have published by now.
    ///
    /// - Returns: the number of a change; that one and all before it are shown.
    @discardableResult
    func look() throws -> Int {
        try state.withLock { state in
            let number = try show()
            state.lookedAt = ContinuousClock.now
            return number
        }
    }

    /// Makes the copies those of the newest changes.
    ///
    /// - Returns: the number of the last one.
    @discardableResult
    private func show() throws -> Int {
        let number = try log.follow()
        let files = copies.fileSystem
        for change in log.pending {
            let path = FilePath(change.file)
            if let content = change.content {
                let bytes = try log.bytes(
                    content,
                    maximumBytes: change.questionnaire == nil
                        ? Self.maximumMediaBytes : QuestionnaireCatalog.maximumFileBytes)
                for folder in MediaPath(change.file)?.folders ?? [] { try files.makeFolderIfMissing(folder) }
                try files.stage(bytes, to: path, temporaryFolder: "", modified: change.at)
            } else {
                try files.removeIfPresent(path)
            }
            log.isShown(change)
        }
        return number
    }

    // MARK: Publishing

    /// Publishes the files of the folder that were never published, as the host starts. What is not in it stays published: it may be of
    /// another host's folder.
    ///
    /// - Parameter restoring: also those that were published before, and have another content now.
    /// - Throws: `HostError.notInBucket`, `HostError.unusableQuestionnaires`, `FileError`.
    func publishFolder(restoring: Bool = false) throws {
        guard let source else { return }
        try log.follow()
        try state.withLock { state in
            let snapshot: CatalogSnapshot
            do throws(FileError) {
                snapshot = try source.refresh()
            } catch {
                throw HostError.unusableQuestionnaires(try source.folder().root, reason: error.description)
            }
            for entry in snapshot.entries {
                if let other = log.questionnaire(inFile: entry.fileName), other != entry.id {
                    throw HostError.notInBucket(
                        questionnaire: entry.fileName, reason: "has the file name of “\(other)”, which is in the bucket"
                    )
                }
                try publish(entry, source, &state) { restoring || !log.hasHad($1, file: $0) }
            }
            state.snapshot = snapshot.identity
        }
    }

    /// Publishes what was changed in the folder since the last look: also a file that is again what it was once, or that is gone.
    private func publishChanges(_ state: inout State) {
        guard let source else { return }
        do {
            let snapshot = try source.refresh()
            if state.snapshot == snapshot.identity { return }
            let gone = state.known.keys.filter { HostLayout.isQuestionnaire(fileName: $0) && snapshot.files[$0] == nil }
            // If no file is left, the folder is another one, or its disk is not mounted.
            if !snapshot.files.isEmpty {
                for file in gone {
                    let change = QuestionnaireLog.Change(file: file, at: clock.now)
                    _ = try log.publish(change, nil)
                    state.known[file] = nil
                }
            }
            for entry in snapshot.entries {
                do { try publish(entry, source, &state) { _, _ in true } } catch let error as HostError {
                    // It is for its author to change: the others are published all the same.
                    logger.warning("\(error)")
                }
            }
            state.snapshot = snapshot.identity
        } catch {
            // The folder or the bucket is out of reach: all of it is tried again.
            logger.warning("\(error)")
        }
    }

    /// - Parameter isWanted: whether a file with this content is to be published, if it is another than the last one.
    private func publish(
        _ entry: CatalogEntry, _ source: QuestionnaireCatalog, _ state: inout State,
        _ isWanted: (_ file: String, _ content: Digest) -> Bool
    ) throws {
        guard !entry.isFormerVersion, let bytes = try source.rawFile(of: entry) else { return }
        let content = Digest(sha256Of: bytes)
        let published = try PublishedQuestionnaire(publishing: bytes)
        for path in entry.media {
            guard let file = try source.media(path) else { continue }
            let name = path.components.joined(separator: "/")
            if state.known[name] == file.digest { continue }
            guard file.status.sizeBytes <= Self.maximumMediaBytes else {
                throw HostError.notInBucket(
                    questionnaire: entry.fileName,
                    reason: "shows \(name), which is longer than \(Self.maximumMediaBytes >> 20) MiB")
            }
            if isWanted(name, file.digest) {
                let bytes = try file.content.bytes(at: 0, count: file.status.sizeBytes)
                let change = QuestionnaireLog.Change(
                    file: name, content: Digest(sha256Of: bytes), at: clock.now)
                _ = try log.publish(change, bytes)
            }
            state.known[name] = file.digest
        }
        if state.known[entry.fileName] == content { return }
        if isWanted(entry.fileName, content) {
            let change = QuestionnaireLog.Change(
                file: entry.fileName, content: content, questionnaire: entry.id, localId: entry.localId,
                digest: published.digest, updatedAt: entry.updatedAt, at: clock.now)
            _ = try log.publish(change, bytes)
        }
        state.known[entry.fileName] = content
    }
}

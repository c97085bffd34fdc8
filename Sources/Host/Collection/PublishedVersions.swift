import Disk
import Model
import Synchronization

/// The versions that the host has published, with their keys, and which of them each file held last.
///
/// A file that becomes unreadable stays published in its last good version, also after a restart. The order of writes
/// is the versions, then the register that refers to them, each durable before the next.
///
/// All calls block on the disk: run them with `offload`.
final class PublishedVersions: Sendable {
    /// The last valid content of a questionnaire's file.
    struct Record: Hashable, Sendable, Codable {
        /// The questionnaire's id.
        var questionnaire: String
        /// SHA-256 of the sent content.
        var digest: Digest
        /// SHA-256 of the file, the key included.
        var fileDigest: Digest
        var publishedAt: Timestamp
    }

    /// The content of a file that is right.
    struct Version: Sendable {
        var fileName: String
        var bytes: [UInt8]
        var questionnaire: String
        var digest: Digest
    }

    private struct Register: Hashable, Sendable, Codable {
        /// By file name.
        var files: [String: Record] = [:]
    }

    private let fileSystem: any FileSystem
    private let clock: any StoreClock
    private let isWritable: Bool
    /// The versions that hosts of one bucket share.
    private let log: QuestionnaireLog?
    /// The last register read, and its file's stamp.
    private let state = Mutex<(register: Register, stamp: FileStamp)?>(nil)

    /// - Parameters:
    ///   - fileSystem: rooted in the data folder.
    ///   - isWritable: whether this process publishes the questionnaires, and does not only look at them.
    ///   - log: where the versions are, if elsewhere; it publishes them itself.
    init(fileSystem: any FileSystem, clock: any StoreClock, isWritable: Bool, log: QuestionnaireLog? = nil) {
        self.fileSystem = fileSystem
        self.clock = clock
        self.isWritable = isWritable
        self.log = log
    }

    /// Writes the versions that are not there yet. They count after `commit`.
    ///
    /// - Returns: the records of those that are new, by file name.
    func stage(_ versions: [Version]) throws -> [String: Record] {
        guard isWritable else { return [:] }
        let known = try register()
        var records: [String: Record] = [:]
        var files: [StagedFile] = []
        for version in versions {
            let fileDigest = Digest(sha256Of: version.bytes)
            let last = known.files[version.fileName]
            if last?.fileDigest == fileDigest, last?.questionnaire == version.questionnaire { continue }
            records[version.fileName] = Record(
                questionnaire: version.questionnaire, digest: version.digest, fileDigest: fileDigest,
                publishedAt: clock.now)
            files.append(
                StagedFile(version.bytes, to: HostLayout.publishedVersion(of: version.questionnaire, version.digest)))
        }
        guard !files.isEmpty else { return [:] }
        try fileSystem.makeDurableFolder(HostLayout.published)
        _ = try fileSystem.stage(files, temporaryFolder: HostLayout.temporary)
        return records
    }

    /// Records the current content of the folder's files. Files that are gone are forgotten.
    ///
    /// - Parameter names: the names of all existing files of questionnaires. If no known file is among them, the folder
    ///   is another one, or its disk is not mounted: then nothing is forgotten.
    func commit(_ records: [String: Record], present names: Set<String>) throws {
        guard isWritable else { return }
        let isSameFolder = try !register().files.keys.allSatisfy { !names.contains($0) }
        func updated(_ register: Register) -> Register {
            var next = register
            if isSameFolder { next.files = next.files.filter { names.contains($0.key) } }
            next.files.merge(records) { $1 }
            return next
        }
        let known = try register()
        if updated(known) == known { return }
        if !records.isEmpty { try fileSystem.makeDurable(folder: HostLayout.published) }
        // A folder may be collected while the host runs.
        let lock = try LockFile.acquire(HostLayout.publishedLock, in: fileSystem, wait: true)
        defer { withExtendedLifetime(lock) {} }
        let next = updated(try register())
        state.withLock { $0 = nil }
        try fileSystem.writeDurably(
            try DocumentCoding.encode(next), to: HostLayout.publishedFiles, temporaryFolder: HostLayout.temporary)
    }

    /// Keeps a version under another digest, too: that of the document as its author's device has it.
    func keep(_ bytes: [UInt8], of id: String, as digest: Digest) throws {
        guard isWritable else { return }
        try fileSystem.makeDurableFolder(HostLayout.published)
        try fileSystem.writeDurably(
            bytes, to: HostLayout.publishedVersion(of: id, digest), temporaryFolder: HostLayout.temporary)
    }

    /// The last good version of a file; `nil` where none is known.
    func last(ofFile name: String) throws -> (bytes: [UInt8], status: FileStatus, record: Record)? {
        // A file in a bucket was right when it was published.
        guard log == nil, let record = try register().files[name],
            let (bytes, status) = try version(record.questionnaire, record.digest)
        else { return nil }
        return (bytes, status, record)
    }

    /// A version that was published, with its key as it was then.
    ///
    /// - Parameters:
    ///   - id: of the questionnaire on the host.
    ///   - digest: SHA-256 of the content sent by the host or by its author's device.
    func published(id: String, digest: Digest) throws -> PublishedQuestionnaire? {
        let stored = try log.map { try $0.version(of: id, digest) } ?? version(id, digest)?.bytes
        guard let bytes = stored else { return nil }
        let published = try PublishedQuestionnaire(json: bytes)
        return published.questionnaire.id.utf8.elementsEqual(id.utf8) ? published : nil
    }

    private func version(_ id: String, _ digest: Digest) throws -> (bytes: [UInt8], status: FileStatus)? {
        try fileSystem.readFileIfPresent(
            HostLayout.publishedVersion(of: id, digest), maximumBytes: QuestionnaireCatalog.maximumFileBytes)
    }

    /// - Throws: `HostError.damaged`, `FileError`.
    private func register() throws -> Register {
        let status = try fileSystem.status(at: HostLayout.publishedFiles)
        if let known = state.withLock({ $0 }), let status, FileStamp(status) == known.stamp { return known.register }
        do {
            let (bytes, status) = try fileSystem.readFile(
                HostLayout.publishedFiles, maximumBytes: ChangeRegister.maximumBytes)
            let register = try DocumentCoding.decodeOwn(Register.self, from: bytes)
            state.withLock { $0 = (register, FileStamp(status)) }
            return register
        } catch let error as FileError where error.isMissing {
            return Register()
        } catch let fault as DocumentFault {
            throw HostError.damaged(fileSystem.root.pushing(HostLayout.publishedFiles), reason: fault.description)
        }
    }
}

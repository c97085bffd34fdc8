import Disk
import Logging
import Model
import ObjectStores
import SystemPackage

/// The questionnaires of a copy. A folder has them as files, with their former versions beside them; a bucket as a log of changes.
struct CopiedQuestionnaires: Sendable {
    let source: HostConfiguration
    let target: HostConfiguration
    let from: any ObjectStore
    let to: any ObjectStore
    let clock: any StoreClock
    let logger: Logger

    /// The files of a folder that say the same as a bucket's log.
    struct Published: Sendable {
        var files: [ObjectName: CopiedFile] = [:]
        /// The files that the log names, also those that were removed.
        var known: Set<String> = []

        /// Whether the log says what is in a file of a folder.
        func replaces(_ path: String) -> Bool { known.contains(path) }
    }

    // MARK: - From a bucket to a folder

    func published() async throws -> Published {
        let log = QuestionnaireLog(HostBucket(from))
        _ = try await offload { try log.follow() }
        var published = Published()
        for change in log.currentFiles {
            guard let content = change.content else { continue }
            let path = HostLayout.questionnaires.appending(name: change.file).string
            published.files[try HostBucket.name(path)] = CopiedFile(
                source: .object(try HostBucket.name(HostLayout.content(content).string)), modified: change.at)
        }
        for version in log.publishedVersions {
            let path = HostLayout.publishedVersion(of: version.id, version.digest).string
            published.files[try HostBucket.name(path)] = CopiedFile(
                source: .object(try HostBucket.name(HostLayout.content(version.content).string)))
            published.known.insert(path)
        }
        // A folder has a file that says who published a version on the desk, and when.
        for (id, content, publication) in log.signed {
            let note = PublicationNote(file: content, at: publication.at, by: publication.by)
            let path = try HostBucket.name(HostLayout.publication(of: id, content).string)
            published.files[path] = CopiedFile(source: .bytes(try DocumentCoding.encode(note)))
        }
        published.known.formUnion(log.allFiles.map { HostLayout.questionnaires.appending(name: $0).string })
        return published
    }

    // MARK: - From a folder to a bucket

    /// Makes the log of a bucket what the folder publishes now, and what it published before.
    func publish() async throws {
        guard source.bucket == nil, target.bucket != nil else { return }
        try await offload { try publishAll() }
    }

    private func publishAll() throws {
        let log = QuestionnaireLog(HostBucket(to))
        try log.follow()
        let catalog = QuestionnaireCatalog(
            clock: clock, logger: logger,
            versions: PublishedVersions(
                fileSystem: try POSIXFileSystem(root: source.data), clock: clock, isWritable: false),
            mayLackFolder: true
        ) { () throws(FileError) in try POSIXFileSystem(root: source.questionnaireFolder) }
        let snapshot = try catalog.refresh()
        let current = Set(snapshot.entries.map { QuestionnaireLog.VersionName(id: $0.id, digest: $0.digest) })
        let published = Dictionary(
            log.publishedVersions.map { (QuestionnaireLog.VersionName(id: $0.id, digest: $0.digest), $0.content) },
            uniquingKeysWith: { $1 })
        for (name, version, bytes) in try formerVersions() where !current.contains(version) {
            if published[version] == Digest(sha256Of: bytes) { continue }
            try publish(version, bytes, asFile: "former-" + name, log)
        }
        // A version that was published when the copy was killed is removed all the same.
        for change in log.currentFiles where change.file.hasPrefix("former-") && snapshot.files[change.file] == nil {
            _ = try log.publish(QuestionnaireLog.Change(file: change.file, at: clock.now), nil)
        }
        let mirror = QuestionnaireMirror(
            log, copies: try ScratchFolder(), source: catalog, clock: clock, logger: logger)
        try mirror.publishFolder(restoring: true)
        for change in log.currentFiles where change.questionnaire != nil && snapshot.files[change.file] == nil {
            _ = try log.publish(QuestionnaireLog.Change(file: change.file, at: clock.now), nil)
        }
    }

    /// Publishes a former version for the tests that were taken with it; `publishAll` removes it again.
    private func publish(
        _ version: QuestionnaireLog.VersionName, _ bytes: [UInt8], asFile file: String, _ log: QuestionnaireLog
    ) throws {
        // Two files never have the same id: that of the last version follows.
        for change in log.currentFiles where change.questionnaire == version.id && change.file != file {
            _ = try log.publish(QuestionnaireLog.Change(file: change.file, at: clock.now), nil)
        }
        let change = QuestionnaireLog.Change(
            file: file, content: Digest(sha256Of: bytes), questionnaire: version.id, digest: version.digest,
            at: clock.now)
        _ = try log.publish(change, bytes)
        _ = try log.publish(QuestionnaireLog.Change(file: file, at: clock.now), nil)
    }

    /// The files of versions that were published, with their keys.
    private func formerVersions() throws -> [(file: String, version: QuestionnaireLog.VersionName, bytes: [UInt8])] {
        let files = try POSIXFileSystem(root: source.data)
        guard try files.status(at: HostLayout.published)?.kind == .folder else { return [] }
        var found: [(file: String, version: QuestionnaireLog.VersionName, bytes: [UInt8])] = []
        for entry in try files.list(HostLayout.published).sorted(by: { $0.name < $1.name })
        where entry.kind == .regular {
            let path = HostLayout.published.appending(name: entry.name)
            guard
                let bytes = try files.readFileIfPresent(path, maximumBytes: QuestionnaireCatalog.maximumFileBytes)?
                    .bytes,
                // A damaged file is copied as it is, and is no version.
                let version = try? PublishedQuestionnaire(json: bytes),
                let digest = HostLayout.digest(ofVersion: entry.name, of: version.questionnaire.id)
            else { continue }
            found.append((entry.name, .init(id: version.questionnaire.id, digest: digest), bytes))
        }
        return found
    }
}

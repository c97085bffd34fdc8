import Disk
import Model
import SystemPackage

/// Every path and name of the outbox, built and parsed only here.
package enum OutboxLayout {
    package static let root: FilePath = "outbox"
    package static let temporary: FilePath = "outbox/tmp"
    /// Held by the only sweeper.
    package static let sweeperLock: FilePath = "outbox/lock"
    /// Held for the moment in which a person's program changes a test.
    package static let editLock: FilePath = "outbox/edit.lock"
    /// Held by the only watching program.
    package static let watchLock: FilePath = "outbox/watch.lock"
    /// The last sequence number used.
    package static let sequence: FilePath = "outbox/sequence.json"

    /// The bytes of attachments, by their digests.
    package static let media: FilePath = "outbox/media"

    /// Digests of earlier versions of tests; beside the log, because an archive of the outbox has no such file.
    package static let formerVersions: FilePath = "log/versions.txt"

    package static var folders: [FilePath] { [root, temporary, media] + TestStatus.allCases.map(folder) }

    /// The outbox's own files, each recreated where it is missing.
    package static let files: [FilePath] = [sweeperLock, editLock, watchLock, sequence, reserve, formerVersions]

    /// The path of an attachment's bytes. Its name and type are in its item.
    package static func mediaPath(_ digest: Digest) -> FilePath { media.appending(name: digest.hex) }

    /// The digest in the name of a file in `media`; `nil` for a name that is not exactly in our form.
    static func mediaDigest(fileName: String) -> Digest? {
        guard let digest = Digest(hex: fileName), digest.hex == fileName else { return nil }
        return digest
    }

    private static let folderPaths = Dictionary(
        uniqueKeysWithValues: TestStatus.allCases.map { ($0, root.appending(name: $0.rawValue)) })

    package static func folder(_ status: TestStatus) -> FilePath {
        folderPaths[status] ?? root.appending(name: status.rawValue)
    }

    package static var statusFolders: [FilePath] { TestStatus.allCases.map(folder) }

    private static let receiptSuffix = ".receipt.json"
    private static let theirsSuffix = ".theirs.json"

    static func receiptName(_ id: TestID) -> String { id.description + receiptSuffix }

    static func name(_ id: TestID, _ kind: OutboxKind) -> String { id.description + kind.suffix }

    package static func testPath(_ id: TestID, _ status: TestStatus) -> FilePath { path(id, .test, status) }

    package static func path(_ id: TestID, _ kind: OutboxKind, _ status: TestStatus) -> FilePath {
        FilePath("outbox/\(status.rawValue)/\(name(id, kind))")
    }

    /// The server's version, beside a change in `conflict`.
    package static func theirsPath(_ id: TestID) -> FilePath {
        FilePath("outbox/\(TestStatus.conflict.rawValue)/\(id)\(theirsSuffix)")
    }

    package static func receiptPath(_ id: TestID, _ status: TestStatus) -> FilePath {
        FilePath("outbox/\(status.rawValue)/\(receiptName(id))")
    }

    /// Space that is freed when the disk is full.
    package static let reserve: FilePath = "outbox/reserve"

    /// The role of a file in a status folder.
    enum FileName: Hashable {
        case item(TestID, OutboxKind)
        case receipt(TestID)
        /// The server's version, beside a change in `conflict`.
        case theirs(TestID)

        /// `nil` for a name that is not exactly in our form.
        init?(_ name: String) {
            let kind = OutboxKind.allCases.first { name.hasSuffix($0.suffix) }
            let others = [OutboxLayout.receiptSuffix, OutboxLayout.theirsSuffix]
            guard let suffix = kind?.suffix ?? others.first(where: name.hasSuffix),
                let id = TestID(name.dropLast(suffix.count)),
                // Exactly in our form: not in capitals.
                name == id.description + suffix
            else { return nil }
            self = kind.map { .item(id, $0) } ?? (suffix == OutboxLayout.receiptSuffix ? .receipt(id) : .theirs(id))
        }
    }

    /// The item that a file of a status folder belongs to; `nil` for any other file.
    package static func id(ofFile path: FilePath) -> TestID? {
        guard let folder = path.folder.name, TestStatus(rawValue: folder) != nil,
            path.isWithin(root), let name = path.name.flatMap({ FileName($0) })
        else { return nil }
        switch name {
        case .item(let id, _), .receipt(let id), .theirs(let id): return id
        }
    }

    /// The test or change that a file of a status folder is; `nil` for any other file.
    package static func item(ofFile path: FilePath) -> OutboxItem? {
        guard let folder = path.folder.name,
            let status = TestStatus(rawValue: folder),
            path.folder == Self.folder(status),
            case .item(let id, let kind)? = path.name.flatMap({ FileName($0) })
        else { return nil }
        return OutboxItem(id: id, kind: kind, status: status)
    }

    /// The test or change whose receipt a file is; `nil` for any other file.
    package static func idOfReceipt(_ path: FilePath) -> TestID? {
        guard case .receipt(let id)? = path.name.flatMap({ FileName($0) }) else { return nil }
        return id
    }

    /// The digest of an attachment's bytes by their path; `nil` for any other file.
    package static func mediaDigest(ofFile path: FilePath) -> Digest? {
        guard path.folder == media, let name = path.name else { return nil }
        return mediaDigest(fileName: name)
    }

    /// Names in the outbox's own folder that belong there.
    static let ownNames: Set<String> = Set(
        ["tmp", "media", "lock", "edit.lock", "watch.lock", "sequence.json", "reserve"]
            + TestStatus.allCases.map(\.rawValue))

    // MARK: Archives

    /// The role of an archive's member.
    enum ArchivePlace: Hashable {
        case folder
        case file(FileName, TestStatus)
        /// The bytes of an attachment.
        case media(Digest)
        /// Other parts of an outbox, which are not imported. With a name if it may occur once.
        case other(String?)
    }

    /// The role of an archive's member by its name: as `tar` names it, from within the outbox or from beside it.
    ///
    /// - Throws: `TarFault` for one that does not belong in an outbox.
    static func archivePlace(_ member: TarMember) throws(TarFault) -> ArchivePlace {
        if member.name.hasPrefix("/") { throw TarFault(member.name, "its name is absolute") }
        var parts = member.name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        if parts.contains("..") { throw TarFault(member.name, "its name leads out of the folder") }
        if case .other(let kind) = member.kind { throw TarFault(member.name, "it is \(kind)") }
        while parts.first == "." { parts.removeFirst() }
        if parts.first == root.string { parts.removeFirst() }
        let stranger = TarFault(member.name, "that is no name of an outbox's file")
        guard !parts.contains(where: { $0.isEmpty || $0 == "." }), parts.count <= 2 else { throw stranger }
        guard let first = parts.first else {
            if member.kind == .folder { return .folder }
            throw stranger
        }
        guard ownNames.contains(first) else { throw stranger }
        let isTemporary = first == temporary.name
        let isMedia = first == media.name
        let status = TestStatus(rawValue: first)
        if parts.count == 1 {
            guard (member.kind == .folder) == (isTemporary || isMedia || status != nil) else { throw stranger }
            return member.kind == .folder ? .folder : .other(first)
        }
        guard member.kind == .file else { throw stranger }
        if isTemporary { return .other(nil) }
        if isMedia, let digest = mediaDigest(fileName: parts[1]) { return .media(digest) }
        guard let status, let name = FileName(parts[1]) else { throw stranger }
        return .file(name, status)
    }
}

/// The kind of an outbox file, as its name says.
public enum OutboxKind: String, CaseIterable, Sendable, Hashable, Codable {
    /// A person's answers.
    case test
    /// A questionnaire that was created, edited or deleted here.
    case questionnaire
    /// A favourite that was set or unset here.
    case favorite
    /// A file that belongs to an answer, or to a questionnaire.
    case media

    var suffix: String { ".\(rawValue).json" }

    /// The folders that the kind may be in: only a test is a draft, and only a test is rated.
    package func mayLie(in status: TestStatus) -> Bool {
        switch status {
        case .empty, .inProgress, .checking, .rated: self == .test
        case .done, .sending, .sent, .conflict, .rejected: true
        }
    }
}

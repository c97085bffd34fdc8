import Disk
import Model
import ObjectStores
import Synchronization
import SystemPackage

/// The questionnaires and media that hosts publish together in a bucket, as a list of numbered changes.
///
/// A change is the object `changes/<n>`, and its writer takes the number by creating it, so all hosts have one order. The file that it
/// names was stored before, as `contents/<sha256>`. What is published now, which versions there were and the numbers that devices
/// ask for follow from the log alone: each host makes the same of it.
///
/// All calls block, but `content` and `pending`: run them with `offload`.
final class QuestionnaireLog: Sendable {
    /// One change of one file.
    struct Change: Hashable, Sendable, Codable {
        /// The register's name; only the first change has it.
        var register: String?
        /// The path in the folder of questionnaires.
        var file: String
        /// SHA-256 of the file, the key included; `nil` where it was removed.
        var content: Digest?
        /// For a questionnaire's file; `nil` for one of media.
        var questionnaire: String?
        var localId: String?
        /// SHA-256 of the sent content.
        var digest: Digest?
        var updatedAt: Timestamp?
        var at: Timestamp
        /// Who published it on the desk.
        var by: String?
        /// Whose change it is; `nil` for what a folder publishes.
        var request: Request?
    }

    /// A device's request. It is stored inside the change that it caused, so that any host finds it, however many changes follow.
    struct Request: Hashable, Sendable, Codable {
        var change: TestID
        var action: ChangeAction
        /// SHA-256 of the content that the device sent: tests of that document may arrive, too.
        var digest: Digest
        var outcome: ChangeOutcome?

        init(_ write: QuestionnaireWrite, _ outcome: ChangeOutcome?) {
            (change, action, digest) = (write.change, write.action, write.digest)
            self.outcome = outcome
        }
    }

    /// When a file of a questionnaire was published last, and by whom.
    struct Publication: Hashable, Sendable {
        var at: Timestamp
        var by: String?
    }

    /// A version of a questionnaire: its id, and the SHA-256 of the sent content.
    struct VersionName: Hashable, Sendable {
        var id: String
        var digest: Digest
    }

    private struct State {
        var last = 0
        var content = ChangeRegister.Content(register: "")
        /// The current content of each file.
        var files: [String: Change] = [:]
        /// The last file of each version that was published: a key may be corrected within a version.
        var versions: [VersionName: Digest] = [:]
        /// All files of each questionnaire that were published, with their keys.
        var history: [String: [Digest: Publication]] = [:]
        /// All that a file ever was.
        var former: [String: Set<Digest>] = [:]
        /// The receipts of devices' changes, by the changes' own ids.
        var receipts: [TestID: Receipt] = [:]
        /// The last changes of files that this host's own copies do not show yet.
        var pending: [String: Change] = [:]
    }

    private let files: HostBucket
    private let state = Mutex(State())

    private static let maximumChangeBytes: Int64 = 64 << 10

    init(_ files: HostBucket) { self.files = files }

    var place: FilePath { files.place(of: HostLayout.changes) }

    /// The register as of the last `follow`.
    var content: ChangeRegister.Content { state.withLock { $0.content } }

    // MARK: Reading

    /// Reads the changes that are new.
    ///
    /// - Returns: the number of the last one.
    @discardableResult
    func follow() throws -> Int {
        try state.withLock { state in
            try follow(&state)
            return state.last
        }
    }

    private func follow(_ state: inout State) throws {
        var numbers: [Int] = []
        try files.eachVersion(in: HostLayout.changes, after: state.last) { _, number in numbers.append(number) }
        for number in numbers {
            guard number == state.last + 1 else {
                throw HostError.damagedLog(place.string, reason: "change \(state.last + 1) is missing")
            }
            Self.apply(try change(number), number, &state)
        }
    }

    /// The changes that the copies of this host do not show yet.
    var pending: [Change] { state.withLock { Array($0.pending.values) } }

    /// A copy shows this change now.
    func isShown(_ change: Change) {
        state.withLock { if $0.pending[change.file] == change { $0.pending[change.file] = nil } }
    }

    private func change(_ number: Int) throws -> Change {
        guard let bytes = try files.version(number, of: HostLayout.changes, maximumBytes: Self.maximumChangeBytes)
        else {
            throw HostError.damagedLog(place.string, reason: "change \(number) was removed")
        }
        let change: Change
        do throws(DocumentFault) {
            change = try DocumentCoding.decode(Change.self, from: bytes)
        } catch {
            throw HostError.damagedLog(place.string, reason: "change \(number): \(error)")
        }
        // It becomes a file on each host: nothing else may lead a path out of its folder.
        let isRight =
            change.questionnaire == nil
            ? MediaPath(change.file) != nil
            : HostLayout.isQuestionnaire(fileName: change.file) && !change.file.contains("/")
        guard isRight, change.questionnaire == nil || change.content == nil || change.digest != nil else {
            throw HostError.damagedLog(place.string, reason: "change \(number) names no file of a questionnaire")
        }
        return change
    }

    private static func apply(_ change: Change, _ number: Int, _ state: inout State) {
        state.last = number
        if number == 1 { state.content.register = change.register ?? "" }
        state.content.sequence = number
        state.pending[change.file] = change
        state.files[change.file] = change.content == nil ? nil : change
        if let content = change.content { state.former[change.file, default: []].insert(content) }
        guard let id = change.questionnaire else { return }
        note(change, id, number, &state)
        guard let request = change.request else { return }
        if let content = change.content {
            state.versions[VersionName(id: id, digest: request.digest)] = content
        }
        // No other change has its id: each host looks for it before it takes a number.
        state.receipts[request.change] = Receipt(
            test: request.change, digest: request.digest, status: .sent, receivedAt: change.at, action: request.action,
            published: state.content.items[id]?.publication, outcome: request.outcome)
    }

    private static func note(_ change: Change, _ id: String, _ number: Int, _ state: inout State) {
        guard let content = change.content, let digest = change.digest else {
            state.content.items[id]?.sequence = number
            state.content.items[id]?.kind = .deleted
            return
        }
        state.versions[VersionName(id: id, digest: digest)] = content
        state.history[id, default: [:]][content] = Publication(at: change.at, by: change.by)
        let known = state.content.items[id]
        // Another key alone is no other version.
        if let known, known.kind != .deleted, known.digest == digest { return }
        state.content.items[id] = ChangeRegister.Item(
            questionnaire: id, localId: change.localId ?? known?.localId, sequence: number,
            kind: known == nil || known?.kind == .deleted ? .created : .edited, digest: digest,
            updatedAt: change.updatedAt, file: change.file)
    }

    /// The receipt of a device's change that is in the log; `nil` where none is, as of the last `follow`.
    func receipt(of change: TestID) -> Receipt? { state.withLock { $0.receipts[change] } }

    /// Whether there is such a version, as of the last `follow`.
    func hasVersion(of id: String, _ digest: Digest) -> Bool {
        state.withLock { $0.versions[VersionName(id: id, digest: digest)] != nil }
    }

    /// Whether a file is published with this content.
    func has(_ content: Digest, file: String) throws -> Bool {
        func has() -> Bool { state.withLock { $0.files[file]?.content == content } }
        if has() { return true }
        // Another host may have published it a moment ago.
        try follow()
        return has()
    }

    /// The file of a version that was published, with its key as it is now; `nil` where there was none.
    func version(of id: String, _ digest: Digest) throws -> [UInt8]? {
        let name = VersionName(id: id, digest: digest)
        var content = state.withLock { $0.versions[name] }
        if content == nil {
            // Another host may have published it a moment ago.
            try follow()
            content = state.withLock { $0.versions[name] }
        }
        return try content.map { try bytes($0, maximumBytes: QuestionnaireCatalog.maximumFileBytes) }
    }

    /// All files of a questionnaire that were published, by their digests.
    func history(of id: String) -> [Digest: Publication] { state.withLock { $0.history[id] ?? [:] } }

    /// All files that someone published on the desk.
    var signed: [(id: String, content: Digest, publication: Publication)] {
        state.withLock { state in
            state.history.flatMap { id, files in
                files.compactMap { $0.value.by == nil ? nil : (id, $0.key, $0.value) }
            }
        }
    }

    func bytes(_ content: Digest, maximumBytes: Int64) throws -> [UInt8] {
        guard let bytes = try files.bytes(of: HostLayout.content(content), maximumBytes: maximumBytes),
            Digest(sha256Of: bytes) == content
        else {
            throw HostError.damagedLog(
                files.place(of: HostLayout.content(content)).string, reason: "it is not what was stored there")
        }
        return bytes
    }

    /// The last change of each file that there is.
    var currentFiles: [Change] { state.withLock { $0.files.values.sorted { $0.file < $1.file } } }

    /// All files that there ever were.
    var allFiles: [String] { state.withLock { Array($0.former.keys) } }

    /// All versions that were published, with the last file of each.
    var publishedVersions: [(id: String, digest: Digest, content: Digest)] {
        state.withLock { $0.versions.map { ($0.key.id, $0.key.digest, $0.value) } }
    }

    /// The id of the questionnaire that is published in a file.
    func questionnaire(inFile file: String) -> String? {
        state.withLock { $0.files[file]?.questionnaire }
    }

    // MARK: Writing

    /// Whether the file was ever published with this content.
    func hasHad(_ content: Digest, file: String) -> Bool {
        state.withLock { $0.former[file]?.contains(content) == true }
    }

    /// Publishes a file, or removes it, unless it is as it is to be already. The content is durable before the change is.
    ///
    /// - Returns: whether this call changed it.
    /// - Throws: `HostError.notInBucket` for an id that another file has.
    func publish(_ change: Change, _ bytes: [UInt8]?) throws -> Bool {
        var isStored = bytes == nil
        return try state.withLock { state in
            while true {
                try follow(&state)
                let known = state.files[change.file]
                if known?.content == change.content { return false }
                if let id = change.questionnaire, change.content != nil,
                    let other = state.files.values.first(where: { $0.questionnaire == id && $0.file != change.file })
                {
                    throw HostError.notInBucket(
                        questionnaire: change.file, reason: "has the id “\(id)” of \(other.file)")
                }
                if !isStored, let bytes, let content = change.content {
                    _ = try files.putIfAbsent(bytes, as: HostLayout.content(content))
                    isStored = true
                }
                var next = change
                if let known, known.questionnaire != change.questionnaire || change.content == nil {
                    // First the questionnaire that was in this file.
                    next = known
                    (next.content, next.digest) = (nil, nil)
                    next.at = change.at
                }
                if state.last == 0 { next.register = TestID.random().description }
                let bytes = try DocumentCoding.encode(next)
                let former = FileVersion(bytes: [], number: state.last)
                // The number may be taken: then what is there by now counts.
                guard try files.replace(HostLayout.changes, bytes, former: former) else { continue }
                if next.content == change.content {
                    try follow(&state)
                    return true
                }
            }
        }
    }

    /// Makes the change after the one with a number: its writer has seen all before it.
    ///
    /// - Returns: `false` where another one was made meanwhile: this one is not.
    func append(_ change: Change, _ bytes: [UInt8]?, after number: Int) throws -> Bool {
        if let bytes, let content = change.content {
            _ = try files.putIfAbsent(bytes, as: HostLayout.content(content))
        }
        var change = change
        if number == 0 { change.register = TestID.random().description }
        let former = FileVersion(bytes: [], number: number)
        guard try files.replace(HostLayout.changes, DocumentCoding.encode(change), former: former) else { return false }
        try follow()
        return true
    }
}

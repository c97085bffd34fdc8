import Disk
import Model
import Synchronization

/// Numbers every change of what the host publishes, made by a device or in an editor.
///
/// The last change of each questionnaire is known, deletions included. So a client that knows the state at one number
/// learns all later differences from one request, without any clock.
///
/// All calls block on the disk: run them with `offload`.
final class ChangeRegister: Sendable {
    enum Kind: String, Hashable, Sendable, Codable {
        case created, edited, deleted
    }

    /// The last change of one questionnaire.
    struct Item: Hashable, Sendable, Codable {
        var questionnaire: String
        var localId: String?
        var sequence: Int
        var kind: Kind
        /// The digest of the version published then.
        var digest: Digest
        var updatedAt: Timestamp?
        /// The name of its file.
        var file: String

        var publication: Publication {
            guard kind != .deleted else {
                return Publication(id: questionnaire, localId: localId, sequence: sequence, deleted: true)
            }
            return Publication(
                id: questionnaire, localId: localId, etag: Validators(tag: digest.hex).eTag(gzip: false),
                digest: digest, updatedAt: updatedAt, sequence: sequence)
        }
    }

    struct Content: Hashable, Sendable, Codable {
        /// Changes when the register is recreated: earlier numbers are then meaningless.
        var register: String
        var sequence = 0
        /// By the ids of the questionnaires.
        var items: [String: Item] = [:]

        /// The questionnaire of this id, or the one that a device made under it.
        func item(id: String) -> Item? { items[id] ?? items.values.first { $0.localId == id } }
    }

    static let maximumBytes: Int64 = 256 << 20

    private struct State {
        var content: Content
        /// The stamp of its file: another process may number changes, too.
        var stamp: FileStamp
        /// The last snapshot that was compared with it.
        var observed: CatalogSnapshot.Identity?
        /// The items by their numbers, made on demand.
        var ordered: [Item]?
    }

    private let fileSystem: any FileSystem
    /// The changes that hosts of one bucket share: then they are numbered there alone.
    private let log: QuestionnaireLog?
    /// The last state read.
    private let state = Mutex<State?>(nil)

    init(fileSystem: any FileSystem, log: QuestionnaireLog? = nil) {
        self.fileSystem = fileSystem
        self.log = log
    }

    /// Compares the published questionnaires with the register, and numbers the differences. When it returns, the
    /// reported numbers are durable.
    ///
    /// - Parameter look: reads the published questionnaires. A reading from before another process numbered a later
    ///   change would count as one more change.
    /// - Throws: `HostError.damaged` when the register cannot be read, `FileError` when it cannot be written.
    @discardableResult
    func observe(_ look: () throws -> CatalogSnapshot) throws -> Content {
        if let log {
            _ = try look()
            return log.content
        }
        return try state.withLock { state in
            if let known = try current(&state) {
                let snapshot = try look()
                if state?.observed == snapshot.identity { return known }
                var next = known
                ChangeRegister.note(snapshot, &next)
                if next == known {
                    state?.observed = snapshot.identity
                    return known
                }
            }
            let lock = try LockFile.acquire(HostLayout.registerLock, in: fileSystem, wait: true)
            defer { withExtendedLifetime(lock) {} }
            var content = try current(&state) ?? Content(register: TestID.random().description)
            ChangeRegister.note(try look(), &content)
            // Before the write: an unreadable file afterwards must not be mistaken for the current state.
            state = nil
            try fileSystem.writeDurably(
                try DocumentCoding.encode(content), to: HostLayout.register, temporaryFolder: HostLayout.temporary)
            if let status = try fileSystem.status(at: HostLayout.register) {
                state = State(content: content, stamp: FileStamp(status))
            }
            return content
        }
    }

    /// The changes after a number, in their order: a page costs what it returns.
    ///
    /// - Returns: the content that they are of, at most `limit` changes, and whether more follow.
    func page(
        after number: Int, limit: Int, _ look: () throws -> CatalogSnapshot
    ) throws -> (content: Content, changes: [Item], hasMore: Bool) {
        var content = try observe(look)
        if let log, number > content.sequence {
            // Another host may have made that change a moment ago.
            try log.follow()
            content = log.content
        }
        let ordered = state.withLock { state in
            // Another request may have numbered on since.
            guard let known = state, known.content.register == content.register,
                known.content.sequence == content.sequence
            else { return Self.ordered(content) }
            let ordered = known.ordered ?? Self.ordered(content)
            state?.ordered = ordered
            return ordered
        }
        var (low, high) = (0, ordered.count)
        while low < high {
            let middle = (low + high) / 2
            if ordered[middle].sequence > number { high = middle } else { low = middle + 1 }
        }
        let end = min(low + limit, ordered.count)
        return (content, Array(ordered[low..<end]), end < ordered.count)
    }

    private static func ordered(_ content: Content) -> [Item] {
        content.items.values.sorted { $0.sequence < $1.sequence }
    }

    /// How many questionnaires were published when it was last looked at.
    func publishedCount() throws -> Int {
        if let log { return log.content.items.values.count { $0.kind != .deleted } }
        return try state.withLock { try current(&$0)?.items.values.count { $0.kind != .deleted } ?? 0 }
    }

    /// The content of the file; `nil` if it is missing.
    private func current(_ state: inout State?) throws -> Content? {
        let status = try fileSystem.status(at: HostLayout.register)
        if let state, let status, FileStamp(status) == state.stamp { return state.content }
        guard let (content, stamp) = try read() else { return nil }
        // The writer may have been killed before its name was durable.
        try fileSystem.makeDurable(folder: "")
        state = State(content: content, stamp: stamp)
        return content
    }

    private static func note(_ snapshot: CatalogSnapshot, _ content: inout Content) {
        var present: Set<String> = []
        for entry in snapshot.entries {
            present.insert(entry.id)
            let known = content.items[entry.id]
            if let known, known.kind != .deleted, known.digest == entry.digest {
                content.items[entry.id]?.file = entry.fileName
                continue
            }
            content.sequence += 1
            content.items[entry.id] = Item(
                questionnaire: entry.id, localId: entry.localId ?? known?.localId, sequence: content.sequence,
                kind: known == nil || known?.kind == .deleted ? .created : .edited, digest: entry.digest,
                updatedAt: entry.updatedAt, file: entry.fileName)
        }
        for (id, item) in content.items.sorted(by: { $0.key < $1.key })
        where item.kind != .deleted && !present.contains(id) {
            // A file that is temporarily unreadable, because it is being edited, is not deleted.
            if case .broken = snapshot.files[item.file] { continue }
            content.sequence += 1
            content.items[id]?.sequence = content.sequence
            content.items[id]?.kind = .deleted
        }
    }

    private func read() throws -> (Content, FileStamp)? {
        do {
            let (bytes, status) = try fileSystem.readFile(
                HostLayout.register, maximumBytes: ChangeRegister.maximumBytes)
            // Written by the host alone: its length is that of the collection, so the bound of documents does not hold.
            let content = try DocumentCoding.decodeOwn(Content.self, from: bytes)
            guard (0...1 << 53).contains(content.sequence) else {
                throw DocumentFault(field: "sequence", reason: "is not between 0 and 2⁵³")
            }
            return (content, FileStamp(status))
        } catch let error as FileError where error.isMissing {
            return nil
        } catch let fault as DocumentFault {
            throw HostError.damaged(
                fileSystem.root.pushing(HostLayout.register), reason: fault.description)
        }
    }
}

import Disk
import Model
import Synchronization

/// Numbers every change of what the host publishes, whoever made it: a device, or somebody with an editor.
///
/// Of each questionnaire the last change is known, the deletion included. So whoever knows the state at one number
/// learns all that is different since, from the answer to one question, and no clock takes part in it.
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
        /// Of what was published then.
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
        /// Another one where the host was begun anew: numbers of the former one mean nothing then.
        var register: String
        var sequence = 0
        /// By the ids of the questionnaires.
        var items: [String: Item] = [:]

        /// The questionnaire of this id, or the one that a device made under it.
        func item(id: String) -> Item? { items[id] ?? items.values.first { $0.localId == id } }
    }

    static let maximumBytes: Int64 = 256 << 20

    private let fileSystem: any FileSystem
    private let state = Mutex<Content?>(nil)

    init(fileSystem: any FileSystem) { self.fileSystem = fileSystem }

    /// Compares what is published with what is written down, and numbers what is different. When it returns, the
    /// numbers that it tells are durable.
    ///
    /// - Throws: `HostError.damaged` when the register cannot be read, `FileError` when it cannot be written.
    @discardableResult
    func observe(_ snapshot: CatalogSnapshot) throws -> Content {
        try state.withLock { state in
            var content = try state ?? read()
            let isNew = content == nil
            var next = content ?? Content(register: TestID.random().description)
            ChangeRegister.note(snapshot, &next)
            if isNew || next != content {
                try fileSystem.writeDurably(
                    try DocumentCoding.encode(next), to: HostLayout.register, temporaryFolder: HostLayout.temporary)
            } else if state == nil {
                // Whoever wrote it may have been killed before its name was durable.
                try fileSystem.makeDurable(folder: "")
            }
            content = next
            state = next
            return next
        }
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
            // A file that cannot be read for the moment, since somebody edits it, is not deleted.
            if case .broken = snapshot.files[item.file] { continue }
            content.sequence += 1
            content.items[id]?.sequence = content.sequence
            content.items[id]?.kind = .deleted
        }
    }

    private func read() throws -> Content? {
        do {
            let bytes = try fileSystem.readFile(
                HostLayout.register, maximumBytes: ChangeRegister.maximumBytes
            ).bytes
            // Written by the host alone: its length is that of the collection, so the bound of documents does not hold.
            return try DocumentCoding.decodeOwn(Content.self, from: bytes)
        } catch let error as FileError where error.isMissing {
            return nil
        } catch let fault as DocumentFault {
            throw HostError.damaged(
                fileSystem.root.pushing(HostLayout.register), reason: fault.description)
        }
    }
}

import Disk
import Model
import Synchronization
import SystemPackage

/// Carries out devices' changes to questionnaires, each once.
///
/// The order of writes: the replaced version, then the questionnaire's file, then its number, then the receipt, each
/// durable before the next. A crash in between has acknowledged nothing, and a retry is recognised by its traces: the
/// same content is the same change.
///
/// All calls block on the disk: run them with `offload`.
package final class QuestionnaireArchive: Sendable {
    /// The outcome of a change; with the bytes of the receipt's file.
    package enum Outcome: Hashable, Sendable {
        /// It was carried out now.
        case stored([UInt8])
        /// It was carried out before.
        case known([UInt8])
        /// Something else was done under this change's id.
        case different
        /// It is based on another version than the host has; `nil` where the host never had one.
        case mismatch(Publication?)
    }

    private let fileSystem: any FileSystem
    private let files: any TestFiles
    private let catalog: QuestionnaireCatalog
    let register: ChangeRegister
    private let clock: any StoreClock
    /// No other write happens between the check of a version and its replacement.
    private let writing = Mutex(())

    package convenience init(fileSystem: any FileSystem, catalog: QuestionnaireCatalog, clock: any StoreClock) {
        self.init(fileSystem: fileSystem, files: TestFolder(fileSystem), catalog: catalog, log: nil, clock: clock)
    }

    /// - Parameters:
    ///   - files: where receipts are.
    ///   - log: the changes that hosts of one bucket share.
    init(
        fileSystem: any FileSystem, files: any TestFiles, catalog: QuestionnaireCatalog, log: QuestionnaireLog?,
        clock: any StoreClock
    ) {
        self.fileSystem = fileSystem
        self.files = files
        self.catalog = catalog
        register = ChangeRegister(fileSystem: fileSystem, log: log)
        self.clock = clock
    }

    /// Whether devices and the desk may change questionnaires: those in a bucket come from folders alone.
    var takesChanges: Bool { !files.isShared }

    /// Makes missing folders, and removes files of killed writers.
    package func recover() throws {
        try fileSystem.makeFolderIfMissing(HostLayout.former)
        try fileSystem.makeDurable(folder: "")
        do throws(FileError) {
            try catalog.folder().removeAbandonedTemporaryFiles(in: "", isShared: true)
        } catch {
            // Questionnaires may be read-only for the host: it publishes them anyway.
            if !error.isUnwritable { throw error }
        }
        try register.observe { try catalog.refresh() }
    }

    /// - Throws: `HostError.nothingPublished`, `HostError.damaged`, `FileError`.
    func checkThatSomeAreLeft() throws {
        guard try catalog.refresh().entries.isEmpty else { return }
        let former = try register.publishedCount()
        if former > 0 { throw HostError.nothingPublished(try catalog.folder().root, former: former) }
    }

    /// - Throws: `DocumentFault` for a document that is no questionnaire, `HostError`, `FileError`.
    package func carryOut(_ write: QuestionnaireWrite) throws -> Outcome {
        try writing.withLock { _ in
            // A folder may be collected while the host runs.
            let lock = try LockFile.acquire(HostLayout.changesLock, in: fileSystem, wait: true)
            defer { withExtendedLifetime(lock) {} }
            if let known = try receipt(of: write.change) {
                guard known.receipt.digest == write.digest, known.receipt.action == write.action,
                    try isAbout(write.questionnaire, known.receipt)
                else { return .different }
                try files.confirmReceipts()
                return .known(known.bytes)
            }
            if try isOfTest(write.change) { return .different }
            let entry = try catalog.entry(id: write.questionnaire)
            if let entry, try isCarriedOut(write, entry) { return try acknowledged(write, entry.id, nil) }
            if write.base.holds(for: entry?.digest) {
                return try acknowledged(write, try apply(write, to: entry), nil)
            }
            let last = try register.observe { try catalog.refresh() }.item(id: write.questionnaire)
            // It is gone already, as requested.
            if write.action == .delete, entry == nil, let last {
                return try acknowledged(write, last.questionnaire, nil)
            }
            let current = last?.publication
            // A missing questionnaire cannot be edited, whatever the rule.
            guard current != nil else { return .mismatch(nil) }
            return try settle(write, entry, last: current?.id ?? write.questionnaire) ?? .mismatch(current)
        }
    }

    /// - Returns: `nil` where the client is to be asked.
    private func settle(_ write: QuestionnaireWrite, _ entry: CatalogEntry?, last id: String) throws -> Outcome? {
        switch write.policy {
        case .ask: return nil
        case .client: return try acknowledged(write, try apply(write, to: entry, as: id), .replaced)
        case .server: return try acknowledged(write, id, .dropped)
        case .duplicate:
            guard write.document != nil else { return try acknowledged(write, id, .dropped) }
            // A repetition finds the copy by the id of the change.
            let copy = try catalog.refresh().entry(localId: write.change.description)
            return try acknowledged(
                write, try copy?.id ?? apply(write, to: nil, localId: write.change.description), .copied)
        }
    }

    // MARK: The questionnaire's file

    /// Whether the file has the content of this change already: it was carried out, and the reply was lost.
    private func isCarriedOut(_ write: QuestionnaireWrite, _ entry: CatalogEntry) throws -> Bool {
        guard let document = write.document, let file = try catalog.file(of: entry) else { return false }
        let wanted = try content(document, id: entry.id, localId: entry.localId, replacing: file)
        return try Self.withoutTime(file) == Self.withoutTime(wanted)
    }

    private static func withoutTime(_ file: [UInt8]) throws -> [UInt8] {
        // The first member keeps the spaces after the brace: both begin with the id, which stays.
        try checked(file).removing(["updatedAt"])
    }

    /// Writes or removes the file.
    ///
    /// - Returns: the questionnaire's id on the host.
    private func apply(
        _ write: QuestionnaireWrite, to entry: CatalogEntry?, as id: String? = nil, localId: String? = nil
    ) throws -> String {
        let folder = try catalog.folder()
        guard let document = write.document else {
            guard let entry else { return id ?? write.questionnaire }
            if let file = try catalog.file(of: entry) { try keep(file, of: entry) }
            try keepUnusable(entry)
            try folder.removeIfPresent(FilePath(entry.fileName))
            try folder.makeDurable(folder: "")
            return entry.id
        }
        if let entry {
            let former = try catalog.file(of: entry)
            let bytes = try content(document, id: entry.id, localId: entry.localId, replacing: former)
            if let former { try keep(former, of: entry) }
            try keepUnusable(entry)
            try folder.writeDurably(bytes, to: FilePath(entry.fileName), temporaryFolder: "")
            return entry.id
        }
        if let id, id != write.questionnaire || TestID(id) == nil {
            // It was deleted, and is restored under its id.
            let known = try register.observe { try catalog.refresh() }.item(id: id)?.localId
            let local = known ?? TestID(write.questionnaire)?.description
            guard let restored = try create(document, id: id, localId: local, in: folder) else {
                throw HostError.damaged(
                    FilePath(HostLayout.questionnaireFile(id: PercentEncoding.encode(id))),
                    reason: "another file has the name that “\(id)” needs")
            }
            return restored
        }
        // The document has the id from the device; the host assigns one of its own.
        let number = try register.observe { try catalog.refresh() }.sequence
        let local = localId ?? write.questionnaire
        let stem = Self.stem(try Questionnaire(json: document).title)
        for attempt in 1... {
            let made = try create(document, id: "\(stem)-\(number + attempt)", localId: local, in: folder)
            if let made { return made }
        }
        return local
    }

    /// - Returns: `nil` when there is such an id, or such a file.
    private func create(
        _ document: [UInt8], id: String, localId: String?, in folder: any FileSystem
    ) throws -> String? {
        guard try catalog.refresh().entry(id: id) == nil else { return nil }
        let bytes = try content(document, id: id, localId: localId, replacing: nil)
        let name = HostLayout.questionnaireFile(id: PercentEncoding.encode(id))
        return try folder.writeDurablyIfAbsent(bytes, to: FilePath(name), temporaryFolder: "") ? id : nil
    }

    /// The version whose place is taken stays on the host's disk.
    private func keep(_ file: [UInt8], of entry: CatalogEntry) throws {
        let path = HostLayout.formerVersion(of: entry.id, Digest(sha256Of: file))
        try fileSystem.makeDurableFolder(HostLayout.former)
        try fileSystem.writeDurably(file, to: path, temporaryFolder: HostLayout.temporary)
    }

    /// An author's file with a mistake in it stays too, though it was never published.
    private func keepUnusable(_ entry: CatalogEntry) throws {
        guard entry.isFormerVersion, let file = try catalog.rawFile(of: entry) else { return }
        try keep(file, of: entry)
    }

    /// The document with the host's id and time in it, and with the key that the device never saw.
    private func content(
        _ document: [UInt8], id: String, localId: String?, replacing former: [UInt8]?
    ) throws -> [UInt8] {
        let text = try Self.checked(document)
        guard text.isObject else { throw DocumentFault(field: nil, reason: "it is not a questionnaire") }
        if let former, let bytes = try Self.otherKey(text, in: former) { return bytes }
        var head = "{\n  \"id\": \(try Self.quoted(id)),\n"
        if let localId { head += "  \"localId\": \(try Self.quoted(localId)),\n" }
        head += "  \"updatedAt\": \(try Self.quoted(clock.now.description)),\n"
        if let former, !text.members.contains(where: { AnswerKey.memberNames.contains($0.name) }) {
            head += try Self.keyMembers(of: former, for: document)
        }
        var rest = text.removing(["id", "localId", "updatedAt"])[...]
        rest = rest.drop { $0 != UInt8(ascii: "{") }.dropFirst().drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        let bytes = Array((head + "  ").utf8) + rest
        let published = try PublishedQuestionnaire(publishing: bytes)
        guard Int64(bytes.count) <= QuestionnaireCatalog.maximumFileBytes else {
            throw DocumentFault(field: nil, reason: "it is too long")
        }
        guard published.questionnaire.id == id else { throw DocumentFault(field: "id", reason: "stands there twice") }
        return bytes
    }

    /// The former file with the document's key, where nothing else is different: it stays the same version, and tests that were
    /// handed in can be rated again by the corrected key.
    private static func otherKey(_ document: JSONText, in former: [UInt8]) throws -> [UInt8]? {
        let key = document.members.filter { AnswerKey.memberNames.contains($0.name) }
        let own: Set = ["id", "localId", "updatedAt"]
        func isSame(without names: Set<String>) throws -> Bool {
            let (one, other) = (document.removing(names), try checked(former).removing(names))
            return try DocumentCoding.decode(JSONValue.self, from: one)
                == DocumentCoding.decode(JSONValue.self, from: other)
        }
        guard !key.isEmpty, try isSame(without: own.union(AnswerKey.memberNames)) else { return nil }
        if try isSame(without: own) { return former }
        let published = try checked(former).removing(AnswerKey.memberNames)
        guard let last = try checked(published).members.last?.range.upperBound else { return nil }
        let members = key.flatMap { Array(",\n  ".utf8) + document.bytes[$0.range] }
        let bytes = published[..<last] + members + published[last...]
        return try PublishedQuestionnaire(publishing: Array(bytes)).content == published ? Array(bytes) : nil
    }

    /// The key of the former version, without the questions that are gone: the device did not know that they had one.
    private static func keyMembers(of former: [UInt8], for document: [UInt8]) throws -> String {
        let ids = Set(try Questionnaire(json: document).questions.map(\.id))
        var text = ""
        for member in try checked(former).members where AnswerKey.memberNames.contains(member.name) {
            let value = try DocumentCoding.decode(JSONValue.self, from: Array(former[member.value]))
            guard case .object(let answers) = value, !answers.keys.allSatisfy(ids.contains) else {
                text += "  " + String(decoding: former[member.range], as: UTF8.self) + ",\n"
                continue
            }
            let rest = try DocumentCoding.encodeLine(JSONValue.object(answers.filter { ids.contains($0.key) }))
            text += "  \(try quoted(member.name)): \(String(decoding: rest.dropLast(), as: UTF8.self)),\n"
        }
        return text
    }

    private static func checked(_ bytes: [UInt8]) throws(DocumentFault) -> JSONText {
        do throws(JSONFault) {
            return try JSONText(checking: bytes)
        } catch {
            throw DocumentFault(field: nil, reason: "it is not JSON: \(error)")
        }
    }

    private static func quoted(_ text: String) throws -> String {
        String(decoding: try DocumentCoding.encodeLine(text).dropLast(), as: UTF8.self)
    }

    /// `spring-in-the-woods` for a title in Latin letters, `questionnaire` where nothing is left.
    private static func stem(_ title: String) -> String {
        var stem = ""
        for byte in TextFolding.fold(title).utf8 {
            if (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) {
                stem.unicodeScalars.append(.init(byte))
            } else if !stem.isEmpty, !stem.hasSuffix("-") {
                stem += "-"
            }
            if stem.utf8.count == 40 { break }
        }
        while stem.hasSuffix("-") { stem.removeLast() }
        return stem.isEmpty ? "questionnaire" : stem
    }

    // MARK: Receipts

    private func acknowledged(
        _ write: QuestionnaireWrite, _ id: String, _ outcome: ChangeOutcome?
    ) throws -> Outcome {
        // The writer may have been killed before its name was durable.
        try catalog.folder().makeDurable(folder: "")
        let published = try register.observe { try catalog.refresh() }.item(id: id)?.publication
        if write.document != nil, outcome != .dropped { try catalog.noteVersion(of: id, sentAs: write.digest) }
        let receipt = Receipt(
            test: write.change, digest: write.digest, status: .sent, receivedAt: clock.now, action: write.action,
            published: published, outcome: outcome)
        return try keep(receipt).map { .stored($0) } ?? .different
    }

    /// Writes a receipt durably, once: none is ever replaced.
    ///
    /// - Returns: the stored bytes; `nil` if there is a receipt for something else.
    func keep(_ receipt: Receipt) throws -> [UInt8]? {
        let bytes = try DocumentCoding.encode(receipt)
        if try files.put(receipt: bytes, of: receipt.test, after: nil) { return bytes }
        // Two requests at once: the receipt of the quicker one counts.
        guard let (stored, known) = try self.receipt(of: receipt.test), known.action == receipt.action,
            known.digest == receipt.digest, known.published?.id == receipt.published?.id
        else { return nil }
        try files.confirmReceipts()
        return stored
    }

    /// Whether a change was one of this questionnaire, by the host's id or the device's. A copy has got another id.
    func isAbout(_ questionnaire: String, _ receipt: Receipt) throws -> Bool {
        guard let published = receipt.published, receipt.outcome != .copied else { return true }
        let known: Set<String?> = [published.id, published.localId]
        if known.contains(questionnaire) { return true }
        // Deleted ones are in the register, too.
        let item = try register.observe { try catalog.refresh() }.item(id: questionnaire)
        return known.contains(item?.questionnaire ?? questionnaire)
    }

    /// The host's id of a questionnaire that there is, or was, by either of its ids.
    func hostID(of questionnaire: String) throws -> String? {
        try register.observe { try catalog.refresh() }.item(id: questionnaire)?.questionnaire
    }

    /// Whether this is the id of a test.
    func isOfTest(_ id: TestID) throws -> Bool {
        if try files.isStored(id) { return true }
        return try files.stamps(of: [id]).first?.receipt != nil && receipt(of: id) == nil
    }

    /// The stored receipt of a change; `nil` when there is none, or it is that of a test.
    func receipt(of id: TestID) throws -> (bytes: [UInt8], receipt: Receipt)? {
        do {
            guard let bytes = try files.receipt(id, maximumBytes: 1 << 20)?.bytes else { return nil }
            let receipt = try DocumentCoding.decode(Receipt.self, from: bytes)
            return receipt.action == nil ? nil : (bytes, receipt)
        } catch let error as FileError where error.code == .fileTooLarge {
            return nil
        } catch let fault as DocumentFault {
            throw HostError.damaged(files.place(of: HostLayout.receipt(id)), reason: fault.description)
        }
    }
}

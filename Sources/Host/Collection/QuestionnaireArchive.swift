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
    /// Where hosts share a bucket: then a change is an entry of the log, and no lock is needed.
    let shared: SharedPlace?
    let register: ChangeRegister
    private let clock: any StoreClock
    /// No other write happens between the check of a version and its replacement.
    private let writing = Mutex(())

    /// That of an archive of tests: in its folder, or in the bucket that hosts share.
    package init(of tests: TestArchive) {
        fileSystem = tests.fileSystem
        files = tests.received.files
        catalog = tests.catalog
        shared = tests.shared
        register = ChangeRegister(fileSystem: fileSystem, log: tests.shared?.log)
        clock = tests.clock
    }

    package init(fileSystem: any FileSystem, catalog: QuestionnaireCatalog, clock: any StoreClock) {
        self.fileSystem = fileSystem
        self.files = TestFolder(fileSystem)
        self.catalog = catalog
        shared = nil
        register = ChangeRegister(fileSystem: fileSystem)
        self.clock = clock
    }

    /// Makes missing folders, and removes files of killed writers.
    package func recover() throws {
        if shared != nil { return }
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
        // A bucket's questionnaires are in it.
        if shared != nil { return }
        guard try catalog.refresh().entries.isEmpty else { return }
        let former = try register.publishedCount()
        if former > 0 { throw HostError.nothingPublished(try catalog.folder().root, former: former) }
    }

    /// - Throws: `DocumentFault` for a document that is no questionnaire, `HostError`, `FileError`.
    package func carryOut(_ write: QuestionnaireWrite) throws -> Outcome {
        try writing.withLock { _ in
            if let shared {
                while true {
                    do {
                        return try decide(write, after: shared.mirror.look())
                    } catch is SharedPlace.Overtaken {
                        // Another writer was first: decide again, after its change.
                    }
                }
            }
            // A folder may be collected while the host runs.
            let lock = try LockFile.acquire(HostLayout.changesLock, in: fileSystem, wait: true)
            defer { withExtendedLifetime(lock) {} }
            return try decide(write, after: nil)
        }
    }

    /// - Parameter number: where hosts share a bucket: that of the last change that counts; the next one is this.
    /// - Throws: `SharedPlace.Overtaken` where that is not the last change any more.
    private func decide(_ write: QuestionnaireWrite, after number: Int?) throws -> Outcome {
        if let known = try receipt(of: write.change) {
            guard try isOf(write, known.receipt) else { return .different }
            try files.confirmReceipts()
            return .known(known.bytes)
        }
        if try isOfTest(write.change) { return .different }
        if let made = shared?.log.receipt(of: write.change) {
            // The host that carried it out was killed before the receipt was written.
            guard try isOf(write, made) else { return .different }
            return try keep(made).map { .stored($0) } ?? .different
        }
        let entry = try catalog.entry(id: write.questionnaire)
        if let entry, let file = try carriedOut(write, entry) {
            if let shared, let number, !shared.log.hasVersion(of: entry.id, write.digest) {
                // Tests of the document as this device has it may arrive, too.
                try shared.publish(
                    file, inFile: entry.fileName, of: entry.id, write, nil, after: number, at: clock.now)
            }
            return try acknowledged(write, entry.id, nil)
        }
        if write.base.holds(for: entry?.digest), try replaces(write, entry) {
            return try acknowledged(write, try apply(write, to: entry, after: number), nil)
        }
        let last = try register.observe { try catalog.refresh() }.item(id: write.questionnaire)
        // It is gone already, as requested.
        if write.action == .delete, entry == nil, let last {
            return try acknowledged(write, last.questionnaire, nil)
        }
        let current = last?.publication
        // A missing questionnaire cannot be edited, whatever the rule.
        guard current != nil else { return .mismatch(nil) }
        let id = current?.id ?? write.questionnaire
        return try settle(write, entry, last: id, after: number) ?? .mismatch(current)
    }

    /// Whether the file is there that a change is to take the place of: another key alone is no other version.
    private func replaces(_ write: QuestionnaireWrite, _ entry: CatalogEntry?) throws -> Bool {
        guard let wanted = write.replacedFile else { return true }
        return try entry.flatMap { try catalog.file(of: $0) }.map { Digest(sha256Of: $0) } == wanted
    }

    /// Whether a receipt is that of the same request.
    private func isOf(_ write: QuestionnaireWrite, _ receipt: Receipt) throws -> Bool {
        guard receipt.digest == write.digest, receipt.action == write.action else { return false }
        return try isAbout(write.questionnaire, receipt)
    }

    /// - Returns: `nil` where the client is to be asked.
    private func settle(
        _ write: QuestionnaireWrite, _ entry: CatalogEntry?, last id: String, after number: Int?
    ) throws -> Outcome? {
        switch write.policy {
        case .ask: return nil
        case .client:
            return try acknowledged(write, try apply(write, to: entry, as: id, .replaced, after: number), .replaced)
        case .server: return try acknowledged(write, id, .dropped)
        case .duplicate:
            guard write.document != nil else { return try acknowledged(write, id, .dropped) }
            // A repetition finds the copy by the id of the change.
            let local = write.change.description
            let copy = try catalog.refresh().entry(localId: local)?.id
            return try acknowledged(
                write, try copy ?? apply(write, to: nil, localId: local, .copied, after: number), .copied)
        }
    }

    // MARK: The questionnaire's file

    /// The file, if it has the content of this change already: it was carried out, and the reply was lost.
    private func carriedOut(_ write: QuestionnaireWrite, _ entry: CatalogEntry) throws -> [UInt8]? {
        guard let document = write.document, let file = try catalog.file(of: entry) else { return nil }
        return try isMade(file, of: entry, from: document) ? file : nil
    }

    /// Whether the file of a questionnaire is what publishing a document makes.
    ///
    /// - Throws: `DocumentFault` for a document that cannot be published.
    package func isMade(_ file: [UInt8], of entry: CatalogEntry, from document: [UInt8]) throws -> Bool {
        let wanted = try content(document, id: entry.id, localId: entry.localId, replacing: file)
        return try QuestionnaireFile.withoutTime(file) == QuestionnaireFile.withoutTime(wanted)
    }

    /// Writes or removes the file.
    ///
    /// - Returns: the questionnaire's id on the host.
    private func apply(
        _ write: QuestionnaireWrite, to entry: CatalogEntry?, as id: String? = nil, localId: String? = nil,
        _ outcome: ChangeOutcome? = nil, after number: Int?
    ) throws -> String {
        let place = Place(write: write, outcome: outcome, number: number)
        guard let document = write.document else {
            guard let entry else { return id ?? write.questionnaire }
            try put(nil, in: entry, place)
            return entry.id
        }
        if let entry {
            let former = try catalog.file(of: entry)
            try put(try content(document, id: entry.id, localId: entry.localId, replacing: former), in: entry, place)
            return entry.id
        }
        if let id, id != write.questionnaire || TestID(id) == nil {
            // It was deleted, and is restored under its id.
            let known = try register.observe { try catalog.refresh() }.item(id: id)?.localId
            let local = known ?? TestID(write.questionnaire)?.description
            guard let restored = try create(document, id: id, localId: local, place) else {
                throw HostError.damaged(
                    FilePath(HostLayout.questionnaireFile(id: PercentEncoding.encode(id))),
                    reason: "another file has the name that “\(id)” needs")
            }
            return restored
        }
        // The document has the id from the device; the host assigns one of its own.
        let sequence = try register.observe { try catalog.refresh() }.sequence
        let local = localId ?? write.questionnaire
        let stem = QuestionnaireFile.stem(try Questionnaire(json: document).title)
        for attempt in 1... {
            let made = try create(document, id: "\(stem)-\(sequence + attempt)", localId: local, place)
            if let made { return made }
        }
        return local
    }

    /// The request that writes a file, its outcome, and the number of the bucket's last change.
    private struct Place {
        var write: QuestionnaireWrite
        var outcome: ChangeOutcome?
        var number: Int?
    }

    /// Puts a file in the place of a questionnaire's, or removes that.
    private func put(_ bytes: [UInt8]?, in entry: CatalogEntry, _ place: Place) throws {
        if let shared, let number = place.number {
            // The log keeps all that was published.
            return try shared.publish(
                bytes, inFile: entry.fileName, of: entry.id, place.write, place.outcome, after: number, at: clock.now)
        }
        let folder = try catalog.folder()
        if let file = try catalog.file(of: entry) { try keep(file, of: entry) }
        try keepUnusable(entry)
        if let bytes {
            try folder.writeDurably(bytes, to: FilePath(entry.fileName), temporaryFolder: "")
        } else {
            try folder.removeIfPresent(FilePath(entry.fileName))
            try folder.makeDurable(folder: "")
        }
    }

    /// - Returns: `nil` when there is such an id, or such a file.
    private func create(_ document: [UInt8], id: String, localId: String?, _ place: Place) throws -> String? {
        let snapshot = try catalog.refresh()
        guard snapshot.entry(id: id) == nil else { return nil }
        let bytes = try content(document, id: id, localId: localId, replacing: nil)
        let name = HostLayout.questionnaireFile(id: PercentEncoding.encode(id))
        if let shared, let number = place.number {
            guard snapshot.files[name] == nil else { return nil }
            try shared.publish(bytes, inFile: name, of: id, place.write, place.outcome, after: number, at: clock.now)
            return id
        }
        return try catalog.folder().writeDurablyIfAbsent(bytes, to: FilePath(name), temporaryFolder: "") ? id : nil
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

    private func content(
        _ document: [UInt8], id: String, localId: String?, replacing former: [UInt8]?
    ) throws -> [UInt8] {
        try QuestionnaireFile.content(of: document, id: id, localId: localId, replacing: former, at: clock.now)
    }

    // MARK: Receipts

    private func acknowledged(
        _ write: QuestionnaireWrite, _ id: String, _ outcome: ChangeOutcome?
    ) throws -> Outcome {
        if let made = shared?.log.receipt(of: write.change) {
            return try keep(made).map { .stored($0) } ?? .different
        }
        // The writer may have been killed before its name was durable.
        if shared == nil { try catalog.folder().makeDurable(folder: "") }
        let published = try register.observe { try catalog.refresh() }.item(id: id)?.publication
        if shared == nil, write.document != nil, outcome != .dropped {
            try catalog.noteVersion(of: id, sentAs: write.digest)
        }
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

    /// The receipt of a change that was carried out, also where its host was killed before it was stored.
    func made(_ change: TestID) throws -> Receipt? {
        if let stored = try receipt(of: change)?.receipt { return stored }
        try shared?.mirror.look()
        return shared?.log.receipt(of: change)
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

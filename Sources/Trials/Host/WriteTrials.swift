import Disk
import Host
import Logging
import Model
import Simulation
import Synchronization
import SystemPackage

/// A host whose questionnaires lie on the disk that fails, and what it has acknowledged to devices that change them.
struct WriteWorld: Sendable {
    let disk: SimulatedDisk
    /// The receipts that it gave out, and what was asked for with them.
    let acknowledged: Acknowledged

    final class Acknowledged: Sendable {
        let receipts = Mutex<[TestID: (write: QuestionnaireWrite, receipt: Receipt)]>([:])
        /// The bytes of the sent picture.
        let picture = Mutex<[UInt8]?>(nil)
    }

    init(renames: RenameDurability) {
        disk = SimulatedDisk(renames: renames)
        acknowledged = Acknowledged()
    }

    private init(_ disk: SimulatedDisk, _ acknowledged: Acknowledged) {
        self.disk = disk
        self.acknowledged = acknowledged
    }

    func after(_ disk: SimulatedDisk) -> WriteWorld {
        let copy = Acknowledged()
        let now = acknowledged.receipts.withLock { $0 }
        copy.receipts.withLock { $0 = now }
        let picture = acknowledged.picture.withLock { $0 }
        copy.picture.withLock { $0 = picture }
        return WriteWorld(disk, copy)
    }

    /// The questionnaires lie beside the host's own files, so that one disk has both.
    func archive(_ files: (any FileSystem)? = nil) throws -> QuestionnaireArchive {
        try archives(files ?? disk.process()).changes
    }

    /// The archive for files of questionnaires.
    func media(_ files: (any FileSystem)? = nil) throws -> MediaArchive {
        let files = files ?? disk.process()
        let (tests, changes) = try archives(files)
        let media = MediaArchive(
            fileSystem: files, tests: tests, changes: changes, clock: disk.clock, maximumBytes: 1 << 20)
        try media.recover()
        return media
    }

    private func archives(_ files: any FileSystem) throws -> (tests: TestArchive, changes: QuestionnaireArchive) {
        let silence = Logger(label: "trials", factory: { _ in SwiftLogNoOpLogHandler() })
        let catalog = QuestionnaireCatalog(clock: disk.clock, logger: silence) { () throws(FileError) in files }
        let tests = TestArchive(fileSystem: files, catalog: catalog, clock: disk.clock, logger: silence)
        try tests.makeFolders()
        try tests.recover()
        let archive = QuestionnaireArchive(fileSystem: files, catalog: catalog, clock: disk.clock)
        try archive.recover()
        return (tests, archive)
    }

    static func id(_ number: Int) -> TestID {
        var generator = SeededGenerator(seed: UInt64(number))
        return TestID.random(using: &generator)
    }

    static func document(_ title: String) -> [UInt8] {
        Array("{\"id\": \"x\", \"title\": \"\(title)\", \"questions\": []}".utf8)
    }

    /// Creates the questionnaire of this number.
    static func creation(_ number: Int) -> QuestionnaireWrite {
        QuestionnaireWrite(
            change: id(100 + number), action: .create, questionnaire: id(number).description, base: .none,
            document: document("Quiz \(number)"))
    }

    /// Goes on from the creation of number 1.
    func following(_ change: Int, _ title: String?, policy: ConflictPolicy = .ask) -> QuestionnaireWrite {
        let digest = acknowledged.receipts.withLock { $0[Self.id(101)]?.receipt.published?.digest }
        return QuestionnaireWrite(
            change: Self.id(change), action: title == nil ? .delete : .edit,
            questionnaire: Self.id(1).description, base: .versions([digest?.hex ?? ""]), policy: policy,
            document: title.map(Self.document))
    }

    func carryOut(_ archive: QuestionnaireArchive, _ write: QuestionnaireWrite) throws {
        switch try archive.carryOut(write) {
        case .stored(let bytes), .known(let bytes):
            let receipt = try DocumentCoding.decode(Receipt.self, from: bytes)
            acknowledged.receipts.withLock { $0[write.change] = (write, receipt) }
        case .different, .mismatch: break
        }
    }

    // MARK: The promises

    func brokenPromises(_ planned: [QuestionnaireWrite]) -> [String] {
        do {
            disk.clearPlan()
            return try check(planned)
        } catch {
            return ["it cannot be used: \(error)"]
        }
    }

    private func check(_ planned: [QuestionnaireWrite]) throws -> [String] {
        var broken: [String] = []
        let archive = try archive()
        let promises = acknowledged.receipts.withLock { $0 }
        for (id, promise) in promises {
            guard case .known(let bytes) = try archive.carryOut(promise.write) else {
                broken.append("change \(id) was acknowledged and is not known")
                continue
            }
            if try DocumentCoding.decode(Receipt.self, from: bytes) != promise.receipt {
                broken.append("change \(id) has another receipt than was given out")
            }
        }
        // A device without a reply sends it again; then the state is that of the last change.
        for write in planned where promises[write.change] == nil {
            switch try archive.carryOut(write) {
            case .stored, .known: continue
            case .different, .mismatch: broken.append("change \(write.change) meets what it did itself")
            }
        }
        disk.clock.advance(by: .seconds(60))
        let found = disk.filePaths.filter { $0.hasPrefix("quiz-") }
        let isDeleted = planned.contains { $0.action == .delete }
        let wanted = Set(planned.filter { $0.action == .create }.map(\.questionnaire)).count - (isDeleted ? 1 : 0)
        if found.count != wanted { broken.append("there are \(found.count) questionnaires, and \(wanted) were made") }
        for path in disk.filePaths where path.hasSuffix(".tmp") { broken.append("\(path) was left over") }
        for path in found {
            guard let bytes = disk.contents(FilePath(path)), let read = try? Questionnaire(json: bytes) else {
                broken.append("\(path) is not whole")
                continue
            }
            let last = planned.last { $0.questionnaire == read.localId }
            let title = try last?.document.map { try Questionnaire(json: $0).title }
            if read.title != title { broken.append("\(path) says “\(read.title)” and not “\(title ?? "")”") }
        }
        return broken
    }
}

enum WriteTrials {
    /// - Parameters:
    ///   - before: what was carried out before.
    ///   - planned: what is carried out while it is broken off.
    private static func write(
        _ name: String, before: @escaping @Sendable (WriteWorld) -> [QuestionnaireWrite] = { _ in [] },
        _ planned: @escaping @Sendable (WriteWorld) -> [QuestionnaireWrite]
    ) -> Trial {
        Trial(.host, name) { renames in
            let world = WriteWorld(renames: renames)
            let archive = try world.archive()
            for write in before(world) { try world.carryOut(archive, write) }
            world.disk.settle()
            world.disk.clock.advance(by: .seconds(60))
            let writes = planned(world)
            let all = before(world) + writes
            return Attempt(
                disk: world.disk,
                act: { files in
                    let archive = try world.archive(files)
                    for write in writes { try world.carryOut(archive, write) }
                }, check: { world.after($0).brokenPromises(all) })
        }
    }

    static let all: [Trial] = [
        write("two questionnaires that devices create") { _ in
            [WriteWorld.creation(1), WriteWorld.creation(2), WriteWorld.creation(1)]
        },
        write("an edit", before: { _ in [WriteWorld.creation(1)] }, { [$0.following(7, "Edited")] }),
        write(
            "a deletion", before: { _ in [WriteWorld.creation(1), WriteWorld.creation(2)] },
            { [$0.following(7, nil)] }),
    ]
}

import Disk
import Model
import SystemPackage

/// The outbox on disk: one file for each test, whose folder is its status.
///
/// A test's file is written atomically and durably; a move is one rename, then a sync of the target folder, then of the
/// source. Readers take no lock. A person's changes happen under `edit.lock`, the sweeper's moves under `lock`; where
/// the two meet (`done`), the rename decides, which fails for the second one.
///
/// Only the folders, the files in them and the room on the disk are here. What is done with the files is in the values
/// ``edits``, ``localChanges``, ``conflicts``, ``media``, ``attachments``, ``queue``, ``transfer``, ``retention`` and
/// ``survey``.
public final class Outbox: Sendable {
    /// The protocol's limit for a test; longer files are not tests.
    package static let maximumTestBytes: Int64 = 4 << 20

    /// The same limit for a questionnaire, whose file has a little more beside it.
    package static let maximumItemBytes: Int64 = maximumTestBytes + (64 << 10)

    static func maximumBytes(_ kind: OutboxKind) -> Int64 { kind == .test ? maximumTestBytes : maximumItemBytes }

    let fileSystem: any FileSystem
    let quarantine: Quarantine
    let clock: any StoreClock
    let bootIdentity: String
    /// Called when the disk is full; frees disk space for answers.
    let giveWay: @Sendable () throws -> Void
    let makeID: @Sendable () -> TestID

    /// - Parameters:
    ///   - giveWay: called when the disk is full, before the reserve is used.
    ///   - makeID: gives each new test its identity.
    package init(
        fileSystem: any FileSystem, quarantine: Quarantine, clock: any StoreClock,
        bootIdentity: String = BootIdentity.current, giveWay: @escaping @Sendable () throws -> Void = {},
        makeID: @escaping @Sendable () -> TestID = { .random() }
    ) {
        self.fileSystem = fileSystem
        self.quarantine = quarantine
        self.clock = clock
        self.bootIdentity = bootIdentity
        self.giveWay = giveWay
        self.makeID = makeID
    }

    /// Makes the folders where they are missing, durably.
    package func makeFolders() throws {
        // The lock file is made after the folders are durable: without it, their maker may have crashed, or still be at
        // work.
        var isNew = try fileSystem.status(at: OutboxLayout.editLock) == nil
        for folder in OutboxLayout.folders where try fileSystem.status(at: folder) == nil {
            try fileSystem.makeFolderIfMissing(folder)
            isNew = true
        }
        if isNew {
            try fileSystem.makeDurable(folder: OutboxLayout.root)
            try fileSystem.makeDurable(folder: FilePath())
        }
        restoreReserve()
    }

    // MARK: Looking

    /// Lists the folders; no file is opened.
    package func scan() throws -> OutboxScan {
        var scan = OutboxScan()
        var places: [TestID: TestStatus] = [:]
        // Nearly all lie in one folder alone: a set for each of them would be half the work.
        var several: [TestID: Set<TestStatus>] = [:]
        var receipts: Set<OutboxItem> = []
        var strangers: Set<OutboxScan.Stranger> = []
        // From the least to the most advanced, so that a test on its way forward is met at least once; folders that a
        // test may return to are listed again at the end.
        for status in TestStatus.allCases.sorted(by: { $0.advancement < $1.advancement }) + [.inProgress, .done] {
            for entry in try list(status) {
                switch OutboxLayout.FileName(entry.name) {
                case .item(let id, let kind) where entry.kind == .regular && kind.mayLie(in: status):
                    if let former = places.updateValue(status, forKey: id), former != status {
                        several[id, default: [former]].insert(status)
                    }
                    if kind != .test { scan.kinds[id] = kind }
                case .theirs(let id) where entry.kind == .regular && status == .conflict: scan.theirs.insert(id)
                case .item where entry.kind == .regular, .theirs where entry.kind == .regular:
                    strangers.insert(.init(status, entry.name, "such a file does not belong in this folder"))
                case .receipt(let id) where entry.kind == .regular:
                    receipts.insert(OutboxItem(id: id, status: status))
                case nil where entry.kind == .regular:
                    strangers.insert(.init(status, entry.name, "its name is not that of a test (UUID.test.json)"))
                default: strangers.insert(.init(status, entry.name, "it is \(entry.kind.words), not a file"))
                }
            }
        }
        for (id, status) in places where several[id] == nil {
            scan.items.append(OutboxItem(id: id, kind: scan.kind(of: id), status: status))
        }
        for (id, statuses) in several {
            let sorted = statuses.sorted { $0.advancement > $1.advancement }
            scan.duplicates[id] = sorted
            // Another version in `conflict` hides nothing: the waiting one beside it is still sent.
            let known = sorted.first { $0 != .conflict }
            for status in sorted where status == known || status == .conflict {
                scan.items.append(OutboxItem(id: id, kind: scan.kind(of: id), status: status))
            }
        }
        scan.items.sort { ($0.status.advancement, $0.id) < ($1.status.advancement, $1.id) }
        scan.receipts = receipts.sorted { ($0.status.advancement, $0.id) < ($1.status.advancement, $1.id) }
        scan.strangers = strangers.sorted { $0.path.string < $1.path.string }
        return scan
    }

    /// The number of tests and other items in each folder, by their names alone.
    package func counts() throws -> [TestStatus: Int] {
        var counts: [TestStatus: Int] = [:]
        for item in try scan().items { counts[item.status, default: 0] += 1 }
        return counts
    }

    private func list(_ status: TestStatus) throws -> [FolderEntry] {
        do throws(FileError) {
            return try fileSystem.list(OutboxLayout.folder(status))
        } catch {
            // A folder left out of a copy counts as empty.
            if error.isMissing { return [] }
            throw error
        }
    }

    /// The status and kind of an item; `nil` if there is none of that id.
    public func find(_ id: TestID) throws -> OutboxItem? {
        for _ in 0..<3 {
            // A test that is moving between two folders may be missed once.
            for kind in OutboxKind.allCases {
                for status in TestStatus.allCases.sorted(by: { $0.advancement > $1.advancement })
                where kind.mayLie(in: status) {
                    let item = OutboxItem(id: id, kind: kind, status: status)
                    if try fileSystem.status(at: item.path)?.kind == .regular { return item }
                }
            }
        }
        return nil
    }

    /// The other version of an item, if two exist under one id: one of the two is in `conflict`.
    package func otherVersion(of item: OutboxItem) throws -> OutboxItem? {
        let statuses =
            item.status == .conflict
            ? TestStatus.allCases.sorted { $0.advancement > $1.advancement }.filter { $0 != .conflict } : [.conflict]
        for status in statuses where item.kind.mayLie(in: status) {
            let other = OutboxItem(id: item.id, kind: item.kind, status: status)
            if try fileSystem.status(at: other.path)?.kind == .regular { return other }
        }
        return nil
    }

    /// The item with this id prefix, if it is unambiguous.
    package func find(prefix: String) throws -> OutboxItem {
        if let id = TestID(prefix), let item = try find(id) { return item }
        let wanted = prefix.lowercased()
        let matches = Set(try scan().items.filter { !wanted.isEmpty && $0.id.description.hasPrefix(wanted) }.map(\.id))
        guard let id = matches.first, let item = try find(id) else { throw OutboxError.notFound(prefix) }
        guard matches.count == 1 else { throw OutboxError.ambiguous(prefix, count: matches.count) }
        return item
    }

    /// The test that a person decides about: the version in `conflict`, if there is one.
    package func undecided(_ id: TestID) throws -> OutboxItem {
        for kind in OutboxKind.allCases {
            let conflict = OutboxItem(id: id, kind: kind, status: .conflict)
            if try fileSystem.status(at: conflict.path)?.kind == .regular { return conflict }
        }
        guard let item = try find(id) else { throw OutboxError.notFound(id.description) }
        return item
    }
}

extension FileKind {
    fileprivate var words: String {
        switch self {
        case .regular: "a file"
        case .folder: "a folder"
        case .symbolicLink: "a symbolic link"
        case .other: "a pipe, socket or device"
        }
    }
}

import Disk
import Model
import SystemPackage

/// Reads the files: tests, changes and receipts.
extension Outbox {
    /// Reads a test's file.
    ///
    /// - Throws: `OutboxError.notFound` if it is gone from that folder, `.unreadable` if it is not a test.
    package func read(_ item: OutboxItem) throws -> StoredTest {
        let (bytes, modified) = try file(of: item)
        let record = try record(of: item, in: bytes)
        return StoredTest(record: record, status: item.status, bytes: bytes, modified: modified)
    }

    /// A listed test as it is now: read where it lies, should it have moved since it was listed. Nil if it is gone or unreadable.
    package func listed(_ item: OutboxItem) -> StoredTest? { try? whereItLies(item, read) }

    /// The test of this id, also while a sweep moves it from folder to folder; `nil` if there is none.
    ///
    /// - Throws: `OutboxError.unreadable` if it is not a test.
    package func test(_ id: TestID) throws -> StoredTest? {
        guard let item = try find(id), item.kind == .test else { return nil }
        return try whereItLies(item, read)
    }

    /// The draft of this id.
    ///
    /// - Throws: `OutboxError.notFound`, `.frozen` for a test that is finished, `.noTest` for a change, `.unreadable` if it is
    ///   not a test.
    package func draft(_ id: TestID) throws -> StoredTest {
        guard let stored = try test(id) else {
            if let other = try find(id), other.kind != .test { throw OutboxError.noTest(id, other.kind) }
            throw OutboxError.notFound(id.description)
        }
        guard stored.status.isDraft else { throw OutboxError.frozen(id, stored.status) }
        return stored
    }

    /// An item as `reading` gives it, in the folder it moved to since it was found; `nil` if it is gone.
    ///
    /// - Parameters:
    ///   - look: finds it where it is now.
    ///   - reading: throws `OutboxError.notFound` with the item's id if it is not there any more.
    package func whereItLies<Value>(
        _ item: OutboxItem, again look: ((TestID) throws -> OutboxItem?)? = nil,
        _ reading: (OutboxItem) throws -> Value
    ) throws -> Value? {
        var item = item
        // A test moves a few times in its life: more is no move.
        for _ in 0..<100 {
            do { return try reading(item) } catch OutboxError.notFound(item.id.description) {
                guard let now = try look.map({ try $0(item.id) }) ?? place(now: item), now.kind == item.kind else {
                    return nil
                }
                item = now
            }
        }
        return nil
    }

    /// Where an item is now: the version in `conflict` is another one than the one beside it.
    private func place(now item: OutboxItem) throws -> OutboxItem? {
        guard let found = try find(item.id) else { return nil }
        guard found.status == .conflict, item.status != .conflict else { return found }
        for _ in 0..<3 {
            // As in `find`, one that is moving may be missed once. Where there is no other, this one came into conflict.
            if let other = try otherVersion(of: found) { return other }
        }
        return found
    }

    /// The unparsed bytes of a test's file.
    package func bytes(of item: OutboxItem) throws -> [UInt8] { try file(of: item).bytes }

    /// Parses the bytes of a test's file.
    package func record(of item: OutboxItem, in bytes: [UInt8]) throws -> TestRecord {
        do throws(DocumentFault) {
            let record = try DocumentCoding.decode(TestRecord.self, from: bytes)
            guard record.id == item.id else {
                throw DocumentFault(field: "id", reason: "is \(record.id), which is not the file's name")
            }
            return record
        } catch {
            throw OutboxError.unreadable(path: item.path.string, reason: error.description)
        }
    }

    private func file(of item: OutboxItem) throws -> (bytes: [UInt8], modified: Timestamp) {
        guard item.kind == .test else {
            throw OutboxError.unreadable(path: item.path.string, reason: "it is a \(item.kind.rawValue), not a test")
        }
        do throws(FileError) {
            let (bytes, status) = try fileSystem.readFile(item.path, maximumBytes: Self.maximumTestBytes)
            return (bytes, status.modified)
        } catch {
            if error.isMissing { throw OutboxError.notFound(item.id.description) }
            throw OutboxError.unreadable(path: item.path.string, reason: error.description)
        }
    }

    /// When its receipt was written; `nil` without one.
    package func receiptTime(_ item: OutboxItem) throws -> Timestamp? {
        try fileSystem.status(at: OutboxLayout.receiptPath(item.id, item.status))?.modified
    }

    /// The receipt of an item; `nil` before the first attempt.
    package func receipt(_ item: OutboxItem) throws -> Receipt? {
        // While a test is being sent, the record of earlier attempts is still in `done`; one that was moved by hand
        // left its record behind.
        let places: [TestStatus] =
            switch item.status {
            case .sending: [.sending, .done, .rejected, .conflict]
            case .done: [.done, .rejected, .conflict]
            default: [item.status]
            }
        for status in places {
            let path = OutboxLayout.receiptPath(item.id, status)
            let bytes: [UInt8]
            do throws(FileError) {
                (bytes, _) = try fileSystem.readFile(path, maximumBytes: 4 << 20)
            } catch {
                if error.isMissing { continue }
                throw error
            }
            // That folder has another version, and the receipt belongs to it.
            if status != item.status, status == .rejected || status == .conflict,
                try fileSystem.status(at: OutboxLayout.path(item.id, item.kind, status)) != nil
            {
                continue
            }
            do throws(DocumentFault) {
                return try DocumentCoding.decode(Receipt.self, from: bytes)
            } catch {
                throw OutboxError.unreadable(path: path.string, reason: error.description)
            }
        }
        return nil
    }

    /// An item's receipt, of the same moment as what was just read of it.
    ///
    /// - Throws: `OutboxError.notFound` if the item has moved since.
    package func receipt(
        readWith item: OutboxItem, _ reading: (OutboxItem) throws -> Receipt?
    ) throws -> Receipt? {
        let receipt = try reading(item)
        guard try modified(item) != nil else { throw OutboxError.notFound(item.id.description) }
        return receipt
    }

    /// When a file was written, which in `done` is the earliest time to send it; `nil` if it is gone.
    package func modified(_ item: OutboxItem) throws -> Timestamp? { try fileSystem.status(at: item.path)?.modified }

    /// The rated tests whose receipts were written since a moment, the latest first.
    package func rated(since moment: Timestamp, in scan: OutboxScan) throws -> [OutboxItem] {
        let items = scan.items.filter { $0.status == .rated && $0.kind == .test }
        let names = items.map { OutboxLayout.receiptName($0.id) }
        let times = try fileSystem.statuses(of: names, in: OutboxLayout.folder(.rated)).map { $0?.modified }
        return zip(items, times).filter { ($0.1 ?? .epoch) >= moment }
            .sorted { ($0.1 ?? .epoch) > ($1.1 ?? .epoch) }.map(\.0)
    }

    // MARK: Changes

    /// Reads a change's file.
    ///
    /// - Throws: `OutboxError.notFound` if it is gone from that folder, `.unreadable` if it is not a change.
    package func readChange(_ item: OutboxItem) throws -> StoredChange {
        let bytes: [UInt8]
        let status: FileStatus
        do throws(FileError) {
            (bytes, status) = try fileSystem.readFile(item.path, maximumBytes: Self.maximumItemBytes)
        } catch {
            if error.isMissing { throw OutboxError.notFound(item.id.description) }
            throw OutboxError.unreadable(path: item.path.string, reason: error.description)
        }
        do throws(DocumentFault) {
            let change = try OutgoingChange(kind: item.kind, file: bytes)
            guard change.id == item.id else {
                throw DocumentFault(field: "id", reason: "is \(change.id), which is not the file's name")
            }
            return StoredChange(change: change, item: item, bytes: bytes, modified: status.modified)
        } catch {
            throw OutboxError.unreadable(path: item.path.string, reason: error.description)
        }
    }

    /// The change of this id, also while a sweep moves it; `nil` if there is none.
    ///
    /// - Throws: `OutboxError.unreadable` if it is not a change.
    package func change(_ id: TestID) throws -> StoredChange? {
        guard let item = try find(id), item.kind != .test else { return nil }
        return try whereItLies(item, readChange)
    }

    /// All changes that can be read, in the order in which they were made.
    package func changes(_ kind: OutboxKind? = nil) throws -> [StoredChange] {
        var changes: [StoredChange] = []
        for item in try scan().items where item.kind != .test && (kind == nil || item.kind == kind) {
            // Doctor reports an unreadable one; it stops nothing.
            if let stored = try? whereItLies(item, readChange) { changes.append(stored) }
        }
        return changes.sorted {
            ($0.change.sequence, $0.change.dateChanged, $0.item.id)
                < ($1.change.sequence, $1.change.dateChanged, $1.item.id)
        }
    }

    /// The server's version beside a change in `conflict`; `nil` without one.
    package func theirs(_ id: TestID) throws -> [UInt8]? {
        try fileSystem.readFileIfPresent(OutboxLayout.theirsPath(id), maximumBytes: Self.maximumItemBytes)?.bytes
    }

    func bytesIfPresent(_ path: FilePath, _ kind: OutboxKind) throws -> [UInt8]? {
        do throws(FileError) {
            return try fileSystem.readFile(path, maximumBytes: Self.maximumBytes(kind)).bytes
        } catch {
            // A file that cannot be read as a test stops nothing: doctor reports it.
            let unreadable: Set<Errno> = [
                .invalidArgument, .tooManySymbolicLinkLevels, .fileTooLarge, .permissionDenied, .isDirectory,
            ]
            if error.isMissing || unreadable.contains(error.code) { return nil }
            throw error
        }
    }
}

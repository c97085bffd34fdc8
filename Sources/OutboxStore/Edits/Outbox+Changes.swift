import Disk
import Model
import SystemPackage

/// Items other than tests: questionnaires that were created, edited and deleted here, and favourites.
extension Outbox {
    /// Makes a change and its file in `done`. When this returns, it survives a crash.
    ///
    /// - Parameters:
    ///   - files: of a questionnaire that names them; after an error the caller gives them up.
    ///   - make: makes the change from its new identity, the moment, and its number.
    @discardableResult
    package func add(
        deviceID: String, files: [SpooledMedia] = [], _ make: (TestID, Timestamp, Int) throws -> OutgoingChange
    ) throws -> StoredChange {
        try adding { try addNow(deviceID: deviceID, files: files, make) }
    }

    /// Adds several consecutive changes atomically.
    func addNow(
        deviceID: String, _ make: (TestID, Timestamp, Int) throws -> OutgoingChange
    ) throws -> StoredChange {
        try addNow(try make(makeID(), clock.now, try nextSequence(deviceID: deviceID)))
    }

    @discardableResult
    func addNow(_ change: OutgoingChange) throws -> StoredChange {
        let item = OutboxItem(id: change.id, kind: change.kind, status: .done)
        let bytes = try change.file()
        do {
            try put(bytes, to: item.path, replacing: false)
        } catch {
            // The name may exist although its sync failed. After the error the caller retries: the change must not
            // exist twice.
            do throws(FileError) { try fileSystem.removeIfPresent(item.path) } catch {}
            throw error
        }
        return StoredChange(change: change, item: item, bytes: bytes, modified: clock.now)
    }

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

    /// All changes that can be read, in the order in which they were made.
    package func changes(_ kind: OutboxKind? = nil) throws -> [StoredChange] {
        var changes: [StoredChange] = []
        for item in try scan().items where item.kind != .test && (kind == nil || item.kind == kind) {
            // Doctor reports an unreadable one; it stops nothing.
            if let stored = whereItLies(item, readChange) { changes.append(stored) }
        }
        return changes.sorted {
            ($0.change.sequence, $0.change.dateChanged, $0.item.id)
                < ($1.change.sequence, $1.change.dateChanged, $1.item.id)
        }
    }

    /// Withdraws changes that no server can have seen, moving them to quarantine.
    ///
    /// - Returns: whether all of them were withdrawn. If a server may have one of them, none is.
    package func takeBack(_ ids: [TestID], reason: String) throws -> Bool {
        try editing {
            func mine(_ id: TestID) throws -> OutboxItem? {
                guard let item = try find(id), item.status == .done,
                    try receipt(item)?.delivery?.mayHaveArrived != true
                else { return nil }
                return item
            }
            // The first may have arrived although the last has not: checking all before any move leaves no partial
            // result.
            guard try ids.allSatisfy({ try mine($0) != nil }) else { return false }
            var named: Set<ContentPath> = []
            // The last one first: an interruption leaves a consistent rest.
            for id in ids.reversed() {
                guard let item = try mine(id) else { return false }
                named.formUnion(try contentPaths(item))
                guard let place = try quarantine.take(item.path, reason: reason) else { return false }
                // A sweeper may have tried it, and returned it, since the check above: then a server may have it.
                if try receipt(item)?.delivery?.mayHaveArrived == true {
                    try fileSystem.move(place, to: item.path, replacing: false)
                    try fileSystem.makeDurable(folder: OutboxLayout.folder(.done))
                    try quarantine.makeDurable()
                    return false
                }
                try quarantine.take(OutboxLayout.receiptPath(id, item.status), reason: reason)
            }
            try withdrawMedia(named: named, reason: reason)
            return true
        }
    }
}

extension OutgoingChange {
    package var kind: OutboxKind {
        switch self {
        case .questionnaire: .questionnaire
        case .favorite: .favorite
        case .media: .media
        }
    }

    /// - Throws: `DocumentFault` that names the field.
    init(kind: OutboxKind, file: [UInt8]) throws(DocumentFault) {
        switch kind {
        case .test: throw DocumentFault(field: nil, reason: "it is a test")
        case .questionnaire: self = .questionnaire(try QuestionnaireChange(file: file))
        case .favorite: self = .favorite(try DocumentCoding.decode(FavoriteChange.self, from: file))
        case .media: self = .media(try MediaChange(file: file))
        }
    }

    func file() throws -> [UInt8] {
        switch self {
        case .questionnaire(let change): try change.file()
        case .favorite(let change): try DocumentCoding.encode(change)
        case .media(let change): try DocumentCoding.encode(change)
        }
    }
}

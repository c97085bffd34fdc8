import Disk
import Model
import Synchronization
import SystemPackage

/// The drafts that phones handed over: encrypted by them, opaque here, each in a file of its own in the folder of its
/// person (docs/format.md).
final class DraftStore: Sendable {
    struct Item: Hashable, Sendable {
        var revision: Int64
        /// Of the phone's bytes.
        var sizeBytes: Int
        var digest: Digest
        var changedAt: Timestamp
    }

    struct Summary: Hashable, Sendable {
        var drafts = 0
        var people = 0
        var bytes: Int64 = 0
        /// By the names of the people's folders.
        var byPerson: [String: Int] = [:]
    }

    private struct Content {
        /// By the names of the people's folders.
        var people: [String: [DraftID: Item]] = [:]
        var totalBytes: Int64 = 0
        var sweptAt: Timestamp

        mutating func set(_ item: Item?, _ id: DraftID, of person: String) {
            let former = people[person]?[id]
            people[person, default: [:]][id] = item
            if people[person]?.isEmpty == true { people[person] = nil }
            totalBytes += Int64(item?.sizeBytes ?? 0) - Int64(former?.sizeBytes ?? 0)
        }
    }

    private let fileSystem: any FileSystem
    private let clock: any StoreClock
    private let bounds: DraftBounds
    /// Held while a file is written, so that an older draft never follows a newer one.
    private let content: Mutex<Content>

    private static let sweepSeconds = 3600.0

    /// Blocks on the disk.
    init(_ fileSystem: any FileSystem, clock: any StoreClock, bounds: DraftBounds = DraftBounds()) throws(FileError) {
        self.fileSystem = fileSystem
        self.clock = clock
        self.bounds = bounds
        var content = Content(sweptAt: clock.now)
        try fileSystem.makeDurableFolder(HubLayout.drafts)
        for person in try fileSystem.list(HubLayout.drafts) where person.kind == .folder {
            let folder = HubLayout.drafts.appending(name: person.name)
            for entry in try fileSystem.list(folder) {
                guard let id = DraftID(name: entry.name) else { continue }
                let path = folder.appending(name: entry.name)
                // A damaged one is as none: its phone hands it over again.
                guard let (draft, status) = try? Self.read(path, fileSystem, bounds) else { continue }
                let changed = Timestamp(millisecondsSinceEpoch: status.modifiedNanoseconds / 1_000_000)
                content.set(
                    Item(
                        revision: draft.revision, sizeBytes: draft.bytes.count, digest: Digest(sha256Of: draft.bytes),
                        changedAt: changed), id, of: person.name)
            }
        }
        self.content = Mutex(content)
        try removeOld(isDue: true)
    }

    // MARK: The file

    struct Draft: Hashable, Sendable {
        var revision: Int64
        var bytes: [UInt8]
    }

    /// The first line of a file, before the phone's bytes.
    private static let mark = "quire-draft 1 "

    private static func encode(_ draft: Draft) -> [UInt8] { Array("\(mark)\(draft.revision)\n".utf8) + draft.bytes }

    private static func read(
        _ path: FilePath, _ fileSystem: any FileSystem, _ bounds: DraftBounds
    ) throws(FileError) -> (draft: Draft, status: FileStatus)? {
        guard let (bytes, status) = try fileSystem.readFileIfPresent(path, maximumBytes: Int64(bounds.itemBytes) + 64)
        else { return nil }
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")), end < 64 else { return nil }
        let line = String(decoding: bytes[..<end], as: UTF8.self)
        guard line.hasPrefix(mark), let revision = Int64(line.dropFirst(mark.count)) else { return nil }
        return (Draft(revision: revision, bytes: Array(bytes[(end + 1)...])), status)
    }

    // MARK: Of one person

    func items(of person: String) -> [DraftID: Item] {
        content.withLock { $0.people[HubLayout.folderName(ofPerson: person)] ?? [:] }
    }

    /// Blocks on the disk.
    func draft(_ id: DraftID, of person: String) throws(FileError) -> Draft? {
        try Self.read(HubLayout.draftPath(id, of: person), fileSystem, bounds)?.draft
    }

    /// Keeps a draft durably, unless a newer one is here. Blocks on the disk.
    func put(_ draft: Draft, _ id: DraftID, of person: String) throws -> DraftDecision {
        try removeOld(isDue: false)
        let folder = HubLayout.folderName(ofPerson: person)
        return try content.withLock { content in
            let own = content.people[folder] ?? [:]
            let former = own[id]
            let digest = Digest(sha256Of: draft.bytes)
            let formerBytes = Int64(former?.sizeBytes ?? 0)
            let decision = DraftDecision.decide(
                revision: draft.revision, sizeBytes: draft.bytes.count, stored: former?.revision,
                isSame: former?.digest == digest,
                holdings: .init(
                    personItems: own.count - (former == nil ? 0 : 1),
                    personBytes: own.values.reduce(0) { $0 + Int64($1.sizeBytes) } - formerBytes,
                    totalBytes: content.totalBytes - formerBytes), bounds: bounds)
            guard decision == .keep else { return decision }
            if own.isEmpty { try fileSystem.makeDurableFolder(HubLayout.draftFolder(ofPerson: person)) }
            let now = clock.now
            try fileSystem.writeDurably(
                Self.encode(draft), to: HubLayout.draftPath(id, of: person), temporaryFolder: HubLayout.temporary,
                modified: now)
            content.set(
                Item(revision: draft.revision, sizeBytes: draft.bytes.count, digest: digest, changedAt: now), id,
                of: folder)
            return .keep
        }
    }

    /// Removes a file, or a draft with its files. Blocks on the disk.
    func remove(_ id: DraftID, of person: String) throws(FileError) {
        try remove(from: HubLayout.folderName(ofPerson: person)) { items in
            items.keys.filter { id.file == nil ? $0.test == id.test : $0 == id }
        }
    }

    /// - Parameter meant: what goes, of the person's drafts and files.
    private func remove(from folder: String, _ meant: ([DraftID: Item]) -> [DraftID]) throws(FileError) {
        try content.withLock { content throws(FileError) in
            let ids = meant(content.people[folder] ?? [:])
            guard !ids.isEmpty else { return }
            let path = HubLayout.drafts.appending(name: folder)
            for id in ids { try fileSystem.removeIfPresent(path.appending(name: id.name)) }
            // Where this fails they are removed again.
            try fileSystem.makeDurable(folder: path)
            for id in ids { content.set(nil, id, of: folder) }
        }
    }

    // MARK: Of all

    /// Removes the drafts of tests that were handed in. Blocks on the disk.
    func removeHandedIn(_ isHandedIn: (TestID) throws -> Bool) throws {
        let all = content.withLock { $0.people }
        for (folder, items) in all {
            let tests = try Set(items.keys.map(\.test)).filter(isHandedIn)
            if !tests.isEmpty { try remove(from: folder) { $0.keys.filter { tests.contains($0.test) } } }
        }
    }

    /// A draft is as old as what changed last of it and its files.
    private func removeOld(isDue: Bool) throws(FileError) {
        let now = clock.now
        let (isNow, folders) = content.withLock { content in
            let passed = now.seconds(since: content.sweptAt)
            guard isDue || passed >= Self.sweepSeconds || passed < 0 else { return (false, [String]()) }
            content.sweptAt = now
            return (true, Array(content.people.keys))
        }
        guard isNow else { return }
        let longest = Double(bounds.ageDays) * 86_400
        for folder in folders {
            try remove(from: folder) { items in
                let newest = Dictionary(items.map { ($0.key.test, $0.value.changedAt) }, uniquingKeysWith: max)
                return items.keys.filter { id in newest[id.test].map { now.seconds(since: $0) > longest } ?? true }
            }
        }
    }

    /// Without reading the disk.
    var summary: Summary {
        content.withLock { content in
            let counts = content.people.mapValues { items in items.keys.count { $0.file == nil } }
            return Summary(
                drafts: counts.values.reduce(0, +), people: content.people.count, bytes: content.totalBytes,
                byPerson: counts)
        }
    }
}

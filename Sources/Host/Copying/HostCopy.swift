import Disk
import Logging
import Model
import ObjectStores
import Synchronization
import SystemPackage

/// Carries all that a host keeps to another place: from a folder to a bucket, back, and between two of a kind.
///
/// The source is only read, so its host may go on answering. The target is new, or one that an earlier run of the same copy left:
/// each run makes it what the source is, so a run that was killed is repeated, and so is one after which the source has changed.
/// Every file is read back and compared by its SHA-256. A place where a host has run is no target: it may have newer data.
package struct HostCopy: Sendable {
    /// The counts of one run.
    package struct Report: Hashable, Sendable, Codable {
        /// Files that were written.
        package var copied = 0
        /// Files that were there, byte for byte.
        package var known = 0
        /// Files of an earlier run that the source has no more.
        package var removed = 0
        /// The bytes of all files.
        package var bytes: Int64 = 0
    }

    private let source: HostConfiguration
    private let target: HostConfiguration
    /// What the target names as its source, if that is not a place.
    private let origin: String?
    private let clock: any StoreClock
    private let logger: Logger

    /// At the same time: a store is asked from afar.
    private static let filesAtOnce = 8
    /// A longer file is not held in memory.
    private static let longestInMemory: Int64 = 4 << 20

    private struct Marker: Codable { var from: String }

    package init(
        from source: HostConfiguration, to target: HostConfiguration, origin: String? = nil,
        clock: any StoreClock = SystemClock(), logger: Logger
    ) {
        self.origin = origin
        self.source = source
        self.target = target
        self.clock = clock
        self.logger = logger
    }

    /// - Throws: `HostError`, `FileError`.
    package func run() async throws -> Report {
        let from = try Self.place(source)
        do {
            return try await copy(from)
        } catch let error as ObjectStoreError {
            throw FileError(error, from, "")
        }
    }

    private func copy(_ from: any ObjectStore) async throws -> Report {
        try await checkSource(from)
        if target.bucket == nil { try await offload { try POSIXFileSystem.makeRoot(target.data) } }
        let to = try Self.place(target)
        guard from.place != to.place else { throw HostError.copyOntoItself(HostError.shown(source.data)) }
        try await claim(to, for: origin ?? from.place)
        let completion = try HostBucket.name(CopyNames.completion)
        let wasComplete = try await to.head(completion) != nil
        try await to.delete(completion)
        if try await isUsed(to) {
            // A host was started just now, which needs the note.
            if wasComplete { _ = try await to.putIfAbsent(completion, []) }
            throw HostError.copyInUse(HostError.shown(target.data))
        }
        let questionnaires = CopiedQuestionnaires(
            source: source, target: target, from: from, to: to, clock: clock, logger: logger)
        let wanted = try await wanted(from, questionnaires)
        var report = try await write(wanted, from, to)
        for name in try await names(to) where wanted[name] == nil {
            if source.bucket == nil, target.bucket != nil, CopyNames.isMadeOfQuestionnaires(name) { continue }
            // A key that was revoked there stays revoked.
            if name.hasPrefix(HostLayout.access.string + "/") { continue }
            try await to.delete(name)
            report.removed += 1
        }
        try await questionnaires.publish()
        if target.bucket == nil { try await offload { try self.makeFolders() } }
        _ = try await to.putIfAbsent(completion, [])
        return report
    }

    // MARK: - The two places

    private static func place(_ configuration: HostConfiguration) throws -> any ObjectStore {
        if let bucket = configuration.bucket { return bucket }
        do throws(FileError) {
            return FolderObjectStore(
                try POSIXFileSystem(root: configuration.data), temporaryFolder: HostLayout.temporary)
        } catch {
            throw error.isMissing ? HostError.noData(configuration.data) : error
        }
    }

    private func checkSource(_ from: any ObjectStore) async throws {
        let isCopy = try await from.head(HostBucket.name(CopyNames.marker)) != nil
        if isCopy, try await from.head(HostBucket.name(CopyNames.completion)) == nil {
            throw HostError.copyIncomplete(HostError.shown(source.data))
        }
        let name = source.bucket == nil ? HostLayout.tests.string + "/" : HostLayout.started.string
        for prefix in [name, CopyNames.marker] {
            if try await !from.list(prefix: prefix, after: nil, limit: 1).isEmpty { return }
        }
        if source.bucket == nil, try await offload({ try isHostFolder() }) { return }
        throw HostError.noData(source.data)
    }

    /// A host that has run, and has no test yet.
    private func isHostFolder() throws -> Bool {
        try POSIXFileSystem(root: source.data).status(at: HostLayout.tests)?.kind == .folder
    }

    /// Notes at the target that it is a copy of the source.
    private func claim(_ to: any ObjectStore, for place: String) async throws {
        let marker = try HostBucket.name(CopyNames.marker)
        if let bytes = try await to.bytes(of: marker, maximumBytes: 64 << 10) {
            try checkMarker(bytes, place)
            if try await isUsed(to) { throw HostError.copyInUse(HostError.shown(target.data)) }
            return
        }
        if let other = try await Self.foreign(to) {
            throw HostError.copyNotEmpty(HostError.shown(target.data), file: other.text)
        }
        if target.bucket != nil { try await Self.prove(to) }
        if case .exists = try await to.putIfAbsent(marker, try DocumentCoding.encode(Marker(from: place))) {
            // Another copy was first.
            try checkMarker(try await to.bytes(of: marker, maximumBytes: 64 << 10) ?? [], place)
        }
    }

    private func checkMarker(_ bytes: [UInt8], _ place: String) throws {
        let former = try? DocumentCoding.decode(Marker.self, from: bytes)
        guard former?.from == place else {
            throw HostError.copyOfOther(HostError.shown(target.data), from: former?.from ?? "?")
        }
    }

    /// Whether a host has run at the target. A folder that was copied has no file of the lock.
    private func isUsed(_ to: any ObjectStore) async throws -> Bool {
        try await to.head(HostBucket.name((target.bucket == nil ? HostLayout.lock : HostLayout.started).string)) != nil
    }

    /// Refuses a copy that was broken off: a host would start with a part of the data.
    static func checkThatItIsWhole(_ files: some HostFiles, _ data: FilePath) throws {
        guard try files.bytes(of: FilePath(CopyNames.marker), maximumBytes: 64 << 10) != nil,
            try files.bytes(of: FilePath(CopyNames.completion), maximumBytes: 64 << 10) == nil
        else { return }
        throw HostError.copyIncomplete(HostError.shown(data))
    }

    /// The first file at a place, but for those of a proof that was cut off.
    private static func foreign(_ to: any ObjectStore) async throws -> ObjectName? {
        let first = try await to.list(prefix: "", after: nil, limit: 1).first?.name
        guard let first, first.hasPrefix("proof/") else { return first }
        // It follows them all.
        return try await to.list(prefix: "", after: ObjectName("proof0"), limit: 1).first?.name
    }

    private static func prove(_ store: some ObjectStore) async throws(ObjectStoreError) {
        try await StoreProof.run(on: store)
    }

    private func makeFolders() throws {
        let files = try POSIXFileSystem(root: target.data)
        for folder in [HostLayout.tests, HostLayout.receipts] { try files.makeDurableFolder(folder) }
    }

    private func names(_ store: some ObjectStore) async throws -> [ObjectName] {
        var names: [ObjectName] = []
        try await store.eachObject(prefix: "") { (status) async throws(ObjectStoreError) in
            if !CopyNames.isOfCopy(status.name.text) { names.append(status.name) }
        }
        return names
    }

    // MARK: - What is to be there

    private func wanted(
        _ from: some ObjectStore, _ questionnaires: CopiedQuestionnaires
    ) async throws -> [ObjectName: CopiedFile] {
        var files: [ObjectStatus] = []
        try await from.eachObject(prefix: "") { (status) async throws(ObjectStoreError) in files.append(status) }
        switch (source.bucket == nil, target.bucket == nil) {
        case (true, false):
            var wanted = try CopyNames.inBucket(files)
            for file in files { try await noteAttempt(file.name, from, &wanted) }
            return wanted
        case (false, true):
            let published = try await questionnaires.published()
            return try CopyNames.inFolder(files, isReplaced: published.replaces).merging(published.files) { $1 }
        case (let isFolder, _): return CopyNames.same(files, isFolder: isFolder)
        }
    }

    /// Hosts on a bucket find a person's tests by their names in a folder of the person.
    private func noteAttempt(
        _ name: ObjectName, _ from: some ObjectStore, _ wanted: inout [ObjectName: CopiedFile]
    ) async throws {
        guard name.hasPrefix(HostLayout.tests.string + "/"),
            let id = HostLayout.testID(ofFile: String(name.text.dropFirst(HostLayout.tests.string.count + 1))),
            let bytes = try await from.bytes(of: name, maximumBytes: TestSubmission.maximumBytes)
        else { return }
        // A damaged test is copied as it is, and is of no one.
        guard let record = try? DocumentCoding.decode(TestRecord.self, from: bytes), let person = record.person else {
            return
        }
        let folder = HostLayout.attempts(of: person.id, in: record.questionnaire.id)
        wanted[try HostBucket.name(folder.appending(name: id.description).string)] =
            CopiedFile(source: .bytes([UInt8(ascii: "\n")]))
    }

    // MARK: - Writing

    private func write(
        _ wanted: [ObjectName: CopiedFile], _ from: any ObjectStore, _ to: any ObjectStore
    ) async throws -> Report {
        var rest = wanted.sorted { $0.key < $1.key }[...]
        return try await withThrowingTaskGroup(of: (bytes: Int64, isNew: Bool).self) { group in
            var report = Report()
            var running = 0
            while running > 0 || !rest.isEmpty {
                if running < Self.filesAtOnce, let (name, file) = rest.popFirst() {
                    group.addTask { try await write(file, as: name, from, to) }
                    running += 1
                } else if let written = try await group.next() {
                    running -= 1
                    report.bytes += written.bytes
                    if written.isNew { report.copied += 1 } else { report.known += 1 }
                }
            }
            return report
        }
    }

    /// Makes a file at the target what it is at the source, and reads it back.
    private func write(
        _ file: CopiedFile, as name: ObjectName, _ from: any ObjectStore, _ to: any ObjectStore
    ) async throws -> (bytes: Int64, isNew: Bool) {
        let content = try await content(file.source, from)
        if let known = try await to.head(name) {
            if known.sizeBytes == content.sizeBytes, try await digest(name, to) == content.digest {
                try await setTime(file, name)
                return (content.sizeBytes, false)
            }
            try await to.delete(name)
        }
        _ = try await to.putIfAbsent(name, content)
        guard try await digest(name, to) == content.digest else {
            throw HostError.copyDiffers(HostError.shown(target.data), file: name.text)
        }
        try await setTime(file, name)
        return (content.sizeBytes, true)
    }

    private func content(_ source: CopiedFile.Source, _ from: any ObjectStore) async throws -> ObjectContent {
        guard case .object(let name) = source else {
            if case .bytes(let bytes) = source { return ObjectContent(bytes) }
            return ObjectContent([])
        }
        guard let body = try await from.get(name, range: nil) else {
            throw HostError.copySourceChanged(HostError.shown(self.source.data), file: name.text)
        }
        if body.sizeBytes <= Self.longestInMemory { return ObjectContent(try await body.bytes()) }
        var builder = DigestBuilder()
        while let piece = try await body.next() { piece.withUnsafeBytes { builder.update($0) } }
        let pieces = ObjectPieces(from, FilePath(name.text), nil)
        return ObjectContent(sizeBytes: body.sizeBytes, digest: builder.finish()) { offset, count in
            try await pieces.piece(at: offset, count: count)
        }
    }

    private func digest(_ name: ObjectName, _ store: any ObjectStore) async throws -> Digest? {
        guard let body = try await store.get(name, range: nil) else { return nil }
        var builder = DigestBuilder()
        while let piece = try await body.next() { piece.withUnsafeBytes { builder.update($0) } }
        return builder.finish()
    }

    /// A test's time in a folder is its arrival.
    private func setTime(_ file: CopiedFile, _ name: ObjectName) async throws {
        guard target.bucket == nil, let time = file.modified else { return }
        let data = target.data
        try await offload {
            try POSIXFileSystem(root: data).setModified(
                FilePath(name.text), nanoseconds: time.nanosecondsSinceEpoch)
        }
    }
}

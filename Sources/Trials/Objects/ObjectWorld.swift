import Disk
import Model
import ObjectStores
import Simulation
import SystemPackage

/// A folder as an object store, and what it has acknowledged.
struct ObjectWorld: Sendable {
    let disk: SimulatedDisk
    let ledger: ContentLedger

    private static let short = Array("short".utf8)
    private static let other = Array("of another writer".utf8)
    /// Put piece by piece.
    private static let long = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    init(renames: RenameDurability) { self.init(disk: SimulatedDisk(renames: renames), ledger: ContentLedger()) }

    private init(disk: SimulatedDisk, ledger: ContentLedger) {
        self.disk = disk
        self.ledger = ledger
    }

    func after(_ disk: SimulatedDisk) -> ObjectWorld { ObjectWorld(disk: disk, ledger: ledger.copy()) }

    /// What a writer leaves that was killed after it had named its object, and before that was durable.
    func leaveUnfinished() throws {
        let files = disk.process()
        try files.makeDurableFolder("left")
        disk.settle()
        let file = try files.open("left/object", .create)
        try files.writeAll(file, Self.short)
        try files.sync(file)
        files.closeQuietly(file)
        ledger.mayHold("left/object", Self.short)
    }

    func use(_ store: FolderObjectStore) async throws {
        try await put("tests/short", ObjectContent(Self.short), Self.short, store)
        let long = ObjectContent(sizeBytes: Int64(Self.long.count), digest: Digest(sha256Of: Self.long)) {
            Array(Self.long[Int($0)..<min(Self.long.count, Int($0) + $1)])
        }
        try await put("files/of/long", long, Self.long, store)
        try await put("left/object", ObjectContent(Self.other), Self.other, store)
        try await delete("tests/short", store)
    }

    // Inlined, these two end the optimizer of Swift 6.3 while it splits `use`.
    @inline(never)
    private func put(
        _ name: String, _ content: ObjectContent, _ bytes: [UInt8], _ store: FolderObjectStore
    ) async throws {
        let isFirst = ledger.mayHold(name, bytes)
        switch try await store.putIfAbsent(Self.name(name), content) {
        case .created: ledger.holds(name, bytes)
        case .exists: ledger.exists(name, other: isFirst ? bytes : nil)
        }
    }

    @inline(never)
    private func delete(_ name: String, _ store: FolderObjectStore) async throws {
        ledger.mayHold(name, nil)
        try await store.delete(Self.name(name))
        ledger.holds(name, nil)
    }

    private static func name(_ text: String) throws -> ObjectName {
        guard let name = ObjectName(text) else {
            throw ObjectStoreError(.refused, "“\(text)” is no name of an object")
        }
        return name
    }

    // MARK: The promises

    func brokenPromises() async -> [String] {
        do { return try await check() } catch { return ["it cannot be used: \(error)"] }
    }

    private func check() async throws -> [String] {
        disk.clearPlan()
        let store = FolderObjectStore(disk.process())
        var broken = ledger.wrongAnswers
        var found: [String] = []
        for name in ledger.names {
            let bytes = try await store.bytes(of: Self.name(name), maximumBytes: 1 << 20)
            broken += ledger.broken(name, found: bytes)
            if bytes != nil { found.append(name) }
        }
        let listed = try await store.list(prefix: "", after: nil, limit: 100).map(\.name.text)
        if listed != found { broken.append("\(listed) are listed, and \(found) are there") }
        disk.clock.advance(by: .seconds(60))
        try await store.removeAbandonedFiles()
        for path in disk.filePaths where path.hasPrefix(".tmp/") { broken.append("\(path) was left over") }
        return broken
    }
}

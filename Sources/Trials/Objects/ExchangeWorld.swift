import Disk
import Model
import ObjectStores
import Simulation
import SystemPackage

/// A bucket between a device and a host, kept in a folder.
struct ExchangeWorld: Sendable {
    let disk: SimulatedDisk
    let ledger: ContentLedger

    /// How many calls to the store `use` makes.
    static let callCount = 8

    private static let test = ExchangeLayout.tests.appending(name: "one.test.json")
    private static let receipt = ExchangeLayout.receipts.appending(name: "one.receipt.json")

    init(renames: RenameDurability) throws {
        self.init(disk: SimulatedDisk(renames: renames), ledger: ContentLedger())
        try disk.put(ExchangeLayout.marker, #"{"format": 1}"#)
        for folder in [ExchangeLayout.tests, ExchangeLayout.receipts] { try disk.process().makeFolderIfMissing(folder) }
        disk.settle()
    }

    private init(disk: SimulatedDisk, ledger: ContentLedger) {
        self.disk = disk
        self.ledger = ledger
    }

    func after(_ disk: SimulatedDisk) -> ExchangeWorld { ExchangeWorld(disk: disk, ledger: ledger.copy()) }

    /// A device hands a test in, a host takes it and changes its receipt. What a lost reply breaks off is done once more, as
    /// by the next sync.
    func use(_ store: any ObjectStore) async throws {
        do {
            try await offload { try exchange(store) }
        } catch let error as FileError where error.code == .connectionReset || error.code == .hostIsDown {
            guard (store as? UnsteadyStore)?.hasFailed == true else { throw error }
            try await offload { try exchange(store) }
        }
        if let store = store as? UnsteadyStore, !store.hasFailed {
            throw ObjectStoreError(.unusable, "the exchange makes fewer calls than are tried")
        }
    }

    private func exchange(_ store: any ObjectStore) throws {
        let bucket = try ExchangeBucket(store)
        try write("the test", Self.test, bucket)
        for text in ["received", "checking", "rated"] { try write(text, Self.receipt, bucket) }
        ledger.mayHold(Self.test.string, nil)
        try bucket.remove(Self.test)
        ledger.holds(Self.test.string, nil)
    }

    private func write(_ text: String, _ path: FilePath, _ bucket: ExchangeBucket) throws {
        ledger.mayHold(path.string, Array(text.utf8))
        try bucket.write(Array(text.utf8), to: path, replacing: path == Self.receipt)
        ledger.holds(path.string, Array(text.utf8))
    }

    // MARK: The promises

    func brokenPromises() async -> [String] {
        do { return try await offload { try check() } } catch { return ["it cannot be used: \(error)"] }
    }

    private func check() throws -> [String] {
        disk.clearPlan()
        let bucket = try ExchangeBucket(FolderObjectStore(disk.process()))
        var broken: [String] = []
        for name in ledger.names {
            broken += ledger.broken(name, found: try bucket.read(FilePath(name), maximumBytes: 1 << 20)?.bytes)
        }
        // Versions that were replaced more than an hour ago are removed; the last of them stays, since its successor is new.
        disk.clock.advance(by: .seconds(7200))
        try write("rated again", Self.receipt, bucket)
        try write("and once more", Self.receipt, bucket)
        let bytes = try bucket.read(Self.receipt, maximumBytes: 1 << 20)?.bytes
        broken += ledger.broken(Self.receipt.string, found: bytes)
        let names = try bucket.names(in: ExchangeLayout.receipts)
        if names != ["one.receipt.json"] { broken.append("the receipts are \(names)") }
        let versions = disk.filePaths.filter { $0.hasPrefix("\(Self.receipt)/") }
        if versions.count > 3 { broken.append("the versions of the receipt are \(versions)") }
        return broken
    }
}

import Disk
import Simulation
import Synchronization
import SystemPackage
import Testing

/// Proves that the checks notice: a sync is taken out, or two are swapped, and a promise must break.
@Suite("Mutations")
struct MutationTests {
    static let names: Set = [
        "the first save", "finishing a draft", "claiming, and settling as sent",
    ]
    static let scenarios = (Scenario.edits + Scenario.sweeps).filter { names.contains($0.name) }

    @Test("every single sync of the save, the finish and the settlement is needed", arguments: scenarios)
    func syncs(_ scenario: Scenario) async throws {
        for call in SyncCall.allCases {
            let (world, ids) = try await scenario.world()
            let before = world.disk.count(of: call)
            try await scenario.act(world, world.disk.process(), ids)
            let count = world.disk.count(of: call) - before
            for occurrence in 1..<(count + 1) {
                // First as on a journalled file system, then as on one that may lose a rename's target.
                var isCaught = false
                for renames in [RenameDurability.atomic, .perFolder] where !isCaught {
                    let run = try await CrashRun.of(
                        scenario, limit: 60, renames: renames, stopsAtFirst: true,
                        mutate: { $0.disk.ignore(call, occurrence: $0.disk.count(of: call) + occurrence) })
                    isCaught = !run.broken.isEmpty
                }
                let place = world.disk.operations.filter { $0.kind.rawValue == call.rawName }.suffix(count)
                let name = place.dropFirst(occurrence - 1).first?.description ?? ""
                #expect(
                    isCaught, "\(scenario.name): without \(call) \(occurrence) of \(count) (\(name)) nothing breaks")
            }
        }
    }

    @Test(
        "the folder that a test goes to is synced before the one that it leaves",
        arguments: scenarios.filter { $0.name.contains("finishing") || $0.name.contains("settling as sent") })
    func order(_ scenario: Scenario) async throws {
        let run = try await CrashRun.of(
            scenario, limit: 60, renames: .perFolder, stopsAtFirst: true, hook: { Self.swappingFolderSyncs($0) })
        #expect(!run.broken.isEmpty, "\(scenario.name): with the two syncs swapped nothing breaks")
    }

    /// Holds the sync of a folder that something was moved to until the next folder was synced.
    private static func swappingFolderSyncs(_ files: any FileSystem) -> any FileSystem {
        let held = Mutex<FilePath?>(nil)
        return HookedFileSystem(
            files,
            onSyncFolder: { base, path in
                let waiting = held.withLock { held in
                    defer { held = held == nil ? path : nil }
                    return held
                }
                guard let waiting else { return }
                try base.syncFolder(path)
                try base.syncFolder(waiting)
            })
    }
}

extension SyncCall {
    fileprivate var rawName: String { self == .sync ? "sync" : "syncFolder" }
}

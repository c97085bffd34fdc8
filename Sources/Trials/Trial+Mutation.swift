import Disk
import Simulation
import Synchronization
import SystemPackage

extension Trial {
    /// Removes each of the trial's syncs in turn, and swaps the two of a move: a check must notice.
    package func mutate(_ effort: Effort) async throws -> Tally {
        var tally = Tally()
        guard isDurable else { return tally }
        let attempt = try await prepare(.atomic)
        let before = SyncCall.allCases.map { attempt.disk.count(of: $0) }
        attempt.disk.clearLog()
        do { try await attempt.act(attempt.disk.process()) } catch {
            // Some trials end in a refusal, which is what they are about.
        }
        let log = attempt.disk.operations
        for (call, before) in zip(SyncCall.allCases, before) {
            let places = log.indices.filter { log[$0].kind.rawValue == "\(call)" }
            for (index, place) in places.enumerated() where !needless.contains(log[place].path.string, index + 1) {
                let isCaught = try await isCaught(from: place + 1, of: log.count, effort) { disk in
                    disk.ignore(call, occurrence: before + index + 1)
                    return disk.process()
                }
                let what = "without \(Self.words(log[place])) (\(call) \(index + 1) of \(places.count))"
                tally.mutations.append(Mutation(trial: description, what: what, isCaught: isCaught))
            }
        }
        if moves {
            let isCaught = try await isCaught(from: 1, of: log.count, effort) {
                Self.swappingFolderSyncs($0.process())
            }
            let what = "with the two folder syncs of a move swapped"
            tally.mutations.append(Mutation(trial: description, what: what, isCaught: isCaught))
        }
        return tally
    }

    private static func words(_ operation: Operation) -> String {
        operation.path.isEmpty ? "the sync of the store's own folder" : "“\(operation)”"
    }

    /// First as it is after the last call, where most would show; then at every call since. First on a journalled file
    /// system, then on one that may lose a rename's target.
    private func isCaught(
        from first: Int, of count: Int, _ effort: Effort, _ mutate: (SimulatedDisk) -> any FileSystem
    ) async throws -> Bool {
        let numbers = [count + 2] + (first...count + 1)
        for renames in [RenameDurability.atomic, .perFolder] {
            for number in numbers {
                let run = try await cutPower(
                    at: number, renames: renames, limit: effort.mutationStates, stopsAtFirst: true, mutate: mutate)
                if !run.broken.isEmpty { return true }
            }
        }
        return false
    }

    /// After a move from folder to folder, holds the sync of the target until that of the source is made.
    private static func swappingFolderSyncs(_ files: any FileSystem) -> any FileSystem {
        let target = Mutex<FilePath?>(nil)
        let held = Mutex<FilePath?>(nil)
        return HookedFileSystem(
            files,
            onRename: { source, new in
                let folders = (source.folder, new.folder)
                // A temporary file has no name that must not be lost.
                if folders.0 != folders.1, folders.0.name != "tmp" { target.withLock { $0 = folders.1 } }
            },
            onSyncFolder: { base, path in
                if target.withLock({ $0 == path }) {
                    target.withLock { $0 = nil }
                    return held.withLock { $0 = path }
                }
                try base.syncFolder(path)
                if let waiting = held.withLock({ $0.take() }) { try base.syncFolder(waiting) }
            })
    }
}

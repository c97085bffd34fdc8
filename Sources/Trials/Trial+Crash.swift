import Disk
import Simulation

extension Trial {
    /// Cuts the power at call 1, 2, 3 … until the trial completes, and checks what each crash may leave: on a disk
    /// that keeps a rename in one piece, and on one that keeps each folder for itself.
    package func cutPower(_ effort: Effort) async throws -> Tally {
        var tally = Tally()
        for renames in [RenameDurability.atomic, .perFolder] {
            // Past the last call nothing is cut off: what was acknowledged must then be durable.
            for number in effort.calls(offset: name.utf8.count) {
                let (states, broken, isComplete) = try await cutPower(
                    at: number, renames: renames, limit: effort.crashStates)
                tally.crashPoints += 1
                tally.states += states
                tally.broken += broken.map { Broken(what: $0, replay: replay(number)) }
                if isComplete { break }
            }
        }
        return tally
    }

    func replay(_ number: Int) -> String { "make sim ONLY='\(self)' AT=\(number)" }

    /// - Parameters:
    ///   - stopsAtFirst: one broken promise is enough.
    ///   - mutate: takes something out before it begins; gives the file system to act on.
    func cutPower(
        at number: Int, renames: RenameDurability, limit: Int, stopsAtFirst: Bool = false,
        mutate: (SimulatedDisk) -> any FileSystem = { $0.process() }
    ) async throws -> (states: Int, broken: [String], isComplete: Bool) {
        let attempt = try await prepare(renames)
        let files = mutate(attempt.disk)
        let faultsBefore = attempt.disk.firedFaults.count
        attempt.disk.plan(.powerCut, afterNext: number)
        do {
            try await attempt.act(files)
        } catch {
            // The cut; or what it threw for a reason of its own, which is checked like any other outcome.
        }
        var states = 0
        var broken: [String] = []
        for state in attempt.disk.allCrashStates(limit: limit, seed: UInt64(number)) {
            states += 1
            for promise in await attempt.check(state.disk) {
                broken.append("\(self), power cut at call \(number) (renames \(renames)), \(state): \(promise)")
            }
            if stopsAtFirst, !broken.isEmpty { break }
        }
        return (states, broken, attempt.disk.firedFaults.count == faultsBefore)
    }
}

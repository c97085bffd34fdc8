import Disk
import Simulation

/// Several processes on one disk, one call at a time in the order of a seed, killed at random.
package struct Workload: Sendable, CustomStringConvertible {
    package let area: Trial.Area
    package let name: String
    /// How many seeds are tried as a rule.
    package let seedCount: Int
    /// The workload of a seed.
    let prepare: @Sendable (UInt64) async throws -> Crowd

    package var description: String { "\(area.rawValue): \(name)" }

    package static var all: [Workload] { [outbox, cache, store, host] }

    /// Lets them run, and checks what they leave: when all have ended, and after power cuts at that moment.
    package func run(seeds: ClosedRange<UInt64>, crashStates: Int) async throws -> Tally {
        var tally = Tally()
        for seed in seeds {
            let crowd = try await prepare(seed)
            crowd.schedule.run()
            tally.runs += 1
            tally.kills += crowd.schedule.kills
            tally.trace = crowd.trace
            let replay = "make sim SEED=\(seed) ONLY='\(self)'"
            var broken = await crowd.finish()
            for state in crowd.disk.allCrashStates(limit: crashStates, seed: seed) {
                tally.states += 1
                broken += await crowd.check(state.disk).map { "then a power cut, \(state): \($0)" }
            }
            // The disk as it is, with every process gone.
            tally.states += 1
            broken += await crowd.check(crowd.disk)
            tally.broken += broken.map { Broken(what: "\(self), seed \(seed): \($0)", replay: replay) }
        }
        return tally
    }
}

extension Crowd {
    /// Which process made which call, in which order, as a number: the same seed gives the same one.
    var trace: UInt64 {
        disk.operations.reduce(0xCBF2_9CE4_8422_2325) { trace, operation in
            "\(operation.process) \(operation.kind)".utf8.reduce(trace) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        }
    }
}

/// The processes of a random run.
struct Crowd: Sendable {
    let disk: SimulatedDisk
    let schedule: Interleaving
    /// Looks at what was to hold during the run, when all have ended.
    var finish: @Sendable () async -> [String] = { [] }
    /// Opens what is left on a disk, and names the promises that are broken.
    let check: @Sendable (SimulatedDisk) async -> [String]
}

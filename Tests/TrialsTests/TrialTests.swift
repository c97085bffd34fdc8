import Disk
import Testing
import Trials

/// A sample of what `make sim` tries in full.
@Suite("Trials")
struct TrialTests {
    /// Of the long ones, those of the outbox and the cache are left to `make sim`.
    static let trials = Trial.all.filter { !$0.isLong || $0.area == .store }

    @Test("what was promised survives a power cut", arguments: trials)
    func powerCuts(_ trial: Trial) async throws {
        let step = max(1, try await trial.countCalls() / 2)
        let tally = try await trial.cutPower(Effort(crashStates: 2, faultStates: 0, step: step))
        #expect(tally.broken.isEmpty, "\(tally.broken.prefix(3).map(\.description).joined(separator: "\n"))")
        // On each of two kinds of disk, one cut at least, and the whole run.
        #expect(tally.crashPoints >= 4 && tally.states >= tally.crashPoints)
    }

    @Test("a call that fails costs nothing that was promised, and a repeat succeeds", arguments: trials)
    func faults(_ trial: Trial) async throws {
        let count = try await trial.countCalls()
        // A sixth of the faults for each trial, all of them over six trials.
        for (index, fault) in Trial.faults.enumerated() where (index + trial.name.utf8.count) % 6 == 0 {
            // Each in another way: one somewhere, one near the end, where what is seen may not be durable yet.
            let call =
                index < 6
                ? 1 + (trial.name.utf8.count * 31 + index * 17) % count : max(1, count - trial.name.utf8.count % 8)
            let tally = try await trial.fail(Effort(crashStates: 0, faultStates: index % 2, onlyCall: call), [fault])
            #expect(tally.broken.isEmpty, "\(tally.broken.prefix(3).map(\.description).joined(separator: "\n"))")
            #expect(tally.faults == 1)
        }
    }

    @Test(
        "what a failed call of a host left is durable after a repeat",
        arguments: Trial.all.filter { $0.area == .host && ($0.name.contains("rating") || $0.name.contains("a mark")) })
    func repeats(_ trial: Trial) async throws {
        let count = try await trial.countCalls()
        for call in max(1, count - 5)...count {
            let tally = try await trial.fail(
                Effort(crashStates: 0, faultStates: 2, onlyCall: call), [.error(.ioError), .killed])
            #expect(tally.broken.isEmpty, "\(tally.broken.prefix(3).map(\.description).joined(separator: "\n"))")
            #expect(tally.faults == 2)
        }
    }

    @Test("a draft whose deletion is cut off is there as it was, or gone")
    func deletions() async throws {
        let trial = try #require(Trial.all.first { $0.name == "an author deletes a draft" })
        let count = try await trial.countCalls()
        for call in max(1, count - 14)...count {
            let tally = try await trial.cutPower(Effort(crashStates: 20, faultStates: 0, onlyCall: call))
            #expect(tally.broken.isEmpty, "\(tally.broken.prefix(3).map(\.description).joined(separator: "\n"))")
        }
    }

    @Test("random runs of several processes keep the promises", arguments: Workload.all)
    func workloads(_ workload: Workload) async throws {
        let tally = try await workload.run(seeds: 1...1, crashStates: 2)
        #expect(tally.broken.isEmpty, "\(tally.broken.prefix(3).map(\.description).joined(separator: "\n"))")
        #expect(tally.runs == 1)
    }

    @Test("the same seed makes the same calls in the same order", arguments: Workload.all)
    func replays(_ workload: Workload) async throws {
        let traces = [
            try await workload.run(seeds: 5...5, crashStates: 1).trace,
            try await workload.run(seeds: 5...5, crashStates: 1).trace,
        ]
        #expect(traces[0] != nil && traces[0] == traces[1])
    }
}

/// Proves that the checks notice: a sync is taken out, or two are swapped, and a promise must break.
@Suite("Mutations")
struct MutationTests {
    /// Some of each area; the others, and the long ones, are left to `make sim`.
    static let trials = Trial.Area.allCases.flatMap { area in
        Trial.all.filter { $0.area == area && $0.isDurable && !$0.isLong }.enumerated()
            .filter { $0.offset % 16 == 0 }.map(\.element)
    }

    @Test("every single sync is needed, and the order of the two syncs of a move is", arguments: trials)
    func mutations(_ trial: Trial) async throws {
        let tally = try await trial.mutate(Effort(crashStates: 0, faultStates: 0))
        #expect(tally.uncaught.isEmpty, "\(tally.uncaught.map(\.description).joined(separator: "\n"))")
        #expect(!tally.mutations.isEmpty)
    }
}

@Suite("The simulator")
struct SimulatorTests {
    @Test("what it is asked for is read, and what it does not know is named")
    func options() throws {
        let options = try SimulationOptions(["effort=3", "seed=17", "only=outbox: finishing", "at="])
        #expect(options.effort == 3 && options.seed == 17 && options.only == "outbox: finishing" && options.call == nil)
        #expect(throws: SimulationOptionFault.self) { try SimulationOptions(["speed=3"]) }
        #expect(throws: SimulationOptionFault.self) { try SimulationOptions(["at=-1"]) }
    }

    @Test("one seed of one workload is done again, and nothing else")
    func oneSeed() async throws {
        let options = try SimulationOptions(["seed=3", "only=host: three deliveries"])
        let lines = try await Simulator(options).run(workers: 2) { _ in }
        #expect(lines.count == 1 && lines.first?.tally.runs == 1)
        let report = SimulationReport(lines, duration: .seconds(1))
        #expect(report.total.isWhole && report.text.contains("0 broken promises"))
        #expect(report.text.contains("The order of its calls"))
    }

    @Test("a broken promise is reported with one line that reproduces it")
    func broken() {
        var tally = Tally()
        tally.broken.append(Broken(what: "x is lost", replay: "make sim SEED=3 ONLY='outbox: writers'"))
        let report = SimulationReport([.init(name: "outbox: writers", tally: tally)], duration: .seconds(1))
        #expect(!report.total.isWhole)
        #expect(report.text.contains("x is lost\n    again with: make sim SEED=3 ONLY='outbox: writers'\n"))
    }
}

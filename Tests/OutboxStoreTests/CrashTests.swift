import Disk
import Simulation
import Testing

/// How many of the states that a power cut may leave are tried at each call: the extremes, or many more.
let crashStates = effort == 1 ? 2 : 8 * effort

/// Every call, or where there is less time every fourth.
let callStep = effort == 1 ? 4 : 1

/// Cuts the power at call 1, 2, 3 … of a scenario until it completes, and checks what each crash may leave.
struct CrashRun {
    var points = 0
    var states = 0
    var broken: [String] = []

    /// - Parameter mutate: takes something out before the scenario runs.
    static func of(
        _ scenario: Scenario, limit: Int, step: Int = 1, renames: RenameDurability = .atomic,
        stopsAtFirst: Bool = false,
        hook: @Sendable (any FileSystem) -> any FileSystem = { $0 }, mutate: (World) -> Void = { _ in }
    ) async throws -> CrashRun {
        var run = CrashRun()
        // Past the last call nothing is cut off: what was acknowledged must then be durable.
        for number in stride(from: 1, to: 100_000, by: step) {
            let (world, ids) = try await scenario.world(renames: renames)
            mutate(world)
            world.disk.plan(.powerCut, afterNext: number)
            do {
                try await scenario.act(world, hook(world.disk.process()), ids)
            } catch {
                // The cut.
            }
            run.points += 1
            for state in world.disk.allCrashStates(limit: limit, seed: UInt64(number)) {
                run.states += 1
                for broken in await world.after(state.disk).brokenPromises() {
                    run.broken.append("\(scenario.name), power cut at call \(number), \(state): \(broken)")
                }
                if stopsAtFirst, !run.broken.isEmpty { return run }
            }
            if world.disk.firedFaults.isEmpty { return run }
        }
        return run
    }
}

@Suite("Power cuts")
struct CrashTests {
    @Test("an edit that was acknowledged survives a power cut at any call", arguments: Scenario.edits)
    func edits(_ scenario: Scenario) async throws {
        let run = try await CrashRun.of(scenario, limit: crashStates, step: callStep)
        #expect(run.broken.isEmpty, "\(run.broken.prefix(3).joined(separator: "\n"))")
        #expect(run.points > 2 && run.states >= run.points)
    }

    @Test(
        "the order of the two folder syncs is safe even where a rename is not atomic after a crash",
        arguments: Scenario.edits.filter { $0.name.contains("finishing") || $0.name.contains("save") } + Scenario.sweeps
    )
    func order(_ scenario: Scenario) async throws {
        let run = try await CrashRun.of(scenario, limit: crashStates, step: callStep, renames: .perFolder)
        #expect(run.broken.isEmpty, "\(run.broken.prefix(3).joined(separator: "\n"))")
    }

    @Test("what a sweep does survives a power cut at any call", arguments: Scenario.sweeps)
    func sweeps(_ scenario: Scenario) async throws {
        let run = try await CrashRun.of(scenario, limit: crashStates, step: callStep)
        #expect(run.broken.isEmpty, "\(run.broken.prefix(3).joined(separator: "\n"))")
    }

    @Test("a test arrives once, whatever call of its life the power is cut at", arguments: Scenario.stories)
    func stories(_ scenario: Scenario) async throws {
        let run = try await CrashRun.of(scenario, limit: crashStates, step: callStep)
        #expect(run.broken.isEmpty, "\(run.broken.prefix(3).joined(separator: "\n"))")
    }
}

import Disk
import Model
import OutboxStore
import Simulation
import SystemPackage
import Testing

@Suite("Failing calls")
struct FaultTests {
    static let faults: [Fault] = [
        .error(.ioError), .error(.noSpace), .error(.diskQuotaExceeded), .error(.readOnlyFileSystem),
        .error(.tooManyOpenFiles), .error(.interrupted), .shortWrite, .errorAfterEffect(.ioError),
    ]

    @Test(
        "a call that fails costs nothing that was acknowledged, and a repeat succeeds",
        arguments: Scenario.edits + Scenario.sweeps + Scenario.stories)
    func each(_ scenario: Scenario) async throws {
        for (index, fault) in Self.faults.enumerated() {
            // Every call fails in every way when there is time; else the faults share the calls.
            let step = effort > 1 ? 1 : index == 0 ? 9 : 45
            for number in stride(from: 1 + index * 4 % step, to: 100_000, by: step) {
                let (world, ids) = try await scenario.world()
                world.disk.plan(fault, afterNext: number)
                let files = world.disk.process()
                var failure: (any Error)?
                do { try await scenario.act(world, files, ids) } catch { failure = error }
                let hasFired = !world.disk.firedFaults.isEmpty
                let what =
                    "\(scenario.name), \(fault) at call \(number), thrown: \(failure.map { "\($0)" } ?? "nothing")"
                if !hasFired, let failure { throw failure }
                // The thread that did a sweep's file work may still hold its lock for a moment.
                for _ in 0..<10_000 where files.openFileCount > 0 { await Task.yield() }
                #expect(files.openFileCount == 0, "\(what): files are left open")
                if fault == .error(.ioError), effort > 1 || number % 4 == 3 {
                    // And then the power goes.
                    for state in world.disk.allCrashStates(limit: 2 * effort, seed: UInt64(number)) {
                        let broken = await world.after(state.disk).brokenPromises()
                        #expect(broken.isEmpty, "\(what), then a power cut, \(state): \(broken)")
                    }
                }
                if failure != nil { try await again(scenario, world, ids, what) }
                let broken = await world.brokenPromises()
                #expect(broken.isEmpty, "\(what): \(broken)")
                if !hasFired { break }
            }
        }
    }

    private func again(_ scenario: Scenario, _ world: World, _ ids: [TestID], _ what: String) async throws {
        do {
            try await scenario.act(world, world.disk.process(), ids)
        } catch let error as OutboxError {
            switch error {
            // The first attempt had done it before it failed, and its repeat says so.
            case .frozen, .notFound, .illegalMove: break
            default: Issue.record("\(what), the repeat: \(error)")
            }
        } catch {
            Issue.record("\(what), the repeat: \(error)")
        }
    }
}

import Disk
import Dispatch
import Model
import Synchronization

/// Lets simulated processes run against each other, one call at a time, in an order that a seed decides.
///
///     let schedule = Interleaving(disk, seed: 7, killsOneIn: 40)
///     schedule.add { files in … }        // a process: synchronous work on its own file system
///     schedule.add { files in … }
///     schedule.run()                     // returns when all are done or killed
///
/// The same seed gives the same order as long as the processes make the same calls. A process that waits for a lock
/// lets the others go on.
package final class Interleaving: Sendable {
    private let disk: SimulatedDisk
    private let state: Mutex<State>
    private let arrived = DispatchSemaphore(value: 0)

    private struct State {
        var generator: SeededGenerator
        var killsOneIn: Int
        var processes: [Process] = []
        var kills = 0
    }

    private struct Process {
        var files: SimulatedFileSystem
        var turn = DispatchSemaphore(value: 0)
        var isDone = false
        var body: @Sendable (any FileSystem) -> Void
    }

    /// - Parameter killsOneIn: one call in so many is the caller's last; 0 for none.
    package init(_ disk: SimulatedDisk, seed: UInt64, killsOneIn: Int = 0) {
        self.disk = disk
        state = Mutex(State(generator: SeededGenerator(seed: seed), killsOneIn: killsOneIn))
    }

    /// How many processes were killed.
    package var kills: Int { state.withLock { $0.kills } }

    /// Adds a process; after a kill it does not come back, and every call of its file system throws.
    package func add(_ body: @escaping @Sendable (any FileSystem) -> Void) {
        let process = Process(files: disk.process(), body: body)
        state.withLock { $0.processes.append(process) }
    }

    /// Runs all processes to their end.
    package func run() {
        let processes = state.withLock { $0.processes }
        for (index, process) in processes.enumerated() {
            let files = HookedFileSystem(process.files, beforeEach: { self.waitForTurn(index) })
            let thread = DispatchQueue(label: "process \(index)")
            thread.async {
                self.waitForTurn(index)
                process.body(files)
                self.state.withLock { $0.processes[index].isDone = true }
                self.arrived.signal()
            }
        }
        for _ in processes { arrived.wait() }
        while let next = choose() {
            next.signal()
            arrived.wait()
        }
    }

    private func waitForTurn(_ index: Int) {
        let turn = state.withLock { $0.processes[index].turn }
        arrived.signal()
        turn.wait()
    }

    /// Whose call is next; it may be the last one.
    private func choose() -> DispatchSemaphore? {
        state.withLock { state in
            let living = state.processes.indices.filter { !state.processes[$0].isDone }
            guard let chosen = living.randomElement(using: &state.generator) else { return nil }
            if state.killsOneIn > 0, Int.random(in: 0..<state.killsOneIn, using: &state.generator) == 0,
                state.processes[chosen].files.isAlive
            {
                state.processes[chosen].files.kill()
                state.kills += 1
            }
            return state.processes[chosen].turn
        }
    }
}

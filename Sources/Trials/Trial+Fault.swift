import Disk
import Simulation
import SystemPackage

extension Trial {
    /// Every way in which a call may fail.
    package static let faults: [Fault] = [
        .error(.ioError), .error(.noSpace), .error(.diskQuotaExceeded), .error(.readOnlyFileSystem),
        .error(.tooManyOpenFiles), .error(.interrupted), .shortWrite, .errorAfterEffect(.ioError), .killed,
        .lasting(.noSpace), .lasting(.readOnlyFileSystem), .lasting(.ioError),
    ]

    /// Lets call 1, 2, 3 … fail in each way until the trial completes. Nothing acknowledged may be lost by it, by a
    /// power cut after it, by a repeat, or by a power cut after that; and the repeat succeeds.
    package func fail(_ effort: Effort, _ faults: [Fault] = Trial.faults) async throws -> Tally {
        var tally = Tally()
        for (index, fault) in faults.enumerated() {
            for number in effort.calls(offset: name.utf8.count + index * 7) {
                let attempt = try await prepare(.atomic)
                var run = FaultRun(trial: self, attempt: attempt, fault: fault, number: number)
                let hasFired = await run.run(effort)
                tally.faults += hasFired ? 1 : 0
                tally.states += run.states
                tally.broken += run.broken.map { Broken(what: $0, replay: replay(number)) }
                if !hasFired { break }
            }
        }
        return tally
    }
}

private struct FaultRun {
    let trial: Trial
    let attempt: Attempt
    let fault: Fault
    let number: Int
    var states = 0
    var broken: [String] = []
    private var what: String { "\(trial), \(fault) at call \(number)" }

    init(trial: Trial, attempt: Attempt, fault: Fault, number: Int) {
        self.trial = trial
        self.attempt = attempt
        self.fault = fault
        self.number = number
    }

    /// - Returns: whether the trial came as far as this call.
    mutating func run(_ effort: Effort) async -> Bool {
        let disk = attempt.disk
        let faultsBefore = disk.firedFaults.count
        disk.plan(fault, afterNext: number)
        let files = disk.process()
        var failure: (any Error)?
        do { try await attempt.act(files) } catch { failure = error }
        let hasFired = disk.firedFaults.count > faultsBefore
        disk.clearPlan()
        await expectClosed(files, "")
        if let failure, !hasFired { broken.append("\(what): it fails without a fault: \(failure)") }
        await cutPower(effort, "")
        if let failure {
            let repeated = disk.process()
            do {
                try await attempt.again(repeated)
            } catch {
                broken.append("\(what), which threw \(failure): the repeat fails: \(error)")
            }
            await expectClosed(repeated, " and a repeat")
            await cutPower(effort, " and a repeat")
        }
        states += 1
        broken += await attempt.check(disk).map { "\(what): \($0)" }
        return hasFired
    }

    /// The thread that did a sweep's file work may still hold its lock for a moment.
    private mutating func expectClosed(_ files: SimulatedFileSystem, _ when: String) async {
        for _ in 0..<10_000 where files.openFileCount > 0 { await Task.yield() }
        // On a busy machine it may not have had its turn yet.
        for _ in 0..<4_000 where files.openFileCount > 0 { try? await Task.sleep(for: .milliseconds(5)) }
        if files.openFileCount > 0 { broken.append("\(what)\(when): files are left open") }
    }

    private mutating func cutPower(_ effort: Effort, _ when: String) async {
        guard effort.faultStates > 0 else { return }
        for state in attempt.disk.allCrashStates(limit: effort.faultStates, seed: UInt64(number)) {
            states += 1
            broken += await attempt.check(state.disk).map { "\(what)\(when), then a power cut, \(state): \($0)" }
        }
    }
}

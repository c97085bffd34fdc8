import Disk
import Model
import Synchronization
import SystemPackage

/// A disk in memory that forgets unsynced data, fails on demand, and is shared by any number of simulated processes.
///
///     let disk = SimulatedDisk(capacityBytes: 64 << 10)
///     let files = disk.process()                    // a FileSystem
///     disk.plan(.powerCut, at: 7)                   // or .error(.noSpace), .shortWrite, .killed …
///     _ = try? files.writeDurably(…)                // from the 7th call on everything throws
///     if disk.firedFaults.isEmpty { break }         // it needed fewer calls: all are tried
///     for state in disk.allCrashStates(limit: 200, seed: 1) {
///         let after = state.disk.process()          // recover and check; `state.description` says what was lost
///     }
///
/// Tests of order read `operationLog`; `ignore(_:occurrence:)` takes a sync out, to prove that the checks notice.
/// `DiskImage` describes the model.
package final class SimulatedDisk: Sendable {
    package let root = FilePath("/simulated")
    /// Gives the times of modification.
    package let clock: ManualClock
    package let owner: UInt32
    let state: Mutex<SimulationState>

    /// An empty disk.
    ///
    /// - Parameters:
    ///   - capacityBytes: what fits, in blocks of 4096 bytes; no limit when `nil`. A folder takes a block.
    ///   - renames: what a rename between two folders leaves after a crash.
    package init(
        clock: ManualClock = ManualClock(), capacityBytes: Int64? = nil, renames: RenameDurability = .atomic,
        owner: UInt32 = 0
    ) {
        self.clock = clock
        self.owner = owner
        var image = DiskImage(nowNanoseconds: clock.now.nanosecondsSinceEpoch)
        image.renameDurability = renames
        var state = SimulationState(image: image)
        state.capacityBytes = capacityBytes
        self.state = Mutex(state)
    }

    private init(_ image: DiskImage, like other: SimulatedDisk, capacityBytes: Int64?) {
        clock = other.clock
        owner = other.owner
        var state = SimulationState(image: image)
        state.capacityBytes = capacityBytes
        self.state = Mutex(state)
    }

    /// Starts a process: a view with its own open files and locks.
    package func process() -> SimulatedFileSystem {
        SimulatedFileSystem(disk: self, processNumber: state.withLock { $0.startProcess() })
    }

    // MARK: - What goes wrong

    /// Lets `fault` happen at the call of this number, counted from 1 over all calls of all processes.
    package func plan(_ fault: Fault, at operation: Int) { state.withLock { $0.faults[operation] = fault } }

    /// Lets `fault` happen at the call of this number from now: 1 is the next one.
    package func plan(_ fault: Fault, afterNext calls: Int) {
        state.withLock { $0.faults[$0.operationCount + calls] = fault }
    }

    /// Forgets the faults and interludes that have not happened, and ends those that last.
    package func clearPlan() {
        state.withLock { state in
            state.faults = [:]
            state.lastingError = nil
            state.interludes = [:]
        }
    }

    /// The planned faults that have happened.
    package var firedFaults: [Fault] { state.withLock { $0.firedFaults } }

    /// Runs `body` just before the call of this number: what another process does in that very moment. Its own calls
    /// are counted too.
    package func interlude(at operation: Int, _ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.interludes[operation] = body }
    }

    package var playedInterludes: Int { state.withLock { $0.playedInterludes } }

    func playInterlude() {
        let body = state.withLock { state in
            let body = state.interludes.removeValue(forKey: state.operationCount + 1)
            if body != nil { state.playedInterludes += 1 }
            return body
        }
        body?()
    }

    /// Takes a sync out: the call of this number (from 1, of its kind, over all processes) reports success and makes
    /// nothing durable.
    package func ignore(_ call: SyncCall, occurrence: Int) {
        state.withLock { _ = $0.ignored[call, default: []].insert(occurrence) }
    }

    /// How many syncs were taken out so far.
    package var firedMutations: Int { state.withLock { $0.firedMutations } }

    /// How many calls of this kind there were.
    package func count(of call: SyncCall) -> Int { state.withLock { $0.syncCounts[call, default: 0] } }

    /// The capacity; may change at any time (a disk fills up, a user makes room).
    package var capacityBytes: Int64? {
        get { state.withLock { $0.capacityBytes } }
        set { state.withLock { $0.capacityBytes = newValue } }
    }

    /// The used space.
    package var usedBytes: Int64 { state.withLock { $0.image.usedBytes } }

    /// Mounted read-only: whatever changes the disk fails with EROFS.
    package var isReadOnly: Bool {
        get { state.withLock { $0.isReadOnly } }
        set { state.withLock { $0.isReadOnly = newValue } }
    }

    // MARK: - What was done

    package var operationCount: Int { state.withLock { $0.operationCount } }
    package var operations: [Operation] { state.withLock { $0.log } }

    /// Like `sync outbox/tmp/t1`, `rename outbox/tmp/t1 to outbox/done/a`, `syncFolder outbox/done`.
    package var operationLog: [String] { operations.map(\.description) }

    /// Empties the log; the numbers go on.
    package func clearLog() { state.withLock { $0.log = [] } }

    // MARK: - The crash

    /// Cuts the power now: every later call throws.
    package func cutPower() { state.withLock { $0.cutPower() } }

    /// Everything written so far becomes durable, as after a long rest.
    package func settle() { state.withLock { $0.image.syncAll() } }

    /// A disk as a cut of the power at this moment may leave it, one of the legal states at random. This disk stays as
    /// it is.
    package func crash(choosing generator: inout some RandomNumberGenerator) -> SimulatedDisk {
        let (image, capacity) = state.withLock { ($0.image, $0.capacityBytes) }
        let point = CrashPoint(image)
        return SimulatedDisk(
            point.recover(point.random(using: &generator)).image, like: self, capacityBytes: capacity)
    }

    /// Disks as a cut of the power at this moment may leave them, no two alike, at most `limit`: nothing of what was not
    /// synced, everything, each thing alone, everything but each thing; then all combinations if they fit, else random
    /// ones with torn writes.
    package func allCrashStates(limit: Int, seed: UInt64 = 1) -> [CrashState] {
        let (image, capacity) = state.withLock { ($0.image, $0.capacityBytes) }
        let point = CrashPoint(image)
        var generator = SeededGenerator(seed: seed)
        var states: [CrashState] = []
        var seen: Set<[CrashPoint.Trait]> = []
        func add(_ choice: CrashPoint.Choice) {
            guard states.count < limit else { return }
            let (image, description) = point.recover(choice)
            guard seen.insert(point.traits(of: image)).inserted else { return }
            let disk = SimulatedDisk(image, like: self, capacityBytes: capacity)
            states.append(CrashState(disk: disk, description: description))
        }
        for choice in point.extremes { add(choice) }
        let count = point.combinationCount(upTo: limit)
        if count < limit {
            for number in 0..<count { add(point.combination(number)) }
        }
        if !point.atoms.isEmpty {
            // Many tries give a state that is there already.
            for _ in 0..<limit { add(point.random(using: &generator)) }
        }
        return states
    }
}

/// One of the states that a crash may leave.
package struct CrashState: Sendable, CustomStringConvertible {
    /// The disk after the power is back.
    package let disk: SimulatedDisk
    /// The fate of each unsynced change.
    package let description: String
}

/// A small generator with a seed (SplitMix64): the same numbers in each run.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

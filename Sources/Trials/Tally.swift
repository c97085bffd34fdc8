/// The number of attempts, and the broken promises.
package struct Tally: Sendable {
    /// Calls at which the power was cut.
    package var crashPoints = 0
    /// Disks that were recovered and checked.
    package var states = 0
    /// Calls that failed, in one way or another.
    package var faults = 0
    /// Random runs of several processes.
    package var runs = 0
    /// Processes that were killed in them.
    package var kills = 0
    /// For the last of them: a number for the order of all its calls, the same whenever it is repeated.
    package var trace: UInt64?
    package var broken: [Broken] = []
    package var mutations: [Mutation] = []

    package init() {}

    package static func += (left: inout Tally, right: Tally) {
        left.crashPoints += right.crashPoints
        left.states += right.states
        left.faults += right.faults
        left.runs += right.runs
        left.kills += right.kills
        left.trace = right.trace ?? left.trace
        left.broken += right.broken
        left.mutations += right.mutations
    }

    package var uncaught: [Mutation] { mutations.filter { !$0.isCaught } }
    package var isWhole: Bool { broken.isEmpty && uncaught.isEmpty }
}

/// A broken promise.
package struct Broken: Sendable, CustomStringConvertible {
    package let what: String
    /// One line for the shell that does it again, and nothing else.
    package let replay: String

    package init(what: String, replay: String) {
        self.what = what
        self.replay = replay
    }

    package var description: String { "\(what)\n    again with: \(replay)" }
}

/// Something that is needed, taken out to see whether anybody notices.
package struct Mutation: Sendable, CustomStringConvertible {
    package let trial: String
    package let what: String
    package let isCaught: Bool

    package var description: String { "\(isCaught ? "caught" : "NOT CAUGHT")  \(trial): \(what)" }
}

/// How much is tried.
package struct Effort: Sendable {
    /// States that a power cut may leave, tried at each call.
    package var crashStates: Int
    /// States tried where a call has failed and the power goes then.
    package var faultStates: Int
    /// Every so manieth call.
    package var step: Int
    /// Only this call, where one is to be done again.
    package var onlyCall: Int?
    /// States in which a mutation may show.
    package var mutationStates = 60

    package init(crashStates: Int, faultStates: Int, step: Int = 1, onlyCall: Int? = nil) {
        self.crashStates = crashStates
        self.faultStates = faultStates
        self.step = step
        self.onlyCall = onlyCall
    }

    /// The calls to try, by their numbers.
    ///
    /// - Parameter offset: trials that share a step try different calls.
    func calls(offset: Int) -> [Int] {
        if let onlyCall { return [onlyCall] }
        return Array(stride(from: 1 + offset % step, to: 100_000, by: step))
    }
}

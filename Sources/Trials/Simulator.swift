/// Runs all the trials, and the random runs of several processes, on all cores.
package struct Simulator: Sendable {
    let options: SimulationOptions

    package init(_ options: SimulationOptions) { self.options = options }

    /// One line of the table.
    package struct Line: Sendable {
        package var name: String
        package var tally: Tally

        package init(name: String, tally: Tally) {
            self.name = name
            self.tally = tally
        }
    }

    private enum Part: Sendable {
        case crash(Trial)
        case fault(Trial)
        case mutation(Trial)
        case seeds(Workload, ClosedRange<UInt64>)

        var name: String {
            switch self {
            case .crash(let trial), .fault(let trial), .mutation(let trial): trial.description
            case .seeds(let workload, _): workload.description
            }
        }
    }

    /// - Parameters:
    ///   - workers: how much is done at once.
    ///   - progress: called for each complete line.
    /// - Throws: what a trial throws that cannot be prepared; that is no finding, but an error of the trial.
    package func run(workers: Int, progress: @escaping @Sendable (Line) -> Void) async throws -> [Line] {
        let parts = parts
        let names = parts.map(\.name).reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
        var open = parts.reduce(into: [String: Int]()) { $0[$1.name, default: 0] += 1 }
        var tallies: [String: Tally] = [:]
        try await withThrowingTaskGroup(of: (String, Tally).self) { group in
            var rest = parts[...]
            func begin() {
                guard let part = rest.popFirst() else { return }
                group.addTask { (part.name, try await run(part)) }
            }
            for _ in 0..<workers { begin() }
            while let (name, tally) = try await group.next() {
                tallies[name, default: Tally()] += tally
                open[name, default: 1] -= 1
                if open[name] == 0 { progress(Line(name: name, tally: tallies[name] ?? Tally())) }
                begin()
            }
        }
        return names.map { Line(name: $0, tally: tallies[$0] ?? Tally()) }
    }

    private var parts: [Part] {
        let workloads = Workload.all.filter { options.takes($0.description) }
        if let seed = options.seed { return workloads.map { .seeds($0, seed...seed) } }
        let trials = Trial.all.filter { options.takes($0.description) }
        let ofTrials = trials.flatMap { trial -> [Part] in
            // If one call is repeated, mutations are not examined. A trial made of others has no sync that is not
            // removed in one of those.
            let isMutated = trial.isDurable && !trial.isLong && options.call == nil
            let mutations: [Part] = isMutated ? [.mutation(trial)] : []
            return [.crash(trial), .fault(trial)] + mutations
        }
        if options.call != nil { return ofTrials }
        return ofTrials + workloads.flatMap { workload in chunks(of: workload).map { .seeds(workload, $0) } }
    }

    /// Several parts, so that all cores have something to do.
    private func chunks(of workload: Workload) -> [ClosedRange<UInt64>] {
        let count = UInt64(workload.seedCount * options.effort)
        return stride(from: 1, through: count, by: 20).map { $0...min($0 + 19, count) }
    }

    private func run(_ part: Part) async throws -> Tally {
        switch part {
        case .crash(let trial): try await trial.cutPower(effort(trial))
        case .fault(let trial): try await trial.fail(faultEffort(trial))
        case .mutation(let trial): try await trial.mutate(effort(trial))
        case .seeds(let workload, let seeds):
            try await workload.run(seeds: seeds, crashStates: 4 * options.effort)
        }
    }

    /// Every call of everything; of what is made of others, fewer of the states that a crash may leave.
    private func effort(_ trial: Trial) -> Effort {
        let isCheap = [.outbox, .host, .objects].contains(trial.area)
        return Effort(
            crashStates: (trial.isLong ? 3 : isCheap ? 12 : 6) * options.effort,
            faultStates: options.effort, onlyCall: options.call)
    }

    /// Each call fails in each way in the trials that others are made of; in these, each fails in some.
    private func faultEffort(_ trial: Trial) -> Effort {
        var effort = effort(trial)
        if trial.isLong { effort.step = max(1, 4 / options.effort) }
        return effort
    }
}

/// The output of `make sim`.
package struct SimulationReport: Sendable {
    package let lines: [Simulator.Line]
    package let total: Tally
    let duration: Duration

    package init(_ lines: [Simulator.Line], duration: Duration) {
        self.lines = lines
        self.duration = duration
        total = lines.reduce(into: Tally()) { $0 += $1.tally }
    }

    private static let columns = ["crash points", "states", "faults", "mutations", "broken"]
    private static let nameWidth = 70

    package static let head = row("operation", columns)

    package static func row(_ line: Simulator.Line) -> String {
        let tally = line.tally
        let caught = tally.mutations.count(where: \.isCaught)
        let mutations = tally.mutations.isEmpty ? "–" : "\(caught) of \(tally.mutations.count)"
        let points = tally.runs > 0 ? "\(tally.runs) seeds" : "\(tally.crashPoints)"
        let faults = tally.runs > 0 ? "\(tally.kills) kills" : "\(tally.faults)"
        return row(line.name, [points, "\(tally.states)", faults, mutations, "\(tally.broken.count)"])
    }

    private static func row(_ name: String, _ values: [String]) -> String {
        let cells = zip(columns, values).map { column, value in
            let width = max(column.count, 11)
            return String(repeating: " ", count: max(0, width - value.count)) + value
        }
        return name + String(repeating: " ", count: max(1, nameWidth - name.count)) + cells.joined(separator: "  ")
    }

    /// The mutations, the broken promises, the totals.
    package var text: String {
        var text = ""
        if !total.mutations.isEmpty {
            text += "\nTaken out, to see whether the promises break then:\n"
            text += total.mutations.map { "  \($0)\n" }.joined()
        }
        if !total.broken.isEmpty {
            text += "\nBroken promises:\n"
            text += total.broken.prefix(20).map { "  \($0)\n" }.joined()
            if total.broken.count > 20 { text += "  … and \(total.broken.count - 20) more\n" }
        }
        if total.runs == 1, let trace = total.trace {
            text += "\nThe order of its calls, the same each time: \(String(trace, radix: 16))\n"
        }
        text +=
            "\n\(total.crashPoints) power cuts, \(total.faults) failing calls, \(total.runs) random runs of several "
        text += "processes with \(total.kills) of them killed:\n\(total.states) states reopened and checked, "
        text += "\(total.broken.count) broken promises.\n"
        text += "\(total.mutations.count) mutations, \(total.uncaught.count) of them not caught.\n"
        return text + "\(duration.components.seconds) seconds.\n"
    }
}

/// The options of `make sim`: `effort=3 seed=17 only="outbox: finishing" at=12`; empty values count as none.
package struct SimulationOptions: Sendable {
    /// How many times as much as usual is tried.
    package var effort = 1
    /// Only this seed of the random runs, and nothing else.
    package var seed: UInt64?
    /// Only what has this text in its name.
    package var only = ""
    /// Only this call of each trial.
    package var call: Int?

    package init() {}

    /// - Throws: `SimulationOptionFault` that names the argument.
    package init(_ arguments: some Sequence<String>) throws(SimulationOptionFault) {
        for argument in arguments {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw SimulationOptionFault(argument: argument) }
            let value = String(parts[1])
            if value.isEmpty { continue }
            switch parts[0] {
            case "effort": effort = try Self.number(value, argument)
            case "seed": seed = UInt64(try Self.number(value, argument))
            case "only": only = value
            case "at": call = try Self.number(value, argument)
            default: throw SimulationOptionFault(argument: argument)
            }
        }
    }

    private static func number(_ text: String, _ argument: String) throws(SimulationOptionFault) -> Int {
        guard let number = Int(text), number > 0 else { throw SimulationOptionFault(argument: argument) }
        return number
    }

    func takes(_ name: String) -> Bool { only.isEmpty || name.contains(only) }
}

/// An argument that is none.
package struct SimulationOptionFault: Error, CustomStringConvertible {
    package let argument: String

    package var description: String {
        "“\(argument)” is no option: use EFFORT=2 (more of everything), ONLY='part of a name', SEED=17 (one random run), "
            + "AT=12 (one call of a trial)"
    }
}

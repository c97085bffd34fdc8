import Trials

/// `make sim`: everything that is done with a store, on a disk that fails and forgets.
@main
struct Main {
    static func main() async throws {
        let options: SimulationOptions
        do {
            options = try SimulationOptions(CommandLine.arguments.dropFirst())
        } catch {
            print("sim: \(error)")
            throw Failure.usage
        }
        let start = ContinuousClock.now
        print(SimulationReport.head)
        let lines = try await Simulator(options).run(workers: 2) { print(SimulationReport.row($0)) }
        let report = SimulationReport(lines, duration: ContinuousClock.now - start)
        print(report.text)
        if lines.isEmpty { throw Failure.nothingToDo }
        if !report.total.isWhole { throw Failure.brokenPromises }
    }

    enum Failure: Error {
        case usage, nothingToDo, brokenPromises
    }
}

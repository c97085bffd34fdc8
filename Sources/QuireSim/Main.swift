import Glibc
import LoadSimulation
import Trials

/// `make sim`: everything that is done with a store, on a disk that fails and forgets. `make load`: a school day.
@main
struct Main {
    static func main() async {
        do {
            if CommandLine.arguments.dropFirst().first == "load" {
                try await load(CommandLine.arguments.dropFirst(2))
                exit(EXIT_SUCCESS)
            }
            exit(try await run() ? EXIT_SUCCESS : EXIT_FAILURE)
        } catch {
            print("sim: \(error)")
            exit(EX_USAGE)
        }
    }

    /// A row for the plan that `name=number` arguments describe; with an address as the first one, of a real run against that host.
    private static func load(_ arguments: ArraySlice<String>) async throws {
        let host = arguments.first.flatMap { $0.contains("://") ? $0 : nil }
        let plan = try LoadPlan(arguments.dropFirst(host == nil ? 0 : 1))
        let report = if let host { try await LoadRun.run(plan, at: host) } else { LoadDay.run(plan) }
        print(LoadReport.head)
        print(report.row(plan))
    }

    /// - Returns: whether all the promises hold, and all the mutations were caught.
    private static func run() async throws -> Bool {
        let options = try SimulationOptions(CommandLine.arguments.dropFirst())
        let start = ContinuousClock.now
        print(SimulationReport.head)
        let lines = try await Simulator(options).run(workers: max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) {
            print(SimulationReport.row($0))
            // Each line is seen when it is there, in a pipe too.
            fflush(nil)
        }
        let report = SimulationReport(lines, duration: ContinuousClock.now - start)
        print(report.text)
        if lines.isEmpty { print("There is nothing of that name.") }
        return report.total.isWhole && !lines.isEmpty
    }
}

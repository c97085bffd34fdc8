import Glibc
import Trials

/// `make sim`: everything that is done with a store, on a disk that fails and forgets.
@main
struct Main {
    static func main() async {
        do {
            exit(try await run() ? EXIT_SUCCESS : EXIT_FAILURE)
        } catch {
            print("sim: \(error)")
            exit(EX_USAGE)
        }
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

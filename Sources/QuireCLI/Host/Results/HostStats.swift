import ArgumentParser
import Disk
import Host
import Model
import Results
import SystemPackage
import Terminal

/// `quire host stats ID --data DIR`
struct HostStats: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Print the figures of a questionnaire's results, each with what it means.",
        discussion: """
            Scores count where they are final: the test is rated. The strongest and the weakest third are those of the rated \
            tests by their scores.
            """)

    @OptionGroup var folders: HostFolders
    @OptionGroup var choice: AttemptOption

    @Argument(help: "The questionnaire's id.")
    var id: String

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let (configuration, id, attempts) = (try folders.configuration, id, choice.attempt)
        try await HostFailure.reported {
            let table = try await offload { try HostResults.table(configuration, id, attempts) }
            let statistics = ResultStatistics(table)
            if json { return try Output.json(statistics.document(of: table, choice.attempt)) }
            Output.write(StatisticsText(table: table, statistics: statistics, language: Output.language).text)
        }
    }
}

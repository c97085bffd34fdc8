import ArgumentParser
import Host
import SystemPackage

/// `quire host`: the reference server and what a teacher does with its tests.
struct HostCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "host", abstract: "Serve questionnaires and collect tests: the reference server.",
        subcommands: [HostServe.self, HostRate.self, HostTests.self], defaultSubcommand: HostServe.self)
}

/// The host's folders.
struct HostFolders: ParsableArguments {
    @Option(help: ArgumentHelp("The folder of the tests and receipts.", valueName: "dir"))
    var data: String

    @Option(help: ArgumentHelp("The folder of the questionnaires (default: DIR/questionnaires).", valueName: "dir"))
    var questionnaires: String?

    var configuration: HostConfiguration {
        HostConfiguration(data: FilePath(data), questionnaires: questionnaires.map { FilePath($0) })
    }
}

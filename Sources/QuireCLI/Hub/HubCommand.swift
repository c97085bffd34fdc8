import ArgumentParser
import FoundationEssentials
import SystemPackage

/// `quire hub`: the gateway of a room between its devices and a server that is often away.
struct HubCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hub",
        abstract: "Cache a server for a room, and keep the room's answers until the server is reachable.",
        usage: """
            quire hub --upstream <url> [--listen <addr:port>] [--quota <size>] [--keep-all] [--keep <pattern>] [--store <dir>]
                      [--token-file <file>] [--certificate <file> --key <file>] [--name <host>] [--proxy <url>] [--show-people]
            quire hub people [--questionnaire ID] [--group G] [--store <dir>] [--json]
            """,
        discussion: """
            Devices use the hub as their remote: quire init --remote http://HUB:8080. While the server is unavailable they get \
            what the hub keeps, and their answers are kept at the hub until it is available again.

              http://HUB:8080/_hub/status    its state, for people and (as JSON) for programs
              http://HUB:8080/_hub/metrics   the same for Prometheus
              http://HUB:8080/_hub/app/      the app for phones

            The hub's store is --store, else $QUIRE_STORE, else $XDG_DATA_HOME/quire-hub; it is made when it is missing.
            """,
        subcommands: [HubServe.self, HubPeople.self], defaultSubcommand: HubServe.self)
}

/// Where the files of a hub are.
struct HubFolder: ParsableArguments {
    @Option(help: ArgumentHelp("The hub's store.", valueName: "dir"), completion: .directory)
    var store: String?

    var path: FilePath {
        let environment = ProcessInfo.processInfo.environment
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        if let store { return FilePath(store) }
        if let store = value("QUIRE_STORE") { return FilePath(store) }
        if let data = value("XDG_DATA_HOME") { return FilePath(data).appending(name: "quire-hub") }
        return FilePath(value("HOME") ?? ".").appending(name: ".local/share/quire-hub")
    }
}

import ArgumentParser
import Disk
import Dispatch
import Model

@main
enum Main {
    /// Not asynchronous itself: then everything would run on other threads, which take longer to make than a list to print.
    /// The task runs on this one until it waits for something; most commands never do. Then it goes on among the threads of
    /// usual priority, which all other work has.
    static func main() {
        Termination.outliveFullFiles()
        Task.immediate(priority: .medium) {
            do {
                try ArgumentBytes.check()
                try await run(Array(CommandLine.arguments.dropFirst()))
            } catch {
                Failure.exit(with: error)
            }
            Output.exit(0)
        }
        // Continuations after a wait run on the main queue.
        dispatchMain()
    }

    /// Texts for the person at the terminal have the times of their clock; those of a service are for people elsewhere, too.
    private nonisolated(nonsending) static func run(_ arguments: [String]) async throws {
        guard Output.traits.isTerminal, !serves(arguments) else { return try await perform(arguments) }
        let clock = LocalClock { LocalTime.offsetSeconds(at: $0) }
        try await LocalClock.$current.withValue(clock) { try await perform(arguments) }
    }

    private static func serves(_ arguments: [String]) -> Bool {
        switch arguments.first {
        case "serve": true
        // Without a word it is the service.
        case "host", "hub": arguments.dropFirst().first.map { $0.hasPrefix("-") || $0 == "serve" } ?? true
        default: false
        }
    }

    private nonisolated(nonsending) static func perform(_ arguments: [String]) async throws {
        var command = try parse(arguments)
        if let direct = command as? any CallingThreadCommand {
            try await direct.perform()
        } else if var asynchronous = command as? any AsyncParsableCommand {
            try await asynchronous.run()
        } else {
            try command.run()
        }
    }

    private static func parse(_ arguments: [String]) throws -> sending any ParsableCommand {
        if arguments.first == "help", arguments != ["help", "help"] { try checkHelp(on: arguments.dropFirst()) }
        return try QuireCommand.parseAsRoot(arguments)
    }

    /// The parser takes help on what there is not for help on everything.
    private static func checkHelp(on words: ArraySlice<String>) throws {
        var command: any ParsableCommand.Type = QuireCommand.self
        for index in words.indices where !words[index].hasPrefix("-") {
            let subcommands = command.configuration.subcommands
            guard let next = subcommands.first(where: { $0.configuration.commandName == words[index] }) else {
                throw ValidationError("there is no command “quire \(words[...index].joined(separator: " "))”")
            }
            command = next
        }
    }
}

/// A command that rarely waits: it runs on the calling thread until it does. A call of `AsyncParsableCommand.run()` by way of its
/// protocol changes to another thread at once, which has to be made first.
protocol CallingThreadCommand: AsyncParsableCommand {
    nonisolated(nonsending) func perform() async throws
}

extension CallingThreadCommand {
    func run() async throws { try await perform() }
}

struct QuireCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quire",
        abstract: "Questionnaires and tests anywhere, with no network; answers arrive exactly once.",
        discussion: """
            First:
              quire init --remote URL
              quire pull
              quire list
              quire take ID
              quire sync

            The store is $QUIRE_STORE, else $XDG_DATA_HOME/quire; it is plain files: see docs/format.md.

            Exit codes: 0 done · 64 usage · 65 bad data · 69 remote unavailable · 74 input/output · 75 kept for later
            """,
        version: ProgramVersion.description,
        groupedSubcommands: [
            CommandGroup(
                name: "Questionnaires",
                subcommands: [
                    InitCommand.self, RemoteCommand.self, PullCommand.self, ListCommand.self, SearchCommand.self,
                    ShowCommand.self, FavoriteCommand.self, NewCommand.self, EditCommand.self, DeleteCommand.self,
                    ConflictsCommand.self, ResolveCommand.self,
                    DiffCommand.self, CheckCommand.self, ExportCommand.self,
                ]),
            CommandGroup(
                name: "Tests",
                subcommands: [
                    TakeCommand.self, AnswerCommand.self, AttachCommand.self, FinishCommand.self, TestsCommand.self,
                    WhyCommand.self, SyncCommand.self, WatchCommand.self,
                ]),
            CommandGroup(
                name: "The store",
                subcommands: [
                    StatusCommand.self, PersonCommand.self, CacheCommand.self, OutboxCommand.self, SnapshotCommand.self,
                    LogCommand.self,
                    DoctorCommand.self,
                ]),
            CommandGroup(name: "Serving", subcommands: [ServeCommand.self, HostCommand.self, HubCommand.self]),
        ])
}

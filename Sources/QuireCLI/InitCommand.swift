import ArgumentParser
import Disk
import Model
import Quire
import Remotes
import SystemPackage

struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "init", abstract: "Create a store.")

    @OptionGroup var options: StoreOptions
    @OptionGroup var quota: QuotaOption

    @Option(
        help: ArgumentHelp("Where questionnaires come from and answers go; file:///DIR for a folder.", valueName: "url")
    )
    var remote: String?

    @Option(help: ArgumentHelp("A file of yours alone (mode 0600) with the remote's bearer token.", valueName: "file"))
    var tokenFile: String?

    func run() throws {
        if quota.quota?.bytes == 0 {
            throw Failure(
                Exit.usage, "a quota of 0 keeps nothing: give a size such as 200MB, or none for a cache without limit")
        }
        if let remote { try RemoteCommand.check(remote, for: options.path) }
        var settings = StoreSettings(
            remote: remote, deviceId: TestID.random().description, quotaBytes: quota.quota?.bytes)
        settings.tokenFile = tokenFile.map { RemoteCommand.absolute($0) }
        let store = try QuireStore.create(at: options.path, settings: settings)
        options.say(
            "Made the store \(store.path.string)." + (remote == nil ? "" : " Next: quire pull"),
            "Создано хранилище \(store.path.string)." + (remote == nil ? "" : " Дальше: quire pull"))
    }
}

struct RemoteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remote", abstract: "Show or change the server of this store.",
        subcommands: [Show.self, Set.self], defaultSubcommand: Show.self)

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "show", abstract: "Show the remote.")
        @OptionGroup var options: StoreOptions
        @OptionGroup var format: JSONOption

        func run() throws {
            let store = try QuireStore.open(at: options.path)
            if format.json {
                try Output.json(["remote": store.settings.remote])
            } else {
                Output.line(store.settings.remote ?? Output.language.pick("no remote", "сервер не задан"))
            }
        }
    }

    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Change the remote. Waiting tests go to the new one.")
        @OptionGroup var options: StoreOptions
        @Argument(help: "Such as https://school.example, or a folder: file:///media/stick.") var url: String
        @Option(help: ArgumentHelp("A file of yours alone (mode 0600) with the bearer token.", valueName: "file"))
        var tokenFile: String?

        func run() throws {
            try RemoteCommand.check(url, for: options.path)
            let store = try QuireStore.open(at: options.path)
            try store.changeSettings { settings in
                settings.remote = url
                // A token belongs to one server: it is not shown to another.
                settings.tokenFile = tokenFile.map { RemoteCommand.absolute($0) }
            }
            options.say("The remote is \(url).", "Сервер: \(url).")
        }
    }

    /// - Parameter store: the folder of the store whose remote it is to be.
    /// - Throws: `RemoteAddressError` for what cannot be a remote.
    static func check(_ url: String, for store: FilePath) throws {
        let remote = try RemoteAddress.open(url, token: nil, clock: FixedClock())
        guard let folder = remote as? FolderRemote else { return }
        // Before anything is made there.
        if folder.lies(in: store) {
            throw Failure(
                Exit.usage, "\(url) is the store itself, or a folder in it: name another folder, such as one on a stick"
            )
        }
        do {
            try folder.prepare()
        } catch let error as FileError where error.isMissing {
            throw Failure(Exit.usage, "\(error): plug the stick in, or make the folder, then name it again")
        }
    }

    static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : WorkingFolder.current.appending(path).string
    }
}

/// For what asks for a clock and does not look at it.
private struct FixedClock: StoreClock {
    var now: Timestamp { .epoch }
    func sleep(for duration: Duration) async throws {}
}

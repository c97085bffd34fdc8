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
        if remote == nil {
            options.say("Made the store \(store.path.string).")
        } else {
            options.say("Made the store \(store.path.string). Next: quire pull")
        }
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
            let store = try options.openStore()
            if format.json {
                try Output.json(["remote": store.settings.remote])
            } else {
                Output.line(store.settings.remote ?? Output.language.text("no remote"))
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
        @Option(
            help: ArgumentHelp(
                "The HTTP proxy on the way, such as http://NAME:PASSWORD@HOST:PORT; none for no proxy, and an empty one to go by "
                    + "the variables https_proxy, http_proxy and no_proxy again.", valueName: "url"))
        var proxy: String?

        func run() throws {
            try RemoteCommand.check(url, for: options.path)
            if let proxy, !["", "none"].contains(proxy) { _ = try ProxyAddress(proxy, from: "--proxy") }
            let store = try options.openStore()
            try store.changeSettings { settings in
                settings.remote = url
                // A token belongs to one server: it is not shown to another.
                settings.tokenFile = tokenFile.map { RemoteCommand.absolute($0) }
                if let proxy { settings.proxy = proxy.isEmpty ? nil : proxy }
            }
            options.say("The remote is \(url).")
        }
    }

    /// - Parameter store: the folder of the store whose remote it is to be.
    /// - Throws: `RemoteAddressError` for what cannot be a remote, `RemotePreparationError` for what cannot be this store's.
    static func check(_ url: String, for store: FilePath) throws {
        try RemoteAddress.prepare(url, store: store)
    }

    static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : WorkingFolder.current.appending(name: path).string
    }
}

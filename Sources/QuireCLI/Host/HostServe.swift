import ArgumentParser
import Desk
import Disk
import Host
import Logging
import Model
import Remotes
import SystemPackage

/// `quire host --data DIR`
struct HostServe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the host until SIGTERM or Ctrl-C. (This is what `quire host` does.)")

    @OptionGroup var folders: HostFolders

    @Option(help: ArgumentHelp("Where to listen; port 0 takes any free one.", valueName: "addr:port"))
    var listen = HostConfiguration.standardListen.description

    @Option(
        help: ArgumentHelp(
            "Ask clients for the token in the first line of this file, which only its owner may read. It is for taking "
                + "questionnaires and sending tests.",
            valueName: "file"))
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "A file with another token, for authors: it also allows changing questionnaires and listing all tests.",
            valueName: "file"))
    var authorTokenFile: String?

    @Flag(
        help: ArgumentHelp(
            "Without keys and --author-token-file: every client that may send tests may change questionnaires, with their "
                + "answer keys, and list all tests. What is open is printed at each start."))
    var open = false

    @Option(
        help: ArgumentHelp(
            "Answer to this name too, such as that of a reverse proxy in front of the host. May be given "
                + "several times.", valueName: "name"))
    var name: [String] = []

    @Option(help: ArgumentHelp("The Cache-Control that questionnaires are sent with.", valueName: "value"))
    var cacheControl = HostConfiguration.standardCacheControl

    @Option(
        help: ArgumentHelp(
            "The requests that each client may make a minute; beyond that it gets 429 with Retry-After.",
            valueName: "n"))
    var rateLimit: Int?

    @Option(help: ArgumentHelp("The largest file of a test that is accepted.", valueName: "size"))
    var mediaLimit: ByteSize?

    @Option(
        help: ArgumentHelp(
            "When takers are shown what was right and what was wrong: rated, or never (the score alone). Four tests with "
                + "one option each would otherwise show the key of a choice.",
            valueName: "when"))
    var verdicts = ReceiptRelease.Verdicts.rated

    @Flag(
        help: ArgumentHelp(
            "Serve the desk at /desk/: pages for teachers, with results, statistics and marking. It asks for a key of the role "
                + "teacher or admin; on a host without keys it is open to this machine only."))
    var desk = false

    @Flag(help: "Log each request to standard error.")
    var verbose = false

    @Option(
        help: ArgumentHelp(
            "Collect tests from this folder or bucket that devices use as their remote, such as a USB stick or "
                + "s3://bucket/prefix, write receipts and questionnaires to it, and exit. A running host need not be stopped.",
            valueName: "place"))
    var collect: String?

    @Flag(help: "With --collect: print JSON.")
    var json = false

    func validate() throws {
        if collect?.isEmpty == true { throw ValidationError("--collect needs a folder") }
        if desk, collect != nil {
            throw ValidationError(
                "a host that collects ends then, and serves no desk: give --desk or --collect, not both")
        }
        if open, authorTokenFile != nil {
            throw ValidationError("--open asks for no author's token: give --author-token-file or --open, not both")
        }
        if let wrong = name.first(where: { !OwnNames.isName($0) }) {
            throw ValidationError(
                "--name \(wrong) is not a name: write it like quire.example.org, without http:// and port")
        }
        if let rateLimit, rateLimit < 1 { throw ValidationError("--rate-limit must be 1 or more requests a minute") }
        guard cacheControl.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
            throw ValidationError("--cache-control must be printable ASCII, like \"max-age=60\" or \"no-store\"")
        }
    }

    func run() async throws {
        try await HostFailure.reported {
            var configuration = try folders.configuration
            guard let place = HostAndPort(listen) else { throw HostError.invalidAddress(listen) }
            configuration.listen = place
            configuration.cacheControl = cacheControl
            configuration.requestsPerMinute = rateLimit
            configuration.names = name
            if let mediaLimit { configuration.maximumMediaBytes = min(mediaLimit.bytes, Attachment.maximumBytes) }
            configuration.isOpen = open
            configuration.release = ReceiptRelease(verdicts: verdicts)
            let (tokenFile, authorTokenFile) = (tokenFile, authorTokenFile)
            (configuration.token, configuration.authorToken) = try await offload {
                try Self.tokens(tokenFile, authors: authorTokenFile)
            }
            var logger = Logger(label: "quire.host") { StreamLogHandler.standardError(label: $0) }
            logger.logLevel = verbose ? .info : .warning
            if let collect {
                let (configuration, logger, json) = (configuration, logger, json)
                return try await offload {
                    try HostCollect.run(collect, configuration, json: json, logger)
                }
            }
            let data = configuration.data
            if !configuration.listen.isLoopback,
                try await !offload({ [configuration] in try KeyStore.asksForKeys(configuration) }),
                let warning = Self.warning(configuration)
            {
                HostFailure.tell(warning)
            }
            let address = configuration.listen
            let (hasDesk, deskLogger) = (desk, logger)
            var pages: (@Sendable (HostServices) -> HostPages)?
            if hasDesk { pages = { DeskPages.pages($0, logger: deskLogger) } }
            let host = ReferenceHost(configuration, logger: logger, pages: pages)
            try await Termination.cancelling {
                try await host.run { port in
                    let reached = HostAndPort(host: address.host, port: port)
                    // Directly to the descriptor: a program that waits for this line must not wait for a buffer to
                    // fill.
                    var text = "quire: host listening on http://\(reached)\n"
                    if MachineAddresses.isEveryNetwork(address.host) {
                        for host in MachineAddresses.reachable(address.host) {
                            text += "quire: devices reach it at http://\(HostAndPort(host: host, port: port))\n"
                        }
                    }
                    if hasDesk { text += "quire: the desk is at http://\(reached)/desk/\n" }
                    _ = try? FileDescriptor.standardOutput.writeAll(text.utf8)
                    if (try? await offload({ try FormerFolder.isNews(data) })) == true {
                        HostFailure.tell(
                            "this folder is from before there were people and keys: its tests are all here and belong to no "
                                + "one, and keys are asked for as soon as the first one is made "
                                + "(`quire host keys add --data \(data) --role ROLE`)")
                    }
                }
            }
        }
    }

    /// - Throws: `HostError.unusableToken`.
    private static func tokens(
        _ file: String?, authors: String?
    ) throws(HostError) -> (taker: AccessToken?, author: AccessToken?) {
        var tokens: (taker: AccessToken?, author: AccessToken?)
        if let file { tokens.taker = try AccessToken(readingFrom: FilePath(file)) }
        if let authors { tokens.author = try AccessToken(readingFrom: FilePath(authors)) }
        if let authors, let taker = tokens.taker, tokens.author == taker {
            throw .unusableToken(
                FilePath(authors), reason: "it is the one that takers have (--token-file); give authors another one")
        }
        return tokens
    }

    /// The access of everyone who reaches a host beyond loopback.
    private static func warning(_ configuration: HostConfiguration) -> String? {
        let address = configuration.listen
        if configuration.token == nil, configuration.isOpen {
            return "everyone who reaches \(address) may send tests, list those of others, and change or delete "
                + "questionnaires (--open): make keys with `quire host keys add --data \(HostError.shown(configuration.data)) --role ROLE`"
        }
        // It does not start.
        if configuration.token == nil, configuration.authorToken == nil { return nil }
        if configuration.isOpen {
            return "everyone with the token may list the tests of others and change or delete questionnaires (--open): "
                + "give --author-token-file FILE in its place"
        }
        if configuration.token == nil {
            return "everyone who reaches \(address) may read questionnaires and send tests: add --token-file FILE"
        }
        return nil
    }
}

extension ReceiptRelease.Verdicts: ExpressibleByArgument {}

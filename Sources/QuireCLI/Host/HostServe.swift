import ArgumentParser
import Disk
import Host
import Logging
import Model
import SystemPackage

/// `quire host --data DIR`
struct HostServe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the host until SIGTERM or Ctrl-C. (This is what `quire host` does.)")

    @OptionGroup var folders: HostFolders

    @Option(help: ArgumentHelp("Where to listen; port 0 takes any free one.", valueName: "addr:port"))
    var listen = ListenAddress.standard.description

    @Option(
        help: ArgumentHelp(
            "Ask clients for the token in the first line of this file, which its owner alone may read.",
            valueName: "file"))
    var tokenFile: String?

    @Option(help: ArgumentHelp("The Cache-Control that questionnaires are sent with.", valueName: "value"))
    var cacheControl = HostConfiguration.standardCacheControl

    @Option(
        help: ArgumentHelp(
            "Let each client make so many requests a minute; beyond that it hears 429 with Retry-After.",
            valueName: "n"))
    var rateLimit: Int?

    @Option(help: ArgumentHelp("Refuse files that belong to tests and are longer than this.", valueName: "size"))
    var mediaLimit: ByteSize?

    @Flag(help: "Tell each request on standard error.")
    var verbose = false

    @Option(
        help: ArgumentHelp(
            "Take in this folder that devices use as their remote, such as a stick, put receipts and questionnaires "
                + "there, and end. A running host need not be stopped.",
            valueName: "dir"))
    var collect: String?

    @Flag(help: "With --collect: print JSON.")
    var json = false

    func validate() throws {
        if collect?.isEmpty == true { throw ValidationError("--collect needs a folder") }
        if let rateLimit, rateLimit < 1 { throw ValidationError("--rate-limit must be 1 or more requests a minute") }
        guard cacheControl.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
            throw ValidationError("--cache-control must be printable ASCII, like \"max-age=60\" or \"no-store\"")
        }
    }

    func run() async throws {
        try await HostFailure.reported {
            var configuration = folders.configuration
            configuration.listen = try ListenAddress(listen)
            configuration.cacheControl = cacheControl
            configuration.requestsPerMinute = rateLimit
            if let mediaLimit { configuration.maximumMediaBytes = min(mediaLimit.bytes, Attachment.maximumBytes) }
            if let tokenFile {
                let file = FilePath(tokenFile)
                configuration.token = try await offload { try AccessToken(readingFrom: file) }
            }
            var logger = Logger(label: "quire.host") { StreamLogHandler.standardError(label: $0) }
            logger.logLevel = verbose ? .info : .warning
            if let collect {
                let (configuration, logger, json) = (configuration, logger, json)
                return try await offload {
                    try HostCollect.run(FilePath(collect), configuration, json: json, logger)
                }
            }
            if !configuration.listen.isLoopback, configuration.token == nil {
                HostFailure.tell(
                    "everybody who reaches \(configuration.listen) may read and send tests: add --token-file FILE")
            }
            let address = configuration.listen
            try await ReferenceHost(configuration, logger: logger).run { port in
                let reached = ListenAddress(host: address.host, port: port)
                // Straight to the descriptor: whoever waits for this line must not wait for a buffer to fill.
                _ = try? FileDescriptor.standardOutput.writeAll("quire: host listening on http://\(reached)\n".utf8)
            }
        }
    }
}

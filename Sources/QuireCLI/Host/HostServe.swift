import ArgumentParser
import Disk
import Host
import Logging
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

    @Flag(help: "Tell each request on standard error.")
    var verbose = false

    func validate() throws {
        guard cacheControl.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
            throw ValidationError("--cache-control must be printable ASCII, like \"max-age=60\" or \"no-store\"")
        }
    }

    func run() async throws {
        try await HostFailure.reported {
            var configuration = folders.configuration
            configuration.listen = try ListenAddress(listen)
            configuration.cacheControl = cacheControl
            if let tokenFile {
                let file = FilePath(tokenFile)
                configuration.token = try await offload { try AccessToken(readingFrom: file) }
            }
            if !configuration.listen.isLoopback, configuration.token == nil {
                HostFailure.tell(
                    "everybody who reaches \(configuration.listen) may read and send tests: add --token-file FILE")
            }
            var logger = Logger(label: "quire.host") { StreamLogHandler.standardError(label: $0) }
            logger.logLevel = verbose ? .info : .warning
            let address = configuration.listen
            try await ReferenceHost(configuration, logger: logger).run { port in
                let reached = ListenAddress(host: address.host, port: port)
                // Straight to the descriptor: whoever waits for this line must not wait for a buffer to fill.
                _ = try? FileDescriptor.standardOutput.writeAll("quire: host listening on http://\(reached)\n".utf8)
            }
        }
    }
}

import ArgumentParser
import Disk
import FoundationEssentials
import Logging
import Model
import Quire
import Remotes
import SystemPackage
import Web

/// `quire serve`: the page for a browser.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Take tests in a browser: serve a page on this machine.",
        discussion: """
            Open the address that is printed: it gives one browser access. The page sends and fetches automatically when there \
            is a connection. Only this machine can reach it, unless --allow-network is given.
            """)

    @OptionGroup var options: StoreOptions

    @Option(help: ArgumentHelp("Where to listen; port 0 takes any free one.", valueName: "addr:port"))
    var listen = PageConfiguration.standardListen.description

    @Flag(help: "Allow other machines, each with a pairing code. The connection is not encrypted.")
    var allowNetwork = false

    @Flag(help: "Send and fetch only on request.")
    var manual = false

    @Flag(help: "Open the page in your browser.")
    var browse = false

    @Flag(help: "Log each request to standard error.")
    var verbose = false

    func run() async throws {
        do {
            guard let address = HostAndPort(listen) else { throw PageError.invalidAddress(listen) }
            let configuration = PageConfiguration(
                listen: address, allowsNetwork: allowNetwork, isAutomatic: !manual,
                reachable: MachineAddresses.reachable, helpFolder: Self.helpFolder)
            var logger = Logger(label: "quire.serve") { StreamLogHandler.standardError(label: $0) }
            logger.logLevel = verbose ? .info : .critical
            if !configuration.listen.isLoopback, allowNetwork {
                Output.complain(
                    "others can reach \(configuration.listen): anyone with the code sees and sends your tests, and what "
                        + "goes between can be read on the way")
            }
            let options = options
            let opening = StoreContext.Opening(
                open: {
                    let session = try Session(options, memoryTierBytes: Session.longLivedMemoryBytes)
                    var context = StoreContext(
                        store: session.store, remote: session.remote, isOffline: session.isOffline)
                    if session.remote != nil, session.hasPeople {
                        context.hasPeople = true
                        context.remoteShowing = { try session.remote(showing: $0) }
                    }
                    return context
                },
                faultOfRemote: { url in
                    do {
                        try RemoteCommand.check(url, for: options.path)
                        return nil
                    } catch {
                        return Failure(error).message
                    }
                })
            let server = PageServer(configuration, opening: opening, logger: logger)
            let browses = browse
            if let store = try? options.openStore() { options.tellOfPeople(store) }
            try await Termination.cancelling {
                try await server.run { line in
                    Output.write(line + "\n")
                    if browses, let address = Self.address(in: line) { Self.browse(address) }
                }
            }
        } catch let error as PageError {
            switch error {
            case .invalidAddress, .networkNotAllowed: throw Failure(Exit.usage, error.description)
            case .cannotListen, .portInUse: throw Failure(Exit.inputOutput, error.description)
            }
        }
    }

    /// The documents' site beside the program, as `make install` puts them: `bin/quire` and `share/doc/quire/html`.
    private static var helpFolder: FilePath {
        Program.own.folder.folder.pushing("share/doc/quire/html")
    }

    /// The address in the line that announces the page; none in the lines for further browsers.
    private static func address(in line: String) -> String? {
        guard line.hasPrefix("quire: the page is at ") else { return nil }
        return line.split(separator: " ").first { $0.hasPrefix("http://") }.map(String.init)
    }

    /// Opens an address in the browser of the desktop. The person still has the printed one where that fails.
    private static func browse(_ address: String) {
        let opener = "for one in xdg-open open; do command -v $one >/dev/null && exec $one \"$1\"; done; exit 127"
        do {
            let program = try Program(
                "/bin/sh", ["-c", opener, "sh", address], environment: ProcessInfo.processInfo.environment)
            Task.detached {
                guard (try? await offload { program.end() }) == .code(0) else {
                    return Output.complain("no browser could be opened: open the address yourself")
                }
            }
        } catch {
            Output.complain("no browser could be opened: open the address yourself")
        }
    }
}

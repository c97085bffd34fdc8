import Foundation
import Testing

/// How the servers begin and end, and what they do where there is no descriptor left.
@Suite("The beginning and the end of the servers", .serialized)
struct ServerEndTests {
    private static func arguments(_ server: String, _ folder: String) -> [String] {
        switch server {
        case "hub": ["hub", "--upstream", "http://127.0.0.1:9", "--listen", "127.0.0.1:0", "--store", folder + "/hub"]
        default: ["serve", "--listen", "127.0.0.1:0"]
        }
    }

    private static func folder(for server: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        if server == "serve" {
            let made = try ChildProcess(
                [Command.binary, "init", "--remote", "http://127.0.0.1:9"],
                environment: Command.environment(home: folder.path), folder: folder.path)
            #expect(try made.end().exitCode == 0)
        }
        return folder
    }

    @Test("SIGTERM that comes while a server starts ends it, whenever it comes", arguments: ["hub", "serve"])
    func starting(_ server: String) throws {
        let folder = try Self.folder(for: server)
        for moment in 0..<12 {
            let child = try ChildProcess(
                [Command.binary] + Self.arguments(server, folder.path),
                environment: Command.environment(home: folder.path), folder: folder.path, isWatched: true)
            usleep(UInt32(moment) * 4000)
            child.send(SIGTERM)
            let outcome = try child.end()
            // Before the program itself runs, the system's own way: 128 + 15.
            #expect([0, 143].contains(outcome.exitCode), "\(moment): \(outcome)")
            #expect(outcome.errors == "")
        }
    }

    @Test(
        "a hub under TLS ends without a word, with connections that idle, shake hands and wait",
        .enabled(if: Certificates.canBeMade, "openssl is not installed"))
    func underTLS() throws {
        let folder = try TemporaryFolder()
        let certificates = Certificates(folder: folder.path)
        _ = try certificates.authority()
        let identity = try certificates.signed("hub.quire.test")
        let hub = HubProcess(
            folder: folder.path, upstream: "http://127.0.0.1:9", port: try SteadyPort.next(),
            arguments: ["--certificate", identity.certificate, "--key", identity.key])
        for round in 0..<3 {
            try hub.start()
            let clients = try (0..<20).map { _ in try RawClient(port: hub.port) }
            // Half of a handshake.
            for client in clients.prefix(10) { client.send([0x16, 0x03, 0x01, 0x02, 0x00]) }
            let openssl = try (0..<5).map { _ in
                try ChildProcess(
                    ["openssl", "s_client", "-quiet", "-connect", "127.0.0.1:\(hub.port)"],
                    environment: Command.environment(home: folder.path), folder: folder.path)
            }
            usleep(round == 0 ? 0 : 300_000)
            let outcome = try hub.stop()
            #expect(outcome.exitCode == 0 && outcome.errors == "", "\(outcome)")
            for process in openssl { process.send(SIGKILL) }
            withExtendedLifetime(clients) {}
        }
    }

    @Test(
        "near the limit of descriptors a server says so, turns clients away or lets them wait, and goes on",
        arguments: ["host", "serve"])
    func descriptors(_ server: String) throws {
        let folder = try Self.folder(for: server)
        try Files.write(#"{"id": "a", "title": "A", "questions": []}"#, to: folder.path + "/a.json")
        let arguments =
            server == "host"
            ? ["host", "--data", folder.path + "/data", "--listen", "127.0.0.1:0"] : Self.arguments(server, folder.path)
        let command = ([Command.binary] + arguments).map { "'\($0)'" }.joined(separator: " ")
        // Other tests run in this process: their descriptors that the child inherits would count, too.
        let closing = "for fd in /proc/$$/fd/*; do fd=${fd##*/}; ((fd > 2)) && eval \"exec $fd>&-\"; done"
        let child = try ChildProcess(
            ["/bin/bash", "-c", "\(closing); ulimit -n 40; exec \(command)"],
            environment: Command.environment(home: folder.path), folder: folder.path, isWatched: true)
        let line = try HostProcess.firstLine(of: child)
        let digits = line.components(separatedBy: "127.0.0.1:").last?.prefix { $0.isNumber } ?? ""
        let port = try #require(Int(digits), "\(line)")
        // Each from an address of its own: a share for an address is another limit.
        var clients: [RawClient] = try (0..<80).map { try RawClient(port: port, source: UInt8($0 + 2)) }
        try wait(for: "a word about the limit") {
            guard child.isRunning else { throw Unexpected("\(try child.end())") }
            return child.errorsSoFar.contains("limit of open files") ? true : nil
        }
        // Without a file to open, libdispatch ends the process.
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(child.identifier)/fd").count
        #expect(open < 40, "\(open) of 40 descriptors")
        // It has no descriptor left: for a second it uses next to no time of the processor.
        let before = try child.processorTicks()
        usleep(1_000_000)
        #expect(try child.processorTicks() - before < 15)
        withExtendedLifetime(clients) {}
        clients = []
        let client = try RawClient(port: port)
        client.send("GET /v1/ HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n")
        #expect(String(decoding: client.received(), as: UTF8.self).hasPrefix("HTTP/1.1 "))
        child.send(SIGTERM)
        let outcome = try child.end()
        let said = outcome.errors.components(separatedBy: "limit of open files").count - 1
        // That it is near, and that it is reached.
        #expect((1...2).contains(said), "\(outcome)")
        #expect(outcome.exitCode == 0, "\(outcome)")
    }
}

extension ChildProcess {
    /// Of user and system, in hundredths of a second.
    fileprivate func processorTicks() throws -> Int {
        let text = try Files.text("/proc/\(identifier)/stat")
        let numbers = text.split(separator: ")").last?.split(separator: " ").compactMap { Int($0) } ?? []
        guard numbers.count > 12 else { throw Unexpected("no times in \(text)") }
        return numbers[10] + numbers[11]
    }
}

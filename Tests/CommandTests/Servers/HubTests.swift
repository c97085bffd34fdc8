import Foundation
import Testing

/// A real `quire hub` on the loopback interface.
final class HubProcess {
    let store: String
    private let folder: String
    private let upstream: String
    private(set) var port: Int
    private(set) var process: ChildProcess?

    private let arguments: [String]

    /// - Parameter port: 0 for one that is free.
    init(folder: String, upstream: String, port: Int = 0, arguments: [String] = []) {
        self.port = port
        self.arguments = arguments
        self.folder = folder
        self.upstream = upstream
        store = folder + "/hub"
    }

    deinit { process?.send(SIGTERM) }

    var address: String { "http://127.0.0.1:\(port)" }

    func start(_ arguments: String...) throws { try start(arguments) }

    func start(_ arguments: [String]) throws {
        let child = try ChildProcess(
            [Command.binary, "hub", "--upstream", upstream, "--listen", "127.0.0.1:\(port)", "--store", store]
                + self.arguments + arguments, environment: Command.environment(home: folder), folder: folder,
            isWatched: true)
        let line = try HostProcess.firstLine(of: child)
        guard let found = line.split(separator: ":").last.flatMap({ Int($0) }),
            line.contains("hub listening on http")
        else { throw Unexpected("the hub said “\(line)”") }
        port = found
        process = child
    }

    func kill() {
        process?.send(SIGKILL)
        _ = try? process?.end()
        process = nil
    }

    @discardableResult
    func stop() throws -> Outcome {
        guard let process else { throw Unexpected("the hub does not run") }
        process.send(SIGTERM)
        defer { self.process = nil }
        return try process.end()
    }

    /// The most memory that it had so far, in bytes.
    func peakMemory() throws -> Int {
        guard let process else { throw Unexpected("the hub does not run") }
        let status = try Files.text("/proc/\(process.identifier)/status")
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let number = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
        else { throw Unexpected("no VmHWM") }
        return number << 10
    }

    func tests(_ status: String) -> [String] { Files.names(in: "\(store)/outbox/\(status)", suffix: ".test.json") }

    func status() throws -> JSON {
        try JSON(parsing: try Command.run("curl", "-sS", address + "/_hub/status", in: folder))
    }
}

@Suite("The hub between devices and a host", .serialized, .enabled(if: Command.isInstalled("curl")))
struct HubTests {
    @Test("the host away: all is served, 100 answers are kept over kill -9, and delivered once when it is back")
    func offline() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path, isRestarted: true)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.publish(Questionnaire(id: "other", title: "Other"))
        try host.start()
        let hub = HubProcess(folder: folder.path, upstream: host.address, port: try SteadyPort.next())
        try hub.start()
        let device = Device(folder.path)
        try device.done("init", "--remote", hub.address)
        try device.done("pull")
        #expect(try device.cachedIDs == ["keyed", "other"])
        host.kill()

        // A second device comes into the room.
        let second = Device(folder.path, name: "second")
        try second.done("init", "--remote", hub.address)
        try second.done("pull")
        #expect(try second.cachedIDs == ["keyed", "other"])

        try KillTests.fill(device, count: 100, questionnaire: "keyed")
        let ids = device.tests("done")
        let sync = try device.quire("sync", "--json")
        #expect(sync.exitCode == 75)
        #expect(
            try sync.json()["kept"].whole == 100 && sync.json()["sent"].whole == 0
                && sync.json()["waiting"].whole == 100)
        #expect(device.tests("done") == ids && device.tests("sent").isEmpty)
        #expect(try device.json("status")["kept"].whole == 100)
        #expect(try device.quire("tests").output.contains("Kept at the hub"))
        #expect(hub.tests("done").count + hub.tests("sending").count == 100)
        hub.kill()
        try hub.start()
        #expect(try hub.status()["tests"]["waiting"].whole == 100)

        try host.start()
        try wait(for: "the delivery") { host.tests.count == 100 && hub.tests("rated").count == 100 ? true : nil }
        let last = try device.json("sync")
        #expect(last["sent"].whole == 100 && last["kept"].whole == 0 && last["waiting"].whole == 0)
        #expect(device.tests("rated") == ids && host.tests == ids)
        for id in ids {
            #expect(try Files.read(device.testPath(id, "rated")) == host.test(id))
            // The host's own receipt, the same as after a direct sync.
            let own = try JSON(file: device.receiptPath(id, "rated"))
            #expect(try own == JSON(file: "\(host.data)/receipts/\(id).receipt.json"))
        }
        let puts = host.exchanges.filter { $0.method == "PUT" }
        #expect(puts.count { $0.status == 201 } == 100 && puts.allSatisfy { $0.status == 200 || $0.status == 201 })
        #expect(Files.names(in: hub.store + "/hub/arrivals").isEmpty)
        #expect(try device.json("doctor") == .array([]))
        let outcome = try hub.stop()
        #expect(outcome.exitCode == 0 && outcome.errors == "")
    }

    @Test("the host away: what two devices change is kept over kill -9, carried out once, and the conflict comes down")
    func changes() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path, isRestarted: true)
        try host.publish(Questionnaire(id: "a", title: "First"))
        try host.start()
        let hub = HubProcess(folder: folder.path, upstream: host.address, port: try SteadyPort.next())
        try hub.start()
        let devices = [Device(folder.path, name: "one"), Device(folder.path, name: "two")]
        for device in devices {
            try device.done("init", "--remote", hub.address)
            try device.done("pull")
        }
        let (one, two) = (devices[0], devices[1])
        host.kill()

        func document(_ title: String) throws -> String {
            let path = folder.path + "/\(title).json"
            try Files.write(Questionnaire(id: "a", title: title).json, to: path)
            return path
        }
        try one.done("edit", "a", "--from", try document("Mine"))
        let made = try one.json("new", "--from", try document("Made"))
        let (id, creation) = (try #require(made["id"].text), try #require(made["change"].text))
        try one.done("favorite", "a")
        let test = try one.take(id, answers: Questionnaire.rightAnswers)
        // What refers to a questionnaire that the hub has goes to the hub, too.
        #expect(try one.quire("sync", "--json").json()["kept"].whole == 4)
        try two.done("edit", "a", "--from", try document("Other"))
        #expect(try two.quire("sync", "--json").exitCode == 75)
        #expect(try one.done("why", creation).output.contains("Kept at the hub"))
        #expect(try one.done("show", id).output.contains("Kept at the hub"))
        #expect(try two.json("list")[0]["title"].text == "Other")
        hub.kill()
        try hub.start()
        let status = try hub.status()
        #expect(status["questionnaires"]["waiting"].whole == 3 && status["favorites"]["waiting"].whole == 1)
        #expect(status["tests"]["waiting"].whole == 1)

        try host.start()
        try wait(for: "the delivery") {
            let status = try hub.status()
            return status["questionnaires"]["delivered"].whole == 2 && status["questionnaires"]["conflicts"].whole == 1
                && status["favorites"]["delivered"].whole == 1 && status["tests"]["delivered"].whole == 1 ? true : nil
        }
        #expect(host.tests == [test])
        #expect(try Files.text(host.questionnaires + "/a.json").contains("Mine"))
        #expect(Files.names(in: host.questionnaires, suffix: ".json").count == 2)
        let end = try one.quire("sync", "--json")
        #expect(end.exitCode == 0, "\(end.output)")
        let last = try end.json()
        #expect(last["sent"].whole == 4 && last["kept"].whole == 0 && last["waiting"].whole == 0)
        // The host's own receipts.
        #expect(
            try JSON(file: one.receiptPath(creation, "sent"))
                == JSON(file: "\(host.data)/receipts/\(creation).receipt.json"))
        #expect(host.exchanges.count { $0.method == "PUT" && $0.status == 201 } == 2)

        let heard = try two.quire("sync", "--json")
        #expect(try heard.json()["conflicts"].whole == 1, "\(heard.output)")
        let conflict = try two.json("conflicts")[0]
        #expect(conflict["mine"]["title"].text == "Other" && conflict["theirs"]["title"].text == "Mine")
        try two.done("resolve", try #require(conflict["id"].text), "--mine")
        #expect(try two.json("sync")["sent"].whole == 1)
        #expect(try Files.text(host.questionnaires + "/a.json").contains("Other"))
        try one.done("pull")
        #expect(try one.json("list").elements.compactMap { $0["title"].text }.contains("Other"))
        for device in devices { #expect(try device.json("doctor") == .array([])) }
        #expect(try hub.status()["questionnaires"]["conflicts"].whole == 0)
        #expect(try hub.stop().exitCode == 0)
    }

    @Test(
        "a big body passes, and is kept while it passes, in little memory; killed half way it is never taken for whole")
    func bigBody() throws {
        let bytes = triesAll ? 2 << 30 : 96 << 20
        let folder = try TemporaryFolder()
        let server = try FileServer(folder: folder.path, bytes: bytes)
        let hub = HubProcess(folder: folder.path, upstream: server.address)
        try hub.start("--quota", triesAll ? "5GB" : "400MB")

        // The client is killed half way, and then the hub.
        for isHub in [false, true] {
            let path = isHub ? "/second" : "/first"
            let copy = folder.path + path
            let client = try ChildProcess(
                ["curl", "-sS", "--limit-rate", "50M", "-o", copy, hub.address + path],
                environment: Command.environment(home: folder.path), folder: folder.path)
            try wait(for: "a part of it") {
                (try? Files.status(copy).st_size).map { $0 > 4 << 20 } == true ? true : nil
            }
            if isHub { hub.kill() } else { client.send(SIGKILL) }
            _ = try client.end()
            if isHub { try hub.start("--quota", triesAll ? "5GB" : "400MB") }
            let sum = try Command.run("sh", "-c", "curl -sS '\(hub.address)\(path)' | sha256sum", in: folder.path)
            #expect(sum.prefix(64) == server.sum, "\(path)")
        }
        let peak = try hub.peakMemory()
        #expect(peak < 64 << 20, "\(peak >> 20) MB")
        // What is kept is whole.
        server.stop()
        let sum = try Command.run("sh", "-c", "curl -sS '\(hub.address)/second' | sha256sum", in: folder.path)
        #expect(sum.prefix(64) == server.sum)
        #expect(try hub.peakMemory() < 64 << 20)
    }
}

/// An origin that sends a long body again and again: the same for each path.
private final class FileServer {
    let address: String
    let sum: String
    private let listener: Int32

    init(folder: String, bytes: Int) throws {
        let block = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let blockPath = folder + "/block"
        try Data(block).write(to: URL(filePath: blockPath))
        let count = bytes >> 20
        let words = try Command.run(
            "sh", "-c", "for i in $(seq \(count)); do cat '\(blockPath)'; done | sha256sum", in: folder)
        sum = String(words.prefix(64))
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let isReady = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isReady else { throw Unexpected("the file server cannot listen") }
        self.address = "http://127.0.0.1:\(in_port_t(bigEndian: address.sin_port))"
        let head =
            "HTTP/1.1 200 OK\r\nCache-Control: max-age=86400\r\nETag: \"big\"\r\nContent-Type: video/mp4\r\n"
            + "Content-Length: \(count << 20)\r\nConnection: close\r\n\r\n"
        Thread.detachNewThread {
            while case let client = accept(descriptor, nil, nil), client >= 0 {
                Thread.detachNewThread {
                    defer { close(client) }
                    var request = [UInt8](repeating: 0, count: 8192)
                    _ = recv(client, &request, request.count, 0)
                    guard Self.sendAll(client, Array(head.utf8)) else { return }
                    for _ in 0..<count { if !Self.sendAll(client, block) { return } }
                }
            }
        }
    }

    private static func sendAll(_ client: Int32, _ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = send(client, bytes.baseAddress?.advanced(by: done), bytes.count - done, Int32(MSG_NOSIGNAL))
                if count <= 0 { return false }
                done += count
            }
            return true
        }
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }
}

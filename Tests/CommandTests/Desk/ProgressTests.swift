import Foundation
import Synchronization
import Testing

/// Who is at it, and whose test waits at a hub: from the device's store to the host's list, between real programs.
@Suite("Open tests, from devices and hubs to the host", .serialized)
struct ProgressTests {
    private static let exam =
        #"{"id": "exam", "title": "Exam", "questions": [{"id": "q1", "text": "?", "kind": "text"}]}"#

    private func world() throws -> (folder: TemporaryFolder, host: HostProcess, office: Device) {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path, isRestarted: true)
        try Files.write(Self.exam, to: host.questionnaires + "/exam.json")
        try Files.write("id,name,group\nada,Ada,7b\nboris,Boris,7b\n", to: folder.path + "/class.csv")
        let office = Device(folder.path, name: "office")
        try host.start()
        try office.done("host", "people", "import", folder.path + "/class.csv", "--data", host.data, "--yes")
        return (folder, host, office)
    }

    /// The line of a person in the host's list.
    private func line(_ person: String, _ host: HostProcess, _ office: Device) throws -> JSON {
        let lines = try office.json("host", "people", "list", "--questionnaire", "exam", "--data", host.data)
        guard let line = lines.elements.first(where: { $0["id"].text == person }) else {
            throw Unexpected("no line of \(person)")
        }
        return line
    }

    private func reports(_ host: HostProcess) -> Int { host.exchanges.count { $0.path.hasPrefix("/v1/progress/") } }

    @Test("a draft is reported with the next sync, once; a killed host keeps it; handed in, it is open no more")
    func device() throws {
        let (folder, host, office) = try world()
        let device = try Device(folder.path, of: host)
        try device.done("person", "set", "Ada", "--id", "ada", "--group", "7b")
        #expect(try line("ada", host, office)["state"].text == "not-begun")
        let id = try device.take("exam", answers: #"{"q1": "so"}"#, isFinished: false)
        for _ in 0..<3 { try device.done("sync") }
        #expect(reports(host) == 1)
        let started = try line("ada", host, office)
        #expect(started["state"].text == "started" && started["open"]["test"].text == id && started["tests"].whole == 0)
        let stated = try JSON(file: device.testPath(id, "in-progress"))["dateStarted"].text
        #expect(started["open"]["since"].text == stated && started["open"]["heard"].text != nil)
        host.kill()
        try host.start()
        #expect(try line("ada", host, office)["state"].text == "started")
        let words = try office.done(
            "host", "people", "list", "--questionnaire", "exam", "--data", host.data
        ).output
        #expect(words.contains("is at it") && words.contains("Handed in: 0 of 2"), "\(words)")
        try device.done("finish", id)
        try device.done("sync")
        let handedIn = try line("ada", host, office)
        #expect(handedIn["tests"].whole == 1 && handedIn["open"]["test"].text == nil, "\(handedIn)")
        #expect(Files.names(in: host.data + "/progress").isEmpty)
        try host.stop()
    }

    @Test("a test that the host does not take yet waits at the hub by name; taken, it is handed in")
    func hub() throws {
        let (folder, host, office) = try world()
        let port = host.listeningPort
        let refuses = Flag()
        let way = try ScriptedServer { request in
            if refuses.isSet, request.method == "PUT", request.path.hasPrefix("/v1/tests/") {
                return ScriptedServer.plain("503 Service Unavailable", "{}")
            }
            return .handOn(port: port)
        }
        let hub = HubProcess(
            folder: folder.path, upstream: "http://127.0.0.1:\(way.port)", port: try SteadyPort.next(),
            arguments: ["--name", "room-12.example"])
        try hub.start()
        let device = Device(folder.path)
        try device.done("init", "--remote", hub.address)
        try device.done("pull")
        try device.done("person", "set", "Boris", "--id", "boris", "--group", "7b")
        let id = try device.take("exam", answers: #"{"q1": "so"}"#, isFinished: false)
        try device.done("sync")
        try wait(for: "the hub's report") { try line("boris", host, office)["state"].text == "started" ? true : nil }
        // The hub is killed, and knows it still.
        hub.kill()
        try hub.start()
        refuses.set(true)
        try device.done("finish", id)
        _ = try device.quire("sync")
        try wait(for: "the test that waits") { try line("boris", host, office)["state"].text == "waiting" ? true : nil }
        let waiting = try line("boris", host, office)
        #expect(waiting["open"]["hub"].text == "room-12.example" && waiting["open"]["test"].text == id)
        refuses.set(false)
        try wait(for: "the delivery") { try line("boris", host, office)["tests"].whole == 1 ? true : nil }
        try wait(for: "the last report") { Files.names(in: host.data + "/progress").isEmpty ? true : nil }
        try hub.stop()
        try host.stop()
    }

    @Test("a host of an earlier version hears of it once, and devices work as before")
    func earlier() throws {
        let (folder, host, _) = try world()
        let port = host.listeningPort
        let way = try ScriptedServer { request in
            guard request.path.hasPrefix("/v1/progress/") else { return .handOn(port: port) }
            return ScriptedServer.plain(
                "404 Not Found",
                #"{"type":"urn:quire:problem:not-found","title":"Not Found","status":404,"detail":"There is nothing at this address."}"#,
                type: "application/problem+json")
        }
        let device = Device(folder.path)
        try device.done("init", "--remote", "http://127.0.0.1:\(way.port)")
        try device.done("pull")
        try device.done("person", "set", "Ada", "--id", "ada")
        for number in 0..<3 {
            _ = try device.take("exam", answers: #"{"q1": "test \#(number)"}"#)
            _ = try device.take("exam", answers: #"{"q1": "draft \#(number)"}"#, isFinished: false)
            try device.done("sync")
        }
        #expect(way.received.count { $0.path.hasPrefix("/v1/progress/") } == 1)
        #expect(host.tests.count == 3)
        try host.stop()
    }
}

/// Is set by a test, and read by its server.
private final class Flag: Sendable {
    private let value = Mutex(false)
    var isSet: Bool { value.withLock { $0 } }
    func set(_ isSet: Bool) { value.withLock { $0 = isSet } }
}

import Foundation
import Testing

/// A week of two devices and a host that is now and then away, with the real program, over real sockets, through a proxy
/// that is no friend.
final class SocketWeek {
    static let rules = ["ask", "client", "server", "duplicate"]

    private let folder: TemporaryFolder
    private let host: HostProcess
    private let proxy: TroubledProxy
    private let devices: [Device]
    private let seed: UInt64
    private let rule: String
    private var generator: SeededGenerator
    private(set) var tests: [String] = []

    init(seed: UInt64) throws {
        self.seed = seed
        generator = SeededGenerator(seed: seed)
        rule = Self.rules[Int(seed % UInt64(Self.rules.count))]
        let folder = try TemporaryFolder()
        self.folder = folder
        host = try HostProcess(folder: folder.path, isRestarted: true)
        for id in ["a", "b"] { try host.publish(Questionnaire(id: id, title: "Title 0")) }
        try host.start()
        let proxy = try TroubledProxy(to: host.listeningPort, seed: seed)
        self.proxy = proxy
        let rule = rule
        devices = try ["first", "second"].map { name in
            let device = Device(folder.path, name: name)
            try device.done("init", "--remote", proxy.address)
            try device.done("conflicts", "--rule", rule)
            return device
        }
    }

    var counts: TroubledProxy.Counts { proxy.counts }

    private func chance(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

    /// What a person, a network and a host do; of what the person does each is acknowledged.
    func act(_ number: Int) throws {
        let device = devices[chance(2)]
        let known = try device.json("list").elements.compactMap(\.["id"].text)
        let id = known.isEmpty ? nil : known[chance(known.count)]
        switch (chance(11), id) {
        case (0, _): try expect(device, ["new", "--from", "-"], input: document("x", number))
        case (1...3, let id?):
            // The server may know it by another id than this device.
            let shown = try device.json("show", id, "--offline")["id"].text ?? id
            try expect(device, ["edit", id, "--from", "-"], input: document(shown, number))
        case (4, let id?) where known.count > 2: try expect(device, ["delete", id])
        case (5, let id?): try expect(device, ["favorite", id] + (chance(2) == 0 ? ["--off"] : []))
        case (6...7, let id?): tests.append(try device.take(id, answers: Questionnaire.rightAnswers))
        case (8, _): _ = try device.quire("pull")
        case (9, _) where host.isRunning && chance(3) == 0: host.kill()
        case (9, _) where !host.isRunning: try host.start()
        default: _ = try device.quire("sync", "--now")
        }
    }

    private func document(_ id: String, _ number: Int) -> String {
        Questionnaire(id: id, title: "Title \(number)", hasKey: false).json
    }

    private func expect(_ device: Device, _ arguments: [String], input: String? = nil) throws {
        let outcome = try device.quire(arguments, input: input)
        #expect(outcome.exitCode == 0, "\(arguments): \(outcome)")
    }

    /// The network is good and the host there; both devices sync until nothing is left, the person decides what is asked.
    func settle() throws {
        proxy.calm()
        if !host.isRunning { try host.start() }
        try rounds()
        for choices in [["--mine", "--theirs", "--both"], ["--theirs"]] {
            for device in devices {
                for conflict in try device.json("conflicts").elements {
                    let possible = choices.filter { conflict["choices"].texts.contains(String($0.dropFirst(2))) }
                    let choice = try #require(possible.isEmpty ? nil : possible[chance(possible.count)])
                    try expect(device, ["resolve", try #require(conflict["id"].text), choice])
                }
            }
            try rounds()
        }
    }

    private func rounds() throws {
        for _ in 0..<4 {
            for device in devices {
                _ = try device.quire("sync", "--now")
                try expect(device, ["pull"])
            }
        }
    }

    func check() throws {
        #expect(host.tests == tests.sorted(), "seed \(seed), rule \(rule)")
        let third = try Device(folder.path, name: "third", of: host)
        let server = try titles(third)
        for device in devices {
            let here = try titles(device)
            #expect(here == server, "seed \(seed), rule \(rule), \(device.store)")
            #expect(try device.json("status")["waiting"].whole == 0)
            #expect(try device.json("conflicts") == .array([]))
            for id in tests where Files.exists(device.testPath(id, "done")) { Issue.record("\(id) still waits") }
            #expect(try device.quire("doctor").exitCode == 0)
        }
        proxy.end()
        try host.stop()
    }

    /// By the server's ids; what was deleted there and is needed here is marked.
    private func titles(_ device: Device) throws -> [String: String] {
        let items = try device.json("list").elements.filter { $0["state"].text != "gone" }
        return Dictionary(
            items.map { ($0["serverId"].text ?? $0["id"].text ?? "?", $0["title"].text ?? "?") },
            uniquingKeysWith: { "\($0) and \($1)" })
    }
}

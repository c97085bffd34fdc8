import Foundation
import Testing

/// How little a command does when it starts, counted with strace.
@Suite("A command touches only what it needs")
struct StartUpTests {
    /// The system calls of a command.
    private struct Trace {
        var calls: [String]

        /// The paths below a folder that were opened. A step on the way to a file (O_PATH) opens nothing that could be read.
        func opened(below folder: String) -> [String] {
            calls.compactMap { call in
                guard ["openat(", "openat2(", "open("].contains(where: call.contains), !call.contains("O_PATH"),
                    let end = call.range(of: "= ", options: .backwards)
                else { return nil }
                // With -y the result is shown as 5</path>.
                let result = call[end.upperBound...]
                guard let start = result.firstIndex(of: "<"), let stop = result.lastIndex(of: ">") else { return nil }
                let path = String(result[result.index(after: start)..<stop])
                return path.hasPrefix(folder) ? path : nil
            }
        }

        /// Threads and other processes that were made.
        var made: [String] {
            // With the bracket: a folder may be called so.
            calls.filter { call in ["clone(", "clone3(", "fork("].contains { call.contains($0) } }
        }

        var network: [String] {
            calls.filter { call in ["socket(", "connect(", "sendto(", "socketpair("].contains { call.contains($0) } }
        }
    }

    private static func canTrace() -> Bool {
        guard Command.isInstalled("strace"), let folder = try? TemporaryFolder() else { return false }
        return (try? Command.run("strace", "-f", "-o", "/dev/null", "true", in: folder.path)) != nil
    }

    private func trace(_ device: Device, _ arguments: String...) throws -> Trace { try trace(device, arguments) }

    private func trace(_ device: Device, _ arguments: [String]) throws -> Trace {
        let log = device.folder + "/strace.log"
        let outcome = try ChildProcess(
            [
                "strace", "-f", "-y", "-s", "4096", "-e", "trace=open,openat,openat2,clone,clone3,fork,vfork,%network",
                "-o", log, Command.binary,
            ]
                + arguments,
            environment: Command.environment(home: device.folder, ["QUIRE_STORE": device.store]), folder: device.folder
        ).end()
        guard outcome.exitCode == 0 else { throw Unexpected(outcome.description) }
        return Trace(calls: try Files.text(log).split(separator: "\n").map(String.init))
    }

    @Test(
        "--version and status use no network and open no document; list at 300 documents opens fewer than 40 files",
        .enabled(if: canTrace(), "strace cannot trace here"))
    func opens() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path, questionnaires: Command.realQuestionnaires)
        if Command.realQuestionnaires == nil {
            for questionnaire in Questionnaire.many(300) { try host.publish(questionnaire) }
        }
        try host.start()
        let device = try Device(folder.path, of: host)
        let store = try Command.run("realpath", device.store, in: folder.path).trimmingCharacters(in: .newlines)
        let first = try #require(try device.cachedIDs.first)
        try device.done("favorite", first)

        let version = try trace(device, "--version")
        #expect(version.network.isEmpty)
        #expect(version.opened(below: store).isEmpty)

        let status = try trace(device, "status", "--json")
        #expect(status.network.isEmpty)
        let opened = status.opened(below: store)
        #expect(opened.contains { $0.hasSuffix("/store.json") })
        #expect(!opened.contains { $0.hasSuffix(".json.gz") || $0.contains("/entries/") })
        #expect(opened.count < 30, "\(opened)")

        for arguments in [["list"], ["list", "--json"], ["list", "--sort", "used"]] {
            let list = try trace(device, arguments)
            let opened = list.opened(below: store)
            #expect(list.network.isEmpty)
            #expect(!opened.isEmpty && opened.count < 40, "\(opened.count) opened")
            #expect(!opened.contains { $0.hasSuffix(".json.gz") || $0.contains("/entries/") })
            print("list at \(try device.cachedIDs.count) documents opens \(opened.count) files of the store")
        }
        let search = try trace(device, "search", "вопрос")
        #expect(search.network.isEmpty && search.opened(below: store).count < 40)

        // The trace does see what it looks for.
        let show = try trace(device, "show", first)
        #expect(show.opened(below: store).contains { $0.hasSuffix(".json.gz") })
        #expect(try trace(device, "pull").network.isEmpty == false)
    }

    @Test(
        "what waits for nothing makes no thread: status, show, a short list, tests",
        .enabled(if: canTrace(), "strace cannot trace here"))
    func threads() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        for questionnaire in Questionnaire.many(2) { try host.publish(questionnaire) }
        try host.start()
        let device = try Device(folder.path, of: host)
        let id = try #require(try device.cachedIDs.first)
        for arguments in [["status"], ["show", id], ["list"], ["tests"]] {
            let trace = try trace(device, arguments)
            #expect(trace.made.isEmpty, "\(arguments) made \(trace.made)")
        }
        // The trace does see what it looks for.
        #expect(try trace(device, "pull").made.isEmpty == false)
    }
}

import Foundation
import Testing

/// Each call that touches the disk fails in turn, in the real binary.
@Suite("Errors of the system, one at a time", .enabled(if: Tracing.isPossible, "strace cannot trace here"))
struct InjectionTests {
    /// A call that fails in a command.
    struct Fault: CustomTestStringConvertible, Sendable {
        var command: String
        var call: String
        var error: String

        var testDescription: String { "\(command): \(call) fails with \(error)" }
    }

    private static let commands = ["take", "finish", "sync", "pull"]
    private static let moreCommands = ["answer", "init", "reopen", "discard", "favorite", "show"]

    static let faults: [Fault] = {
        var faults: [Fault] = []
        func add(_ commands: [String], _ calls: [String], _ errors: [String]) {
            for command in commands {
                for call in calls {
                    for error in errors { faults.append(Fault(command: command, call: call, error: error)) }
                }
            }
        }
        guard Torture.isWhole else {
            add(["take"], ["pwrite64"], ["ENOSPC"])
            add(["finish"], ["fsync", "renameat2"], ["EIO"])
            add(["sync"], ["fsync", "renameat2"], ["EIO"])
            add(["sync"], ["pwrite64"], ["EINTR"])
            add(["pull"], ["pwrite64"], ["EIO"])
            return faults
        }
        let all = commands + moreCommands
        add(all, ["openat", "pwrite64", "fsync", "renameat", "renameat2", "close"], ["EIO"])
        add(all, ["flock", "ftruncate", "fallocate", "mkdirat", "unlinkat", "utimensat"], ["EIO"])
        add(all, ["openat", "pwrite64", "fsync", "renameat", "renameat2", "mkdirat", "fallocate"], ["ENOSPC"])
        add(commands, ["pwrite64", "fsync", "close", "mkdirat"], ["EDQUOT"])
        add(commands, ["openat", "pwrite64", "fsync", "flock", "close", "ftruncate", "fallocate"], ["EINTR"])
        add(commands, ["openat"], ["EMFILE"])
        return faults
    }()

    /// A store as a command finds it, and the host that it belongs to.
    private final class Scene {
        let folder: TemporaryFolder
        let host: HostProcess
        let prepared: Device
        var tests: [String] = []

        init(_ command: String) throws {
            folder = try TemporaryFolder()
            host = try HostProcess(folder: folder.path)
            try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
            try host.start()
            prepared = Device(folder.path, name: "prepared")
            guard command != "init" else { return }
            try prepared.done("init", "--remote", host.address)
            if command == "pull" { return }
            try prepared.done("pull")
            switch command {
            case "finish", "answer":
                tests = [try prepared.take("keyed", answers: Questionnaire.rightAnswers, isFinished: false)]
            case "sync", "reopen", "discard":
                tests = try (0..<2).map { _ in try prepared.take("keyed", answers: Questionnaire.rightAnswers) }
            default: break
            }
        }

        /// A store of its own for one case.
        func device(_ number: Int) throws -> Device {
            let device = Device(folder.path, name: "store-\(number)")
            if Files.exists(prepared.store) {
                try Command.run("cp", "-a", prepared.store, device.store, in: folder.path)
            }
            for name in Files.names(in: host.data + "/tests") { try Files.remove("\(host.data)/tests/\(name)") }
            for name in Files.names(in: host.data + "/receipts") { try Files.remove("\(host.data)/receipts/\(name)") }
            return device
        }

        func arguments(_ command: String) -> [String] {
            let id = tests.first ?? ""
            return switch command {
            case "take": ["take", "keyed", "--answers", "-", "--finish", "--json"]
            case "finish": ["finish", id, "--json"]
            case "answer": ["answer", id, "q2", "no", "--json"]
            case "sync": ["sync", "--json"]
            case "pull": ["pull", "--json"]
            case "init": ["init", "--remote", host.address]
            case "reopen": ["outbox", "reopen", id, "--json"]
            case "discard": ["outbox", "discard", id]
            case "favorite": ["favorite", "keyed"]
            default: ["show", "keyed", "--json"]
            }
        }
    }

    private func run(_ scene: Scene, _ device: Device, _ command: String, _ tracer: [String]) throws -> Outcome {
        let child = try ChildProcess(
            tracer + [Command.binary] + scene.arguments(command),
            environment: Command.environment(home: scene.folder.path, ["QUIRE_STORE": device.store]),
            folder: scene.folder.path, input: command == "take" ? Questionnaire.rightAnswers : nil)
        return try child.end()
    }

    @Test("nothing is lost, what was acknowledged is there, and the next run completes", arguments: faults)
    func injected(_ fault: Fault) throws {
        let scene = try Scene(fault.command)
        let trace = scene.folder.path + "/trace"
        // An undisturbed run shows the number of such calls, and the first one on the store.
        let first = try scene.device(0)
        let undisturbed = try run(
            scene, first, fault.command, ["strace", "-f", "-y", "-qq", "-o", trace, "-e", "trace=" + fault.call])
        #expect(undisturbed.exitCode == 0, "\(undisturbed)")
        let lines = try Files.text(trace).split(separator: "\n").filter { !$0.contains(" resumed>") }
        guard let begin = lines.firstIndex(where: { $0.contains(first.store) }) else { return }
        // On the way to a name the folders above it are opened: of these every eighth.
        var places = (begin + 1...lines.count).filter { !lines[$0 - 1].contains("O_PATH") || $0 % 8 == 0 }
        if !Torture.isWhole, places.count > 2 { places = [places[0], places[places.count / 2]] }
        var cases = 0
        for place in places {
            let device = try scene.device(place)
            let outcome = Result {
                try run(
                    scene, device, fault.command,
                    [
                        "strace", "-f", "-y", "-qq", "-o", trace, "-e", "trace=" + fault.call, "-e",
                        "inject=\(fault.call):error=\(fault.error):when=\(place)",
                    ])
            }
            // Threads have numbers of their own: there may be no call of this number in any.
            let injected = try Files.text(trace).split(separator: "\n").filter { $0.contains("(INJECTED)") }
            // Here a descriptor whose closing "fails" stays open, which no kernel does: the peer of a socket or a pipe
            // would wait, and so would a waiter for the lock of a file.
            let isAboutFiles =
                fault.call != "close"
                || injected.allSatisfy { $0.contains(device.store) && !$0.contains("lock>") && !$0.contains(".jsonl>") }
            guard !injected.isEmpty, isAboutFiles else { continue }
            cases += 1
            try check(try outcome.get(), fault, place, device, scene)
        }
        Torture.report("\(fault.testDescription): \(cases) cases")
    }

    private func waiting(_ outcome: Outcome) -> Int? { (try? outcome.json())?["waiting"].whole }

    private func check(_ outcome: Outcome, _ fault: Fault, _ place: Int, _ device: Device, _ scene: Scene) throws {
        let what: Comment = "\(fault.testDescription) at \(place): \(outcome)"
        #expect([0, 65, 69, 74, 75].contains(outcome.exitCode), what)
        // What a sync leaves for later is part of its report.
        let isReported = fault.command == "sync" && outcome.exitCode == 75 && (waiting(outcome) ?? 0) > 0
        if outcome.exitCode != 0, !isReported {
            let lines = outcome.errors.split(separator: "\n")
            #expect(!lines.isEmpty && lines.allSatisfy { $0.hasPrefix("quire: ") }, what)
        }
        if fault.error == "EINTR" { #expect(outcome.exitCode == 0, what) }
        let folders = ["empty", "in-progress", "done", "sending", "sent", "checking", "rated", "conflict", "rejected"]
        for folder in folders {
            for name in Files.names(in: "\(device.store)/outbox/\(folder)") {
                _ = try JSON(file: "\(device.store)/outbox/\(folder)/\(name)")
            }
        }
        var expected = Set(scene.tests)
        if outcome.exitCode == 0 {
            let told = try? outcome.json()
            if fault.command == "take" { expected.insert(try #require(told?["id"].text)) }
            if fault.command == "sync" { #expect(device.tests("rated").count == told?["sent"].whole, what) }
            if fault.command == "discard" { expected.remove(scene.tests[0]) }
        }
        // The undisturbed run.
        switch fault.command {
        case "init":
            // The settings come last: with them there is a store, whatever was said.
            if !Files.exists(device.store + "/store.json") { try device.done("init", "--remote", scene.host.address) }
        case "pull", "show": try device.done(fault.command == "pull" ? "pull" : "show", "keyed")
        case "finish", "answer":
            if device.tests("done").isEmpty { try device.done("finish", scene.tests[0]) }
        case "reopen":
            let draft = (device.tests("in-progress") + device.tests("empty")).first
            if let draft { try device.done("finish", draft) }
        case "discard":
            // Broken off, it is in the one place or in the other.
            let corner = Files.names(in: device.store + "/quarantine", suffix: "\(scene.tests[0]).test.json")
            if !corner.isEmpty { expected.remove(scene.tests[0]) }
        default: break
        }
        try device.done("sync", "--now")
        #expect(Set(device.tests("rated")) == expected, what)
        #expect(Set(scene.host.tests) == expected, what)
        for id in expected { #expect(try scene.host.test(id) == Files.read(device.testPath(id, "rated")), what) }
        #expect(Files.names(in: device.store + "/outbox/tmp").isEmpty, what)
        #expect(try device.json("doctor") == .array([]), what)
    }
}

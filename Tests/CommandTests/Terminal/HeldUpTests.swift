import Foundation
import Synchronization
import Testing

@Suite("While a sync is held up by a server that does not answer")
struct HeldUpTests {
    private let folder: TemporaryFolder
    private let host: HostProcess
    /// Between the device and the host: holds deliveries until it is released.
    private let gate: ScriptedServer
    private let isHolding = Holding()

    private final class Holding: Sendable {
        let value = Mutex(true)
    }

    init() throws {
        folder = try TemporaryFolder()
        host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        let (port, isHolding) = (host.port, isHolding)
        gate = try ScriptedServer { request in
            Self.isDelivery(request) && isHolding.value.withLock { $0 } ? .silence : .handOn(port: port)
        }
    }

    private static func isDelivery(_ request: ScriptedServer.Request) -> Bool {
        request.method == "PUT" && request.path.hasPrefix("/v1/tests/")
    }

    private var deliveries: Int { gate.received.count { Self.isDelivery($0) } }

    /// Begins a sync and returns when it waits for the replies to three deliveries.
    private func beginSync(_ device: Device, _ arguments: String...) throws -> ChildProcess {
        let before = deliveries
        let sync = try device.begin(["sync"] + arguments)
        try wait(for: "the deliveries") { deliveries >= before + 3 ? true : nil }
        return sync
    }

    /// A device with finished tests and a draft, and a sync that has claimed the tests and waits.
    private func heldUp() throws -> (Device, sync: ChildProcess, tests: [String]) {
        let device = Device(folder.path)
        try device.done("init", "--remote", "http://127.0.0.1:\(gate.port)")
        try device.done("pull")
        let tests = try (0..<3).map { _ in try device.take("keyed", answers: Questionnaire.rightAnswers) }
        _ = try draft(device)
        return (device, try beginSync(device), tests.sorted())
    }

    private func draft(_ device: Device) throws -> String {
        try device.take("keyed", answers: #"{"q1": "yes"}"#, isFinished: false)
    }

    @Test("readers and writers continue during a sending; only another sync must wait")
    func readers() throws {
        let (device, first, tests) = try heldUp()
        #expect(device.tests("sending") == tests)
        var sync = first
        /// Does something from its beginning to its end while a sync waits. On a busy machine the sync may have given up the
        /// server meanwhile; then the same is done again beside another one.
        func meanwhile<Value>(_ what: String, _ act: () throws -> Value) throws -> Value {
            for _ in 0..<3 {
                if !sync.isRunning { sync = try beginSync(device, "--now") }
                let value = try act()
                // That it came to its end while the other still waits is the proof that it did not wait for it.
                if sync.isRunning { return value }
            }
            throw Unexpected("\(what) ends only after the sync")
        }
        // More tests may wait when another sync begins.
        func areSending() -> Bool { Set(device.tests("sending")).isSuperset(of: tests) }

        for arguments in [
            ["list"], ["search", "keyed"], ["show", "keyed"], ["tests"], ["tests", "--json"], ["why", tests[0]],
            ["status"], ["log"], ["cache", "ls"], ["cache", "stats"], ["outbox", "ls"], ["doctor"], ["pull"],
            ["favorite", "keyed"], ["sync", "--dry-run"], ["finish"], ["take", "keyed", "--answers", "-"],
        ] {
            let outcome = try meanwhile("\(arguments)") {
                try device.quire(
                    arguments + (arguments == ["finish"] ? [draft(device)] : []), input: Questionnaire.rightAnswers)
            }
            #expect(outcome.exitCode == 0, "\(outcome)")
        }
        let why = try meanwhile("why") { try device.done("why", tests[0]).output }
        #expect(why.contains("Sending"))
        let second = try meanwhile("sync") { try device.quire("sync") }
        #expect(second.exitCode == 75 && second.errors.contains("another process is sending"), "\(second)")
        for arguments in [["outbox", "reopen", tests[0]], ["outbox", "discard", tests[0]]] {
            let outcome = try meanwhile("\(arguments)") { try device.quire(arguments) }
            #expect([65, 75].contains(outcome.exitCode) && outcome.isOneSentence, "\(outcome)")
        }
        let areClaimed = try meanwhile("a look") { areSending() }
        #expect(areClaimed && host.tests.isEmpty)
        // A repair does not take away what is being sent.
        let areLeft = try meanwhile("doctor") {
            try device.done("doctor", "--repair")
            return areSending()
        }
        #expect(areLeft)
    }

    @Test("kill -9 of the one who sends frees its lock at once: the next sync sends everything, each test once")
    func killed() throws {
        let (device, sync, tests) = try heldUp()
        sync.send(SIGKILL)
        #expect(try sync.end().exitCode == 128 + SIGKILL)
        #expect(device.tests("sending") == tests)
        isHolding.value.withLock { $0 = false }
        let next = try device.json("sync", "--now")
        #expect(next["sent"].whole == 3, "\(next)")
        #expect(host.tests == tests && device.tests("rated") == tests)
        #expect(try device.json("doctor") == .array([]))
    }

    @Test("kill -9 of the holder of any lock of the store frees it at once")
    func everyLock() throws {
        let device = try Device(folder.path, of: host)
        for lock in ["outbox/lock", "outbox/edit.lock", "cache/lock", "log/events.jsonl"] {
            #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
            let holder = try ChildProcess(
                [
                    "flock", "-F", "\(device.store)/\(lock)", "sh", "-c",
                    "touch '\(folder.path)/held'; exec cat '\(folder.path)/pipe'",
                ],
                environment: Command.environment(home: folder.path), folder: folder.path)
            try wait(for: "the holder") { Files.exists(folder.path + "/held") ? true : nil }
            let waiter = try device.begin(
                ["take", "keyed", "--answers", "-", "--finish"], input: Questionnaire.rightAnswers)
            let second = try device.begin(["sync"])
            if lock == "outbox/lock" { #expect(try second.end().exitCode == 75) }
            holder.send(SIGKILL)
            _ = try holder.end()
            #expect(try waiter.end().exitCode == 0, "\(lock)")
            if lock != "outbox/lock" { #expect([0, 75].contains(try second.end().exitCode), "\(lock)") }
            try Files.remove(folder.path + "/pipe")
            try Files.remove(folder.path + "/held")
        }
        try device.done("sync")
        #expect(host.tests.count == 4)
    }
}

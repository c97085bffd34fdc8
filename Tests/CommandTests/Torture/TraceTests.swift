import Foundation
import Testing

/// Every state that a power cut may leave, built from what the real binary asks of the real kernel.
@Suite(
    "System calls, and what a power cut in between may leave",
    .enabled(if: Tracing.isPossible, "strace cannot trace here"))
struct TraceTests {
    struct Story: CustomTestStringConvertible, Sendable {
        var name: String
        /// Done before the trace; it is durable. Its last line goes on as `$ID`.
        var before: String
        var traced: String

        var testDescription: String { name }
    }

    private static let take = "take keyed --answers answers.json"
    private static let setUp = "$Q init --remote $URL >/dev/null; $Q pull >/dev/null; "

    static let stories: [Story] = [
        Story(
            name: "a new store, and a test finished in it at once", before: "",
            traced: "$Q init --remote $URL; $Q pull --quiet; $Q \(take) --finish --json; $Q sync --json"),
        Story(
            name: "a folder that is there becomes a store", before: "mkdir store",
            traced: "$Q init --remote $URL; $Q pull --quiet; $Q \(take) --finish --json"),
        Story(
            name: "a draft, answered, finished and sent",
            before: setUp,
            traced: "ID=$($Q \(take) --json | sed 's/.*id\":\"\\([^\"]*\\).*/\\1/'); $Q answer $ID q2 no --json; "
                + "$Q answer $ID q2 yes --json; $Q finish $ID --json; $Q sync --json; $Q sync --json"),
        Story(
            name: "finish", before: setUp + "$Q \(take) --json",
            traced: "$Q finish $ID --json"),
        Story(
            name: "the first answer", before: setUp + "echo '{}' > none.json; $Q take keyed --answers none.json --json",
            traced: "$Q answer $ID q1 yes --json; $Q answer $ID q1 no --json"),
        Story(
            name: "sync of eighteen tests", before: setUp + "for i in $(seq 18); do $Q \(take) --finish --json; done",
            traced: "$Q sync --json"),
        Story(
            name: "reopen, change, finish", before: setUp + "$Q \(take) --finish --json",
            traced: "$Q outbox reopen $ID --json; $Q answer $ID q2 no --json; $Q finish $ID --json; $Q sync --json"),
        Story(
            name: "a new revision of what was sent", before: setUp + "$Q \(take) --finish --json; $Q sync --quiet",
            traced: "$Q outbox reopen $ID --json"),
        Story(
            name: "discard", before: setUp + "$Q \(take) --finish --json", traced: "$Q outbox discard $ID"),
        Story(
            name: "discard of a draft with others about",
            before: setUp + "$Q \(take) --json; $Q \(take) --finish --json",
            traced: "$Q outbox discard $ID; $Q sync --json"),
        Story(
            name: "a sync after a sweeper was killed",
            before: setUp
                + "$Q \(take) --finish --json; mv store/outbox/done/*.test.json store/outbox/sending/",
            traced: "$Q sync --json"),
        Story(
            name: "a sync that finds a test in two folders",
            before: setUp
                + "$Q \(take) --finish --json; cp store/outbox/done/*.test.json store/outbox/in-progress/",
            traced: "$Q sync --json"),
        Story(
            name: "a test is tried again",
            before: setUp
                + "$Q \(take) --finish --json; mv store/outbox/done/*.test.json store/outbox/rejected/",
            traced: "$Q outbox retry $ID; $Q sync --json"),
        Story(
            name: "a stranger is moved to quarantine",
            before: setUp
                + "$Q \(take) --json; echo broken > store/outbox/done/11111111-1111-4111-8111-111111111111.test.json",
            traced: "$Q doctor --repair --json; $Q finish $ID --json"),
        Story(
            name: "the settings are changed", before: setUp + "$Q \(take) --finish --json",
            traced: "$Q remote set $URL/; $Q favorite keyed; $Q sync --json"),
        Story(
            name: "pull", before: "$Q init --remote $URL; echo none",
            traced: "$Q pull --json; $Q pull --json; $Q \(take) --finish --json"),
    ]

    @Test("what was acknowledged is in every state, nothing else is half", arguments: stories)
    func powerCuts(_ story: Story) throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        let base = folder.path + "/base"
        try Files.makeFolder(base)
        try Files.write(Questionnaire.rightAnswers, to: base + "/answers.json")
        let variables = ["Q": Command.binary, "URL": host.address, "QUIRE_STORE": base + "/store"]
        func shell(_ script: String, _ prefix: [String] = [], _ more: [String: String] = [:]) throws -> String {
            let child = try ChildProcess(
                prefix + ["sh", "-e", "-c", "cd '\(base)'; " + script],
                environment: Command.environment(home: folder.path, variables.merging(more) { _, new in new }),
                folder: folder.path)
            let outcome = try child.end()
            guard outcome.exitCode == 0 else { throw Unexpected(outcome.description) }
            return outcome.output
        }
        let output = try shell(story.before)
        let id = output.split(separator: "\n").compactMap { try? JSON(parsing: String($0))["id"].text }.first
        let checker = try CrashChecker(base: base, store: "store")
        let trace = folder.path + "/trace"
        _ = try shell(story.traced, SystemCall.tracer + ["-o", trace], ["ID": id ?? ""])
        let calls = try SystemCall.read(trace)
        #expect(calls.contains { $0.name == "fsync" })
        checker.watch(calls)
        #expect(checker.faults.isEmpty, "\(checker.faults.joined(separator: "\n"))")
        #expect(checker.stateCount > 5 && checker.acknowledgements > 0)
        // The model came to the same end as the disk.
        for path in Files.regularFiles(below: base + "/store/outbox") {
            #expect(checker.bytes(path) == [UInt8](try Files.read(path)), "\(path)")
        }
        Torture.report(
            "trace of “\(story.name)”: \(calls.count) calls, \(checker.acknowledgements) acknowledgements, "
                + "\(checker.stateCount) states after a power cut")
    }

    @Test("the host answers only what is durable")
    func host() throws {
        let folder = try TemporaryFolder()
        let base = folder.path + "/base"
        try Files.makeFolder(base)
        let host = try HostProcess(folder: folder.path, name: "base/host", questionnaires: folder.path + "/published")
        try Files.makeFolder(host.questionnaires)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        let disk = try TracedDisk(root: base)
        let trace = folder.path + "/trace"
        try host.start(under: SystemCall.tracer + ["-o", trace])
        let device = try Device(folder.path, of: host)
        try KillTests.fill(device, count: 12, questionnaire: "keyed")
        try device.done("sync")
        // The host itself: strace would hold the signal back.
        let traced = try #require(pid_t(try Files.text(trace).prefix { $0.isNumber }))
        kill(traced, SIGTERM)
        try host.stop()
        var states = 0
        var told: Set<String> = []
        for call in try SystemCall.read(trace) {
            _ = disk.apply(call)
            guard ["write", "writev", "sendto", "sendmsg"].contains(call.name), call.result > 0 else { continue }
            let text = String(decoding: call.bytes(1), as: UTF8.self)
            guard text.contains("receivedAt"), let found = text.range(of: "\"test\" : \"") else { continue }
            told.insert(String(text[found.upperBound...].prefix(36)))
            let temporary = disk.top.entries["host"]?.entries["tmp"]
            for state in disk.states(ignoring: { $0.folder === temporary || $0.name == "lock" }) {
                states += 1
                for id in told {
                    let test = state.folder(["host", "tests"])?["\(id).test.json"]
                    let bytes = test.map { state.bytes(of: $0) }
                    #expect(bytes.map { Data($0) } == (try host.test(id)), "\(id) was acknowledged and is lost")
                    #expect(state.folder(["host", "receipts"])?["\(id).receipt.json"] != nil, "the receipt of \(id)")
                }
            }
        }
        #expect(told.count == 12 && states >= 12)
        Torture.report("trace of the host: 12 tests acknowledged, \(states) states after a power cut")
    }

    @Test("the checker finds a missing flush, the wrong order of two, and a file without its flush")
    func mutations() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        let device = try Device(folder.path, of: host)
        let draft = try device.take("keyed", answers: Questionnaire.rightAnswers, isFinished: false)
        // The store alone, so that the trace's own files are not below it.
        let base = folder.path + "/base"
        try Files.makeFolder(base)
        try Files.move(device.store, base + "/store")
        let moved = Device(base)
        func checker() throws -> CrashChecker { try CrashChecker(base: base, store: "store") }
        let checkers = try (0..<8).map { _ in try checker() }
        let trace = folder.path + "/trace"
        let child = try ChildProcess(
            SystemCall.tracer + ["-o", trace, Command.binary, "finish", draft, "--json"],
            environment: Command.environment(home: folder.path, ["QUIRE_STORE": moved.store]), folder: folder.path)
        #expect(try child.end().exitCode == 0)
        let calls = try SystemCall.read(trace)
        let flushes = calls.indices.filter { calls[$0].name == "fsync" }
        #expect(flushes.count == 4)
        checkers[0].watch(calls)
        #expect(checkers[0].faults.isEmpty)
        // The last, of the folder that the test left, leaves it in both folders: that is settled by the next sweep.
        for (number, index) in flushes.dropLast().enumerated() {
            var mutated = calls
            mutated.remove(at: index)
            checkers[1 + number].watch(mutated)
            #expect(!checkers[1 + number].faults.isEmpty, "without flush \(number + 1)")
        }
        var swapped = calls
        swapped.swapAt(flushes[2], flushes[3])
        checkers[5].watch(swapped)
        #expect(!checkers[5].faults.isEmpty, "the source's folder before the target's")
    }
}

enum Tracing {
    /// Whether a program may be traced here.
    static let isPossible: Bool = {
        guard Command.isInstalled("strace"), let folder = try? TemporaryFolder() else { return false }
        return (try? Command.run("strace", "-o", folder.path + "/trace", "true", in: folder.path)) != nil
    }()
}

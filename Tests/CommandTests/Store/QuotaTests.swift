import Foundation
import Testing

/// The cache keeps to its quota, counted as `du` counts.
@Suite("The cache keeps its quota")
struct QuotaTests {
    private static let quota: Int64 = 1_000_000

    /// Runs a command and looks at the cache afterwards.
    @discardableResult
    private func run(
        _ device: Device, _ arguments: [String], input: String? = nil, exitCode: Int32 = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Outcome {
        let outcome = try device.quire(arguments, input: input)
        #expect(outcome.exitCode == exitCode, "\(outcome)", sourceLocation: sourceLocation)
        let usage = try Files.usage(["\(device.store)/cache/blobs", "\(device.store)/cache/entries"])
        #expect(usage.apparent <= Self.quota, "after \(arguments)", sourceLocation: sourceLocation)
        #expect(usage.allocated <= Self.quota, "after \(arguments)", sourceLocation: sourceLocation)
        return outcome
    }

    @Test("after any command blobs and entries take at most the quota; pins and the documents of drafts stay")
    func quota() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        for questionnaire in Questionnaire.many(150) { try host.publish(questionnaire) }
        try host.publish(Questionnaire(id: "drafted", title: "0 Drafted"))
        try host.publish(Questionnaire(id: "pinned", title: "0 Pinned"))
        try host.publish(Questionnaire(id: "loved", title: "0 Loved"))
        try host.start()
        let device = Device(folder.path)
        try device.done("init", "--remote", host.address, "--quota", "1MB")
        try run(device, ["pull", "drafted", "pinned", "loved"])
        try run(device, ["take", "drafted", "--answers", "-"], input: #"{"q1": "yes"}"#)
        try run(device, ["cache", "pin", "pinned"])
        try run(device, ["favorite", "loved"])

        let pulled = try run(device, ["pull", "--json"]).json()
        let here = try device.cachedIDs
        // It does hold a good part of them, and says of the others that they are not here.
        #expect(here.count > 40 && here.count < 153)
        #expect(pulled["noRoom"].texts.count == 153 - here.count)
        try run(device, ["pull"])
        try run(device, ["list"])
        try run(device, ["search", "many"])
        try run(device, ["status"])
        let missing = pulled["noRoom"].texts
        for id in missing.prefix(3) {
            // Asked for by name, a document takes the place of the least recently used.
            try run(device, ["pull", id])
            #expect(device.hasContent(id))
            try run(device, ["show", id])
        }
        for id in missing.dropFirst(3).prefix(2) { try run(device, ["show", id]) }
        try run(device, ["take", "many-1", "--answers", "-", "--finish"], input: Questionnaire.rightAnswers)
        try run(device, ["sync"])
        try run(device, ["cache", "verify"])
        try run(device, ["cache", "stats"])
        try run(device, ["pull"])
        for id in ["drafted", "pinned", "loved"] { #expect(device.hasContent(id), "\(id)") }

        // Less room still: what is protected stays.
        try run(device, ["cache", "trim", "--quota", "100kB"])
        let usage = try Files.usage(["\(device.store)/cache/blobs", "\(device.store)/cache/entries"])
        #expect(usage.allocated <= 100_000)
        #expect(try device.cachedIDs.count < 20)
        for id in ["drafted", "pinned", "loved"] { #expect(device.hasContent(id), "\(id)") }
        #expect(try device.json("doctor") == .array([]))
    }

    @Test("what was used least recently goes first")
    func leastRecentlyUsed() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        for questionnaire in Questionnaire.many(12) { try host.publish(questionnaire) }
        try host.start()
        let device = try Device(folder.path, of: host)
        for number in 1...12 {
            try Command.run(
                "touch", "-d", "\(20 - number) days ago", try device.entryPath("many-\(number)"), in: folder.path)
        }
        // The oldest of all is looked at.
        try device.done("show", "many-1", "--offline")
        let used = try #require(try device.json("status")["cache"]["bytes"].whole)
        try device.done("cache", "trim", "--quota", String(used - 30_000))
        let left = try device.cachedIDs
        #expect(left.contains("many-1") && !left.contains("many-2") && left.contains("many-12") && left.count < 12)
    }

    @Test("a document that is bigger than the quota is refused with one sentence")
    func tooBig() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        var generator = SeededGenerator(seed: 4)
        var big = Questionnaire(id: "big", title: "Big")
        big.remark = generator.text(bytes: 2_000_000)
        try host.publish(big)
        try host.publish(Questionnaire(id: "small", title: "Small"))
        try host.start()
        let device = Device(folder.path)
        try device.done("init", "--remote", host.address, "--quota", "1MB")
        let refused = try run(device, ["pull", "big"], exitCode: 65)
        #expect(refused.isOneSentence, "\(refused)")
        #expect(refused.errors.contains("quota") && refused.errors.contains("1 MB"))
        #expect(!device.hasEntry("big"))
        // It stops nothing else.
        let pulled = try run(device, ["pull", "--json"]).json()
        #expect(pulled["noRoom"].texts == ["big"] && pulled["new"].texts == ["small"])
        // It can be looked at all the same, and is not kept.
        #expect(try run(device, ["show", "big"]).output.hasPrefix("Big\n"))
        #expect(!device.hasEntry("big") && device.hasContent("small"))
        // With a greater quota on the command line it is kept.
        #expect(try device.quire("pull", "big", "--quota", "10MB").exitCode == 0)
        #expect(device.hasContent("big"))
    }

    @Test("a full disk is not called a full quota", .enabled(if: geteuid() == 0))
    func fullDisk() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        for questionnaire in Questionnaire.many(40) { try host.publish(questionnaire) }
        try host.start()
        let place = folder.path + "/mount"
        try Files.makeFolder(place)
        let script = """
            mount --make-rprivate / && mount -t tmpfs -o size=3m tmpfs "$1" && export QUIRE_STORE="$1/store" && \
            "$0" init --remote "$2" && { head -c 4m /dev/zero >"$1/fill" || true; } 2>/dev/null && \
            truncate -s -60K "$1/fill" && "$0" pull
            """
        let child = try ChildProcess(
            ["unshare", "-m", "bash", "-c", script, Command.binary, place, host.address],
            environment: Command.environment(home: folder.path), folder: folder.path)
        let outcome = try child.end()
        #expect(outcome.exitCode == 74 && outcome.errors.contains("the disk is full"), "\(outcome)")
        #expect(outcome.output.contains("Not downloaded, the disk is full") && !outcome.output.contains("quota"))
    }

    @Test("a questionnaire with a description of two megabytes is here once it was pulled")
    func longDescription() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        var generator = SeededGenerator(seed: 4)
        try host.publish(Questionnaire(id: "long", title: "Long", description: generator.text(bytes: 2_000_000)))
        try host.start()
        let device = try Device(folder.path, of: host)
        #expect(try device.cachedIDs == ["long"])
        #expect(try device.json("pull")["unchanged"].whole == 1)
    }

    @Test(
        "the quota is 1MB, 1 MB, 1MiB or a number; anything else is refused",
        arguments: [
            ("1MB", 1_000_000), ("1 MB", 1_000_000), ("1MiB", 1_048_576), ("1.5kb", 1500), ("123456", 123_456),
        ])
    func sizes(_ text: String, _ bytes: Int) throws {
        let folder = try TemporaryFolder()
        let device = Device(folder.path)
        try device.done("init", "--quota", text)
        #expect(try device.json("status")["cache"]["quota"].whole == bytes)
    }

    @Test("a size that is none is refused with one sentence", arguments: ["-5MB", "1XB", "much", "", "1e400", "0x10"])
    func badSizes(_ text: String) throws {
        let folder = try TemporaryFolder()
        let device = Device(folder.path)
        let refused = try device.quire("init", "--quota=\(text)")
        #expect(refused.exitCode == 64 && refused.isOneSentence, "\(refused)")
        #expect(!Files.exists(device.store + "/store.json"))
    }

    @Test(
        "cache and index of some hundred real questionnaires keep a quota of 3 MB together",
        .enabled(if: Command.realQuestionnaires != nil, "there are none beside the repository"))
    func realQuestionnaires() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path, questionnaires: Command.realQuestionnaires)
        try host.start()
        let device = Device(folder.path)
        try device.done("init", "--remote", host.address, "--quota", "3MB")
        for arguments in [["pull"], ["list"], ["search", "the"], ["search", "вопрос"], ["pull"], ["status"]] {
            #expect(try device.quire(arguments).exitCode == 0)
            let usage = try Files.usage(["\(device.store)/cache", "\(device.store)/index"])
            #expect(usage.apparent <= 3_000_000 && usage.allocated <= 3_000_000, "after \(arguments): \(usage)")
        }
        #expect(try device.json("list").elements.count > 150)
    }
}

import Foundation
import Testing

/// Promise 6 of the design: when the disk is full, the cache gives way and the answer is saved; if even that fails, the
/// user is informed at once.
@Suite(
    "A disk filled to the last byte", .serialized,
    .enabled(if: PrivateMounts.obstacle == nil, Comment(rawValue: PrivateMounts.obstacle ?? "")))
struct FullDiskTests {
    private let folder: TemporaryFolder
    private let host: HostProcess
    private let disk: PrivateMounts
    private let device: Device

    init() throws {
        folder = try TemporaryFolder()
        host = try HostProcess(folder: folder.path)
        for questionnaire in Questionnaire.many(20) { try host.publish(questionnaire) }
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        disk = try PrivateMounts(folder.path, type: "tmpfs", options: "size=4m")
        device = Device(disk.path)
        try inhabit(device)
    }

    /// The programs' own files lie outside of the full disk.
    private func quire(_ arguments: [String], input: String? = nil) throws -> Outcome {
        try Device(folder.path).quire(arguments, environment: ["QUIRE_STORE": device.store], input: input)
    }

    private func done(_ arguments: String...) throws {
        let outcome = try quire(arguments)
        guard outcome.exitCode == 0 else { throw Unexpected(outcome.description) }
    }

    private func inhabit(_ device: Device) throws {
        try done("init", "--remote", host.address)
        try done("pull")
    }

    private func take(isFinished: Bool) throws -> Outcome {
        try quire(
            ["take", "keyed", "--answers", "-", "--json"] + (isFinished ? ["--finish"] : []),
            input: Questionnaire.rightAnswers)
    }

    private var reserve: String { device.store + "/outbox/reserve" }
    private var cached: Int { Files.names(in: device.store + "/cache/entries").count }

    @Test(
        "the cache gives way, then the reserve; then it is said; with space everything goes on and the reserve is back")
    func life() throws {
        let draft = try #require(try take(isFinished: false).json()["id"].text)
        #expect(try Files.usage([reserve]).allocated >= 256 << 10)
        try disk.fill()
        #expect(try disk.freeBytes == 0)

        // A person goes on, and the cache gives way for it: the reserve is for later.
        for answer in ["no", "yes", "no", "yes"] {
            let outcome = try quire(["answer", draft, "q2", answer, "--json"])
            #expect(outcome.exitCode == 0, "\(outcome)")
        }
        #expect(Files.exists(reserve) && cached < 20)
        // Another process takes every byte that is freed.
        var acknowledged: [String] = [draft]
        var refused: Outcome?
        for _ in 0..<50 where refused == nil {
            try disk.fill()
            let outcome = try take(isFinished: true)
            if outcome.exitCode == 0 {
                acknowledged.append(try #require(try outcome.json()["id"].text))
            } else {
                refused = outcome
            }
        }
        let refusal = try #require(refused, "4 MB hold \(acknowledged.count) tests")
        #expect(acknowledged.count > 1 && !Files.exists(reserve))
        #expect(
            refusal.exitCode == 74 && refusal.isOneSentence && refusal.errors.contains("the disk is full"), "\(refusal)"
        )
        let finish = try quire(["finish", draft, "--json"])
        let draftStatus = finish.exitCode == 0 ? "done" : "in-progress"
        #expect(finish.exitCode == 0 || finish.exitCode == 74 && finish.isOneSentence, "\(finish)")
        #expect(try JSON(file: device.testPath(draft, draftStatus))["answers"][1]["answer"].text == "yes")
        for arguments in [["list"], ["tests"], ["status"], ["why", draft], ["search", "keyed"], ["doctor"], ["log"]] {
            let outcome = try quire(arguments)
            // A store in memory is something that doctor finds.
            #expect(outcome.exitCode == (arguments == ["doctor"] ? 65 : 0), "\(outcome)")
        }
        let sync = try quire(["sync"])
        #expect(sync.exitCode == 0 || sync.exitCode == 74 && sync.isOneSentence, "\(sync)")
        let pull = try quire(["pull"])
        #expect(pull.exitCode == 0 || [65, 74].contains(pull.exitCode) && pull.isOneSentence, "\(pull)")
        for id in acknowledged { #expect(try places(id).count == 1) }

        try disk.empty()
        if finish.exitCode != 0 { try done("finish", draft) }
        try done("sync", "--now")
        try done("pull")
        #expect(Files.exists(reserve), "the reserve is restored")
        #expect(host.tests == acknowledged.sorted())
        for id in acknowledged { #expect(try host.test(id) == Files.read(device.testPath(id, "rated"))) }
        try done("doctor")
        Torture.report("a full tmpfs: \(acknowledged.count) tests saved on a disk without a free byte, then a sentence")
    }

    private func places(_ id: String) throws -> [String] {
        ["empty", "in-progress", "done", "sending", "sent", "checking", "rated"].filter {
            Files.exists(device.testPath(id, $0))
        }
    }

    @Test("without a free inode the answers are saved as well")
    func inodes() throws {
        let small = try PrivateMounts(folder.path, name: "inodes", type: "tmpfs", options: "size=4m,nr_inodes=200")
        let store = small.path + "/store"
        func quire(_ arguments: [String], input: String? = nil) throws -> Outcome {
            try Device(folder.path).quire(arguments, environment: ["QUIRE_STORE": store], input: input)
        }
        #expect(try quire(["init", "--remote", host.address]).exitCode == 0)
        #expect(try quire(["pull"]).exitCode == 0)
        var number = 0
        while FileManager.default.createFile(atPath: "\(small.path)/f\(number)", contents: nil) { number += 1 }
        // The first test in this store: its lock file and its own file have no place yet.
        let outcome = try quire(
            ["take", "keyed", "--answers", "-", "--finish", "--json"], input: Questionnaire.rightAnswers)
        #expect(outcome.exitCode == 0, "\(outcome)")
        #expect(Files.names(in: store + "/outbox/done").count == 1)
        let sync = try quire(["sync"])
        #expect(sync.exitCode == 0, "\(sync)")
        #expect(host.tests.count == 1)
    }

    @Test("a store whose reserve was used already says so, and keeps the draft")
    func spent() throws {
        let draft = try #require(try take(isFinished: false).json()["id"].text)
        let before = try Files.read(device.testPath(draft, "in-progress"))
        try Files.remove(device.store + "/cache")
        try disk.fill()
        try Files.remove(reserve)
        try disk.fill("more")
        let outcome = try quire(["answer", draft, "q2", "no"])
        #expect(
            outcome.exitCode == 74 && outcome.isOneSentence && outcome.errors.contains("free some space"), "\(outcome)")
        #expect(try Files.read(device.testPath(draft, "in-progress")) == before)
        // Nothing can be made and nothing is half made.
        let new = try quire(["init", "--store", disk.path + "/new", "--remote", host.address])
        #expect(new.exitCode == 74 && new.isOneSentence, "\(new)")
        let remote = try quire(["remote", "set", "http://127.0.0.1:1"])
        #expect(remote.exitCode == 74 && remote.isOneSentence, "\(remote)")
        #expect(try JSON(file: device.store + "/store.json")["remote"].text == host.address)
        try disk.empty()
        try done("init", "--store", disk.path + "/new", "--remote", host.address)
        try done("pull")
        try done("answer", draft, "q2", "no")
        try done("finish", draft)
        try disk.empty("more")
        try done("sync")
        #expect(host.tests == [draft] && Files.exists(reserve))
    }

    @Test(
        "a person at the terminal is informed, keeps their input, and with space it is saved by itself",
        .enabled(if: Command.isInstalled("tmux"), "tmux is not installed"))
    func terminal() throws {
        let terminal = TmuxTerminal(folder.path, "full")
        try terminal.start(device, "take keyed")
        try terminal.see("Question 1 of keyed?")
        // Nothing can be freed, and the reserve is used up.
        try Files.remove(device.store + "/cache")
        try Files.remove(reserve)
        try disk.fill()
        try terminal.type("1")
        try terminal.see("the disk is full")
        try terminal.see("(•) ")
        let draft = try #require((device.tests("empty") + device.tests("in-progress")).first)
        #expect(device.tests("in-progress").isEmpty || Files.exists(device.testPath(draft, "in-progress")))
        try disk.empty()
        // Without a key.
        try wait(for: "the answer on the disk") {
            Files.exists(device.testPath(draft, "in-progress"))
                && (try? JSON(file: device.testPath(draft, "in-progress")))?["answers"][0]["answer"].text == "yes"
                ? true : nil
        }
        kill(try terminal.process, SIGTERM)
        try terminal.waitForEnd()
        #expect(try JSON(file: device.testPath(draft, "in-progress"))["answers"][0]["answer"].text == "yes")
    }
}

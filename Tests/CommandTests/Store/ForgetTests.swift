import Foundation
import Testing

@Suite("Forgetting what was delivered")
struct ForgetTests {
    private let folder: TemporaryFolder
    private let host: HostProcess
    private let device: Device

    init() throws {
        folder = try TemporaryFolder()
        host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        device = try Device(folder.path, of: host)
    }

    private func delivered() throws -> String {
        let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
        try device.done("sync")
        return id
    }

    private func status(_ id: String) throws -> String { try #require(device.deliveredStatus(id)) }

    /// Makes a receipt say that the server had it long ago.
    private func age(_ id: String) throws {
        let path = device.receiptPath(id, try status(id))
        let text = try Files.text(path)
        let moment = /"(receivedAt|ratedAt)" ?: ?"[^"]*"/
        try Files.write(text.replacing(moment) { "\"\($0.output.1)\": \"2020-01-01T00:00:00.000Z\"" }, to: path)
    }

    private var quarantined: [String] { Files.names(in: device.store + "/quarantine") }

    @Test("delivered long ago goes to quarantine with its receipt; drafts, waiting, recent and unproven tests stay")
    func quarantine() throws {
        let (old, recent, unproven) = (try delivered(), try delivered(), try delivered())
        let draft = try device.take("keyed", answers: "{}", isFinished: false)
        let waiting = try device.take("keyed", answers: Questionnaire.rightAnswers)
        for id in [old, unproven] { try age(id) }
        // Its bytes are not those that the receipt is about.
        let edited = device.testPath(unproven, try status(unproven))
        try Files.write(try Files.text(edited) + " ", to: edited)

        let plan = try device.json("outbox", "forget", "--delivered", "--older-than", "30d", "--dry-run")
        #expect(plan["forgotten"].elements.compactMap(\.text) == [old] && device.deliveredStatus(old) != nil)
        let report = try device.json("outbox", "forget", "--delivered", "--older-than", "30d")
        #expect(report["forgotten"].elements.compactMap(\.text) == [old])
        #expect(report["kept"][unproven].text == "unproven")
        #expect(device.deliveredStatus(old) == nil && quarantined.contains { $0.hasSuffix("\(old).test.json") })
        #expect(quarantined.contains { $0.hasSuffix("\(old).receipt.json") })
        #expect(device.deliveredStatus(recent) != nil && device.deliveredStatus(unproven) != nil)
        #expect(device.tests("empty") + device.tests("in-progress") == [draft] && device.tests("done") == [waiting])
        #expect(host.tests.contains(old))
        #expect(try device.quire("doctor").output.contains(old) == false)
    }

    @Test("with --really it is gone; a receipt that a killed call left is completed by the next one")
    func really() throws {
        let (old, half) = (try delivered(), try delivered())
        for id in [old, half] { try age(id) }
        // Killed after the test's file.
        let status = try status(half)
        try Command.run("rm", device.testPath(half, status), in: folder.path)
        try device.done("outbox", "forget", "--delivered", "--older-than", "1d", "--really")
        for id in [old, half] {
            #expect(!Files.regularFiles(below: device.store + "/outbox").contains { $0.contains(id) }, "\(id)")
            #expect(!quarantined.contains { $0.contains(id) }, "\(id)")
        }
        #expect(try device.done("outbox", "forget", "--delivered", "--older-than", "1d").output.contains("0 tests"))
    }

    @Test("a test that a correction continues stays until that is delivered; only --delivered can be forgotten")
    func needed() throws {
        let id = try delivered()
        try age(id)
        let revision = try #require(try device.json("outbox", "reopen", id)["id"].text)
        let kept = try device.json("outbox", "forget", "--delivered", "--older-than", "1d")
        #expect(kept["kept"][id].text == "needed" && device.deliveredStatus(id) != nil)
        try device.done("finish", revision)
        try device.done("sync")
        // The server's own receipt is there again.
        try age(id)
        let forgotten = try device.json("outbox", "forget", "--delivered", "--older-than", "1d")
        #expect(forgotten["forgotten"].elements.count == 1, "\(forgotten)")
        let all = try device.quire("outbox", "forget", "--older-than", "1d")
        #expect(all.exitCode == 64 && all.isOneSentence && all.errors.contains("--delivered"), "\(all)")
    }

    @Test("killed at any call, each test is here, in quarantine or at the server, and the next call ends it")
    func killed() throws {
        let ids = try (0..<6).map { _ in try delivered() }
        for id in ids { try age(id) }
        for round in 0..<12 {
            let child = try device.begin(["outbox", "forget", "--delivered", "--older-than", "1d"])
            for _ in 0..<round { sched_yield() }
            kill(child.identifier, SIGKILL)
            _ = try? child.end()
            for id in ids {
                let isHere = device.deliveredStatus(id) != nil
                #expect(isHere || quarantined.contains { $0.hasSuffix("\(id).test.json") }, "\(id)")
            }
        }
        try device.done("outbox", "forget", "--delivered", "--older-than", "1d")
        #expect(ids.allSatisfy { device.deliveredStatus($0) == nil })
        #expect(Files.names(in: device.store + "/outbox/rated").isEmpty)
        #expect(Set(host.tests) == Set(ids))
    }
}

import Foundation
import Testing

/// An outbox that goes on from another machine.
@Suite("An outbox can be copied to another machine")
struct SecondDeviceTests {
    private let folder: TemporaryFolder
    private let host: HostProcess
    private let first: Device
    private let second: Device

    init() throws {
        folder = try TemporaryFolder()
        host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.publish(Questionnaire(id: "open", title: "Open", hasKey: false))
        try host.start()
        first = try Device(folder.path, name: "first", of: host)
        second = try Device(folder.path, name: "second", of: host, pulls: false)
    }

    private func receipts(_ device: Device) throws -> [String: Data] {
        var receipts: [String: Data] = [:]
        for status in ["sent", "checking", "rated"] {
            let path = "\(device.store)/outbox/\(status)"
            for name in Files.names(in: path, suffix: ".receipt.json") {
                receipts["\(status)/\(name)"] = try Files.read("\(path)/\(name)")
            }
        }
        return receipts
    }

    private func copyOutbox() throws {
        let archive = folder.path + "/outbox.tar"
        try Command.run("tar", "-C", first.store, "-cf", archive, "outbox", in: folder.path)
        try Command.run("tar", "-C", second.store, "-xf", archive, in: folder.path)
    }

    @Test("packed with tar and synced from both, each test is on the host once, and the receipts are the same")
    func tar() throws {
        let ids = try (0..<12).map { number in
            try first.take(number < 8 ? "keyed" : "open", answers: Questionnaire.rightAnswers)
        }
        try copyOutbox()
        #expect(second.tests("done") == ids.sorted())
        // Both at the same moment.
        let children = try [first, second].map { try $0.begin(["sync", "--json"]) }
        for child in children {
            let outcome = try child.end()
            #expect(outcome.exitCode == 0, "\(outcome)")
            #expect(try outcome.json()["sent"].whole == ids.count)
        }
        #expect(host.tests == ids.sorted())
        let puts = host.exchanges.filter { $0.method == "PUT" }
        #expect(puts.count { $0.status == 201 } == ids.count)
        #expect(puts.count { $0.status == 200 } == ids.count)
        #expect(puts.count == 2 * ids.count)
        #expect(try receipts(first).count == ids.count)
        #expect(try receipts(first) == receipts(second))

        // So they stay when a teacher has rated what has no key.
        let rated = try #require(first.tests("sent").first)
        try first.done("host", "rate", "--data", host.data, rated, "--score", "1", "--max", "2")
        for device in [first, second] { try device.done("sync") }
        #expect(first.tests("rated").contains(rated) && second.tests("rated").contains(rated))
        #expect(try receipts(first) == receipts(second))
        for device in [first, second] { #expect(try device.json("doctor") == .array([])) }
    }

    @Test("copied after it was sent, it is not sent again; copied before, the second sync learns that it was")
    func order() throws {
        let early = try first.take("keyed", answers: Questionnaire.rightAnswers)
        try copyOutbox()
        try first.done("sync")
        try second.done("sync")
        #expect(try receipts(first) == receipts(second))
        let puts = host.exchanges.count { $0.method == "PUT" }
        #expect(puts == 2)
        // The copy of what is delivered beside what was delivered already, and beside what still waits there.
        let late = try first.take("open", answers: Questionnaire.rightAnswers)
        try copyOutbox()
        try first.done("sync")
        try copyOutbox()
        try second.done("sync")
        #expect(host.exchanges.count { $0.method == "PUT" } == puts + 1)
        #expect(second.tests("done").isEmpty && second.tests("sent") == [late] && second.tests("rated") == [early])
        #expect(try receipts(first) == receipts(second))
        #expect(host.tests == [early, late].sorted())
    }

    @Test("two devices have ids of their own in their tests, and count their tests on their own")
    func devices() throws {
        try second.done("pull")
        for device in [first, second, first] { _ = try device.take("keyed", answers: Questionnaire.rightAnswers) }
        for device in [first, second] { try device.done("sync") }
        var sequences: [String: [Int]] = [:]
        for id in host.tests {
            let test = try JSON(file: "\(host.data)/tests/\(id).test.json")
            sequences[try #require(test["deviceId"].text), default: []].append(try #require(test["sequence"].whole))
        }
        let ids = try [first, second].map { try #require(try JSON(file: $0.store + "/store.json")["deviceId"].text) }
        #expect(ids[0] != ids[1])
        #expect(sequences.mapValues { $0.sorted() } == [ids[0]: [1, 2], ids[1]: [1]])
    }

    @Test("other answers under a known id are a conflict on the device, and the host keeps what it has")
    func conflict() throws {
        let id = try first.take("keyed", answers: Questionnaire.rightAnswers)
        try copyOutbox()
        let path = second.testPath(id, "done")
        try Files.write(try Files.text(path).replacing("\"yes\"", with: "\"no\""), to: path)
        try first.done("sync")
        let outcome = try second.quire("sync", "--json")
        #expect(try outcome.exitCode == 65 && outcome.json()["conflicts"].whole == 1)
        #expect(second.tests("conflict") == [id])
        #expect(try host.test(id) == Files.read(first.testPath(id, "rated")))
        let why = try second.done("why", id)
        #expect(why.output.contains("Changed elsewhere") && why.output.contains("reopen"))
        #expect(try JSON(file: second.receiptPath(id, "conflict"))["delivery"]["httpStatus"].whole == 409)
        // The person decides: a new revision, which names its parent.
        let revision = try #require(try second.json("outbox", "reopen", id)["id"].text)
        try second.done("finish", revision)
        // The version that was refused still waits for a decision.
        #expect(try second.quire("sync").exitCode == 65)
        #expect(host.tests == [id, revision].sorted())
        #expect(try JSON(file: second.testPath(revision, "rated"))["parent"].text == id)
    }
}

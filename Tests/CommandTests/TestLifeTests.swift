import Foundation
import Testing

/// Sections 3 and 4 of the design: a folder is a status, and what is finished is frozen.
@Suite("A test's life, by command and by hand")
struct TestLifeTests {
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

    @Test("answers are given one by one; what is required must be there before the end")
    func answers() throws {
        let outcome = try device.quire(["take", "keyed", "--answers", "-", "--json"], input: "{}")
        let id = try #require(try outcome.json()["id"].text)
        #expect(device.tests("empty") == [id])
        let early = try device.quire("finish", id)
        #expect(early.exitCode == 65 && early.isOneSentence && early.errors.contains("q1"), "\(early)")
        #expect(try device.json("answer", id, "q1", "YES")["status"].text == "in-progress")
        #expect(device.tests("empty").isEmpty && device.tests("in-progress") == [id])
        let wrong = try device.quire("answer", id, "q1", "perhaps")
        #expect(wrong.exitCode == 65 && wrong.errors.contains("q1"))
        let test = try JSON(file: device.testPath(id, "in-progress"))
        #expect(test["answers"].elements.count == 1 && test["answers"][0]["answer"].text == "yes")
        #expect(test["resume"]["question"].text == "q1")
        try device.done("answer", id, "q1")
        #expect(try JSON(file: device.testPath(id, "in-progress"))["answers"] == .array([]))
        try device.done("answer", id, "q1", "no")
        // A beginning of the id is enough.
        #expect(try device.json("finish", String(id.prefix(8)))["status"].text == "done")
        let frozen = try device.quire("answer", id, "q1", "yes")
        #expect(frozen.exitCode == 65 && frozen.isOneSentence && frozen.errors.contains("reopen"))
        #expect(try device.quire("finish", id).exitCode == 65)
    }

    @Test("before it was sent, a reopened test is the same test; afterwards it is a revision that names its parent")
    func reopen() throws {
        let id = try device.take("keyed", answers: #"{"q1": "no", "q2": "yes"}"#)
        #expect(try device.json("outbox", "reopen", id)["id"].text == id)
        #expect(device.tests("in-progress") == [id] && device.tests("done").isEmpty)
        try device.done("finish", id)
        try device.done("sync")
        let sent = try Files.read(device.testPath(id, "rated"))

        let reopened = try device.json("outbox", "reopen", id)
        let revision = try #require(reopened["id"].text)
        #expect(revision != id && reopened["status"].text == "in-progress")
        #expect(try Files.read(device.testPath(id, "rated")) == sent)
        let draft = try JSON(file: device.testPath(revision, "in-progress"))
        #expect(draft["parent"].text == id && draft["answers"].elements.count == 2)
        try device.done("answer", revision, "q1", "yes")
        try device.done("finish", revision)
        try device.done("sync")
        #expect(host.tests == [id, revision].sorted())
        #expect(try host.test(id) == sent)
        #expect(try JSON(file: device.receiptPath(revision, "rated"))["evaluation"]["score"].number == 2)
        #expect(try JSON(file: device.receiptPath(id, "rated"))["evaluation"]["score"].number == 1)
        #expect(try device.done("why", revision).output.contains("A revision of \(id)"))
    }

    @Test("a discarded test is never sent, and lies in quarantine with a reason")
    func discard() throws {
        let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
        let bytes = try Files.read(device.testPath(id, "done"))
        try device.done("outbox", "discard", id)
        try device.done("sync")
        #expect(host.tests.isEmpty && device.tests("done").isEmpty)
        #expect(try device.json("tests") == .array([]))
        let corner = Files.names(in: device.store + "/quarantine")
        let kept = try #require(corner.first { $0.hasSuffix(id + ".test.json") })
        #expect(try Files.read("\(device.store)/quarantine/\(kept)") == bytes)
        #expect(try Files.text("\(device.store)/quarantine/\(kept).reason.txt").contains("discarded"))
        // It can be put back by hand.
        try Files.move("\(device.store)/quarantine/\(kept)", device.testPath(id, "done"))
        try device.done("sync")
        #expect(host.tests == [id])
    }

    @Test(
        "a test that was not accepted says why; mv back to done sends it again, as retry does",
        arguments: [true, false])
    func rejected(_ isByHand: Bool) throws {
        let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
        let strict = try ScriptedServer { _ in
            ScriptedServer.plain(
                "422 Unprocessable Content",
                #"{"type":"urn:quire:problem:invalid-test","title":"T","status":422,"detail":"No such question."}"#,
                type: "application/problem+json")
        }
        try device.done("remote", "set", "http://127.0.0.1:\(strict.port)")
        let outcome = try device.quire("sync", "--json")
        #expect(outcome.exitCode == 65)
        let refused = try outcome.json()
        #expect(refused["rejected"].whole == 1 && refused["waiting"].whole == 0)
        #expect(device.tests("rejected") == [id])
        #expect(try device.done("tests").output.contains("Not accepted"))
        let why = try device.json("why", id)
        #expect(why["status"].text == "rejected" && why["state"].text?.hasPrefix("Not accepted: ") == true)
        #expect(try JSON(file: device.receiptPath(id, "rejected"))["delivery"]["httpStatus"].whole == 422)
        // It is not tried again by itself.
        try device.done("remote", "set", host.address)
        #expect(try device.quire("sync", "--json").json()["sent"].whole == 0)
        if isByHand {
            try Command.run("mv", device.testPath(id, "rejected"), device.store + "/outbox/done/", in: folder.path)
        } else {
            try device.done("outbox", "retry", id)
        }
        #expect(try device.json("sync")["sent"].whole == 1)
        #expect(host.tests == [id] && device.tests("rated") == [id])
        // What the refusal said is history.
        #expect(Files.names(in: device.store + "/outbox/rejected").isEmpty)
        #expect(try JSON(file: device.receiptPath(id, "rated"))["delivery"] == .null)
        #expect(try device.json("doctor") == .array([]))
    }

    @Test("a wrong address on the right server refuses nothing: the test waits")
    func wrongAddress() throws {
        let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
        try device.done("remote", "set", host.address + "/elsewhere")
        let outcome = try device.quire("sync")
        #expect(outcome.exitCode == 75 && outcome.errors.contains("nothing at this address"), "\(outcome)")
        #expect(device.tests("done") == [id])
    }

    @Test("a file's time in the future is its not-before; touch makes it due, and so does retry, and sync --now")
    func notBefore() throws {
        for way in ["touch", "retry", "now"] {
            let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
            let path = device.testPath(id, "done")
            try Command.run("touch", "-d", "2 hours", path, in: folder.path)
            let early = try device.quire("sync", "--json")
            #expect(early.exitCode == 75)
            let report = try early.json()
            #expect(report["sent"].whole == 0 && report["waiting"].whole == 1 && report["nextDue"].text != nil)
            #expect(device.tests("done") == [id])
            #expect(try device.done("why", id).output.contains("Tried again after"))
            let plan = try device.done("sync", "--dry-run").output
            #expect(plan.contains("0 would be sent") && plan.contains("not now: "))
            let held = try device.json("sync", "--dry-run")["notNow"][0]
            #expect(held["status"].text == "done" && held["notBefore"].text != nil)
            switch way {
            case "touch": try Command.run("touch", path, in: folder.path)
            case "retry": try device.done("outbox", "retry", id)
            default: break
            }
            let sent = try way == "now" ? device.json("sync", "--now") : device.json("sync")
            #expect(sent["sent"].whole == 1, "\(way)")
        }
        #expect(host.tests.count == 3)
    }

    @Test("what the host has already is sent under its id again, and is the same test")
    func idempotent() throws {
        let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
        try device.done("sync")
        let receipt = try Files.read(device.receiptPath(id, "rated"))
        let bytes = try host.test(id)
        for _ in 0..<2 {
            try Files.move(device.testPath(id, "rated"), device.testPath(id, "done"))
            #expect(try device.json("sync")["sent"].whole == 1)
            #expect(try Files.read(device.receiptPath(id, "rated")) == receipt)
        }
        // As after a crash between the host's answer and the move.
        try Files.move(device.testPath(id, "rated"), device.testPath(id, "sending"))
        #expect(try device.json("sync")["sent"].whole == 1)
        #expect(try Files.read(device.receiptPath(id, "rated")) == receipt)
        #expect(try host.tests == [id] && host.test(id) == bytes)
        let puts = host.exchanges.filter { $0.method == "PUT" }
        #expect(puts.map(\.status) == [201, 200, 200, 200])
    }

    @Test("one test in two folders is settled by the most advanced status; other bytes go to conflict")
    func duplicates() throws {
        let same = try device.take("keyed", answers: Questionnaire.rightAnswers)
        let other = try device.take("keyed", answers: Questionnaire.rightAnswers)
        try device.done("sync")
        try Command.run("cp", device.testPath(same, "rated"), device.testPath(same, "done"), in: folder.path)
        let changed = try Files.text(device.testPath(other, "rated")).replacing("\"yes\"", with: "\"no\"")
        try Files.write(changed, to: device.testPath(other, "done"))
        #expect(try device.json("tests").elements.count == 2)
        #expect(try device.quire("doctor").exitCode == 65)
        #expect(try device.quire("sync").exitCode == 65)
        #expect(device.tests("rated") == [same, other].sorted() && device.tests("done").isEmpty)
        #expect(device.tests("conflict") == [other])
        #expect(try Files.text(device.testPath(other, "conflict")) == changed)
        #expect(host.exchanges.count { $0.method == "PUT" } == 2)
    }

    @Test("fields that the program does not know survive in a draft and arrive at the host")
    func unknownFields() throws {
        let id = try device.take("keyed", answers: #"{"q1": "yes"}"#, isFinished: false)
        let path = device.testPath(id, "in-progress")
        try Files.write("{\"proctor\": {\"name\": \"Ада\"}," + (try Files.text(path)).dropFirst(), to: path)
        try device.done("answer", id, "q2", "no")
        try device.done("finish", id)
        try device.done("sync")
        #expect(try JSON(file: "\(host.data)/tests/\(id).test.json")["proctor"]["name"].text == "Ада")
    }
}

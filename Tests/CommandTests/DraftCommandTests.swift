import Foundation
import Testing

@Suite("A draft is named by its own id")
struct DraftCommandTests {
    private let folder: TemporaryFolder
    private let host: HostProcess
    private let device: Device

    init() throws {
        folder = try TemporaryFolder()
        host = try HostProcess(folder: folder.path)
        let visit = """
            {"id": "visit", "title": "Visit", "timeLimitSeconds": 1,
             "questions": [{"id": "q1", "text": "Whose house?"}, {"id": "q2", "text": "Remarks"}]}
            """
        try Files.write(visit, to: host.questionnaires + "/visit.json")
        try host.start()
        device = try Device(folder.path, of: host)
    }

    @Test("a number without quotation marks keeps its digits, however many")
    func digits() throws {
        let (long, exact) = ("9007199254740993.5", "12345678901234567890")
        let id = try device.take("visit", answers: "{\"q1\": \(long), \"q2\": \(exact)}")
        let answers = try JSON(file: device.testPath(id, "done"))["answers"].elements
        #expect(answers.map { $0["answer"].text } == [long, exact])
    }

    @Test("answers of a file go into the very draft, and a finished test is not opened")
    func named() throws {
        let first = try device.take("visit", answers: #"{"q1": "FIRST"}"#, isFinished: false)
        let second = try device.take("visit", answers: #"{"q1": "SECOND"}"#, isFinished: false)
        let filled = try device.quire(
            ["take", String(first.prefix(8)), "--answers", "-", "--json"], input: #"{"q2": "dry"}"#)
        #expect(try filled.json()["id"].text == first)
        #expect(try JSON(file: device.testPath(first, "in-progress"))["answers"].elements.count == 2)
        #expect(try device.done("why", first).output.contains("quire take \(first)"))
        let lines = try device.json("tests").elements
        #expect(Set(lines.map { $0["firstAnswers"].text }) == ["FIRST · dry", "SECOND"])
        #expect(lines.allSatisfy { $0["dateChanged"].text != nil })
        let plain = try device.done("tests").output
        #expect(plain.contains("FIRST · dry") && plain.contains("SECOND"))
        try device.done("finish", second)
        let frozen = try device.quire(["take", second, "--answers", "-"], input: #"{"q2": "wet"}"#)
        #expect(frozen.exitCode == 65 && frozen.isOneSentence && frozen.errors.contains("reopen"), "\(frozen)")
        let reopened = try device.done("outbox", "reopen", second).output
        #expect(reopened.contains("quire take \(second)"))
    }

    @Test("a time limit that was exceeded is said wherever the test is")
    func late() throws {
        let started = Date(timeIntervalSinceNow: -7200)
        let id = try device.take("visit", answers: #"{"q1": "FIRST"}"#, isFinished: false)
        // As if it had been started two hours ago.
        let path = device.testPath(id, "in-progress")
        var text = try Files.text(path)
        let former = try #require(try JSON(file: path)["dateStarted"].text)
        text = text.replacingOccurrences(of: former, with: ISO8601DateFormatter().string(from: started))
        try Files.write(text, to: path)
        for arguments in [["answer", id, "q2", "dry"], ["why", id], ["finish", id], ["why", id]] {
            #expect(try device.quire(arguments).output.contains("time limit of 1 s was exceeded"), "\(arguments)")
        }
        try device.done("sync")
        let receipt = try JSON(file: device.store + "/outbox/sent/\(id).receipt.json")
        #expect(receipt["late"] == .bool(true) && receipt["timeTaken"]["limitSeconds"].whole == 1)
        #expect(receipt["timeTaken"]["measuredBy"].text == "deviceClock")
        #expect(try device.json("why", id)["late"] == .bool(true))
        #expect(try device.done("tests").output.contains("time limit exceeded"))
        let listed = try device.done("host", "tests", "--data", host.data, "--questionnaires", host.questionnaires)
        #expect(listed.output.contains("late: 2 h"))
    }
}

import Foundation
import Testing

/// What is corrected after it was handed in.
@Suite("A correction is a further attempt, and a revision wherever it is shown")
struct RevisionTests {
    private let folder: TemporaryFolder
    private let host: HostProcess
    private let device: Device

    init() throws {
        folder = try TemporaryFolder()
        host = try HostProcess(folder: folder.path)
        try Files.write(
            """
            {"id": "exam", "title": "Exam", "availability": {"attempts": 2}, "answerKey": {"q1": "Paris"}, "questions": [
             {"id": "q1", "text": "Capital of France?", "options": ["Paris", "London"]}]}
            """, to: host.questionnaires + "/exam.json")
        try host.start()
        device = try Device(folder.path, of: host)
        try device.done("person", "set", "Ada")
    }

    private func revise(_ id: String) throws -> String {
        let draft = try #require(try device.json("outbox", "reopen", id)["id"].text)
        try device.done("answer", draft, "q1", "Paris")
        return draft
    }

    private func send(_ draft: String) throws {
        try device.done("finish", draft)
        #expect(try device.json("sync")["sent"].whole == 1)
    }

    private func line(_ id: String, _ arguments: String...) throws -> String {
        let output = try device.quire(arguments).output
        return try #require(output.split(separator: "\n").first { $0.hasPrefix(id) }.map(String.init))
    }

    @Test("after ✓ and ✗ it uses up an attempt; without one it does not begin, unless a teacher asked for it")
    func attempts() throws {
        let first = try device.take("exam", answers: #"{"q1": "London"}"#)
        try device.done("sync")
        let receipt = try JSON(file: device.receiptPath(first, "rated"))
        #expect(receipt["evaluation"]["questions"][0]["correct"].bool == false, "✗ is shown")
        let second = try revise(first)
        #expect(try line(second, "tests").contains("revision 2"))
        try send(second)
        #expect(try JSON(file: device.receiptPath(second, "rated"))["attempt"].whole == 2)

        for id in [first, second] {
            let refused = try device.quire("outbox", "reopen", id)
            #expect(refused.exitCode == 65 && refused.isOneSentence && refused.errors.contains("2 times"), "\(refused)")
        }
        #expect(device.tests("in-progress").isEmpty)

        try device.done(
            "host", "rate", "--data", host.data, second, "--return", "--comment", "Say why.", "--by", "Ms L")
        try device.done("sync")
        let third = try revise(second)
        try send(third)
        #expect(try JSON(file: device.receiptPath(third, "rated"))["attempt"].whole == 3, "it counts, too")
        for id in [first, second, third] { #expect(try device.quire("outbox", "reopen", id).exitCode == 65) }
        try chain([first, second, third])
    }

    /// The chain of three as the device and the host show it.
    private func chain(_ ids: [String]) throws {
        let tests = try device.json("tests").elements
        #expect(tests.map { $0["revision"].whole } == [nil, 2, 3])
        #expect(tests.map { $0["first"].text } == [nil, ids[0], ids[0]])
        #expect(tests.map { $0["parent"].text } == [nil, ids[0], ids[1]])
        #expect(try !line(ids[0], "tests").contains("revision"))
        #expect(try line(ids[2], "tests").contains("revision 3"))
        #expect(try device.done("why", ids[0]).output.contains("It was revised: \(ids[1])."))
        let words = "A revision of \(ids[1]) (revision 3); the first version is \(ids[0])."
        #expect(try device.done("why", ids[2]).output.contains(words))
        let russian = try device.quire(["why", ids[2]], environment: ["LC_ALL": "ru_RU.UTF-8"]).output
        #expect(russian.contains("Новая редакция теста \(ids[1]) (редакция 3); первая — \(ids[0])."), "\(russian)")

        let listed = try device.json("host", "tests", "--data", host.data).elements
        for (place, id) in ids.enumerated() {
            let test = try #require(listed.first { $0["id"].text == id })
            #expect(test["revision"].whole == (place == 0 ? nil : place + 1))
            #expect(test["first"].text == (place == 0 ? nil : ids[0]) && test["attempt"].whole == place + 1)
        }
        let last = try line(ids[2], "host", "tests", "--data", host.data)
        #expect(last.contains("(revision 3 of \(ids[1]), first version \(ids[0]))"), "\(last)")
    }

    @Test("before it was sent, a change is no revision, whatever the attempts")
    func waiting() throws {
        let first = try device.take("exam", answers: #"{"q1": "London"}"#)
        let second = try device.take("exam", answers: #"{"q1": "London"}"#)
        for id in [first, second] {
            #expect(try revise(id) == id)
            try device.done("finish", id)
        }
        #expect(try device.json("sync")["sent"].whole == 2)
        #expect(try device.json("tests").elements.allSatisfy { $0["revision"] == .null })
    }

    @Test(
        "what a teacher asked for is taken, and names the test it corrects, also where it went on in a newer version",
        arguments: [false, true])
    func newVersion(isFormerDraftDiscarded: Bool) throws {
        let first = try device.take("exam", answers: #"{"q1": "London"}"#)
        try device.done("sync")
        let second = try revise(first)
        try send(second)
        try device.done(
            "host", "rate", "--data", host.data, second, "--return", "--comment", "Say why.", "--by", "Ms L")
        try device.done("sync")
        let begun = try revise(second)
        try Files.write(
            """
            {"id": "exam", "title": "Exam", "availability": {"attempts": 2}, "answerKey": {"q1": "Paris"}, "questions": [
             {"id": "q1", "text": "The capital of France?", "options": ["Paris", "London"]}]}
            """, to: host.questionnaires + "/exam.json")
        try wait(for: "the newer version") { () -> Bool? in
            try device.done("pull")
            return try device.json("take", "exam", "--update")["id"].text == begun ? nil : true
        }
        let third = try #require(try device.json("take", "exam", "--update")["id"].text)
        #expect(third != begun)
        if isFormerDraftDiscarded { try device.done("outbox", "discard", begun) }
        try device.done("answer", third, "q1", "Paris")
        try send(third)
        #expect(try JSON(file: device.receiptPath(third, "rated"))["attempt"].whole == 3)
        let known = try device.json("host", "tests", "--data", host.data).elements.first { $0["id"].text == third }
        #expect(known?["parent"].text == second && known?["revision"].whole == 3, "\(known ?? .null)")
    }
}

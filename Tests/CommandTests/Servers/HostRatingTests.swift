import Foundation
import Testing

@Suite("quire host rate, tests and --verdicts")
struct HostRatingTests {
    private static let exam = """
        {"id": "exam", "title": "Exam", "answerKey": {"q1": "Paris"}, "questions": [
         {"id": "q1", "text": "Capital of France?", "options": ["Paris", "London"]},
         {"id": "essay", "text": "Why?", "kind": "text"}]}
        """

    private let folder: TemporaryFolder
    private let host: HostProcess

    init() throws {
        folder = try TemporaryFolder()
        host = try HostProcess(folder: folder.path)
        try Files.write(Self.exam, to: host.questionnaires + "/exam.json")
    }

    private func tests(_ device: Device, _ status: String) throws -> [JSON] {
        try device.json("host", "tests", "--data", host.data, "--status", status).elements
    }

    @Test("a test with an essay is being checked until the essay has points; the device hears each step")
    func essay() throws {
        try host.start()
        let device = try Device(folder.path, of: host)
        let id = try device.take("exam", answers: #"{"q1": "Paris", "essay": "Since 987."}"#)
        #expect(try device.json("sync")["sent"].whole == 1)
        #expect(device.tests("checking") == [id])
        for (arguments, words) in [(["why", id], "Being checked"), (["tests"], "Being checked")] {
            let shown = try device.quire(arguments)
            #expect(shown.output.contains(words) && !shown.output.contains("1 of"), "\(shown)")
        }
        let waiting = try #require(try tests(device, "checking").first)
        #expect(waiting["id"].text == id && waiting["questionnaire"]["id"].text == "exam")
        #expect(waiting["score"].number == 1 && waiting["maximum"].number == 2 && waiting["status"].text == "checking")
        #expect(try device.done("host", "tests", "--data", host.data).output.contains("1 of 2 so far"))
        #expect(try tests(device, "rated").isEmpty)

        let rate = ["host", "rate", "--data", host.data, id]
        let over = try device.quire(rate + ["essay", "--points", "3"])
        #expect(over.exitCode == 65 && over.isOneSentence && over.errors.contains("between 0 and 1"), "\(over)")
        let unknown = try device.quire(rate + ["essays", "--points", "1"])
        #expect(unknown.exitCode == 65 && unknown.errors.contains("q1, essay"), "\(unknown)")
        // Its sum with others would be no number.
        for huge in [["essay", "--points", "1"], ["--score", "1"]] {
            let refused = try device.quire(rate + huge + ["--max", "1e308"])
            #expect(refused.exitCode == 65 && refused.isOneSentence && refused.errors.contains("--max"), "\(refused)")
        }
        for wrong in [["essay"], ["essay", "--score", "1"], ["--max", "3"], ["--checking", "--points", "1"]] {
            #expect(try device.quire(rate + wrong).exitCode == 64, "\(wrong)")
        }
        let given = try device.quire(
            rate + ["essay", "--points", "3", "--max", "4", "--by", "Ada", "--comment", "Good."])
        #expect(given.exitCode == 0 && given.output == "\(id): rated, 4 of 5\n", "\(given)")
        #expect(try device.json("sync")["rated"].whole == 1)
        let receipt = try JSON(file: device.receiptPath(id, "rated"))
        let questions = receipt["evaluation"]["questions"].elements
        #expect(questions.map { $0["points"].number } == [1, 3] && questions.map { $0["maximum"].number } == [1, 4])
        let why = try device.done("why", id).output
        #expect(why.contains("4 of 5") && why.contains("Good.") && why.contains("3 of 4"), "\(why)")
    }

    @Test("a corrected key rates everything again, with a preview; the device hears what it was before")
    func again() throws {
        try host.start()
        let device = try Device(folder.path, of: host)
        let id = try device.take("exam", answers: #"{"q1": "London"}"#)
        try device.done("sync")
        #expect(try device.done("why", id).output.contains("0 of 2"))
        try Files.write(
            Self.exam.replacing(#""q1": "Paris""#, with: #""q1": "London""#), to: host.questionnaires + "/exam.json")
        let again = ["host", "rate", "--data", host.data, "--questionnaires", host.questionnaires, "--again", "exam"]
        let preview = try device.quire(again + ["--dry-run"]).output
        #expect(preview.contains("0 of 2 → 1 of 2") && preview.contains("q1 0 → 1"), "\(preview)")
        let unasked = try device.quire(again)
        #expect(unasked.exitCode == 64 && unasked.errors.contains("--yes"), "\(unasked)")
        let done = try device.quire(again + ["--yes", "--json"]).json()
        #expect(done["changed"].elements.count == 1)
        #expect(done["changed"].elements.first?["after"]["score"].number == 1)
        #expect(try device.quire(again + ["--yes", "--json"]).json()["changed"].elements.isEmpty)
        #expect(try device.json("sync")["rated"].whole == 1)
        let why = try device.done("why", id).output
        #expect(why.contains("1 of 2") && why.contains("Before, it was 0 of 2"), "\(why)")
        #expect(try device.done("tests").output.contains("rating changed"))
        #expect(try device.quire(again + ["--points", "1"]).exitCode == 64)
        #expect(try device.quire(["host", "rate", "--data", host.data, "--again", "none"]).exitCode == 65)
    }

    @Test("a test that is sent back is corrected in a new one, beyond the attempts")
    func sendBack() throws {
        try Files.write(
            Self.exam.replacing(#""title""#, with: #""availability": {"attempts": 1}, "title""#),
            to: host.questionnaires + "/exam.json")
        try host.start()
        let device = try Device(folder.path, of: host)
        try device.done("person", "set", "Ada")
        let id = try device.take("exam", answers: #"{"q1": "London", "essay": "So."}"#)
        try device.done("sync")
        let rate = ["host", "rate", "--data", host.data, id]
        #expect(try device.quire(rate + ["--return"]).exitCode == 64)
        #expect(try device.quire(rate + ["--return", "--comment", "Say why.", "--by", "Ms L"]).exitCode == 0)
        let synced = try device.done("sync").output
        #expect(synced.contains("1 returned to be corrected"), "\(synced)")
        let why = try device.done("why", id).output
        #expect(why.contains("Returned to be corrected by Ms L") && why.contains("quire outbox reopen \(id)"), "\(why)")
        let revision = try device.done("outbox", "reopen", id).output
        let draft = try #require(device.tests("in-progress").first)
        #expect(!revision.isEmpty && draft != id)
        try device.done("answer", draft, "essay", "Because.")
        try device.done("finish", draft)
        #expect(try device.json("sync")["sent"].whole == 1)
        #expect(try device.done("why", id).output.contains("The correction is \(draft)"))
        #expect(try tests(device, "checking").first { $0["id"].text == draft }?["parent"].text == id)
    }

    @Test("with --verdicts never the device gets its score, and no receipt reveals the key")
    func verdicts() throws {
        try host.start("--verdicts", "never")
        let device = try Device(folder.path, of: host)
        let id = try device.take("exam", answers: #"{"q1": "Paris"}"#)
        try device.done("sync")
        let receipt = try JSON(file: device.receiptPath(id, "rated"))
        #expect(receipt["evaluation"]["score"].number == 1 && receipt["evaluation"]["maximum"].number == 2)
        #expect(receipt["evaluation"]["questions"].elements.isEmpty)
        #expect(try device.quire("host", "--data", folder.path + "/x", "--verdicts", "perhaps").exitCode == 64)
    }

    @Test("a key that cannot be met is refused where it is written, and said where it is published")
    func keys() throws {
        try host.start()
        let device = try Device(folder.path, of: host)
        for (wrong, place) in [(#""q1": "Pariss""#, "answerKey.q1"), (#""q9": "4""#, "answerKey.q9")] {
            let file = folder.path + "/new.json"
            try Files.write(Self.exam.replacing(#""q1": "Paris""#, with: wrong), to: file)
            for verb in [["new", "--from", file], ["edit", "exam", "--from", file]] {
                let refused = try device.quire(verb)
                #expect(refused.exitCode == 65 && refused.isOneSentence && refused.errors.contains(place), "\(refused)")
            }
            try Files.write(Files.text(file), to: host.questionnaires + "/exam.json")
            // What was published stays so.
            try device.done("pull")
            #expect(try device.done("show", "exam").output.contains("Capital of France"))
            try wait(for: "the log") { host.log.contains(place) ? true : nil }
        }
    }
}

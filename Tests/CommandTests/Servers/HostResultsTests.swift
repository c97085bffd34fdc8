import Foundation
import Testing

@Suite("quire host results and stats")
struct HostResultsTests {
    private static let exam = """
        {"id": "exam", "title": "Экзамен", "locale": "ru", "answerKey": {"q1": "Paris"},
         "sections": [{"id": "s1", "title": "География", "questions": ["q1"]}, {"id": "s2", "questions": ["essay"]}], "questions": [
         {"id": "q1", "text": "Capital of France?", "options": ["Paris", "London"]},
         {"id": "essay", "text": "Why?", "kind": "text", "points": 2}]}
        """

    private let folder: TemporaryFolder
    private let host: HostProcess

    init() throws {
        folder = try TemporaryFolder()
        host = try HostProcess(folder: folder.path)
        try Files.write(Self.exam, to: host.questionnaires + "/exam.json")
    }

    private func output(_ device: Device, _ arguments: [String]) throws -> String {
        let outcome = try device.quire(arguments)
        #expect(outcome.exitCode == 0, "\(outcome)")
        return outcome.output
    }

    @Test("from two persons' tests to a table, CSV with a code book, JSON and figures")
    func results() throws {
        try host.start()
        let device = try Device(folder.path, of: host)
        try device.done("person", "set", "=HYPERLINK(\"http://x\")", "--id", "ada", "--group", "7б")
        let first = try device.take("exam", answers: #"{"q1": "Paris", "essay": "=1+1"}"#)
        try device.done("person", "set", "Борис", "--id", "boris")
        let second = try device.take("exam", answers: #"{"q1": "London", "essay": "Не знаю, \"правда\""}"#)
        try device.done("sync")
        let folders = ["--data", host.data, "--questionnaires", host.questionnaires]
        _ = try output(
            device, ["host", "rate", first, "essay", "--points", "1.5", "--by", "Анна", "--data", host.data])

        let table = try output(device, ["host", "results", "exam"] + folders)
        #expect(table.contains("Экзамен") && table.contains("Борис") && table.contains("2.5/3"), "\(table)")
        #expect(table.contains("? waits for a person"), "\(table)")

        let book = folder.path + "/book.csv"
        let csv = try output(device, ["host", "results", "exam", "--csv", "--code-book", book] + folders)
        #expect(csv.hasPrefix("\u{FEFF}test,person,name,group,attempt,status,score,maximum,late,received,q1,essay\r\n"))
        #expect(csv.contains(",ada,\"'=HYPERLINK(\"\"http://x\"\")\",7б,1,rated,2.5,3,false,"), "\(csv)")
        #expect(csv.contains(",Paris,'=1+1\r\n"), "\(csv)")
        #expect(csv.contains(",London,\"Не знаю, \"\"правда\"\"\"\r\n"), "\(csv)")
        #expect(try Files.text(book).contains("essay,Why?,text,,2,false\r\n"))

        let report = try output(device, ["host", "results", "exam", "--html", "--group", "7б"] + folders)
        #expect(report.hasPrefix("<!doctype html>") && report.contains("Экзамен") && report.contains("2.5 of 3"))
        #expect(report.contains("=HYPERLINK(&quot;http://x&quot;)") && !report.contains("Борис"))

        let rows = try JSON(parsing: output(device, ["host", "results", "exam", "--json"] + folders)).elements
        let ada = try #require(rows.first { $0["person"]["id"].text == "ada" })
        #expect(ada["test"].text == first && ada["score"].number == 2.5 && ada["maximum"].number == 3)
        #expect(ada["answers"]["essay"].text == "=1+1" && ada["points"]["essay"].number == 1.5)
        #expect(ada["status"].text == "rated" && ada["attempt"].whole == 1)
        let lines = try output(device, ["host", "results", "exam", "--json-lines"] + folders).split(separator: "\n")
        #expect(try Set(lines.map { try JSON(parsing: String($0)) }) == Set(rows))
        let tests = try device.json("host", "tests", "--data", host.data).elements
        let boris = try #require(tests.first { $0["id"].text == second })
        #expect(boris["person"]["name"].text == "Борис" && boris["attempt"].whole == 1)
        #expect(boris["status"].text == "checking" && boris["maximum"].number == 3)

        let stats = try JSON(parsing: output(device, ["host", "stats", "exam", "--json"] + folders))
        #expect(stats["tests"].whole == 2 && stats["rated"].whole == 1 && stats["waiting"].whole == 1)
        #expect(stats["scores"]["mean"].number == 2.5)
        #expect(stats["sections"].elements.map { $0["fraction"].number } == [1, 0.75])
        let q1 = try #require(stats["questions"].elements.first)
        #expect(q1["difficulty"].number == 0.5 && q1["options"].elements.map { $0["count"].whole } == [1, 1])
        let figures = try output(device, ["host", "stats", "exam"] + folders)
        #expect(figures.contains("2 tests, 1 rated, 1 to be marked") && figures.contains("Difficulty"), "\(figures)")
        #expect(figures.contains("География") && figures.contains("75 %"), "\(figures)")

        let found = try output(device, ["host", "results", "exam", "--search", "правды"] + folders)
        #expect(found == "Why?\n1 of 2 answers\n  Борис: Не знаю, \"правда\"\n")
        let arguments = ["host", "results", "exam", "--search", "ЗНАЮ", "--json"]
        let document = try JSON(parsing: output(device, arguments + folders)).elements
        #expect(document.map { $0["answer"].text } == ["Не знаю, \"правда\""])
        #expect(document.map { $0["test"].text } == [second])
        for wrong in [["--search", ","], ["--search", "a", "--csv"]] {
            #expect(try device.quire(["host", "results", "exam"] + wrong + folders).exitCode == 64)
        }

        // The data alone is enough, wherever the questionnaires are.
        let alone = ["exam", "--json", "--data", host.data]
        #expect(try Set(JSON(parsing: output(device, ["host", "results"] + alone)).elements) == Set(rows))
        let figuresAlone = try JSON(parsing: output(device, ["host", "stats"] + alone))
        #expect(figuresAlone["scores"]["mean"].number == 2.5)
    }

    @Test("an unknown questionnaire, and options that do not fit, are one sentence and the exit code")
    func refusals() throws {
        try host.start()
        let device = try Device(folder.path, of: host)
        let folders = ["--data", host.data, "--questionnaires", host.questionnaires]
        for verb in ["results", "stats"] {
            let unknown = try device.quire(["host", verb, "exams"] + folders)
            #expect(unknown.exitCode == 65 && unknown.isOneSentence && unknown.errors.contains("exams"), "\(unknown)")
        }
        #expect(try device.quire(["host", "results", "exam", "--csv", "--json"] + folders).exitCode == 64)
        #expect(try device.quire(["host", "results", "exam", "--json", "--json-lines"] + folders).exitCode == 64)
        #expect(try device.quire(["host", "results", "exam", "--group", "7b"] + folders).exitCode == 64)
        #expect(try device.quire(["host", "results", "exam", "--attempt", "worst"] + folders).exitCode == 64)
        let empty = try output(device, ["host", "results", "exam"] + folders)
        #expect(empty.contains("No tests of “Экзамен” have arrived."), "\(empty)")
    }
}

import Foundation
import Testing

@Suite("quire person: three people on one store")
struct PersonTests {
    private static let names = ["Ада", "Boris", "李"]

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

    private func shown(_ device: Device, _ more: String...) throws -> [String] {
        try device.quire(["tests", "--json"] + more).json().elements.compactMap { $0["id"].text }.sorted()
    }

    @Test("each sees their own only, all tests are delivered with the right person")
    func three() throws {
        let unclaimed = try device.take("keyed", answers: Questionnaire.rightAnswers)
        var ids: [String: String] = [:]
        for name in Self.names {
            let person = try device.json("person", "set", name, "--group", "7б")
            #expect(person["name"].text == name && person["group"].text == "7б")
            ids[name] = try device.take("keyed", answers: Questionnaire.rightAnswers)
            #expect(try device.json("status")["person"] == person)
        }
        for name in Self.names {
            try device.done("person", "use", name)
            let own = try #require(ids[name])
            #expect(try shown(device) == [own, unclaimed].sorted())
            #expect(try device.quire("why", own).exitCode == 0)
            for other in Self.names where other != name {
                let refused = try device.quire("why", try #require(ids[other]))
                #expect(refused.exitCode == 65 && refused.isOneSentence && refused.errors.contains(other), "\(refused)")
            }
        }
        #expect(try shown(device, "--all").count == 4)
        let listed = try device.json("person", "list").elements
        #expect(listed.compactMap { $0["name"].text }.sorted() == Self.names.sorted())
        #expect(listed.filter { $0["current"] == .bool(true) }.map { $0["name"].text } == ["李"])

        try device.done("person", "clear")
        #expect(try device.json("status")["person"] == .null)
        #expect(try shown(device) == [unclaimed])
        #expect(try device.json("sync")["sent"].whole == 4)
        let tests = try device.json("host", "tests", "--data", host.data).elements
        for (name, id) in ids {
            let test = try #require(tests.first { $0["id"].text == id })
            #expect(test["person"]["name"].text == name && test["person"]["group"].text == "7б")
        }
        #expect(tests.first { $0["id"].text == unclaimed }?["person"] == .null)
        #expect(try device.done("host", "tests", "--data", host.data).output.contains("李 (7б)"))
        #expect(try device.json("doctor") == .array([]))
    }

    @Test("drafts of others are neither resumed nor changed; one without a person can be claimed")
    func drafts() throws {
        let unclaimed = try device.take("keyed", answers: #"{"q1": "yes"}"#, isFinished: false)
        try device.done("person", "set", "Ada", "--id", "s-17")
        #expect(try device.json("person", "claim", unclaimed)["id"].text == unclaimed)
        try device.done("person", "set", "Boris")
        #expect(try device.json("list").elements.first?["drafts"] == .array([]))
        for command in [
            ["take", unclaimed, "--answers", "-"], ["answer", unclaimed, "q1", "no"], ["finish", unclaimed],
            ["person", "claim", unclaimed], ["diff", unclaimed],
        ] {
            let refused = try device.quire(command, input: "{}")
            #expect(refused.exitCode == 65 && refused.isOneSentence, "\(command): \(refused)")
            #expect(refused.errors.contains("person use s-17"), "\(refused)")
        }
        #expect(try device.json("person", "use", "s-17")["name"].text == "Ada")
        #expect(try device.quire("finish", unclaimed).exitCode == 0)
        for (arguments, code) in [(["use", "eve@all"], 65), (["set", ""], 65), (["set"], 64)] as [([String], Int32)] {
            let refused = try device.quire(["person"] + arguments)
            #expect(refused.exitCode == code, "\(refused)")
        }
    }

    @Test("an import and a snapshot keep the people; tests of a person who is not there wait for their own")
    func elsewhere() throws {
        try device.done("person", "set", "Ada", "--id", "s-17")
        let own = try device.take("keyed", answers: Questionnaire.rightAnswers)
        let archive = folder.path + "/outbox.tar"
        try device.done("outbox", "export", archive)

        let second = try Device(folder.path, name: "second", of: host)
        try second.done("person", "set", "Boris")
        try second.done("outbox", "import", archive)
        #expect(try shown(second).isEmpty)
        #expect(try shown(second, "--all") == [own])
        try second.done("person", "use", "s-17")
        #expect(try shown(second) == [own])

        let snapshot = folder.path + "/snapshot"
        try device.done("snapshot", "save", snapshot)
        let third = Device(folder.path, name: "third")
        try third.done("snapshot", "restore", snapshot)
        #expect(try third.json("status")["person"]["id"].text == "s-17")
        #expect(try shown(third) == [own])
        // Merged into a store in use: its current person stays.
        try second.done("person", "use", "Boris")
        try second.done("snapshot", "restore", snapshot)
        #expect(try second.json("status")["person"]["name"].text == "Boris")
        #expect(try second.json("sync")["sent"].whole == 1)
        #expect(try device.json("sync")["sent"].whole == 1)
        let test = try #require(try device.json("host", "tests", "--data", host.data).elements.first)
        #expect(test["person"]["id"].text == "s-17")
    }

    @Test(
        "the terminal asks once who takes the test",
        .enabled(if: Command.isInstalled("tmux"), "tmux is not installed"))
    func asked() throws {
        try device.done("person", "set", "Ada", "--id", "s-17")
        try device.done("person", "clear")
        let terminal = TmuxTerminal(folder.path, "first")
        try terminal.start(device, "take keyed")
        try terminal.see("Who is taking this?")
        try terminal.type("7", "Enter")
        try terminal.see("There is no number 7.")
        try terminal.type("Boris", "Enter")
        try terminal.see("Question 1 of keyed?")
        let id = try wait(for: "the draft") { device.tests("empty").first }
        #expect(try JSON(file: device.testPath(id, "empty"))["person"]["name"].text == "Boris")
        kill(try terminal.process, SIGKILL)
        try terminal.waitForEnd()
        let again = TmuxTerminal(folder.path, "second")
        try again.start(device, "take keyed")
        try again.see("Question 1 of keyed?")
        kill(try again.process, SIGKILL)
        try again.waitForEnd()
        #expect(device.tests("empty") == [id])
    }

    @Test(
        "a part of a name, and a number, mean a person who was shown, and no one else",
        .enabled(if: Command.isInstalled("tmux"), "tmux is not installed"))
    func askedFromList() throws {
        try device.done("person", "set", "Ada", "--id", "s-17")
        try device.done("person", "set", "Eve", "--id", "s-18")
        try device.done("person", "clear")
        let list = """
            {"url": "http://127.0.0.1/v1/people", "people": [{"id": "2", "name": "Boris Carlson"},
             {"id": "3", "name": "Boris Ivanov"}]}
            """
        try Data(list.utf8).write(to: URL(fileURLWithPath: device.store + "/people/list.json"))
        let terminal = TmuxTerminal(folder.path, "list")
        try terminal.start(device, "take keyed")
        try terminal.see("2 Eve")
        try terminal.type("Carl", "Enter")
        try terminal.see("1 Boris Carlson Is it one of these?")
        try terminal.type("2", "Enter")
        // Its own id: of the list that was shown last there is one person.
        try terminal.see("Question 1 of keyed?")
        let id = try wait(for: "the draft") { device.tests("empty").first }
        #expect(try JSON(file: device.testPath(id, "empty"))["person"]["id"].text == "2")
        kill(try terminal.process, SIGKILL)
        try terminal.waitForEnd()
    }
}

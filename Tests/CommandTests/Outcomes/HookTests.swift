import Foundation
import Testing

@Suite("People and their programs are notified")
struct HookTests {
    private let folder: TemporaryFolder
    private let host: HostProcess
    private let device: Device
    private let hooks: String

    init() throws {
        folder = try TemporaryFolder()
        host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        device = try Device(folder.path, of: host)
        hooks = device.store + "/hooks"
        try Files.makeFolder(hooks)
        chmod(hooks, 0o700)
    }

    private func put(_ name: String, _ script: String, mode: mode_t = 0o700) throws {
        try Files.writeScript("#!/bin/bash\n" + script, to: "\(hooks)/\(name)")
        chmod("\(hooks)/\(name)", mode)
    }

    private func logged() throws -> [JSON] {
        try device.done("log", "--json").lines.map { try JSON(parsing: $0) }
    }

    @Test("a hook is run with the event on standard input, in the store, with nothing of ours in its environment")
    func sent() throws {
        try put("sent", "cat >../event.json; env >../environment; pwd >../folder\n")
        try put("rated", "cat >>../rated.json\n")
        try put("rejected", "touch ../wrong\n")
        let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
        let outcome = try device.quire(["sync"], environment: ["QUIRE_TOKEN": "secret", "LANG": "C"])
        #expect(outcome.exitCode == 0, "\(outcome)")
        let event = try JSON(file: device.store + "/../event.json")
        #expect(event["event"].text == "sent" && event["test"].text == id && event["title"].text == "Keyed")
        #expect(try JSON(file: folder.path + "/rated.json")["detail"].text == "2 of 2")
        let environment = try Files.text(folder.path + "/environment")
        #expect(environment.contains("QUIRE_STORE=\(device.store)\n") && environment.contains("QUIRE_EVENT=sent\n"))
        #expect(!environment.contains("secret"))
        #expect(try Files.text(folder.path + "/folder") == device.store + "\n")
        #expect(!Files.exists(folder.path + "/wrong"))
        #expect(try logged().allSatisfy { $0["event"].text != "hook" })
        #expect(try device.json("doctor") == .array([]))
    }

    @Test(
        "one that fails or must not be run is written into the log, and breaks nothing",
        arguments: [
            ("exit 3\n", 0o700, "code 3"), ("exec nothing-of-this-name\n", 0o700, "code 127"),
            ("touch ../ran\n", 0o720, "others may write"),
            ("touch ../ran\n", 0o702, "others may write"), ("touch ../ran\n", 0o600, "not executable"),
            ("kill -9 $$\n", 0o700, "signal 9"),
        ] as [(String, mode_t, String)])
    func failing(_ script: String, _ mode: mode_t, _ word: String) throws {
        try put("sent", script, mode: mode)
        let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
        let outcome = try device.quire("sync")
        #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(outcome)")
        #expect(device.tests("rated") == [id])
        let hook = try #require(try logged().first { $0["event"].text == "hook" })
        #expect(hook["detail"].text?.contains(word) == true && hook["test"].text == id, "\(hook)")
        #expect(!Files.exists(folder.path + "/ran"))
    }

    @Test("one that others may read is closed to them by a repair, and runs as before", arguments: [0o755, 0o644])
    func repaired(_ mode: mode_t) throws {
        try put("sent", "touch ../ran\n", mode: mode)
        #expect(try device.quire("doctor", "--repair").exitCode == 0)
        let status = try Files.status(hooks + "/sent")
        #expect(status.st_mode & 0o7777 == (mode == 0o755 ? 0o700 : 0o600))
        #expect(try device.json("doctor") == .array([]))
        _ = try device.take("keyed", answers: Questionnaire.rightAnswers)
        try device.done("sync")
        #expect(Files.exists(folder.path + "/ran") == (mode == 0o755))
    }

    @Test("a link in the place of a hook, and a folder that others may write, are not run")
    func links() throws {
        try Files.write("#!/bin/bash\ntouch ../ran\n", to: folder.path + "/elsewhere")
        chmod(folder.path + "/elsewhere", 0o700)
        try FileManager.default.createSymbolicLink(
            atPath: hooks + "/sent", withDestinationPath: folder.path + "/elsewhere")
        _ = try device.take("keyed", answers: Questionnaire.rightAnswers)
        try device.done("sync")
        try Files.remove(hooks + "/sent")
        try put("sent", "touch ../ran\n")
        chmod(hooks, 0o770)
        _ = try device.take("keyed", answers: Questionnaire.rightAnswers)
        try device.done("sync")
        #expect(!Files.exists(folder.path + "/ran"))
        #expect(try logged().count { $0["event"].text == "hook" } == 2)
    }

    @Test("a questionnaire that is new on the server is reported, but not all those of the first pull")
    func questionnaires() throws {
        try put("new-questionnaire", "cat >>../new.json\n")
        try device.done("pull")
        #expect(!Files.exists(folder.path + "/new.json"))
        try host.publish(Questionnaire(id: "late", title: "Late"))
        try device.done("pull")
        let event = try JSON(file: folder.path + "/new.json")
        #expect(event["questionnaire"].text == "late" && event["title"].text == "Late")
    }

    @Test("the desktop is notified through the session bus where there is one, and it can be turned off")
    func desktop() throws {
        let programs = folder.path + "/bin"
        try Files.makeFolder(programs)
        try Files.writeScript("#!/bin/bash\nprintf '%s|' \"$@\" >>\"$HOME/notes\"\n", to: programs + "/notify-send")
        let bus = ["PATH": programs + ":/usr/bin:/bin", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"]
        func sync(_ environment: [String: String]) throws -> String {
            _ = try device.take("keyed", answers: Questionnaire.rightAnswers)
            let outcome = try device.quire(["sync", "--notify"], environment: environment)
            #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(outcome)")
            return (try? Files.text(folder.path + "/notes")) ?? ""
        }
        #expect(try sync(["PATH": bus["PATH"] ?? ""]).isEmpty)
        let told = try sync(bus)
        #expect(told.contains("Test sent for review|Keyed|") && told.contains("Test rated|Keyed|"))
        let russian = try sync(bus.merging(["LC_ALL": "ru_RU.UTF-8"]) { _, new in new })
        #expect(russian.contains("Тест отправлен на проверку"))
        let path = device.store + "/store.json"
        try Files.write(
            try Files.text(path).replacing("{", with: #"{"notifications": false,"#, maxReplacements: 1), to: path)
        #expect(try sync(bus) == russian)
    }

    @Test("log -f shows what happens, by any process, also after the file was rotated")
    func follow() throws {
        let child = try ChildProcess(
            [Command.binary, "log", "-f", "--json"],
            environment: Command.environment(home: folder.path, ["QUIRE_STORE": device.store]), folder: folder.path,
            isWatched: true)
        func next(_ event: String) throws -> JSON {
            while true {
                let line = try JSON(parsing: try HostProcess.firstLine(of: child))
                if line["event"].text == event { return line }
            }
        }
        #expect(try next("pulled")["detail"].text != nil)
        let first = try device.take("keyed", answers: Questionnaire.rightAnswers)
        #expect(try next("finished")["test"].text == first)
        let events = device.store + "/log/events.jsonl"
        try Files.move(events, device.store + "/log/events.1.jsonl")
        let second = try device.take("keyed", answers: Questionnaire.rightAnswers)
        #expect(try next("finished")["test"].text == second)
        child.send(SIGTERM)
        _ = try child.end()
    }

    @Test("a login page in the place of the server gets no test, and is reported as such")
    func portal() throws {
        let portal = try ScriptedServer { _ in
            .answer(status: "200 OK", fields: ["Content-Type": "text/html"], body: "<html>Log in</html>")
        }
        try device.done("remote", "set", "http://127.0.0.1:\(portal.port)")
        let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
        let outcome = try device.quire("sync", "--probe")
        #expect(outcome.exitCode == 69 && outcome.isOneSentence && outcome.errors.contains("log in"), "\(outcome)")
        #expect(portal.received.map(\.path) == ["/v1/"])
        try device.done("remote", "set", host.address)
        try device.done("sync", "--probe")
        #expect(device.tests("rated") == [id])
    }
}

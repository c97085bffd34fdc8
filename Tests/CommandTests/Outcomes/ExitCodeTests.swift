import Foundation
import Testing

@Suite("Exit codes, and one sentence that says what to do")
struct ExitCodeTests {
    private let folder: TemporaryFolder
    private let host: HostProcess
    private let device: Device

    init() throws {
        folder = try TemporaryFolder()
        host = try HostProcess(folder: folder.path, isRestarted: true)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        device = try Device(folder.path, of: host)
    }

    private func expect(
        _ outcome: Outcome, _ exitCode: Int32, saying words: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(outcome.exitCode == exitCode, "\(outcome)", sourceLocation: sourceLocation)
        #expect(outcome.isOneSentence, "\(outcome)", sourceLocation: sourceLocation)
        for word in words { #expect(outcome.errors.contains(word), "\(outcome)", sourceLocation: sourceLocation) }
    }

    @Test("without a store every command says how to make one: 64")
    func noStore() throws {
        let nowhere = Device(folder.path, name: "nowhere")
        for arguments in [
            ["list"], ["pull"], ["status"], ["sync"], ["tests"], ["search", "a"], ["show", "a"], ["cache", "ls"],
            ["take", "a", "--answers", "-"], ["outbox", "ls"], ["doctor"], ["why", "a"], ["remote"], ["log"],
            ["favorite", "a"], ["finish", "a"], ["cache", "trim"], ["cache", "purge", "--stale"], ["cache", "verify"],
        ] {
            expect(try nowhere.quire(arguments, input: "{}"), 64, saying: "quire init", nowhere.store)
        }
        #expect(!Files.exists(nowhere.store))
    }

    @Test("the command line is checked: 64")
    func usage() throws {
        expect(try device.quire("list", "--no-such-option"), 64, saying: "--no-such-option")
        expect(try device.quire("no-such-command"), 64)
        expect(try device.quire("help", "no-such-command"), 64, saying: "no-such-command", "quire --help")
        expect(try device.quire("help", "cache", "no-such-command"), 64, saying: "cache no-such-command")
        expect(try device.quire("show"), 64, saying: "id")
        for arguments in [
            ["snapshot", "save"], ["snapshot", "show"], ["snapshot", "restore"], ["outbox", "export"],
            ["outbox", "import"], ["new", "--from"], ["edit", "keyed", "--from"], ["take", "keyed", "--answers"],
        ] {
            expect(try device.quire(arguments + [""]), 64, saying: "the name is empty")
        }
        expect(try device.quire("new", " "), 64, saying: "the title is empty")
        expect(try device.quire("list", "--sort", "size"), 64, saying: "size", "title")
        expect(try device.quire("tests", "--status", "lost"), 64, saying: "lost")
        expect(try device.quire("init", "--remote", host.address), 64, saying: "already")
        let small = Device(folder.path, name: "small")
        expect(try small.quire("init", "--remote", host.address, "--quota", "0"), 64, saying: "quota of 0", "200MB")
        #expect(!Files.exists(small.store))
        for remote in ["ftp://example.org", "example.org", "http://", "", "http://user:secret@example.org"] {
            let fresh = Device(folder.path, name: "fresh")
            expect(try fresh.quire("init", "--remote", remote), 64)
            #expect(!Files.exists(fresh.store + "/store.json"))
        }
    }

    @Test("a store without a name is none, and a relative $XDG_DATA_HOME is ignored: 64")
    func nameless() throws {
        for arguments in [["list"], ["init"], ["pull"]] {
            expect(try device.quire(arguments + ["--store", ""]), 64, saying: "--store is empty")
        }
        let outcome = try device.quire(["list"], environment: ["QUIRE_STORE": "", "XDG_DATA_HOME": "relative"])
        expect(outcome, 64, saying: folder.path + "/.local/share/quire")
    }

    @Test(
        "answers that do not fit are refused, naming the question: 65",
        arguments: [
            (#"{"q1": "maybe"}"#, "q1"), (#"{"q9": "yes"}"#, "q9"), (#"{"q1": ["yes", "no"]}"#, "q1"),
            (#"{"q2": "yes"}"#, "q1"), (#"["yes"]"#, "questionId"), (#"{"q1": "yes""#, "questionId"),
            ("", "questionId"),
        ])
    func answers(_ answers: String, _ word: String) throws {
        let outcome = try device.quire(["take", "keyed", "--answers", "-", "--finish"], input: answers)
        expect(outcome, 65, saying: word)
        #expect(outcome.output.isEmpty)
        #expect(try device.json("tests") == .array([]))
    }

    @Test("a file of answers that is not there: 74")
    func noAnswers() throws {
        expect(try device.quire("take", "keyed", "--answers", folder.path + "/none.json"), 74, saying: "none.json")
    }

    @Test("an unknown id: 65; 69 where the server that might have it was not asked; never more than a sentence")
    func unknown() throws {
        for arguments in [
            ["finish", "abc"], ["why", "abc"], ["outbox", "retry", "abc"], ["outbox", "discard", ""],
            ["outbox", "reopen", "abc"], ["outbox", "path", "abc"], ["answer", "abc", "q1", "yes"],
            ["finish", "11111111-1111-4111-8111-111111111111"], ["favorite", "abc"], ["cache", "pin", "abc"],
            ["cache", "path", "abc"], ["cache", "cat", "abc"], ["pull", "abc"],
        ] {
            expect(try device.quire(arguments), 65)
        }
        expect(try device.quire("show", "abc"), 65, saying: "abc")
        expect(try device.quire("show", "abc", "--offline"), 69, saying: "abc")
    }

    private static let long = "ten thousand bytes"

    @Test(
        "hostile ids reach nothing outside, and get a sentence",
        arguments: [
            "../x", "../../etc/passwd", "/etc/passwd", "..", ".", "a/b", "x\u{1B}[31m", "a\nb", "%2e%2e", "?a=b", "#",
            " ", "\u{202E}abc", Self.long,
        ])
    func hostile(_ hint: String) throws {
        // Written out here: the test runner does not print a failure with so long an argument.
        let id = hint == Self.long ? String(repeating: "я", count: 5000) : hint
        for arguments in [
            ["show", id], ["show", id, "--offline"], ["take", id, "--answers", "-", "--finish"], ["pull", id],
            ["finish", id], ["why", id], ["answer", id, id, id], ["favorite", id], ["favorite", "--off", id],
            ["cache", "pin", id], ["cache", "unpin", id], ["cache", "path", id], ["cache", "cat", id],
            ["cache", "edit", id], ["outbox", "retry", id], ["outbox", "discard", id], ["outbox", "reopen", id],
            ["outbox", "path", id],
        ] {
            let outcome = try device.quire(arguments, environment: ["EDITOR": "true"], input: "{}")
            // Taking a mark from what has none is done, not failed.
            if outcome.exitCode == 0, ["unpin", "--off"].contains(arguments[1]) { continue }
            #expect([64, 65, 69].contains(outcome.exitCode), "\(outcome)")
            #expect(outcome.isOneSentence, "\(outcome)")
            #expect(!outcome.errors.contains("\u{1B}"))
            let length = outcome.errors.count
            #expect(length < 1100, "\(outcome)")
        }
        #expect(
            Files.names(in: folder.path).filter { !$0.hasPrefix(".child") } == ["host", "host-questionnaires", "store"])
        #expect(try device.json("tests") == .array([]))
        #expect(host.tests.isEmpty)
    }

    @Test("with the remote down sync says so and keeps everything: 69; with --offline that is success: 0")
    func remoteDown() throws {
        let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
        try host.stop()
        expect(try device.quire("sync"), 69, saying: "1 kept", "try again later")
        expect(try device.quire("pull"), 69, saying: "stays usable")
        #expect(device.tests("done") == [id])
        let offline = try device.quire("sync", "--offline")
        #expect(offline.exitCode == 0 && offline.errors.isEmpty && offline.output.contains("1 waiting"))
        expect(try device.quire("pull", "--offline"), 69, saying: "--offline")
        // That we were away says nothing against the test: it is due at once.
        try host.start()
        #expect(try device.json("sync")["sent"].whole == 1)
    }

    @Test("a store without a remote works on what it has, and says how to set one: 64")
    func noRemote() throws {
        let alone = Device(folder.path, name: "alone")
        try alone.done("init")
        #expect(try alone.json("list") == .array([]))
        #expect(try alone.json("status")["online"].bool == false)
        for arguments in [["pull"], ["sync"]] { expect(try alone.quire(arguments), 64, saying: "quire remote set") }
        try alone.done("remote", "set", host.address)
        #expect(try alone.json("remote")["remote"].text == host.address)
        #expect(try alone.json("pull")["new"].texts == ["keyed"])
    }

    @Test("settings that cannot be read are named with their file, and nothing is touched")
    func damagedSettings() throws {
        let path = device.store + "/store.json"
        let good = try Files.text(path)
        try Files.write(String(good.dropLast(4)), to: path)
        expect(try device.quire("list"), 65, saying: "store.json")
        try Files.write(good.replacing("\"format\" : 1", with: "\"format\" : 99"), to: path)
        expect(try device.quire("list"), 65, saying: "99", "newer quire")
        try Files.write(good, to: path)
        try device.done("list")
    }

    @Test("a full pipe's reader that leaves ends the command, not with a crash")
    func closedPipe() throws {
        for questionnaire in Questionnaire.many(20) { try host.publish(questionnaire) }
        try device.done("pull")
        let script =
            "\"$QUIRE\" list --json | head -c 1 >/dev/null; test ${PIPESTATUS[0]} -lt 128 -o ${PIPESTATUS[0]} -eq 141"
        try Command.run(
            "bash", "-c", script, in: folder.path, environment: ["QUIRE": Command.binary, "QUIRE_STORE": device.store])
    }

    @Test("take without a terminal and without answers begins no test: 64")
    func noTerminal() throws {
        expect(try device.quire("take", "keyed"), 64, saying: "--answers")
        #expect(try device.json("tests") == .array([]))
    }

    @Test("the host says in one sentence why it does not start")
    func hostFailures() throws {
        expect(try device.quire("host", "--data", folder.path + "/other", "--listen", "nowhere"), 64)
        expect(try device.quire("host", "--data", host.data, "--listen", "127.0.0.1:0"), 74, saying: host.data)
        let port = try #require(host.address.split(separator: ":").last)
        expect(
            try device.quire("host", "--data", folder.path + "/other", "--listen", "127.0.0.1:\(port)"), 74,
            saying: String(port))
        expect(try device.quire("host", "tests", "--data", folder.path + "/none"), 74, saying: "none")
        expect(try device.quire("host", "rate", "--data", host.data, "abc", "--score", "1"), 65, saying: "abc")
        let hostile = try device.quire("host", "rate", "--data", host.data, "a\u{1B}[31mb\nc", "--score", "1")
        expect(hostile, 65)
        #expect(!hostile.errors.contains("\u{1B}"))
        #expect(!Files.exists(folder.path + "/none"))
    }
}

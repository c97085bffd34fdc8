import Foundation
import Testing

/// The real program, with another page in the place of the server, and with a server that lost something.
@Suite("Another page in the server's place, a server set back, and exit codes of sync")
struct NotTheServerTests {
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

    @Test(
        "sync, sync --probe and watch send nothing to it, and say so: 69",
        arguments: ["403 Forbidden", "404 Not Found", "413 Content Too Large", "302 Found", "200 OK"])
    func page(_ status: String) throws {
        let ids = try (0..<3).map { _ in try device.take("keyed", answers: Questionnaire.rightAnswers) }
        let page = try ScriptedServer { _ in ScriptedServer.plain(status, "<h1>Not here</h1>", type: "text/html") }
        let address = try device.json("remote")["remote"].text
        try device.done("remote", "set", "http://127.0.0.1:\(page.port)")
        let probed = try device.quire("sync", "--probe")
        #expect(probed.exitCode == 69 && probed.isOneSentence, "\(probed)")
        #expect(!page.received.contains { $0.method == "PUT" })
        let sent = try device.quire("sync")
        #expect(sent.exitCode == 69 && sent.isOneSentence, "\(sent)")
        #expect(Set(device.tests("done")) == Set(ids))
        // A round of watch begins with the question whether it is the server.
        try device.done("outbox", "retry", "--all")
        let asked = page.received.count
        let watching = try device.begin(["watch"])
        try wait(for: "the question") { page.received.count > asked ? true : nil }
        watching.send(SIGTERM)
        _ = try watching.end()
        #expect(page.received.dropFirst(asked).allSatisfy { $0.method == "GET" })
        #expect(Set(device.tests("done")) == Set(ids))
        let said = try device.done("status").output
        #expect(said.contains("Offline (") && said.contains("not the Quire server"), "\(said)")
        #expect(try device.json("status")["trouble"].text == "not-the-server")
        for arguments in [["pull"], ["pull", "keyed"], ["pull", "--json"]] {
            let outcome = try device.quire(arguments)
            #expect(outcome.exitCode == 69 && outcome.isOneSentence, "\(arguments): \(outcome)")
        }
        // The sentence about a redirection names its target.
        #expect(try status.hasPrefix("302") || device.quire("pull").errors.contains("not the Quire server"))
        #expect(try device.json("list").elements.count == 1)
        try device.done("remote", "set", try #require(address))
        try device.done("outbox", "retry", "--all")
        #expect(try device.json("sync")["sent"].whole == 3)
    }

    @Test("a host that does not answer to the name in its address refuses nothing: all waits, with the reason")
    func foreignName() throws {
        let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
        try device.done("favorite", "keyed")
        let address = try #require(try device.json("remote")["remote"].text)
        // As a host says it.
        let body =
            #"{"type":"about:blank","title":"Misdirected Request","status":421,"detail":"Start it with --name."}"#
        let server = try ScriptedServer { _ in
            ScriptedServer.plain("421 Misdirected Request", body, type: "application/problem+json")
        }
        try device.done("remote", "set", "http://127.0.0.1:\(server.port)")
        for arguments in [["sync"], ["sync", "--now"], ["pull"]] {
            let outcome = try device.quire(arguments)
            #expect(outcome.exitCode == 69 && outcome.errors.contains("--name"), "\(arguments): \(outcome)")
        }
        #expect(device.tests("done") == [id] && device.tests("rejected").isEmpty)
        try device.done("remote", "set", address)
        try device.done("sync", "--now")
        #expect(device.tests("done").isEmpty && device.tests("rejected").isEmpty)
    }

    @Test("a server of an earlier version is known by its documents without a type of their own, and may refuse")
    func earlier() throws {
        let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
        let body =
            #"{"type":"about:blank","title":"Content Too Large","status":413,"detail":"It may have at most 9 bytes."}"#
        let server = try ScriptedServer { _ in
            ScriptedServer.plain("413 Content Too Large", body, type: "application/problem+json")
        }
        try device.done("remote", "set", "http://127.0.0.1:\(server.port)")
        #expect(try device.quire("sync").exitCode == 65)
        #expect(device.tests("rejected") == [id])
        #expect(try device.done("why", id).output.contains("at most 9 bytes"))
    }

    @Test("a server that was set back is noticed, and what it lost is sent again on request, once")
    func setBack() throws {
        let ids = try (0..<3).map { _ in try device.take("keyed", answers: Questionnaire.rightAnswers) }
        try device.done("sync")
        try host.stop()
        for id in ids.prefix(2) {
            try Files.remove("\(host.data)/tests/\(id).test.json")
            try Files.remove("\(host.data)/receipts/\(id).receipt.json")
        }
        try host.start()
        let outcome = try device.quire("sync")
        #expect(outcome.exitCode == 65 && outcome.output.contains("no longer has 2 tests"), "\(outcome)")
        #expect(try device.json("status")["missing"].whole == 2)
        #expect(try device.done("status").output.contains("outbox retry --lost"))
        #expect(try device.done("why", ids[0]).output.contains("no longer has it"))
        #expect(try device.quire("outbox", "retry", ids[2]).exitCode == 65)
        #expect(try device.json("outbox", "retry", "--lost")["retried"].elements.count == 2)
        #expect(try device.done("sync").output.contains("2 sent"))
        #expect(Set(host.tests) == Set(ids))
        #expect(try device.json("status")["missing"].whole == 0)
        #expect(try device.quire("sync", "--verify").exitCode == 0)
    }

    @Test("retry wants one test, or says which of all: 64")
    func usage() throws {
        for arguments in [[], ["abc", "--all"], ["abc", "--lost"]] {
            let outcome = try device.quire(["outbox", "retry"] + arguments)
            #expect(outcome.exitCode == 64 && outcome.isOneSentence, "\(outcome)")
        }
        #expect(try device.json("outbox", "retry", "--all", "--lost")["retried"].elements.isEmpty)
    }

    @Test("status distinguishes a pull from a sync, and a refused token from a missing connection")
    func status() throws {
        let fresh = try device.done("status").output
        #expect(fresh.contains("Questionnaires updated") && !fresh.contains("Never synced"), "\(fresh)")
        let server = try ScriptedServer { _ in
            .answer(
                status: "401 Unauthorized",
                fields: ["Content-Type": "application/problem+json", "WWW-Authenticate": "Bearer realm=\"quire\""],
                body: #"{"type":"urn:quire:problem:unauthorized","title":"T","status":401,"detail":"D"}"#)
        }
        try device.done("remote", "set", "http://127.0.0.1:\(server.port)")
        #expect(try device.quire("pull").exitCode == 69)
        let said = try device.done("status").output
        #expect(said.contains("Online") && said.contains("refuses the token"), "\(said)")
        #expect(try device.json("status")["trouble"].text == "token-refused")
    }

    @Test("a draft and a finished test carry different words, in both languages")
    func words() throws {
        let draft = try device.take("keyed", answers: #"{"q1": "yes"}"#, isFinished: false)
        let done = try device.take("keyed", answers: Questionnaire.rightAnswers)
        #expect(try device.done("why", draft).output.contains("Draft, saved locally"))
        #expect(try device.done("why", done).output.contains("Saved locally, waiting to be sent"))
        let russian = ["LC_ALL": "ru_RU.UTF-8"]
        #expect(try device.quire(["why", draft], environment: russian).output.contains("Черновик, сохранён локально"))
        #expect(
            try device.quire(["why", done], environment: russian).output.contains("Сохранено локально, ждёт отправки"))
    }
}

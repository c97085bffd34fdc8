import Foundation
import Testing

@Suite("A server that sends us elsewhere")
struct RedirectionTests {
    @Test(
        "is not followed: no other server sees a request, a token or an answer, and the message says what happened",
        arguments: [
            "301 Moved Permanently", "302 Found", "303 See Other", "307 Temporary Redirect", "308 Permanent Redirect",
        ])
    func redirection(_ status: String) throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        let device = try Device(folder.path, of: host)
        let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
        let elsewhere = try ScriptedServer { _ in ScriptedServer.plain("200 OK", #"{"questionnaires": []}"#) }
        let place = "http://127.0.0.1:\(elsewhere.port)"
        let server = try ScriptedServer { request in
            .answer(status: status, fields: ["Location": place + request.path], body: "")
        }
        try device.done("remote", "set", "http://127.0.0.1:\(server.port)")
        let secret = "s3cret-0123456789abcdef"
        for arguments in [["pull"], ["pull", "keyed"], ["sync"]] {
            let outcome = try device.quire(arguments, environment: ["QUIRE_TOKEN": secret])
            #expect(outcome.exitCode == 69 && outcome.isOneSentence, "\(outcome)")
            #expect(outcome.errors.contains(place) && outcome.errors.contains("not followed"), "\(outcome)")
            #expect(!outcome.description.contains(secret))
        }
        #expect(elsewhere.received.isEmpty)
        #expect(server.received.count { $0.method == "PUT" } == 1)
        #expect(server.received.allSatisfy { $0.field("Authorization") == "Bearer " + secret })
        #expect(device.tests("done") == [id])
        #expect(try device.done("why", id).output.contains("not followed"))
    }

    @Test(
        "to another kind of place is not followed either",
        arguments: ["file:///etc/passwd", "ftp://127.0.0.1/", "//127.0.0.1:1/x", "gopher://x\u{1B}[31m/"])
    func otherScheme(_ location: String) throws {
        let folder = try TemporaryFolder()
        let server = try ScriptedServer { _ in
            .answer(status: "302 Found", fields: ["Location": location], body: "")
        }
        let device = Device(folder.path)
        try device.done("init", "--remote", "http://127.0.0.1:\(server.port)")
        let outcome = try device.quire("pull")
        // A control character makes it a reply that is not HTTP.
        #expect(outcome.exitCode == (location.contains("\u{1B}") ? 65 : 69) && outcome.isOneSentence, "\(outcome)")
        #expect(!outcome.errors.contains("\u{1B}") && !outcome.errors.contains("root:"))
    }
}

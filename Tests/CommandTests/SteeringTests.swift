import Foundation
import Testing

/// Promise 7 of the design: what a server says cannot steer the terminal.
@Suite("A server's words cannot command a terminal")
struct SteeringTests {
    /// C0, DEL, C1, the bidirectional overrides and isolates, the other line separators.
    private static let scalars: [Unicode.Scalar] =
        [
            "\u{1B}", "\u{07}", "\u{08}", "\u{0D}", "\u{00}", "\u{7F}", "\u{85}", "\u{9B}", "\u{9D}", "\u{202A}",
            "\u{202D}",
        ]
        + ["\u{202E}", "\u{2028}", "\u{2066}", "\u{2068}"]

    private static func hostile(_ word: String) -> String {
        word + "\u{1B}]0;title\u{07}\u{1B}[2J\u{9B}31m" + scalars.map { String($0) }.joined() + word
    }

    private static func json(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            scalar.value < 0x20 || scalar.value > 0x7E
                ? "\\u" + String(repeating: "0", count: 4 - String(scalar.value, radix: 16).count)
                    + String(scalar.value, radix: 16)
                : String(scalar)
        }
        return "\"" + escaped.joined() + "\""
    }

    /// What steers in a text; closed isolates and embeddings, which right-to-left texts need, do not.
    private static func steering(_ text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.filter { scalar in
            switch scalar.value {
            case 0x09, 0x0A: false
            case ..<0x20, 0x7F...0x9F, 0x202D, 0x202E, 0x2028, 0x2029: true
            default: false
            }
        }
    }

    private static func receipt(_ request: ScriptedServer.Request) -> ScriptedServer.Action {
        let sent = request.field("Content-Digest")?.split(separator: ":").dropFirst().first.map(String.init) ?? ""
        let digest = (Data(base64Encoded: sent) ?? Data()).map { String(format: "%02x", $0) }.joined()
        let id = request.path.split(separator: "/").last.map(String.init) ?? ""
        let words = json(hostile("comment"))
        return ScriptedServer.plain(
            "201 Created",
            """
            {"test": "\(id)", "digest": "sha256:\(digest)", "status": "rated", "receivedAt": "2026-01-01T00:00:00Z",
             "evaluation": {"score": 1, "maximum": 2, "ratedBy": \(words), "comment": \(words),
               "questions": [{"questionId": \(json(hostile("q1"))), "correct": true, "comment": \(words)}]}}
            """)
    }

    private static func answer(_ request: ScriptedServer.Request, accepts: Bool) -> ScriptedServer.Action {
        let words = json(hostile("words"))
        let document = """
            {"id": "keyed", "title": \(words), "description": \(words), "questions": [
              {"id": "q1", "text": \(words), "options": ["yes", \(words)], "required": true},
              {"id": "q2", "text": \(words), "kind": "text"}]}
            """
        switch (request.method, request.path) {
        case ("GET", "/v1/questionnaires"):
            return ScriptedServer.plain(
                "200 OK",
                #"{"questionnaires": [{"id": "keyed", "url": "/v1/questionnaires/keyed", "title": \#(words)},"#
                    + #" {"id": "bad", "url": \#(words), "title": "x"}]}"#)
        case ("GET", "/v1/questionnaires/keyed"): return ScriptedServer.plain("200 OK", document)
        case ("PUT", _) where accepts: return receipt(request)
        default:
            return ScriptedServer.plain(
                "422 Unprocessable Content",
                #"{"title": \#(words), "detail": \#(words), "type": "urn:quire:problem:\#(words.dropFirst())}"#,
                type: "application/problem+json")
        }
    }

    @Test("neither plain, nor as JSON, nor on a terminal", arguments: [true, false])
    func everywhere(_ accepts: Bool) throws {
        let folder = try TemporaryFolder()
        let server = try ScriptedServer { Self.answer($0, accepts: accepts) }
        let device = Device(folder.path)
        try device.done("init", "--remote", "http://127.0.0.1:\(server.port)")
        var said: [Outcome] = [try device.quire("pull")]
        #expect(try device.cachedIDs == ["keyed"])
        let id = try device.take("keyed", answers: #"{"q1": "yes"}"#)
        let draft = try device.take("keyed", answers: #"{"q2": "mine"}"#, isFinished: false)
        said.append(try device.quire("sync"))
        #expect(device.tests(accepts ? "rated" : "rejected") == [id], "\(said)")
        // A file whose name another person chose.
        try Files.write("{", to: device.store + "/outbox/done/\u{1B}[31m\u{9B}x\u{202E}.test.json")
        let looks = [
            ["list"], ["search", "words"], ["show", "keyed"], ["tests"], ["why", id], ["why", draft], ["sync"],
            ["sync", "--now"],
            ["doctor"], ["log"], ["status"], ["cache", "ls"], ["outbox", "ls"], ["pull"], ["finish", id], ["remote"],
        ]
        for arguments in looks {
            said.append(try device.quire(arguments))
            said.append(try device.quire(arguments + ["--json"]))
            said.append(try onTerminal(device, arguments))
            said.append(try onTerminal(device, ["show", "keyed", "--json"]))
        }
        #expect(said.contains { $0.output.contains("words") } && said.contains { $0.errors.contains("words") })
        for outcome in said {
            // Without a terminal, the server's bytes are printed unchanged.
            let isDocument = outcome.arguments.suffix(3) == ["show", "keyed", "--json"]
            if !isDocument { #expect(Self.steering(outcome.output).isEmpty, "\(outcome.arguments)") }
            #expect(Self.steering(outcome.errors).isEmpty, "\(outcome.arguments)")
        }
        #expect(try device.json("list")[0]["title"].text?.hasPrefix("words") == true)
    }

    /// What a terminal without colours is sent, as `script` records it.
    private func onTerminal(_ device: Device, _ arguments: [String]) throws -> Outcome {
        guard Command.isInstalled("script") else { return try device.quire(arguments) }
        let words = ([Command.binary] + arguments).map { "'" + $0.replacing("'", with: "'\\''") + "'" }
        let child = try ChildProcess(
            ["script", "-qec", words.joined(separator: " "), "/dev/null"],
            environment: Command.environment(
                home: device.folder, ["QUIRE_STORE": device.store, "NO_COLOR": "1", "TERM": "dumb", "SHELL": "/bin/sh"]),
            folder: device.folder)
        var outcome = try child.end()
        // The terminal itself ends lines so.
        outcome.output = outcome.output.replacing("\r\n", with: "\n")
        outcome.arguments = ["terminal"] + arguments
        return outcome
    }
}

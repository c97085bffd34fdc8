import Model
import Testing

@testable import Hub

@Suite("The hub formats texts for the app")
struct FormattedTextTests {
    private static let away = "http://127.0.0.1:1"

    private func post(_ hub: HubFixture, _ content: String) throws -> RawMessage {
        try hub.exchange(
            "POST \(FormattedTexts.path) HTTP/1.1\r\nHost: hub\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(content.utf8.count)\r\n\r\n\(content)")
    }

    @Test("passages and lines come back in their order, as trees of elements")
    func trees() async throws {
        try await HubFixture.run(Self.away) { hub in
            let reply = try post(
                hub,
                #"{"passages": ["What *is* it?\n\n```\n  x\n```", "```\ny\n```"], "lines": ["`a  b`", "<b>", ""]}"#)
            #expect(reply.status == 200 && reply["Content-Type"] == "application/json")
            #expect(reply["Cache-Control"] == "no-store" && reply["X-Content-Type-Options"] == "nosniff")
            let expected = """
                {"passages": [
                 {"line": "What is it? x", "heading": ["What ", ["em", {}, "is"], " it?"],
                  "body": [["pre", {"dir": "ltr", "tabindex": "0"}, ["code", {}, "  x"]]]},
                 {"line": "y", "body": [["pre", {"dir": "ltr", "tabindex": "0"}, ["code", {}, "y"]]]}],
                "lines": [{"line": "a b", "nodes": [["code", {"dir": "ltr"}, "a  b"]]},
                 {"line": "<b>", "nodes": ["<b>"]}, {"line": "", "nodes": []}]}
                """
            let value = try DocumentCoding.decode(JSONValue.self, from: reply.body)
            #expect(try value == DocumentCoding.decode(JSONValue.self, from: Array(expected.utf8)))
        }
    }

    @Test("what is no list of texts, or too long, gets one sentence")
    func refusals() async throws {
        try await HubFixture.run(Self.away) { hub in
            let tooMany = Array(repeating: #""a""#, count: 1001).joined(separator: ",")
            for (content, status) in [
                ("", 400), ("[]", 400), (#"{"passages": [5], "lines": []}"#, 400), (#"{"lines": []}"#, 400),
                (#"{"passages": [], "lines": [\#(tooMany)]}"#, 413),
                (#"{"passages": ["\#(String(repeating: "a", count: 1 << 20))"], "lines": []}"#, 413),
            ] {
                let reply = try post(hub, content)
                #expect(reply.status == status && reply["Content-Type"] == "application/problem+json")
            }
            let reply = try hub.get(FormattedTexts.path)
            #expect(reply.status == 405 && reply["Allow"] == "POST")
        }
    }
}

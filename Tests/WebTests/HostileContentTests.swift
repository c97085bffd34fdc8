import HTTPServing
import HTTPTypes
import HummingbirdTesting
import Model
import Quire
import ServedApplication
import Simulation
import Testing

@testable import Web

@Suite("What came from elsewhere stays text")
struct HostileContentTests {
    private static let script = "</textarea></title><script>alert(1)</script><img src=x onerror=alert(2)>"
    private static let quoted = "\\\" onfocus=alert(3) autofocus x=\\\" ' onclick='alert(4)"

    /// What Markdown and formulas could be made to do.
    private static let marks =
        " [a](javascript:alert(7)) ![b](data:text/html,x) <javascript:alert(8)> [c]: javascript:alert(9)"
        + " `</code><script>alert(10)</script>` $\\\\text{</mtext><script>alert(11)</script>}$"
        + "\\n\\n| </td><script> | b |\\n|--|--|\\n| \\\" onfocus=alert(12) | d |"
        + "\\n\\n```</pre><script>alert(13)</script>\\n</code></pre><img src=x onerror=alert(14)>\\n```"

    private func publish(_ fixture: PageFixture, format: String = "plain") async throws {
        let bad = Self.script + Self.quoted + " {{w.library}} {{{content}}} javascript:alert(5)" + Self.marks
        fixture.remote.publish(
            "evil",
            """
            {"id": "evil", "textFormat": "\(format)", "title": "T \(bad)", "description": "D \(bad)", "locale": "x\(bad)", "questions": [
              {"id": "q \(bad)", "text": "Q \(bad)", "options": ["O \(bad)", "other"],
               "media": [{"path": "../../../../store.json", "alt": "A \(bad)"}, {"path": "javascript:alert(6)", "alt": "\(bad)"},
                         {"path": "//evil.example/x.png"}, {"path": "%2e%2e/%2e%2e/store.json"}]},
              {"id": "text", "text": "R \(bad)", "kind": "text"}]}
            """)
        _ = try await fixture.store.puller(fixture.remote).pull()
    }

    /// No tag and no attribute of theirs is in a page: what they wrote is there, escaped.
    private func expectHarmless(_ text: String, _ what: String) {
        #expect(text.ranges(of: "<script").count == 1, "\(what)")
        #expect(!text.contains("<img src=x"), "\(what)")
        #expect(!text.contains("\" onfocus"), "\(what)")
        #expect(!text.contains("' onclick"), "\(what)")
        #expect(!text.contains("href=\"javascript:") && !text.contains("src=\"javascript:"), "\(what)")
        #expect(!text.contains("evil.example/x.png\""), "\(what)")
    }

    @Test(
        "a questionnaire whose every field is HTML, script, URL and Markdown does nothing on any screen",
        arguments: Way.allCases, ["plain", "markdown"])
    func everyField(_ way: Way, _ format: String) async throws {
        let fixture = try await PageFixture()
        try await publish(fixture, format: format)
        try await fixture.serve(way) { browser, _ in
            let begun = try await browser.post("/q/evil/begin")
            let test = begun.location
            #expect(test.hasPrefix("/t/"))
            let bad = Self.script + "\" onfocus=alert(1) x=\""
            _ = try await browser.post(
                test, [("shown", "0"), ("a.0", "0"), ("shown", "1"), ("a.1", bad), ("go", "review")])
            for page in [
                "/", "/?q=script", "/?q=" + PercentEncoding.encode(bad), "/q/evil", test, test + "?view=all",
                test + "/review", "/outbox", test + "/discard",
            ] {
                let reply = try await browser.get(page)
                #expect(reply.status == .ok, "\(page)")
                expectHarmless(reply.text, page)
            }
            #expect(try await browser.post(test + "/finish").status == .seeOther)
            for page in [test, "/outbox", "/q/evil"] { expectHarmless(try await browser.get(page).text, page) }
            // The review has what was written, as text.
            #expect(try await browser.get(test).text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
        }
    }

    @Test("an address that is made of markup is answered with a page that has none of it")
    func addresses() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, _ in
            for page in [
                "/%3Cscript%3E", "/q/%3Cscript%3Ealert(1)%3C%2Fscript%3E", "/t/%22onfocus=",
                "/?sort=%22%3E%3Cscript%3E", "/?said=%3Cscript%3E", "/?page=%3Cscript%3E", "/settings?said=x",
            ] {
                expectHarmless(try await browser.get(page).text, page)
            }
            for back in [
                "https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)",
                "/a\r\nSet-Cookie: a=b",
            ] {
                let reply = try await browser.post("/language", [("language", "ru"), ("back", back)])
                #expect(reply.location == "/", "\(back)")
            }
        }
    }

    @Test("media lead to the cache or to nothing, whatever path is asked for or written", arguments: Way.allCases)
    func traversal(_ way: Way) async throws {
        let fixture = try await PageFixture()
        try await publish(fixture)
        try await fixture.serve(way) { browser, _ in
            let document = try await fixture.store.open(id: "evil", remote: fixture.remote, isOffline: true)
            let digest = document.digest.hex
            for medium in 0..<6 {
                #expect(try await browser.get("/media/\(digest)/0/\(medium)/evil").status == .notFound)
            }
            for path in [
                "/media/..%2F..%2Fstore.json/0/0/evil", "/media/../../store.json", "/media/%2e%2e/%2e%2e/store.json",
                "/media/\(digest)/0/0/..%2F..%2Fstore.json", "/media/\(digest)/-1/0/evil",
                "/media/\(digest)/0/99999999999999999999/evil",
                "/assets/../page.key", "/assets/x/..%2Fpage.key", "/assets/x/page.js%00",
            ] {
                let reply = try await browser.get(path)
                #expect(reply.status == .notFound, "\(path)")
                #expect(!reply.text.contains("deviceId"))
            }
        }
    }

    @Test("media are sent as what they may be, sandboxed, and never sniffed")
    func mediaTypes() {
        #expect(MediaKind("image/png") == .picture("image/png"))
        #expect(MediaKind("audio/mpeg; x=y") == .sound("audio/mpeg"))
        for type in ["text/html", "application/xhtml+xml", "text/javascript", "", "image/png\r\nX: y"] {
            #expect(MediaKind(type).sentType == "application/octet-stream")
        }
        #expect(HTTPFields.mediaPolicy.contains("sandbox"))
        #expect(MediaEndpoint.part("bytes=0-1", sizeBytes: 10) == 0..<2)
        #expect(MediaEndpoint.part("bytes=-3", sizeBytes: 10) == 7..<10)
        #expect(MediaEndpoint.part("bytes=8-", sizeBytes: 10) == 8..<10)
        for range in ["bytes=10-", "bytes=5-2", "bytes=0-1,3-4", "items=0-1", "bytes=--1", "bytes=-0"] {
            #expect(MediaEndpoint.part(range, sizeBytes: 10) == nil)
        }
    }
}

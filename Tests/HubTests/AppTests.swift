import Disk
import Model
import QRCode
import Testing

@testable import Hub

@Suite("The app for phones, over a socket")
struct AppTests {
    private static let names = AppPage().names
    /// No server is there: the app needs no upstream.
    private static let away = "http://127.0.0.1:1"

    @Test("each file has its type, a strong validator, and fields that let nothing run but what comes from the hub")
    func fields() async throws {
        #expect(Self.names.count == 40)
        let types = [
            "": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
            "webmanifest": "application/manifest+json", "svg": "image/svg+xml", "png": "image/png",
        ]
        try await HubFixture.run(Self.away) { hub in
            for name in Self.names {
                let reply = try hub.get(AppPage.path + name)
                #expect(reply.status == 200 && !reply.body.isEmpty, "\(name)")
                #expect(reply["Content-Type"] == types[name.split(separator: ".").last.map(String.init) ?? ""])
                #expect(reply["ETag"] == "\"\(Digest(sha256Of: reply.body).hex)\"")
                #expect(reply["Cache-Control"] == "no-cache" && reply["X-Content-Type-Options"] == "nosniff")
                let policy = try #require(reply["Content-Security-Policy"])
                #expect(policy.hasPrefix("default-src 'none'; ") && policy.contains("script-src 'self'; "))
                #expect(policy.contains("frame-ancestors 'none'") && policy.contains("base-uri 'none'"))
                #expect(policy.contains("require-trusted-types-for 'script'"))
                #expect(!policy.contains("unsafe") && !policy.contains("*") && !policy.contains("data:"))
                // Only files attached here are shown from the browser's own storage.
                #expect(policy.components(separatedBy: "blob:").count == 3)
                #expect(policy.contains("img-src 'self' blob:; media-src 'self' blob:;"))
            }
        }
    }

    @Test("what is unchanged costs a 304, HEAD has no content, and what may be packed travels packed")
    func conditions() async throws {
        try await HubFixture.run(Self.away) { hub in
            let plain = try hub.get(AppPage.path + "app.js")
            let tag = try #require(plain["ETag"])
            let unchanged = try hub.exchange(
                "GET \(AppPage.path)app.js HTTP/1.1\r\nHost: hub\r\nIf-None-Match: \"x\", W/\(tag)\r\n\r\n",
                hasNoBody: true)
            #expect(unchanged.status == 304 && unchanged["ETag"] == tag && unchanged["Content-Type"] == nil)
            #expect(unchanged["Cache-Control"] == "no-cache")
            #expect(try hub.get(AppPage.path + "app.js", "If-None-Match: \"x\"").status == 200)
            let head = try hub.exchange(
                "HEAD \(AppPage.path)app.js HTTP/1.1\r\nHost: hub\r\n\r\n", hasNoBody: true)
            #expect(head.status == 200 && head["ETag"] == tag && head.body.isEmpty)
            let packed = try hub.get(AppPage.path + "app.js", "Accept-Encoding: gzip, br")
            #expect(packed["Content-Encoding"] == "gzip" && packed["Vary"] == "Accept-Encoding")
            #expect(packed["ETag"] != tag && packed.body.count < plain.body.count / 2)
            #expect(try Gzip.decompress(packed.body, maximumBytes: 1 << 20) == plain.body)
            #expect(try hub.get(AppPage.path + "app.js", "Accept-Encoding: gzip;q=0")["Content-Encoding"] == nil)
            #expect(try hub.get(AppPage.path + "icon-192.png", "Accept-Encoding: gzip")["Content-Encoding"] == nil)
        }
    }

    @Test("nothing else is at its addresses, and it can only be read")
    func others() async throws {
        try await HubFixture.run(Self.away) { hub in
            let moved = try hub.get("/_hub/app?x=1")
            #expect(moved.status == 308 && moved["Location"] == "app/")
            #expect(try hub.get(AppPage.path + "?source=pwa").status == 200)
            for name in [
                "index.html", "nothing", "../status", "..%2fstatus", "%2e%2e/status", "./app.js", "app.js/", "//app.js",
                "App.js", "app%2ejs", "../../etc/passwd", "store.json", "%00",
            ] {
                let reply = try hub.get(AppPage.path + name)
                #expect(reply.status == 404 && reply["Content-Type"] == "application/problem+json", "\(name)")
            }
            #expect(try hub.get("/_hub/apple").status == 404)
            for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"] {
                let reply = try hub.exchange(
                    "\(method) \(AppPage.path) HTTP/1.1\r\nHost: hub\r\nContent-Length: 0\r\n\r\n")
                #expect(reply.status == 405 && reply["Allow"] == "GET, HEAD", "\(method)")
            }
            let status = try hub.get("/_hub/status", "Accept: text/html").text
            #expect(status.contains("href=\"app/\"") && status.contains("<main>") && !status.contains("http-equiv"))
            // Where phones open the app, and the first as a QR code.
            #expect(status.contains(">http://192.0.2.7:8080/_hub/app/</a>") && status.contains("192.0.2.8"))
            let symbol = try #require(QRSymbol(Array("http://192.0.2.7:8080/_hub/app/".utf8)))
            #expect(status.contains("d=\"\(symbol.svgPath)\""))
            // The bare address, as a person types it; a program gets what the upstream says.
            for path in ["/", "/?x=1"] {
                let entrance = try hub.get(path, "Accept: text/html,application/xhtml+xml,*/*;q=0.8")
                #expect(entrance.status == 303 && entrance["Location"] == AppPage.path && entrance["Vary"] == "Accept")
            }
            for accept in ["Accept: */*", "Accept: application/json", "Accept: application/json, text/html;q=0.5"] {
                #expect(try hub.get("/", accept).status != 303)
            }
        }
    }

    @Test("the service worker's table has every other file in the version that is served")
    func table() async throws {
        try await HubFixture.run(Self.away) { hub in
            let worker = try hub.get(AppPage.path + "sw.js").text
            #expect(worker.hasPrefix("const version = '\(AppPage().version)';\n"))
            for name in Self.names where name != "sw.js" {
                let bytes = try hub.get(AppPage.path + name).body
                #expect(worker.contains("'./\(name)': '\(Digest(sha256Of: bytes).hex)'"), "\(name)")
            }
            // What the page and its scripts load is in the table, too, or it would be missing without the hub.
            for name in Self.names where name.isEmpty || name.hasSuffix(".js") || name.hasSuffix(".webmanifest") {
                let text = try hub.get(AppPage.path + name).text
                let loaded = text.matches(of: #/(?:src|href|"src":|from) ?=?"?'?"?(?:\./)?([a-z0-9-]+\.[a-z]+)["']/#)
                for found in loaded { #expect(Self.names.contains(String(found.1)), "\(name) loads \(found.1)") }
                #expect(name.isEmpty == false || loaded.count >= 5)
            }
        }
    }

    @Test("a test's states have the words that they have everywhere", arguments: Language.allCases)
    func words(_ language: Language) async throws {
        try await HubFixture.run(Self.away) { hub in
            let words = try hub.get(AppPage.path + "words.js").text
            // English stands in the script, any other language in the catalog before it.
            func expect(_ text: (Language) -> String) {
                let english = text(.english)
                #expect(words.contains("'\(english)'"), "\(english)")
                if language != .english {
                    #expect(words.contains("\"\(english)\": \"\(text(language))\""), "\(english)")
                }
            }
            for status in TestStatus.allCases { expect { status.words($0) } }
            expect { TestStatus.done.words($0, isKept: true) }
            expect { TestStatus.rejected.words($0, reason: "{0}") }
        }
    }

    @Test("a browser gets submissions of devices, whatever codings it knows; other paths are asked as they came")
    func codings() async throws {
        let origin = try RawOrigin.of("ok", more: "Vary: Accept-Encoding\r\nContent-Encoding: gzip\r\n")
        try await HubFixture.run("http://127.0.0.1:\(origin.port)") { hub in
            func asked() -> String? { origin.requests.last?["accept-encoding"] }
            #expect(try hub.get("/v1/questionnaires/a", "Accept-Encoding: gzip").status == 200)
            for codings in ["gzip, deflate, br, zstd", "br, gzip;q=0.5", "*"] {
                let reply = try hub.get("/v1/questionnaires/a", "Accept-Encoding: \(codings)")
                #expect(reply["Cache-Status"]?.contains("hit") == true, "\(codings)")
            }
            #expect(origin.requests.count == 1 && asked() == "gzip")
            // Who does not take gzip is not given any.
            _ = try hub.get("/v1/questionnaires/a", "Accept-Encoding: br, gzip;q=0")
            #expect(origin.requests.count == 2 && asked() == "identity")
            // Nor one that says nothing: that is asked as the one before it.
            _ = try hub.get("/v1/questionnaires/a")
            #expect(origin.requests.count == 2)
            _ = try hub.get("/else", "Accept-Encoding: gzip, br")
            #expect(asked() == "gzip, br")
        }
    }

    @Test("it is small: scripts and styles together, as they are and as they travel")
    func size() {
        let sizes = AppPage().sizes
        #expect(sizes.bytes < 440_000 && sizes.packed < 140_000, "\(sizes)")
    }
}

import Foundation
import Testing

/// How browsers get access to the page, and what others get.
@Suite("Access to the page in a browser", .serialized)
struct PageAccessTests {
    private static let questionnaires = [PhoneWorld.short]

    @Test(
        "the printed address works from a link on another site, and so does a bookmark there: Chromium",
        .enabled(if: Engine.chromium.isInstalled, "Chromium is not installed: apt-get install chromium-driver"))
    func linkInChromium() throws { try link(.chromium) }

    @Test(
        "the printed address works from a link on another site, and so does a bookmark there: Firefox",
        .enabled(if: Engine.firefox.isInstalled, "Firefox is not installed: apt-get install firefox-esr"))
    func linkInFirefox() throws { try link(.firefox) }

    @Test(
        "the printed address works from a link on another site, and so does a bookmark there: WebKit",
        .enabled(if: Engine.webKit.isInstalled, "WebKitGTK is not installed: apt-get install webkit2gtk-driver xvfb"))
    func linkInWebKit() throws { try link(.webKit) }

    private func link(_ engine: Engine) throws {
        let world = try PageWorld(engine, questionnaires: Self.questionnaires, isEntered: false)
        let browser = world.browser
        let links =
            "<a id=first href='\(world.page.invitation)'>in</a> <a id=second href='\(world.page.address)/q/short'>q</a>"
        let elsewhere = try RawServer { _ in .ok(Array(links.utf8), type: "text/html") }
        // Another site: the same machine by another name.
        let site = "http://localhost:\(elsewhere.port)/"
        try browser.open(site)
        try browser.click("#first")
        try browser.see("Short one")
        try browser.open(site)
        try browser.click("#second")
        try browser.see("Of every kind.")
        // The used address again: this browser has access.
        try browser.open(site)
        try browser.click("#first")
        try browser.see("Short one", in: "#list")
        try world.close()
    }

    @Test(
        "without a script the printed address has a button",
        .enabled(if: Engine.chromium.isInstalled, "Chromium is not installed: apt-get install chromium-driver"))
    func button() throws {
        let world = try PageWorld(hasScript: false, questionnaires: Self.questionnaires, isEntered: false)
        try world.browser.open(world.page.invitation)
        try world.browser.see("one browser access")
        try world.browser.reload()
        try world.browser.click("#enter button")
        try world.browser.see("Short one", in: "#list")
        try world.close()
    }

    @Test(
        "a program that listens while the page is away has nothing of use, and the browser comes back by itself",
        .enabled(if: Engine.chromium.isInstalled, "Chromium is not installed: apt-get install chromium-driver"))
    func impostor() throws {
        let world = try PageWorld(questionnaires: Self.questionnaires)
        let browser = world.browser
        try browser.see("Short one")
        try world.page.kill()
        let worker = "self.addEventListener('fetch', event => event.respondWith(new Response('taken over')))"
        let page =
            "<body><script>navigator.serviceWorker.register('/w.js').then(() => navigator.serviceWorker.ready).then(() => { document.body.id = 'done' })</script>"
        var stolen: [String] = []
        do {
            let impostor = try RawServer(port: world.page.port) { request in
                var reply: RawReply =
                    request.target == "/w.js"
                    ? .ok(Array(worker.utf8), fields: ["Connection: close"], type: "text/javascript")
                    : .ok(Array(page.utf8), fields: ["Connection: close"], type: "text/html")
                // Nothing of it stays open when it goes.
                reply.closes = true
                return reply
            }
            try browser.open(world.page.address + "/")
            _ = try browser.find("#done")
            stolen = impostor.received.flatMap { $0.head.components(separatedBy: "\r\n") }.filter {
                $0.lowercased().hasPrefix("cookie:")
            }
        }
        try browser.open("about:blank")
        try world.page.start()
        let cookie = try #require(stolen.last)
        for path in ["/", "/outbox", "/q/short", "/settings"] {
            let client = try RawClient(port: world.page.port)
            client.send(
                "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(world.page.port)\r\n\(cookie)\r\nConnection: close\r\n\r\n")
            let reply = String(decoding: client.received(), as: UTF8.self)
            #expect(reply.hasPrefix("HTTP/1.1 307") && !reply.contains("Short one") && !reply.contains("Set-Cookie"))
        }
        // What it left between the browser and the page ends itself.
        try wait(for: "the page itself") { () -> Bool? in
            try browser.open(world.page.address + "/")
            // The browser checks the worker again only when a page is left open for a moment.
            return (try? browser.see("Short one", in: "body", seconds: 5)).map { true }
        }
        try wait(for: "the foreign worker's end") {
            try browser.asyncScript(
                "const done = arguments[0]; navigator.serviceWorker.getRegistrations().then(all => done(all.length))")
                == .number(0) ? true : nil
        }
        try world.close()
    }
}

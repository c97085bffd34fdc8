import Foundation
import Testing

/// Attacks on the page in a real browser, and accessibility by a checker.
@Suite(
    "The page is safe, and for everybody", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PageSafetyTests {
    private static func evil(_ format: String) -> String {
        """
        {"textFormat": "\(format)", "id": "evil", "title": "<script>window.hit=1</script><img src=x onerror='window.hit=2'>",
        "description": "</p><svg onload='window.hit=3'>", "locale": "\\"><script>window.hit=4</script>", "questions": [
        {"id": "\\"><script>window.hit=5</script>", "text": "</h2><script>window.hit=6</script>\\n\\n[a](javascript:window.hit=21) ![b](javascript:window.hit=22) <javascript:window.hit=23> `</code><script>window.hit=24</script>` $\\\\text{</mtext><script>window.hit=25</script><img src=x onerror=window.hit=26>}$\\n\\n```\\n</pre><svg onload='window.hit=27'>\\n```",
         "options": ["<img src=x onerror='window.hit=7'>", "\\" onfocus='window.hit=8' autofocus x=\\""],
         "media": [{"path": "javascript:window.hit=9", "alt": "\\" onload='window.hit=10'"}]},
        {"id": "t", "text": "</textarea><script>window.hit=11</script>", "kind": "text"}]}
        """
    }

    @Test("a hostile questionnaire runs nothing on any screen", arguments: ["plain", "markdown"])
    func hostile(_ format: String) throws {
        let world = try PageWorld(questionnaires: [Self.evil(format)])
        let browser = world.browser
        func expectNothing() throws {
            #expect(try browser.script("return window.hit ?? null") == .null)
            #expect(try browser.script("return document.scripts.length") == .number(1))
            #expect(
                try browser.script(
                    "return document.querySelectorAll('main [onerror], main [onload], main [onfocus]').length")
                    == .number(0))
        }
        try browser.see("<script>window.hit=1</script>")
        try expectNothing()
        try browser.click(".item h2 a")
        try browser.see("</p><svg onload")
        try expectNothing()
        try browser.click("form[action$='/begin'] button")
        try browser.see("<script>window.hit=6</script>")
        try browser.click("input[name='a.0'][value='0']")
        try browser.click(".steps .main")
        try browser.type("</textarea><script>window.hit=12</script>", into: "textarea")
        try expectNothing()
        try browser.click(".steps .main")
        try browser.see("window.hit=12")
        try expectNothing()
        try browser.click(".final .main")
        try browser.see("</textarea><script>window.hit=11")
        try expectNothing()
        for path in ["/outbox", "/results", "/settings", "/?q=%3Cscript%3Ewindow.hit%3D13%3C/script%3E"] {
            try browser.open(world.page.address + path)
            try expectNothing()
        }
        try world.close()
    }

    @Test("a page of another port posts to ours in vain, and a rebound name gets nothing")
    func foreign() throws {
        let world = try PageWorld(questionnaires: [Questionnaire(id: "one", title: "One").json])
        let browser = world.browser
        try browser.see("One")
        // The same machine is the same site to a browser: the cookie goes along, and must not be enough.
        try browser.open(world.host.address + "/v1/questionnaires")
        try browser.script(
            """
            const form = document.createElement('form');
            form.method = 'post';
            form.action = arguments[0];
            document.documentElement.append(form);
            form.submit();
            """, world.page.address + "/q/one/begin")
        try browser.see("Not allowed")
        #expect(world.device.tests("empty").isEmpty)
        try browser.open(world.host.address + "/v1/questionnaires")
        let read = try browser.asyncScript(
            "const done = arguments[0]; fetch('\(world.page.address)/', {credentials: 'include'}).then(r => r.text()).then(done, () => done(null))"
        )
        #expect(read == .null)
        let framed = try browser.script(
            """
            const frame = document.createElement('iframe');
            frame.src = arguments[0];
            document.documentElement.append(frame);
            return window.frames.length;
            """, world.page.address + "/")
        #expect(framed == .number(1))
        #expect(try browser.has("iframe"))
        for host in ["evil.example:\(world.page.port)", "evil.example", "127.0.0.1:1", ""] {
            let client = try RawClient(port: world.page.port)
            client.send("GET / HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
            #expect(client.status() == 421 || client.status() == nil)
        }
        for path in ["/../../store.json", "/media/../../page.key", "/assets/..%2f..%2fstore.json"] {
            let client = try RawClient(port: world.page.port)
            client.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(world.page.port)\r\nConnection: close\r\n\r\n")
            #expect(!String(decoding: client.received(), as: UTF8.self).contains("deviceId"))
        }
        try world.close()
    }

    @Test("axe-core finds nothing on any screen, in light and dark, wide and narrow")
    func accessibility() throws {
        guard let axe = AxeCore.script else { return }
        let tools = try TemporaryFolder()
        for isDark in [false, true] {
            let world = try PageWorld(isDark: isDark, width: isDark ? 400 : 1100)
            let browser = world.browser
            func check(_ screen: String) throws {
                #expect(try browser.violations(by: axe) == "", "\(screen)")
            }
            for path in [
                "/", "/?q=planet", "/?q=nothinglikeit", "/q/sky-and-planets", "/outbox", "/results", "/settings",
                "/nothing",
            ] {
                try browser.open(world.page.address + path)
                try check(path)
            }
            try browser.open(world.page.address + "/q/sky-and-planets")
            try browser.click("form[action$='/begin'] button")
            try browser.see("Question 1 of 10")
            let test = try browser.url.components(separatedBy: "?")[0]
            for part in ["?n=1", "?n=3", "?n=5", "?n=8", "?view=all", "/files/3", "/review", "/discard"] {
                try browser.open(test + part)
                try check(part)
            }
            let film = try Files.film(tools.path + "/film.bin", bytes: 100_000)
            let picture = Command.samples + "/media/big-dipper.png"
            let draft = try #require(test.split(separator: "/").last.map(String.init))
            for file in [picture, film] { try world.device.done("attach", draft, "q3", file) }
            for part in ["?n=3", "?view=all", "/files/3", "/review"] {
                try browser.open(test + part)
                try browser.see("big-dipper.png")
                try check("\(part) with files")
            }
            let id = try world.device.take("logic-puzzles", answers: "{}", isFinished: false)
            try browser.open(world.page.address + "/t/\(id)")
            try check("a test with a limit")
            let answers = try Files.text(Command.sampleAnswers + "/sky-and-planets.json")
            let rated = try world.device.take("sky-and-planets", answers: answers)
            try browser.open(world.page.address + "/t/\(rated)")
            try browser.see("Rated")
            try browser.click("#proof summary")
            try check("a result")
            try browser.open(world.page.address + "/outbox")
            try check("the outbox")
            try browser.open(world.page.address + "/results")
            try check("the results")
            try world.close()
        }
    }
}

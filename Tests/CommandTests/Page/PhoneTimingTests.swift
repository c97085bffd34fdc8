import Foundation
import Testing

/// How long a test took, as the app measures it.
@Suite(
    "The time that a test takes on a phone", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PhoneTimingTests {
    @Test("each case of the shared table is in the app what it is in Swift")
    func vectors() throws {
        let world = try PhoneWorld()
        try world.browser.see("Short one", in: "#list")
        let table = try Files.text(Command.repository + "/Tests/Vectors/timing.json")
        let wrong = try world.browser.asyncScript(
            """
            const done = arguments[0], { tests, meter, replies } = \(table);
            import('./timing.js').then(timing => {
              const wrong = [], same = (one, other) => JSON.stringify(Object.entries(one ?? {}).sort()) === JSON.stringify(Object.entries(other ?? {}).sort());
              for (const { name, start, steps, timing: wanted } of tests) {
                let found;
                for (const { activeSeconds, heard } of steps) {
                  found = timing.noted(found, activeSeconds, start, heard ? { moment: Date.parse(heard.moment), time: Date.parse(heard.time) } : null);
                }
                if (!same(found, wanted)) wrong.push(name);
              }
              for (const { name, moments, seconds } of meter) {
                const watch = timing.meter(0);
                for (const moment of moments) watch.note(moment * 1000);
                if (Math.abs(watch.take() - seconds) > 0.001) wrong.push(name);
              }
              for (const { name, now, fields, time } of replies) {
                const headers = new Headers(fields), heard = timing.serverTime(name => headers.get(name), Date.parse(now));
                if ((heard ? new Date(heard.time).toISOString() : null) !== time) wrong.push(name);
              }
              done([String(tests.length + meter.length + replies.length > 15), ...wrong]);
            }, error => done([String(error)]));
            """)
        #expect(wrong.texts == ["true"])
        try world.close()
    }

    private static let short = """
        {"id": "limited", "title": "Limited", "timeLimitSeconds": 290, "questions": [
        {"id": "q1", "text": "First?", "kind": "text"}, {"id": "q2", "text": "Second?", "kind": "text"}]}
        """

    /// Where a screen has shown its clock, what it said has been said.
    private func words(_ browser: Browser) throws -> JSON {
        _ = try browser.find(".clock")
        return try browser.script("return document.querySelector('#told').textContent.includes('left')")
    }

    @Test("five minutes before its end the app says how much time is left, once in a test")
    func appWarning() throws {
        let world = try PhoneWorld([Self.short])
        let browser = world.browser
        _ = try world.begin("Limited", first: "First?")
        try browser.see("left", in: "#told")
        try browser.reload()
        try browser.see("First?")
        #expect(try words(browser) == .bool(false))
        try world.close()
    }

    @Test("a test that was taken while the server was there is bounded by the server's clock")
    func bounded() throws {
        let world = try PhoneWorld()
        let browser = world.browser
        let id = try world.begin()
        try browser.click(PhoneWorld.option(0, 0))
        // Each look at the server states its time; the next answer notes it.
        try wait(for: "the server's time in the draft") { () -> Bool? in
            try browser.click(PhoneWorld.option(0, 0))
            try browser.click(PhoneWorld.option(0, 1))
            return try world.stored(id)["record"]["timing"]["startedBefore"].text != nil ? true : nil
        }
        try world.goTo("#/t/\(id)/review")
        try browser.click("#send")
        try browser.see("Rated", in: ".state-words")
        let sent = try JSON(parsing: try #require(try world.stored(id)["frozen"]["text"].text))["timing"]
        let first = try #require(sent["startedBefore"].text)
        let last = try #require(sent["finishedAfter"].text)
        #expect(first <= last)
        try world.close()
    }
}

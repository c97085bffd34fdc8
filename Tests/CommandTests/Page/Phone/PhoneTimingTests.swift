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
        let table = try Command.vectors("timing")
        let wrong = try world.browser.asyncScript(
            """
            const done = arguments[0], { tests, meter, ends, replies } = \(table);
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
              for (const { name, start, limit, timing: known, activeSeconds, dateFinished, ended } of ends) {
                const found = timing.ended(known ?? undefined, limit, start, activeSeconds);
                if (found.dateFinished !== dateFinished || !same(found.timing, ended)) wrong.push(name);
              }
              for (const { name, now, fields, time } of replies) {
                const headers = new Headers(fields), heard = timing.serverTime(name => headers.get(name), Date.parse(now));
                if ((heard ? new Date(heard.time).toISOString() : null) !== time) wrong.push(name);
              }
              done([String(tests.length + meter.length + ends.length + replies.length > 19), ...wrong]);
            }, error => done([String(error)]));
            """)
        #expect(wrong.texts == ["true"])
        try world.close()
    }

    private static func limited(_ seconds: Int) -> String {
        """
        {"id": "limited", "title": "Limited", "timeLimitSeconds": \(seconds), "questions": [
        {"id": "q1", "text": "First?", "kind": "text"}, {"id": "q2", "text": "Second?", "kind": "text"}]}
        """
    }

    @Test(
        "five minutes and one minute before its end the app says how much time is left, once in a test",
        arguments: [(303, "Less than 5 minutes left."), (63, "Less than a minute left.")])
    func appWarning(_ limit: Int, _ words: String) throws {
        let world = try PhoneWorld([Self.limited(limit)])
        let browser = world.browser
        _ = try world.begin("Limited", first: "First?")
        try browser.see(words, in: "#told")
        try browser.reload()
        try browser.see("First?")
        // With its clock a screen says what is to be said.
        try browser.see("left", in: ".clock")
        #expect(
            try browser.script("return document.querySelector('#told').textContent.includes('left')") == .bool(false))
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

    /// Says how far the app's clock is set, and notes what the screen shows from then on.
    private static func setting(_ seconds: Int) -> String {
        """
        const now = Date.now;
        Date.now = () => now() + \(seconds * 1000);
        window.seen = [];
        const clock = document.querySelector('.clock');
        new MutationObserver(() => seen.push(clock.textContent)).observe(clock, { childList: true, characterData: true, subtree: true });
        """
    }

    @Test("a clock of the phone that is set neither ends a test nor prolongs it", arguments: [7200, -7200])
    func clockIsSet(_ seconds: Int) throws {
        let world = try PhoneWorld([Self.limited(3000)])
        let browser = world.browser
        _ = try world.begin("Limited", first: "First?")
        try browser.see("left", in: ".clock")
        try browser.script(Self.setting(seconds))
        let seen = try wait(for: "a clock that goes on") { () -> [String]? in
            let seen = try browser.script("return seen").texts
            return seen.count > 2 ? seen : nil
        }
        #expect(seen.allSatisfy { $0.contains("49:") }, "\(seen)")
        try world.close()
    }

    @Test("while the app is not seen the phone may sleep, and that time counts")
    func asleep() throws {
        let world = try PhoneWorld([Self.limited(3000)])
        let browser = world.browser
        _ = try world.begin("Limited", first: "First?")
        try browser.see("left", in: ".clock")
        // The steady clock stands still, and the other one goes on, while the screen is off.
        try browser.script(
            """
            Object.defineProperty(document, 'hidden', { get: () => true, configurable: true });
            document.dispatchEvent(new Event('visibilitychange'));
            \(Self.setting(1200))
            delete document.hidden;
            document.dispatchEvent(new Event('visibilitychange'));
            """)
        let seen = try wait(for: "a clock that goes on") { () -> [String]? in
            let seen = try browser.script("return seen").texts
            return seen.count > 2 ? seen : nil
        }
        #expect(seen.allSatisfy { $0.contains("29:") }, "\(seen)")
        try world.close()
    }
}

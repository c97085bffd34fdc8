import Foundation
import Testing

/// Drafts in the app: started, left, discarded.
@Suite(
    "Drafts in the app for phones", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PhoneDraftTests {
    private static let bare = """
        {"id": "bare", "title": " ", "timeLimitSeconds": 1800, "questions": [
        {"id": "q1", "text": "Why?", "required": true}, {"id": "q2", "text": "Since when?"}]}
        """

    @Test("two answers to decide about are not called saved, and leaving them by the menu asks first")
    func undecided() throws {
        let world = try PhoneWorld()
        let browser = world.browser
        let id = try world.begin()
        try world.goTo("#/t/\(id)/3")
        try browser.see("Why?")
        let first = try browser.tab
        let second = try browser.newTab()
        try browser.open(world.address + "#/t/\(id)/3")
        try browser.see("Why?")
        try browser.select(first)
        // Typed, and not saved before the other text is.
        try browser.script(
            """
            window.put = IDBObjectStore.prototype.put;
            IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError'); };
            document.querySelector('#a2').value = 'Mine';
            document.querySelector('#a2').dispatchEvent(new Event('input', {bubbles: true}));
            """)
        try browser.select(second)
        try browser.type("Theirs", into: "#a2")
        try world.waitForAnswer(id, "q3", "Theirs")
        try browser.select(first)
        try browser.script(
            """
            IDBObjectStore.prototype.put = window.put;
            document.querySelector('#a2').dispatchEvent(new Event('input', {bubbles: true}));
            """)
        try browser.see("Theirs", in: ".elsewhere")
        try browser.see("choose one of the two", in: "#saved")
        try world.goTo("#/outbox")
        try browser.see("choose one of the two", in: "#told")
        #expect(try browser.value("#a2") == "Mine")
        try browser.click(".elsewhere button")
        try world.waitForAnswer(id, "q3", "Mine")
        try browser.see("Saved locally", in: "#saved")
        try world.close()
    }

    @Test("what a test asks for is there before it is started, it has a name, and a button that cannot begin says why")
    func beforeBeginning() throws {
        let world = try PhoneWorld([Self.bare])
        let browser = world.browser
        try browser.see("bare", in: "#list")
        try browser.click("#list a")
        try browser.see("30 min at most")
        try browser.see("1 required")
        #expect(try browser.text("h1") == "bare")
        try browser.script(
            """
            window.put = IDBObjectStore.prototype.put;
            IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError'); };
            """)
        try browser.click("#begin")
        try browser.see("The test was not started")
        try browser.script("IDBObjectStore.prototype.put = window.put")
        try browser.click("#begin")
        try browser.see("Question 1 of 2")
        try world.close()
    }

    @Test("the outbox offers to send where something waits, and not for drafts alone")
    func nothingToSend() throws {
        let world = try PhoneWorld()
        let browser = world.browser
        let id = try world.begin()
        try browser.click(PhoneWorld.option(0, 0))
        try world.waitForAnswer(id, "q1", "yes")
        try world.goTo("#/outbox")
        try browser.see("Draft, saved locally", in: "#list")
        #expect(try browser.script("return document.querySelector('#send-now, #again-all')") == .null)
        // A sentence of its own, without the heading that stands above it in the settings.
        try browser.see("Your answers are kept in this browser", in: "#list")
        world.hub.kill()
        try world.goTo("#/t/\(id)/review")
        try browser.click("#send")
        try browser.see("waiting to be sent", in: ".state-words")
        try world.goTo("#/outbox")
        try browser.see("waiting to be sent", in: "#list")
        #expect(try browser.text("#send-now") == "Sync now")
        try world.close()
    }

    @Test("a draft can be discarded, after a confirmation")
    func discarded() throws {
        let world = try PhoneWorld()
        let browser = world.browser
        _ = try world.begin()
        try browser.script("window.confirm = () => false")
        try browser.click("#map summary")
        try browser.click("#discard")
        try browser.see("Is it so?")
        try browser.script("window.confirm = () => true")
        try browser.click("#discard")
        try browser.see("Short one", in: "#list")
        try world.goTo("#/outbox")
        try browser.see("Nothing is waiting")
        try world.close()
    }

    /// Loads the app again and again until it shows the words. A reload breaks off what the app asks the hub for, so it has some
    /// time for it.
    private func reload(_ browser: Browser, until words: String) throws {
        try wait(for: "“\(words)”") { () -> Bool? in
            try browser.reload()
            let isThere = try browser.asyncScript(
                """
                const done = arguments[0], end = Date.now() + 10000;
                const look = () => {
                  const found = document.querySelector('main')?.innerText.includes('\(words)') ?? false;
                  if (found || Date.now() > end) done(found); else setTimeout(look, 100);
                };
                look();
                """)
            return isThere == .bool(true) ? true : nil
        }
    }

    @Test("a draft keeps its version and says that there is a newer one; of what left the library it can be finished")
    func newerAndGone() throws {
        let world = try PhoneWorld([PhoneWorld.short, Questionnaire(id: "zother", title: "The other").json])
        let browser = world.browser
        let id = try world.begin()
        try browser.click(PhoneWorld.option(0, 0))
        try world.waitForAnswer(id, "q1", "yes")
        let file = world.host.questionnaires + "/0.json"
        try Files.write(PhoneWorld.short.replacing("Is it so?", with: "Is it really so?"), to: file)
        try reload(browser, until: "There is a newer version")
        try browser.see("Is it so?")
        try Files.remove(file)
        try world.goTo("#/q/short")
        try reload(browser, until: "no longer in the library")
        try browser.see("4 questions")
        #expect(try browser.script("return document.querySelector('#begin')") == .null)
        try browser.click(".actions a.main")
        try browser.see("Is it so?")
        try world.close()
    }
}

import Foundation
import Testing

/// What was typed and is not saved: it is never left out, and never called what it is not.
@Suite(
    "Unsaved answers in a browser", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PageUnsavedTests {
    private static let short = """
        {"id": "short", "title": "Short one", "questions": [
        {"id": "q1", "text": "Is it so?", "options": ["yes", "no"]},
        {"id": "q2", "text": "Why?", "kind": "text"}, {"id": "q3", "text": "Since when?", "kind": "text"}]}
        """

    /// A draft whose second question has an answer; the address of the test.
    private func begin(_ world: PageWorld, answering text: String = "Once upon") throws -> String {
        let browser = world.browser
        try browser.open(world.page.address + "/q/short")
        try browser.click("form[action$='/begin'] button")
        try browser.see("Is it so?")
        let test = try browser.url.components(separatedBy: "?")[0]
        try browser.open(test + "?n=2")
        try browser.type(text, into: "textarea")
        try waitForAnswer(world, text)
        return test
    }

    private func stored(_ world: PageWorld) -> String? {
        // It is replaced while it is looked at.
        guard let id = world.device.tests("in-progress").first,
            let record = try? JSON(file: world.device.testPath(id, "in-progress"))
        else { return nil }
        return record["answers"].elements.first { $0["questionId"].text == "q2" }?["answer"].text
    }

    private func waitForAnswer(_ world: PageWorld, _ expected: String) throws {
        try wait(for: "“\(expected)” in the file of the draft") { stored(world) == expected ? true : nil }
    }

    /// Presses the button of the review, and waits for what the host has then.
    private func send(_ world: PageWorld) throws -> String {
        try world.browser.click(".final .main")
        try wait(for: "the test at the host") { world.host.tests.isEmpty ? nil : true }
        return String(decoding: try world.host.test(try #require(world.host.tests.first)), as: UTF8.self)
    }

    /// Makes the program say something else than it would, to what the page saves.
    private func answer(_ browser: Chromium, _ status: Int, _ problem: String) throws {
        try browser.script(
            """
            window.kept ??= window.fetch;
            window.asked = 0;
            window.fetch = (target, options) => options?.method !== 'POST' ? window.kept(target, options)
              : (window.asked++, Promise.resolve(new Response(JSON.stringify({ problem: arguments[1] }), { status: arguments[0] })));
            """, status, problem)
    }

    @Test("what was typed while the program was away is in the review and in what is sent, from whichever page")
    func otherPage() throws {
        let world = try PageWorld(questionnaires: [Self.short])
        let browser = world.browser
        let test = try begin(world)
        try world.page.kill()
        try browser.type(" a time", into: "textarea")
        try browser.see("Kept in this browser, not saved yet")
        try world.page.start()
        try browser.open(test + "/review")
        try browser.see("Once upon a time")
        #expect(try send(world).contains("Once upon a time"))
        try world.close()
    }

    @Test("a review that was open before in another window hears of it, too, though the first one is closed")
    func otherWindow() throws {
        let world = try PageWorld(questionnaires: [Self.short])
        let browser = world.browser
        let test = try begin(world)
        let first = try browser.tab
        let second = try browser.newTab()
        try browser.open(test + "/review")
        try browser.see("Once upon")
        try browser.select(first)
        try world.page.kill()
        try browser.type(" a time", into: "textarea")
        try browser.see("Kept in this browser, not saved yet")
        try browser.command("DELETE", "/window")
        try browser.select(second)
        try world.page.start()
        try browser.see("Once upon a time")
        #expect(try send(world).contains("Once upon a time"))
        try world.close()
    }

    @Test("what cannot be saved is named before anything is sent, with a link, and nothing is sent without it")
    func refusesToFinish() throws {
        let world = try PageWorld(questionnaires: [Self.short])
        let browser = world.browser
        let test = try begin(world)
        try world.page.kill()
        try browser.type(" a time", into: "textarea")
        try browser.see("Kept in this browser, not saved yet")
        let id = try #require(world.device.tests("in-progress").first)
        try world.device.done("answer", id, "q2", "From a shell")
        try world.page.start()
        try browser.open(test + "/review")
        try browser.see("not saved yet", in: "#unsaved")
        #expect(
            try browser.text("#unsaved").contains("Question 2") && browser.text("#unsaved").contains("From a shell"))
        try browser.click(".final .main")
        try browser.see("Question 2", in: "#unsaved")
        #expect(world.device.tests("in-progress") == [id] && world.host.tests.isEmpty)
        try browser.click("#unsaved a")
        try browser.see("changed elsewhere")
        #expect(try browser.value("textarea") == "Once upon a time")
        try browser.click(".elsewhere button")
        try waitForAnswer(world, "Once upon a time")
        try browser.open(test + "/review")
        #expect(try send(world).contains("Once upon a time"))
        try world.close()
    }

    @Test("what was typed too late for a test that was finished elsewhere is shown beside it")
    func late() throws {
        let world = try PageWorld(questionnaires: [Self.short])
        let browser = world.browser
        _ = try begin(world)
        let id = try #require(world.device.tests("in-progress").first)
        try world.page.kill()
        try browser.type(" a time", into: "textarea")
        try browser.see("Kept in this browser, not saved yet")
        try world.device.done("finish", id)
        try world.page.start()
        try browser.see("Once upon a time", in: "#left")
        try browser.click("#left button")
        try wait(for: "it to be forgotten") {
            try browser.script("return Object.keys(localStorage).some(key => key.includes('unsent'))") == .bool(false)
                ? true : nil
        }
        try world.close()
    }

    @Test(
        "while two answers are to be decided about nothing is called saved, and “Use that answer” takes what is there")
    func undecided() throws {
        let world = try PageWorld(questionnaires: [Self.short])
        let browser = world.browser
        _ = try begin(world)
        let id = try #require(world.device.tests("in-progress").first)
        try browser.script("window.kept = window.fetch; window.fetch = () => Promise.reject(new Error())")
        try browser.type(" a time", into: "textarea")
        try world.device.done("answer", id, "q2", "first")
        try countRequests(browser)
        try browser.see("first", in: ".elsewhere")
        try browser.see("choose one of the two", in: "#saved")
        #expect(!(try browser.text("#saved").contains("Saved locally")))
        try world.device.done("answer", id, "q2", "second")
        try browser.see("second", in: ".elsewhere")
        // Pressed before the page hears of the third one.
        try stopReading(browser)
        try world.device.done("answer", id, "q2", "third")
        try browser.click(".elsewhere p:last-child button:last-child")
        try browser.see("Saved locally", in: "#saved")
        #expect(try browser.value("textarea") == "third")
        #expect(stored(world) == "third")
        try world.close()
    }

    /// Lets the page reach the program again; from then on its requests are counted until all of their replies are here.
    private func countRequests(_ browser: Chromium) throws {
        try browser.script(
            """
            window.running = 0;
            window.fetch = async (...given) => {
              window.running++;
              try {
                const reply = await window.kept(...given);
                await reply.clone().text();
                return reply;
              } finally { window.running--; }
            };
            """)
    }

    /// Leaves every further look at the program without a reply, once none is on its way.
    private func stopReading(_ browser: Chromium) throws {
        try wait(for: "a page that asks for nothing") {
            let isQuiet = try browser.script(
                """
                if (window.running) return false;
                window.fetch = (...given) => given[1]?.method === 'POST' ? window.kept(...given) : new Promise(() => {});
                return true;
                """)
            return isQuiet == .bool(true) ? true : nil
        }
    }

    @Test("“Take that” pressed while an answer is on its way takes what is there, though that is yet another one")
    func decidedMeanwhile() throws {
        let world = try PageWorld(questionnaires: [Self.short])
        let browser = world.browser
        _ = try begin(world)
        let id = try #require(world.device.tests("in-progress").first)
        try browser.script("window.kept = window.fetch; window.fetch = () => Promise.reject(new Error())")
        try browser.type(" a time", into: "textarea")
        try world.device.done("answer", id, "q2", "first")
        try browser.script("window.fetch = window.kept")
        try browser.see("first", in: ".elsewhere")
        // The page hears of the second one and asks the program about its own: that is held up.
        try browser.script(
            """
            window.fetch = (...given) => given[1]?.method !== 'POST' || window.release ? window.kept(...given)
              : new Promise(done => { window.release = () => done(window.kept(...given)); });
            """)
        try world.device.done("answer", id, "q2", "second")
        try wait(for: "the page's own answer on its way") {
            try browser.script("return window.release !== undefined") == .bool(true) ? true : nil
        }
        try browser.click(".elsewhere p:last-child button:last-child")
        try browser.script("window.release()")
        try browser.see("Saved locally", in: "#saved")
        #expect(try browser.value("textarea") == "second")
        #expect(stored(world) == "second")
        #expect(try !browser.has(".elsewhere"))
        try world.close()
    }

    @Test("a full disk is reported at once as such, what was typed stays, and is saved when there is room")
    func fullDisk() throws {
        let world = try PageWorld(questionnaires: [Self.short])
        let browser = world.browser
        _ = try begin(world)
        try answer(browser, 507, "The disk is full: this was not saved.")
        try browser.type(" a time", into: "textarea")
        try browser.see("The disk is full", in: "#saved")
        #expect(!(try browser.text("#told").contains("not running")))
        #expect(try browser.value("textarea") == "Once upon a time")
        try browser.script("window.fetch = window.kept")
        try browser.see("Saved locally", in: "#saved")
        #expect(stored(world) == "Once upon a time")
        try world.close()
    }

    @Test("what the program will never take is said with its reason, and not tried again until it is changed")
    func neverTaken() throws {
        let world = try PageWorld(questionnaires: [Self.short])
        let browser = world.browser
        _ = try begin(world)
        try answer(browser, 413, "The form is too large.")
        try browser.type("!", into: "textarea")
        try browser.see("The form is too large", in: "#saved")
        let asked = try browser.script("return window.asked")
        // Whatever else would make it try: the program is back, another window has saved something.
        try browser.script(
            "window.dispatchEvent(new StorageEvent('storage', { key: 'quire.saved.' + test.dataset.test }))")
        #expect(try browser.script("return window.asked") == asked)
        try browser.script("window.fetch = window.kept")
        try browser.type("?", into: "textarea")
        try waitForAnswer(world, "Once upon!?")
        try world.close()
    }

    @Test("a draft that was discarded elsewhere is said to be gone")
    func discarded() throws {
        let world = try PageWorld(questionnaires: [Self.short])
        let browser = world.browser
        _ = try begin(world)
        let id = try #require(world.device.tests("in-progress").first)
        try world.device.done("outbox", "discard", id)
        try browser.see("it was discarded", in: "#saved")
        #expect(try browser.value("textarea") == "Once upon")
        try world.close()
    }

    @Test("the state of the page before a save arrives after it: the field keeps what was saved")
    func lateState() throws {
        let world = try PageWorld(questionnaires: [Self.short])
        let browser = world.browser
        _ = try begin(world)
        try browser.see("Saved locally", in: "#saved")
        // The page asks for its state again when another window says that it saved.
        try browser.script(
            """
            window.kept = window.fetch;
            window.states = [];
            window.fetch = (target, options) => options?.method === 'POST' ? window.kept(target, options)
              : window.kept(target, options).then(async reply => {
                const text = await reply.text();
                return new Promise(done => window.states.push(() => done(new Response(text, { status: reply.status }))));
              });
            window.another = () => window.dispatchEvent(new StorageEvent('storage', { key: 'quire.saved.' + test.dataset.test }));
            window.another();
            """)
        func waitForStates(_ count: Int) throws {
            try wait(for: "state \(count), held back") {
                try browser.script("return window.states.length").number == Double(count) ? true : nil
            }
        }
        try waitForStates(1)
        try browser.type(" a time", into: "textarea")
        try waitForAnswer(world, "Once upon a time")
        try browser.see("Saved locally", in: "#saved")
        try browser.script("window.another(); window.states[0]()")
        try waitForStates(2)
        #expect(try browser.value("textarea") == "Once upon a time")
        try browser.type("!", into: "textarea")
        try waitForAnswer(world, "Once upon a time!")
        #expect(try browser.value("textarea") == "Once upon a time!")
        try world.close()
    }

    @Test("a browser without room does not say that it keeps anything")
    func noRoom() throws {
        let world = try PageWorld(questionnaires: [Self.short])
        let browser = world.browser
        _ = try begin(world)
        try browser.script(
            """
            window.set = Storage.prototype.setItem;
            Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };
            window.kept = window.fetch;
            window.fetch = () => Promise.reject(new Error());
            """)
        try browser.type(" a time", into: "textarea")
        try browser.see("no room to keep it", in: "#saved")
        #expect(!(try browser.text().contains("Kept in this browser")))
        try browser.script("window.fetch = window.kept; Storage.prototype.setItem = window.set")
        try browser.see("Saved locally", in: "#saved")
        #expect(stored(world) == "Once upon a time")
        try world.close()
    }

    @Test("the head of the page does not call a program online that is not running")
    func head() throws {
        let world = try PageWorld(questionnaires: [Self.short])
        let browser = world.browser
        try browser.see("Online", in: "#connection")
        try world.page.kill()
        try browser.see("not running", in: "#connection")
        #expect(!(try browser.text("#connection").contains("Online")))
        try world.page.start()
        try browser.see("Online", in: "#connection")
        try world.close()
    }

    @Test("a chosen option can be taken away again; a text that is as long as one may be says so")
    func fields() throws {
        let world = try PageWorld(questionnaires: [Self.short])
        let browser = world.browser
        let test = try begin(world)
        try browser.open(test + "?n=1")
        #expect(try browser.script("return document.querySelector('.clear').hidden") == .bool(true))
        try browser.click("input[name='a.0'][value='0']")
        try browser.click(".clear button")
        try wait(for: "no answer") {
            try browser.script("return document.querySelector('.clear').hidden") == .bool(true) ? true : nil
        }
        #expect(try browser.script("return document.querySelectorAll('input:checked').length") == .number(0))
        try browser.open(test + "?n=3")
        try browser.script(
            "document.querySelector('textarea').focus(); document.execCommand('insertText', false, 'x'.repeat(100001))")
        try browser.see("at most 100 000", in: ".limit")
        try world.close()
    }

    @Test("without JavaScript, who goes back and corrects himself is not asked about himself")
    func withoutScript() throws {
        let world = try PageWorld(hasScript: false, questionnaires: [Self.short])
        let browser = world.browser
        try browser.open(world.page.address + "/q/short")
        try browser.click("form[action$='/begin'] button")
        try browser.click(".steps .main")
        try browser.type("one", into: "textarea")
        try browser.click(".steps .main")
        try browser.see("Question 3 of 3")
        try browser.back()
        try browser.see("Question 2 of 3")
        try browser.type(" two", into: "textarea")
        try browser.click(".steps .main")
        try browser.see("Question 3 of 3")
        let answer = try #require(stored(world))
        #expect(answer.contains("two"))
        try world.close()
    }
}

import Foundation
import Testing

/// The page in a real Chromium, over a real `quire serve` and a real host.
@Suite(
    "The page in a browser", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PageBrowserTests {
    /// A short questionnaire with every kind of question, each with a right answer.
    private static let short = """
        {"id": "short", "title": "Short one", "description": "Of every kind.", "questions": [
        {"id": "q1", "text": "Is it so?", "options": ["yes", "no"], "required": true},
        {"id": "q2", "text": "Which of them?", "kind": "choices", "options": ["a", "b", "c"]},
        {"id": "q3", "text": "Why?", "kind": "text"},
        {"id": "q4", "text": "How many?", "kind": "number"}],
        "answerKey": {"q1": "yes", "q2": ["a", "c"], "q3": "So it is", "q4": "7"}}
        """

    private func option(_ question: Int, _ place: Int) -> String { "input[name='a.\(question)'][value='\(place)']" }

    /// Waits until an answer is in the draft's file.
    private func waitForAnswer(_ world: PageWorld, _ question: String, _ expected: String) throws {
        try wait(for: "“\(expected)” in the file of the draft") { () -> Bool? in
            guard let id = world.device.tests("in-progress").first else { return nil }
            // It is replaced while it is looked at.
            guard let record = try? JSON(file: world.device.testPath(id, "in-progress")) else { return nil }
            return record["answers"].elements.contains {
                $0["questionId"].text == question && $0["answer"].text == expected
            }
                ? true : nil
        }
    }

    private func begin(_ world: PageWorld) throws {
        try world.browser.open(world.page.address + "/q/short")
        try world.browser.click("form[action$='/begin'] button")
        try world.browser.see("Is it so?")
    }

    @Test("the main job: search as one types, take, review, send, rated", arguments: [true, false])
    func mainJob(_ hasScript: Bool) throws {
        let world = try PageWorld(
            hasScript: hasScript, questionnaires: [Self.short, Questionnaire(id: "other", title: "Another").json])
        let browser = world.browser
        try browser.see("Another")
        try browser.type("shor", into: "#search")
        if !hasScript { try browser.press(Chromium.Key.enter) }
        try browser.see("Found: 1 questionnaire")
        try browser.click(".item h2 a")
        try browser.click("form[action$='/begin'] button")
        try browser.see("Question 1 of 4")
        try browser.click(option(0, 0))
        try browser.click(".steps .main")
        try browser.see("Question 2 of 4")
        try browser.click(option(1, 0))
        try browser.click(option(1, 2))
        try browser.click(".steps .main")
        try browser.see("Question 3 of 4")
        try browser.type("So it is", into: "textarea")
        try browser.click(".steps .main")
        try browser.see("Question 4 of 4")
        try browser.type("7", into: "#a3")
        try browser.click(".steps .main")
        try browser.see("Every question has an answer.")
        #expect(try browser.text("main").contains("a, c"))
        #expect(try browser.text(".final .main") == "Send")
        try browser.click(".final .main")
        if !hasScript {
            try wait(for: "the rating") { () -> Bool? in
                try browser.reload()
                return try browser.text("main").contains("Rated") ? true : nil
            }
        }
        try browser.see("Rated", in: ".state-words")
        #expect(try browser.text(".score").contains("4"))
        #expect(world.host.tests.count == 1)
        try browser.open(world.page.address + "/results")
        try browser.see("Short one")
        try world.close()
    }

    @Test("offline in the middle: the button says so, the test waits, and goes by itself when the server is back")
    func offline() throws {
        let world = try PageWorld(questionnaires: [Self.short])
        let browser = world.browser
        try begin(world)
        world.host.kill()
        try browser.see("Offline", in: "#connection")
        try browser.click(option(0, 0))
        try browser.click("#map summary")
        try browser.click("#map button[value=review]")
        try browser.see("You are offline")
        #expect(try browser.text(".final .main") == "Save, send when connected")
        try browser.doubleClick(".final .main")
        try browser.see("Saved locally")
        try browser.open(world.page.address + "/outbox")
        try browser.see("It will be sent automatically when there is a connection.")
        try world.host.start()
        // The message goes by itself after some seconds.
        try browser.see("Short one”: Rated", in: "#told")
        try browser.see("Online", in: "#connection")
        try browser.see("Nothing is waiting")
        #expect(world.host.tests.count == 1)
        try world.close()
    }

    @Test("kill -9 of the page while a person types: nothing typed is lost, and the cursor is where it was")
    func killed() throws {
        let world = try PageWorld(questionnaires: [Self.short])
        let browser = world.browser
        try begin(world)
        try browser.open(try browser.url.components(separatedBy: "?")[0] + "?n=3")
        try browser.type("Once upon", into: "textarea")
        try waitForAnswer(world, "q3", "Once upon")
        try world.page.kill()
        try browser.type(" a time", into: "textarea")
        try browser.see("Kept in this browser, not saved yet")
        try browser.press(Chromium.Key.left, Chromium.Key.left, Chromium.Key.left, Chromium.Key.left)
        // Leading on would end in an error: the page stays, and says why.
        try browser.click(".steps .main")
        try browser.see("not running", in: "#told")
        try browser.script("document.querySelector('textarea').focus()")
        #expect(try browser.value("textarea") == "Once upon a time")
        let cursor = try browser.script("return document.querySelector('textarea').selectionStart")
        #expect(cursor == .number(12))
        try world.page.start()
        try waitForAnswer(world, "q3", "Once upon a time")
        try browser.see("Saved locally", in: "#saved")
        try browser.reload()
        #expect(try browser.value("textarea") == "Once upon a time")
        let cursorNow =
            "const field = document.querySelector('textarea'); return document.activeElement === field && field.selectionStart"
        try wait(for: "the cursor") { try browser.script(cursorNow) == .number(12) ? true : nil }
        try world.close()
    }

    @Test("text that no program has seen survives the browser, and is saved when both are back")
    func closedBrowser() throws {
        let world = try PageWorld(questionnaires: [Self.short])
        try begin(world)
        let third = try world.browser.url.components(separatedBy: "?")[0] + "?n=3"
        try world.browser.open(third)
        try world.browser.type("Once upon", into: "textarea")
        try waitForAnswer(world, "q3", "Once upon")
        try world.page.kill()
        try world.browser.type(" a time", into: "textarea")
        try world.browser.see("Kept in this browser, not saved yet")
        try world.restartBrowser()
        try world.page.start()
        try world.browser.open(third)
        try waitForAnswer(world, "q3", "Once upon a time")
        #expect(try world.browser.value("textarea") == "Once upon a time")
        try world.close()
    }

    @Test("a reload at each step restores the question, the answer, the focus, the cursor and the open panel")
    func reloads() throws {
        let world = try PageWorld(questionnaires: [Self.short])
        let browser = world.browser
        try browser.type("short", into: "#search")
        try browser.see("Found: 1")
        try browser.reload()
        #expect(try browser.value("#search") == "short")
        try begin(world)
        try browser.click(option(0, 1))
        try browser.reload()
        #expect(
            try browser.script(
                "return document.querySelector(\"\(option(0, 1))\").checked && document.activeElement.value")
                == .string("1"))
        try browser.click("#map summary")
        try browser.click("#map button[value='2']")
        try browser.see("Question 3 of 4")
        try browser.type("Some words", into: "textarea")
        try browser.script("document.querySelector('textarea').setSelectionRange(2, 6)")
        try browser.reload()
        #expect(
            try browser.script(
                "const t = document.querySelector('textarea'); return [document.activeElement === t, t.value, t.selectionStart, t.selectionEnd, document.querySelector('#map').open]"
            )
                == .array([.bool(true), .string("Some words"), .number(2), .number(6), .bool(true)]))
        // Without a number in the address it goes on where it was left, in another tab too.
        let test = try browser.url.components(separatedBy: "?")[0]
        _ = try browser.newTab()
        try browser.open(test)
        try browser.see("Question 3 of 4")
        #expect(try browser.value("textarea") == "Some words")
        try browser.click("#map button[value=review]")
        try browser.see("Review your answers")
        try browser.see("Some words")
        try browser.reload()
        try browser.see("Review your answers")
        try browser.back()
        try browser.see("Question 3 of 4")
        #expect(try browser.value("textarea") == "Some words")
        try browser.open(test + "/review")
        try browser.click(".final .main")
        try browser.see("Rated")
        try browser.reload()
        try browser.back()
        try browser.see("Rated")
        #expect(world.host.tests.count == 1)
        try world.close()
    }

    @Test("two tabs, and another program: changes show, and nothing is overwritten without a word")
    func tabs() throws {
        let world = try PageWorld(questionnaires: [Self.short])
        let browser = world.browser
        try begin(world)
        let third = try browser.url.components(separatedBy: "?")[0] + "?n=3"
        try browser.open(third)
        let first = try browser.tab
        let second = try browser.newTab()
        try browser.open(third)
        try browser.type("From the second", into: "textarea")
        try browser.select(first)
        try wait(for: "the other tab's answer") { try browser.value("textarea") == "From the second" ? true : nil }
        // Another program.
        let id = try #require(world.device.tests("in-progress").first)
        try world.device.done("answer", id, "q3", "From a shell")
        try wait(for: "the shell's answer") { try browser.value("textarea") == "From a shell" ? true : nil }
        // Both at once: the page is held up while the shell answers.
        try browser.select(second)
        try wait(for: "the shell's answer") { try browser.value("textarea") == "From a shell" ? true : nil }
        try browser.script("window.kept = window.fetch; window.fetch = () => Promise.reject(new Error())")
        try browser.type(" and from here", into: "textarea")
        try world.device.done("answer", id, "q3", "Something else")
        try browser.script("window.fetch = window.kept")
        try browser.see("Something else")
        #expect(try browser.value("textarea") == "From a shell and from here")
        #expect(
            try JSON(file: world.device.testPath(id, "in-progress"))["answers"][0]["answer"]
                == .string("Something else"))
        try browser.click(".elsewhere button")
        try waitForAnswer(world, "q3", "From a shell and from here")
        try world.close()
    }

    @Test("two quick clicks begin one test and send it once")
    func doubleClicks() throws {
        let world = try PageWorld(questionnaires: [Self.short])
        let browser = world.browser
        try browser.open(world.page.address + "/q/short")
        try browser.doubleClick("form[action$='/begin'] button")
        try browser.see("Question 1 of 4")
        #expect(world.device.tests("empty").count == 1)
        try browser.click(option(0, 0))
        try browser.doubleClick(".steps .main")
        try browser.see("Question 2 of 4")
        try browser.click("#map summary")
        try browser.doubleClick("#map button[value=review]")
        try browser.see("Review your answers")
        try browser.doubleClick(".final .main")
        try browser.see("Rated")
        #expect(world.host.tests.count == 1)
        #expect(world.host.exchanges.count { $0.method == "PUT" } == 1)
        try world.close()
    }

    @Test("the whole main job with the keyboard alone")
    func keyboard() throws {
        let world = try PageWorld(questionnaires: [Self.short])
        let browser = world.browser
        try browser.see("Short one")
        try browser.reach(".skip")
        try browser.press(Chromium.Key.enter)
        try browser.reach("#search")
        try browser.press("short")
        try browser.see("Found: 1")
        try browser.reach(".item h2 a")
        try browser.press(Chromium.Key.enter)
        try browser.reach("form[action$='/begin'] button")
        try browser.press(Chromium.Key.enter)
        try browser.see("Question 1 of 4")
        try browser.reach("input[name='a.0']")
        try browser.press(Chromium.Key.space)
        try browser.reach(".steps .main")
        try browser.press(Chromium.Key.enter)
        try browser.see("Question 2 of 4")
        try browser.reach("input[name='a.1']")
        try browser.press(Chromium.Key.space)
        try browser.reach(".steps .main")
        try browser.press(Chromium.Key.enter)
        try browser.see("Question 3 of 4")
        try browser.reach("textarea")
        try browser.press("By hand")
        try browser.reach(".steps .main")
        try browser.press(Chromium.Key.enter)
        try browser.see("Question 4 of 4")
        try browser.reach("#a3")
        try browser.press("12")
        // Enter in a field leads on, not back.
        try browser.press(Chromium.Key.enter)
        try browser.see("Review your answers")
        try browser.reach(".final .main")
        try browser.press(Chromium.Key.enter)
        try browser.see("Rated")
        let stored = try JSON(file: world.device.testPath(try #require(world.device.tests("rated").first), "rated"))
        #expect(stored["answers"].elements.count == 4)
        try world.close()
    }
}

import Foundation
import Testing

/// Forms of a draft in a browser with JavaScript.
@Suite(
    "Forms on the desk save themselves", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct DeskAutosaveTests {
    @Test("what is typed is saved without a button, survives the host's death, and is one step to undo")
    func typing() throws {
        let world = try DeskWorld([
            "d": """
            {"id": "d", "title": "D", "questions": [
              {"id": "a", "text": "First", "options": ["Yes", "No"]},
              {"id": "b", "text": "Second", "kind": "text", "condition": {"question": "a", "is": "Yes"}}]}
            """
        ])
        let browser = world.browser
        try world.logIn("author")
        try browser.click("form[action='/desk/write/of'] button")
        try browser.click("#question-0 a[href*='/q/a']")
        func saved(_ what: String, _ isThere: (JSON) -> Bool) throws {
            try wait(for: what) { isThere(try world.draft()) ? true : nil }
        }
        try browser.type(" of all", into: "#text")
        try saved("the text") { $0["questions"].elements[0]["text"].text == "First of all" }
        // An option that is typed in several goes is the same option all the while: the condition follows it.
        for (more, text) in [(", pl", "Yes, pl"), ("ease", "Yes, please")] {
            try browser.type(more, into: "[name='o.0']")
            try saved(text) {
                $0["questions"].elements[0]["options"].elements.map(\.text) == [text, "No"]
                    && $0["questions"].elements[1]["condition"]["is"].text == text
            }
        }
        try browser.see("Saved", in: "[data-autosave]")
        world.host.kill()
        try browser.type("?", into: "#text")
        try browser.see("Not saved yet", in: "[data-autosave]")
        try world.host.start("--desk")
        try browser.see("you are logged out", in: "[data-autosave]")
        // *Save* would lead to the page to log in.
        try browser.click(".actions button[value=save]")
        // As in another tab.
        let key = try world.key("author")
        _ = try browser.asyncScript(
            """
            const done = arguments[0];
            fetch('/desk/login', { method: 'POST', body: new URLSearchParams({ key: '\(key)' }) }).then(() => done(true));
            """)
        try saved("what was typed while the host was away") {
            $0["questions"].elements[0]["text"].text == "First of all?"
        }
        try browser.click(".actions a.plain")
        try browser.see("First of all?", in: "#question-0")
        try browser.click("form[action$='/undo'] button")
        try browser.see("The last change was undone.")
        let questions = try world.draft()["questions"].elements
        #expect(questions[0]["text"].text == "First")
        #expect(questions[1]["condition"]["is"].text == "Yes")
        try world.close()
    }
}

import Foundation
import Testing

/// Forms of a draft in a browser with JavaScript.
@Suite(
    "What is typed on the desk is kept in the browser until it is saved", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct DeskTypedTextTests {
    private static let questionnaire = """
        {"id": "d", "title": "D", "questions": [
          {"id": "a", "text": "First", "options": ["Yes", "No"]},
          {"id": "b", "text": "Second", "kind": "text", "condition": {"question": "a", "is": "Yes"}}]}
        """

    private func opened() throws -> (world: DeskWorld, form: String) {
        let world = try DeskWorld(["d": Self.questionnaire])
        try world.logIn("author", as: "Ada")
        try world.browser.click("form[action='/desk/write/of'] button")
        try world.browser.click("#question-0 a[href*='/q/a']")
        _ = try world.browser.find("#text")
        return (world, try world.browser.url)
    }

    private func value(_ selector: String, _ browser: Browser) throws -> JSON {
        _ = try browser.find(selector)
        return try browser.script("return document.querySelector(\"\(selector)\").value")
    }

    @Test(
        "after a reload, a host that is away and a log-in that ended it is in the form; saved once, it is gone from the browser"
    )
    func kept() throws {
        let (world, form) = try opened()
        let browser = world.browser
        try browser.type(" of all", into: "#text")
        try browser.type(", please", into: "[name='o.0']")
        try browser.script("document.querySelector(\"[name='r.1']\").click()")
        try browser.open(form)
        try browser.see("is not saved yet", in: "[data-kept]")
        #expect(try value("#text", browser) == .string("First of all"))
        // The host dies, and *Save* leads to the browser's own page of errors.
        world.host.kill()
        try browser.type("!", into: "#text")
        try? browser.click(".actions button[value=save]")
        try world.host.start("--desk")
        // Its sessions ended with it: *Save* would lead to the page to log in.
        let key = try world.key("author")
        try browser.open(world.host.address + "/desk/")
        try browser.logInToDesk(key, as: "Ada")
        try browser.open(form)
        try browser.see("is not saved yet", in: "[data-kept]")
        #expect(try value("#text", browser) == .string("First of all!"))
        #expect(try value("[name='o.0']", browser) == .string("Yes, please"))
        #expect(try browser.script("return document.querySelector(\"[name='r.1']\").checked") == .bool(true))
        try browser.click(".actions button[value=save]")
        try browser.see("Saved.")
        let questions = try world.draft()["questions"].elements
        #expect(questions[0]["text"].text == "First of all!")
        #expect(questions[0]["options"].elements.map(\.text) == ["Yes, please", "No"])
        #expect(questions[1]["condition"]["is"].text == "Yes, please")
        try browser.open(form)
        #expect(try value("#text", browser) == .string("First of all!"))
        #expect(try browser.script("return document.querySelector('[data-kept]').hidden") == .bool(true))
        try world.close()
    }

    @Test("it can be discarded, and leaving without saving discards it")
    func discarded() throws {
        let (world, form) = try opened()
        let browser = world.browser
        for way in ["[data-kept] button", ".actions a.plain"] {
            try browser.type(" of all", into: "#text")
            try browser.open(form)
            try browser.see("is not saved yet", in: "[data-kept]")
            try browser.click(way)
            if way.hasPrefix(".") { try browser.see("Add a question") }
            try browser.open(form)
            #expect(try value("#text", browser) == .string("First"))
        }
        try world.close()
    }

    @Test("what another author saved meanwhile is not replaced: both are shown first")
    func conflict() throws {
        let (world, form) = try opened()
        let browser = world.browser
        try browser.type(" by me", into: "#text")
        // Another author, as this browser's other tab.
        let other = try browser.asyncScript(
            """
            const done = arguments[0], form = document.querySelector('form.card.writing');
            const fields = new URLSearchParams(new FormData(form));
            fields.set('text', 'By another');
            fields.set('do', 'save');
            fetch(form.action, { method: 'POST', body: fields }).then(reply => done(reply.ok));
            """)
        #expect(other == .bool(true))
        try browser.open(form)
        try browser.see("is not saved yet", in: "[data-kept]")
        #expect(try value("#text", browser) == .string("First by me"))
        try browser.click(".actions button[value=save]")
        try browser.see("changed 1 field at once", in: "[role=alert]")
        #expect(try world.draft()["questions"].elements[0]["text"].text == "By another")
        // The form still has it, and asks once more.
        try browser.open(form)
        #expect(try value("#text", browser) == .string("First by me"))
        try browser.click(".actions button[value=save]")
        try browser.see("changed 1 field at once", in: "[role=alert]")
        try browser.click("[name='pick.text'][value=mine]")
        try browser.click("button.main")
        try browser.see("Saved.")
        try browser.open(form)
        #expect(try browser.script("return document.querySelector('[data-kept]').hidden") == .bool(true))
        #expect(try world.draft()["questions"].elements[0]["text"].text == "First by me")
        try world.close()
    }
}

import Foundation
import Testing

/// What a person answered is what the page shows and sends, whatever the browser does with its forms.
@Suite("Answers on the page are the person's", .serialized)
struct PageAnswersTests {
    private static let short = """
        {"id": "short", "title": "Short one", "questions": [
        {"id": "q1", "text": "Is it so?", "options": ["yes", "no"]},
        {"id": "q2", "text": "Why?", "kind": "text"}, {"id": "q3", "text": "How many?", "kind": "number"},
        {"id": "q4", "text": "Anything else?", "kind": "text"}]}
        """

    private func begin(_ world: PageWorld) throws -> String {
        // The invitation is accepted by a form of its own: until then there is no library.
        try world.browser.see("Short one")
        try world.browser.open(world.page.address + "/q/short")
        try world.browser.click("form[action$='/begin'] button")
        try world.browser.see("Is it so?")
        let test = try world.browser.url.components(separatedBy: "?")[0]
        // An address without a question shows where one was: going back to it would show another one.
        try world.browser.open(test + "?n=1")
        try world.browser.see("Is it so?")
        return test
    }

    private func stored(_ world: PageWorld, _ question: String) -> String? {
        guard let id = world.device.tests("in-progress").first,
            let record = try? JSON(file: world.device.testPath(id, "in-progress"))
        else { return nil }
        return record["answers"].elements.first { $0["questionId"].text == question }?["answer"].text
    }

    private func waitForAnswer(_ world: PageWorld, _ question: String, _ expected: String?) throws {
        try wait(for: "“\(expected ?? "")” in the file") { stored(world, question) == expected ? true : nil }
    }

    @Test(
        "the browser's Back and then Next leave every answer as it is, whatever it does with the form",
        .enabled(if: Engine.chromium.isInstalled, "Chromium is not installed"))
    func backInChromium() throws { try back(.chromium) }

    @Test("the same in Firefox", .enabled(if: Engine.firefox.isInstalled, "Firefox is not installed"))
    func backInFirefox() throws { try back(.firefox) }

    @Test("the same in WebKit", .enabled(if: Engine.webKit.isInstalled, "WebKitGTK is not installed"))
    func backInWebKit() throws { try back(.webKit) }

    private func back(_ engine: Engine) throws {
        let world = try PageWorld(engine, questionnaires: [Self.short])
        let browser = world.browser
        _ = try begin(world)
        try browser.click("input[name='a.0'][value='1']")
        try browser.click(".steps .main")
        try browser.see("Why?")
        try browser.type("Because", into: "#a1")
        try browser.click(".steps .main")
        try browser.see("How many?")
        try waitForAnswer(world, "q2", "Because")
        try browser.back()
        try browser.see("Why?")
        try wait(for: "the answer in its field") { try browser.value("#a1") == "Because" ? true : nil }
        try browser.click(".steps .main")
        try browser.see("How many?")
        #expect(stored(world, "q2") == "Because")
        try browser.back()
        try browser.see("Why?")
        try browser.back()
        try browser.see("Is it so?")
        try wait(for: "the option that was ticked") {
            try browser.script("return document.querySelector(':checked')?.value") == .string("1") ? true : nil
        }
        try browser.click(".steps .main")
        try browser.see("Why?")
        #expect(stored(world, "q1") == "no" && stored(world, "q2") == "Because")
        try world.close()
    }

    @Test(
        "two windows typed into while the program is away lose neither text, and offer both",
        .enabled(if: WebDriver.isInstalled, "Chromium is not installed"))
    func twoWindows() throws {
        let world = try PageWorld(questionnaires: [Self.short])
        let browser = world.browser
        let test = try begin(world)
        try browser.open(test + "?n=2")
        let first = try browser.tab
        let second = try browser.newTab()
        try browser.open(test + "?n=2")
        try world.page.kill()
        try browser.type("from the second", into: "#a1")
        try browser.see("Kept in this browser, not saved yet")
        try browser.select(first)
        try browser.type("from the first", into: "#a1")
        try browser.see("Kept in this browser, not saved yet")
        // Both lie in the browser, each in a place of its own.
        let kept = try browser.script(
            "return Object.entries(localStorage).filter(([key]) => key.includes('unsent')).map(([, text]) => text).join()"
        )
        #expect(kept.text?.contains("from the first") == true && kept.text?.contains("from the second") == true)
        try world.page.start()
        try wait(for: "one of the texts in the file") { stored(world, "q2") }
        let isFirst = stored(world, "q2") == "from the first"
        let (winner, loser) = isFirst ? ("first", "second") : ("second", "first")
        try browser.select(isFirst ? second : first)
        try browser.see("from the \(winner)", in: ".elsewhere")
        #expect(try browser.value("#a1") == "from the \(loser)")
        try browser.select(isFirst ? first : second)
        #expect(try browser.value("#a1") == "from the \(winner)")
        // The window that lost is closed: the next page that shows the question offers its text.
        try browser.select(isFirst ? second : first)
        try browser.command("DELETE", "/window")
        try browser.select(isFirst ? first : second)
        try browser.open(test + "?n=2")
        try browser.see("from the \(winner)", in: ".elsewhere")
        #expect(try browser.value("#a1") == "from the \(loser)")
        try browser.click(".elsewhere button")
        try waitForAnswer(world, "q2", "from the \(loser)")
        try wait(for: "nothing unsent") {
            try browser.script("return Object.keys(localStorage).some(key => key.includes('unsent'))") == .bool(false)
                ? true : nil
        }
        try world.close()
    }

    @Test(
        "a number that is none is named on Next beside the question, and no longer once it is right",
        .enabled(if: WebDriver.isInstalled, "Chromium is not installed"))
    func wrongNumber() throws {
        let world = try PageWorld(questionnaires: [Self.short])
        let browser = world.browser
        let test = try begin(world)
        try browser.open(test + "?n=3")
        try browser.type("1,500", into: "#a2")
        #expect(try !browser.has("#f2"))
        try browser.click(".steps .main")
        try browser.see("“1,500” may mean 1.5 or 1500: write 1500 or 1.5.", in: "#f2")
        #expect(try browser.value("#a2") == "1,500")
        #expect(
            try browser.script("return document.querySelector('#a2').getAttribute('aria-invalid')") == .string("true"))
        #expect(stored(world, "q3") == "1,500")
        try browser.click(".steps .main")
        try browser.see("How many?")
        try browser.script("const field = document.querySelector('#a2'); field.setSelectionRange(1, 2); field.focus()")
        try browser.press(" ")
        try wait(for: "the fault to be gone") { try browser.has("#f2") ? nil : true }
        try browser.see("Saved as 1500", in: ".as")
        #expect(try browser.value("#a2") == "1 500")
        try waitForAnswer(world, "q3", "1500")
        try browser.click(".steps .main")
        try browser.see("Anything else?")
        try world.close()
    }

    @Test(
        "indentation and blank lines are shown as they are: question, option, own answer, review, result",
        .enabled(if: WebDriver.isInstalled, "Chromium is not installed"))
    func spacing() throws {
        let code = "if x:\\n    print(1)\\n\\n\\ty  =  2"
        let world = try PageWorld(questionnaires: [
            """
            {"id": "short", "title": "Short one", "questions": [
            {"id": "q1", "text": "Is it so?\\n\(code)", "options": ["  \(code)", "no"]},
            {"id": "q2", "text": "  Why?", "kind": "text"}]}
            """
        ])
        let browser = world.browser
        let test = try begin(world)
        let text = "if x:\n    print(1)\n\n\ty  =  2"
        func shown(_ selector: String) throws -> [String] {
            try browser.script(
                "return [...document.querySelectorAll(arguments[0])].map(one => one.innerText)", selector
            ).texts
        }
        #expect(try shown("h2 span:last-child") == ["Is it so?\n" + text])
        #expect(try shown(".option span") == ["  " + text, "no"])
        try browser.click("input[name='a.0'][value='0']")
        try browser.click(".steps .main")
        try browser.see("Why?")
        try browser.script(
            """
            const field = document.querySelector('#a1');
            field.value = arguments[0];
            field.dispatchEvent(new InputEvent('input', { bubbles: true }));
            """, "  " + text)
        try waitForAnswer(world, "q2", "  " + text)
        try browser.reload()
        try browser.see("Why?")
        #expect(try browser.value("#a1") == "  " + text)
        try browser.open(test + "/review")
        try browser.see("print(1)")
        try browser.click(".final .main")
        try browser.see("Sent", in: ".state-words")
        #expect(try shown(".answers h2 span:last-child") == ["Is it so?\n" + text, "  Why?"])
        #expect(try shown(".given") == ["  " + text, "  " + text])
        try world.close()
    }
}

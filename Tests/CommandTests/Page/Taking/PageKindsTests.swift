import Foundation
import Testing

/// Kinds, conditions and constraints in a real browser, on the page and in the app.
@Suite(
    "Kinds of questions in a browser", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PageKindsTests {
    private static let form = """
        {"id": "kinds", "title": "All kinds", "questions": [
        {"id": "animals", "kind": "boolean", "text": "Animals?", "required": true},
        {"id": "which", "kind": "choices", "text": "Which ones?", "options": ["Fish", "Frogs"], "other": true, "required": true,
         "constraint": {"maxCount": 1}, "constraintMessage": "Only the one that you saw most.",
         "condition": {"question": "animals", "is": true}},
        {"id": "day", "kind": "date", "text": "Which day?", "hint": "Of your visit.", "constraint": {"after": "2024-12-31"}},
        {"id": "clear", "kind": "scale", "text": "How clear?", "scale": {"min": 1, "max": 3, "labels": {"1": "mud"}}},
        {"id": "thanks", "kind": "note", "text": "Thank you."}]}
        """

    private func setDate(_ value: String, _ field: String, _ browser: Browser) throws {
        // How a date is typed depends on the browser's region.
        try browser.script(
            """
            const field = document.querySelector(arguments[1]);
            field.focus();
            field.value = arguments[0];
            for (const name of ['input', 'change']) field.dispatchEvent(new Event(name, { bubbles: true }));
            """, value, field)
    }

    private func waitUntilHidden(_ isHidden: Bool, _ browser: Browser) throws {
        try wait(for: "the question to be \(isHidden ? "hidden" : "shown")") {
            try browser.script("return document.querySelector('#q1')?.hidden ?? null") == .bool(isHidden) ? true : nil
        }
    }

    private func answer(_ record: JSON, _ id: String) -> JSON? {
        record["answers"].elements.first { $0["questionId"].text == id }?["answer"]
    }

    @Test(
        "on the page, with the script: questions come and go at once, faults are beside them, and the end leaves out what is hidden"
    )
    func page() throws {
        let world = try PageWorld(questionnaires: [Self.form])
        let browser = world.browser
        try browser.open(world.page.address + "/q/kinds")
        try browser.click("form[action$='/begin'] button")
        try browser.see("Animals?")
        let test = try browser.url.components(separatedBy: "?")[0]
        let id = try #require(test.split(separator: "/").last.map(String.init))
        try browser.open(test + "?view=all")
        try waitUntilHidden(true, browser)
        try browser.see("0 of 3")
        try browser.click("input[name='a.0'][value='0']")
        try waitUntilHidden(false, browser)
        try browser.see("1 of 4")
        try browser.click("input[name='a.1'][value='0']")
        try browser.click("input[name='a.1'][value='1']")
        try browser.see("Only the one that you saw most.", in: "#q1")
        try browser.click("input[name='a.1'][value='1']")
        try wait(for: "the fault to be gone") { try browser.has("#f1") ? nil : true }
        try browser.click("input[name='a.1'][value='0']")
        try browser.type("A beaver", into: "#q1 .other")
        try setDate("2026-11-25", "#a2", browser)
        try browser.click("input[name='a.3'][value='1']")
        try wait(for: "the answers in the file") {
            let record = try? JSON(file: world.device.testPath(id, "in-progress"))
            return record.map {
                answer($0, "which")?.texts == ["A beaver"] && answer($0, "day")?.text == "2026-11-25"
                    && answer($0, "clear")?.whole == 2 && answer($0, "animals")?.bool == true
            } == true ? true : nil
        }
        try browser.click("input[name='a.0'][value='1']")
        try waitUntilHidden(true, browser)
        try browser.open(test + "/review")
        try browser.see("How clear?")
        #expect(try !browser.text("main").contains("Which ones?"))
        // The draft keeps the answer to the hidden question; the finished test has none.
        let draft = try JSON(file: world.device.testPath(id, "in-progress"))
        #expect(answer(draft, "which")?.texts == ["A beaver"])
        try browser.click("#finish .main")
        let record = try wait(for: "the finished test") {
            for status in ["done", "sending", "sent", "checking", "rated"] {
                if let record = try? JSON(file: world.device.testPath(id, status)) { return record }
            }
            return nil
        }
        #expect(answer(record, "which") == nil && answer(record, "animals")?.bool == false)
        try world.close()
    }

    @Test(
        "on the page, with the script: Next leads to the question that the saved answer shows, and past one that it hides"
    )
    func next() throws {
        let world = try PageWorld(questionnaires: [Self.form])
        let browser = world.browser
        try browser.open(world.page.address + "/q/kinds")
        try browser.click("form[action$='/begin'] button")
        try browser.see("Animals?")
        let id = try #require(
            try browser.url.components(separatedBy: "?")[0].split(separator: "/").last.map(String.init))
        for (option, isSeen, question) in [(0, true, "Which ones?"), (1, false, "Which day?")] {
            try browser.click("input[name='a.0'][value='\(option)']")
            try wait(for: "the answer in the file") {
                let record = try? JSON(file: world.device.testPath(id, "in-progress"))
                return record.flatMap { answer($0, "animals")?.bool } == isSeen ? true : nil
            }
            try browser.click(".steps .main")
            try browser.see(question)
            try browser.click(".steps .plain")
            try browser.see("Animals?")
        }
        try world.close()
    }

    @Test("on the page, without a script: a hidden question is passed over by Next, and comes when the answer changes")
    func withoutScript() throws {
        let world = try PageWorld(hasScript: false, questionnaires: [Self.form])
        let browser = world.browser
        try browser.open(world.page.address + "/q/kinds")
        try browser.click("form[action$='/begin'] button")
        try browser.see("Animals?")
        try browser.click("input[name='a.0'][value='1']")
        try browser.click(".steps .main")
        try browser.see("Which day?")
        try browser.click(".steps .plain")
        try browser.see("Animals?")
        try browser.click("input[name='a.0'][value='0']")
        try browser.click(".steps .main")
        try browser.see("Which ones?")
        try browser.type("A beaver", into: "#q1 .other")
        try browser.click(".steps .main")
        try browser.see("Which day?")
        let id = try #require(world.device.tests("in-progress").first)
        let record = try JSON(file: world.device.testPath(id, "in-progress"))
        #expect(answer(record, "which")?.texts == ["A beaver"])
        try world.close()
    }

    @Test("in the app: the same rules, and the same test")
    func app() throws {
        let world = try PhoneWorld([Self.form])
        let browser = world.browser
        let id = try world.begin("All kinds", first: "Animals?")
        try browser.script("document.querySelector('#view').click()")
        try waitUntilHidden(true, browser)
        try browser.click("#a0-0")
        try waitUntilHidden(false, browser)
        try browser.click("#a1-0")
        try browser.click("#a1-1")
        try browser.see("Only the one that you saw most.", in: "#q1")
        try browser.click("#a1-1")
        try wait(for: "the fault to be gone") {
            try browser.script("return document.querySelector('#f1').hidden") == .bool(true) ? true : nil
        }
        try browser.click("#a1-0")
        try browser.type("A beaver", into: "#q1 .other")
        try setDate("2024-05-05", "#a2", browser)
        try browser.see("It must be after 2024-12-31.", in: "#f2")
        try setDate("2026-11-25", "#a2", browser)
        try browser.click("#a3-1")
        func stored(_ question: String) throws -> JSON? { answer(try world.stored(id)["record"], question) }
        try wait(for: "the answers in the browser's storage") {
            try stored("which")?.texts == ["A beaver"] && stored("day")?.text == "2026-11-25"
                && stored("clear")?.whole == 2 && stored("animals")?.bool == true ? true : nil
        }
        try browser.reload()
        try browser.see("Which ones?")
        #expect(try browser.value("#q1 .other") == "A beaver" && browser.value("#a2") == "2026-11-25")
        try browser.click("#a0-1")
        try waitUntilHidden(true, browser)
        try browser.click("#forward")
        try browser.see("How clear?")
        #expect(try !browser.text("main").contains("Which ones?"))
        try browser.click("#send")
        try wait(for: "the finished test") {
            try world.stored(id)["frozen"]["text"].text != nil ? true : nil
        }
        let frozen = try JSON(parsing: try #require(try world.stored(id)["frozen"]["text"].text))
        #expect(answer(frozen, "which") == nil && answer(frozen, "animals")?.bool == false)
        try world.close()
    }
}

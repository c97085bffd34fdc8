import Foundation
import Testing

/// Orders, rows and gaps in a real browser, on the page and in the app.
@Suite(
    "Questions of parts in a browser", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PagePartsTests {
    private static let form = """
        {"id": "parts", "title": "Parts", "textFormat": "markdown", "questions": [
        {"id": "order", "kind": "ranking", "text": "From small to large?", "options": ["Mouse", "Elephant", "*Cat*"], "required": true},
        {"id": "pairs", "kind": "matching", "text": "Which capital?", "rows": ["France", "Peru"], "options": ["Lima", "Paris", "Rome"], "required": true},
        {"id": "table", "kind": "matrix", "text": "How often?", "rows": ["Tea", "Coffee"], "options": ["Never", "Daily"]},
        {"id": "gaps", "kind": "gaps", "text": "The **{{what}}** of {{where}} is {{n}} km long.",
         "gaps": {"what": {}, "where": {"options": ["Russia", "Egypt"]}, "n": {"kind": "number"}}}]}
        """

    private func answer(_ record: JSON, _ id: String) -> JSON? {
        record["answers"].elements.first { $0["questionId"].text == id }?["answer"]
    }

    /// Answers all of it by keys; `prefix` is of the ids of options of an order.
    private func takeByKeyboard(_ browser: Browser, _ move: String, _ clear: String) throws {
        try browser.reach(move)
        try browser.press(Browser.Key.enter)
        try browser.see("2", in: "#o0-2 .rank")
        #expect(try browser.script("return document.activeElement.getAttribute('aria-label')").text == "Move up: Cat")
        try browser.reach("#a1-0")
        try browser.press("Pa")
        try browser.reach("#a1-1")
        try browser.press("Li")
        try browser.reach("#a2-0-0, #a2-0-1")
        try browser.press("\u{E015}")
        try browser.reach("#a3-0")
        try browser.press("length")
        try browser.reach("#a3-1")
        try browser.press("Eg")
        try browser.reach("#a3-2")
        try browser.press("6650")
    }

    private func isComplete(_ record: JSON?) -> Bool {
        guard let record else { return false }
        let gaps = answer(record, "gaps")
        return answer(record, "order")?.texts == ["Mouse", "*Cat*", "Elephant"]
            && answer(record, "pairs")?["France"].text == "Paris" && answer(record, "pairs")?["Peru"].text == "Lima"
            && answer(record, "table")?["Tea"].text != nil && gaps?["what"].text == "length"
            && gaps?["where"].text == "Egypt" && gaps?["n"].text == "6650"
    }

    @Test("on the page, by keyboard alone and by pointer; axe finds nothing", arguments: [(1100, false), (390, true)])
    func page(width: Int, isDark: Bool) throws {
        let axe = AxeCore.script
        let world = try PageWorld(isDark: isDark, width: width, questionnaires: [Self.form])
        let browser = world.browser
        try browser.open(world.page.address + "/q/parts")
        try browser.click("form[action$='/begin'] button")
        try browser.see("From small to large?")
        let test = try browser.url.components(separatedBy: "?")[0]
        let id = try #require(test.split(separator: "/").last.map(String.init))
        try browser.open(test + "?view=all")
        if let axe { #expect(try browser.violations(by: axe) == "", "empty") }
        try takeByKeyboard(browser, "#o0-2 button", "")
        try wait(for: "the answers in the file") {
            isComplete(try? JSON(file: world.device.testPath(id, "in-progress"))) ? true : nil
        }
        if let axe { #expect(try browser.violations(by: axe) == "", "answered") }
        try browser.reload()
        try browser.see("4 of 4")
        #expect(try browser.value("#a3-0") == "length" && browser.text("#o0-2 .rank") == "2")
        // The elephant goes to the top by its handle.
        try browser.script(
            """
            const grip = document.querySelector('#o0-1 .grip'), top = document.querySelector('#o0-0').getBoundingClientRect().top;
            grip.setPointerCapture = () => {};
            const send = (name, y) => grip.dispatchEvent(new PointerEvent(name, { bubbles: true, cancelable: true, pointerId: 1, clientY: y }));
            send('pointerdown', grip.getBoundingClientRect().top);
            send('pointermove', top + 2);
            send('lostpointercapture', top + 2);
            """)
        try wait(for: "another order in the file") {
            let record = try? JSON(file: world.device.testPath(id, "in-progress"))
            return record.flatMap { answer($0, "order")?.texts } == ["Elephant", "Mouse", "*Cat*"] ? true : nil
        }
        try browser.click("#q0 .clear button")
        try wait(for: "no order in the file") {
            (try? JSON(file: world.device.testPath(id, "in-progress"))).map { answer($0, "order") == nil } == true
                ? true : nil
        }
        try browser.click("#q0 .keeping button")
        try wait(for: "the order that is shown") {
            let record = try? JSON(file: world.device.testPath(id, "in-progress"))
            return record.flatMap { answer($0, "order")?.texts.count } == 3 ? true : nil
        }
        try browser.open(test + "/review")
        try browser.see("France → Paris; Peru → Lima")
        try browser.see("The length of Egypt is 6650 km long.")
        try browser.click("#finish .main")
        try wait(for: "the finished test") { world.device.tests("in-progress").isEmpty ? true : nil }
        try world.close()
    }

    private static let names = """
        {"id": "names", "title": "Names", "questions": [{"id": "table", "kind": "matrix", "text": "How often?",
        "rows": ["__proto__", "constructor"], "options": ["Never", "toString"]}]}
        """

    private func hasNames(_ record: JSON?) -> Bool {
        guard let record, let table = answer(record, "table") else { return false }
        return table["__proto__"].text == "toString" && table["constructor"].text == "Never"
    }

    @Test("a row may be called __proto__, on the page and in the app")
    func prototypes() throws {
        let world = try PageWorld(questionnaires: [Self.names])
        try world.browser.open(world.page.address + "/q/names")
        try world.browser.click("form[action$='/begin'] button")
        try world.browser.click("#a0-0-1")
        try world.browser.click("#a0-1-0")
        try world.browser.see("Saved locally", in: "#saved")
        let test = try world.browser.url.components(separatedBy: "?")[0]
        let id = try #require(test.split(separator: "/").last.map(String.init))
        try wait(for: "the rows in the file") {
            hasNames(try? JSON(file: world.device.testPath(id, "in-progress"))) ? true : nil
        }
        try world.close()

        let phone = try PhoneWorld([Self.names])
        let taken = try phone.begin("Names", first: "How often?")
        try phone.browser.click("#a0-0-1")
        try phone.browser.click("#a0-1-0")
        try wait(for: "the rows in the browser’s storage") { hasNames(try phone.stored(taken)["record"]) ? true : nil }
        try phone.browser.reload()
        try phone.browser.see("How often?")
        _ = try phone.browser.find("#a0-0-1:checked")
        try phone.close()
    }

    @Test("in the app: the same answers, by keyboard alone, and the same after a reload")
    func app() throws {
        let axe = AxeCore.script
        let world = try PhoneWorld([Self.form], isDark: true, width: 390)
        let browser = world.browser
        let id = try world.begin("Parts", first: "From small to large?")
        try browser.script("document.querySelector('#view').click()")
        try browser.see("Which capital?")
        if let axe { #expect(try browser.violations(by: axe) == "", "empty") }
        try takeByKeyboard(browser, "#o0-2 button", "")
        try wait(for: "the answers in the browser's storage") {
            isComplete(try world.stored(id)["record"]) ? true : nil
        }
        try browser.reload()
        try browser.see("4 of 4")
        #expect(try browser.value("#a3-0") == "length" && browser.text("#o0-2 .rank") == "2")
        if let axe { #expect(try browser.violations(by: axe) == "", "answered") }
        #expect(isComplete(try world.stored(id)["record"]))
        try browser.click("#q1 .clear button")
        try wait(for: "no pairs in the storage") {
            answer(try world.stored(id)["record"], "pairs") == nil ? true : nil
        }
        try browser.click("#forward")
        try browser.see("still needs an answer")
        try browser.see("1. Mouse, 2. Cat, 3. Elephant")
        try world.goTo("#/t/\(id)/2")
        try browser.see("Which capital?")
        try browser.reach("#a1-0")
        try browser.press("Pa")
        try browser.reach("#a1-1")
        try browser.press("Li")
        try wait(for: "the pairs in the storage") { isComplete(try world.stored(id)["record"]) ? true : nil }
        try world.goTo("#/t/\(id)/review")
        try browser.see("France → Paris; Peru → Lima")
        try browser.click("#send")
        try wait(for: "the finished test") { try world.stored(id)["frozen"]["text"].text != nil ? true : nil }
        try world.close()
    }
}

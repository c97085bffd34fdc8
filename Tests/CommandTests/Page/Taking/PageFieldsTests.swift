import Foundation
import Testing

/// Fields of questions in a real browser, on the page and in the app: files and places.
@Suite(
    "Fields of questions in a browser", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PageFieldsTests {
    private static let form = """
        {"id": "fields", "title": "Field trip", "questions": [
        {"id": "nest", "kind": "file", "text": "A photo of the nest?", "capture": "camera", "maxFiles": 1, "required": true},
        {"id": "where", "kind": "location", "text": "Where was it?", "required": true},
        {"id": "who", "kind": "text", "text": "Your name?", "multiline": false},
        {"id": "when", "kind": "dateTime", "text": "When was it?"}]}
        """
    /// One pixel.
    private static let png = Data(
        base64Encoded:
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")

    private func photo(_ folder: String, _ name: String = "nest.png") throws -> String {
        let path = folder + "/" + name
        try #require(Self.png).write(to: URL(filePath: path))
        return path
    }

    private func answer(_ record: JSON, _ id: String) -> JSON? {
        record["answers"].elements.first { $0["questionId"].text == id }?["answer"]
    }

    /// The browser says that it is there, as a device that has found out.
    private func stand(_ browser: Browser) throws {
        try browser.script(
            """
            navigator.geolocation.getCurrentPosition = found => found({ coords: { latitude: 55.75, longitude: -37.625, accuracy: 12.34 } });
            """)
    }

    @Test(
        "on the page, by keyboard alone: a photo is attached and replaced, the place of the device is taken, and coordinates are typed",
        arguments: [(1100, false), (390, true)])
    func page(width: Int, isDark: Bool) throws {
        let axe = AxeCore.script
        let world = try PageWorld(isDark: isDark, width: width, questionnaires: [Self.form])
        let browser = world.browser
        let path = try photo(world.folder.path)
        try browser.open(world.page.address + "/q/fields")
        try browser.click("form[action$='/begin'] button")
        try browser.see("A photo of the nest?")
        let test = try browser.url.components(separatedBy: "?")[0]
        let id = try #require(test.split(separator: "/").last.map(String.init))
        try browser.open(test + "?view=all")
        if let axe { #expect(try browser.violations(by: axe) == "", "empty") }
        try browser.reach("#c0")
        try browser.type(path, into: "#c0")
        try browser.see("nest.png", in: "#files0")
        #expect(try browser.script("return document.querySelector('#c0').checkVisibility()") == .bool(false))
        try browser.reach("#files0 button")
        try browser.press(Browser.Key.enter)
        try browser.see("No files are attached", in: "#files0")
        try wait(for: "the focus on the field") {
            try browser.script("return document.activeElement.id").text == "c0" ? true : nil
        }
        try browser.type(path, into: "#c0")
        try browser.see("nest.png", in: "#files0")
        try browser.see("1 of 4")
        try stand(browser)
        try browser.reach("[data-locate]")
        try browser.press(Browser.Key.enter)
        try browser.see("Accurate to 12.3 m", in: "#q1")
        #expect(try browser.value("#a1") == "55.75" && browser.value("#b1") == "-37.625")
        func stored(_ question: String) -> JSON? {
            (try? JSON(file: world.device.testPath(id, "in-progress"))).flatMap { answer($0, question) }
        }
        try wait(for: "the place in the file") {
            stored("where")?["accuracyMeters"].number == 12.3 ? true : nil
        }
        try browser.reach("#b1")
        try browser.press("\u{E010}", "9")
        try wait(for: "another place without what was measured") {
            let place = stored("where")
            return place?["longitude"].number == -37.6259 && place?["accuracyMeters"].number == nil ? true : nil
        }
        try browser.reach("#a2")
        try browser.press("Ann")
        if let axe { #expect(try browser.violations(by: axe) == "", "answered") }
        try wait(for: "the name in the file") { stored("who")?.text == "Ann" ? true : nil }
        try browser.open(test + "/review")
        try browser.see("55.75, -37.6259")
        #expect(try browser.text("main").contains("nest.png"))
        try browser.click("#finish .main")
        try wait(for: "the finished test") { world.device.tests("in-progress").isEmpty ? true : nil }
        try world.close()
    }

    @Test("in the app: the same, with the limit kept, and a page over plain http says what to do")
    func app() throws {
        let axe = AxeCore.script
        let world = try PhoneWorld([Self.form], isDark: true, width: 390)
        let browser = world.browser
        let path = try photo(world.folder.path)
        let id = try world.begin("Field trip", first: "A photo of the nest?")
        #expect(
            try browser.script("const { accept, multiple } = document.querySelector('#c0'); return accept + multiple")
                .text == "image/*false")
        #expect(
            try browser.script("return document.querySelector('#c0').getAttribute('capture')").text == "environment")
        if let axe { #expect(try browser.violations(by: axe) == "", "files") }
        try browser.type(path, into: "#c0")
        try browser.see("nest.png", in: "#d0")
        try browser.reach("#d0 button")
        try browser.press(Browser.Key.enter)
        try browser.see("No files are attached", in: "#d0")
        try browser.type(path, into: "#c0")
        try browser.see("nest.png", in: "#d0")
        try browser.click("#forward")
        try browser.see("Where was it?")
        if let axe { #expect(try browser.violations(by: axe) == "", "place") }
        try stand(browser)
        try browser.reach("#l1")
        try browser.press(Browser.Key.enter)
        try browser.see("Accurate to 12.3 m", in: "#q1")
        func stored(_ question: String) throws -> JSON? { answer(try world.stored(id)["record"], question) }
        try wait(for: "the place in the browser's storage") {
            try stored("where")?["longitude"].number == -37.625 ? true : nil
        }
        try browser.reload()
        try browser.see("Accurate to 12.3 m", in: "#q1")
        try browser.script(
            "const field = document.querySelector('#a1'); field.value = '99'; field.dispatchEvent(new Event('input', { bubbles: true }))"
        )
        try browser.click("#forward")
        try browser.see("A latitude is from -90 to 90", in: "#q1")
        try browser.script(
            "const [one, two] = document.querySelectorAll('.location input'); two.value = ''; one.value = '1,5; 2'; one.dispatchEvent(new Event('input', { bubbles: true }))"
        )
        try browser.see("Saved as 1.5, 2", in: "#q1")
        try browser.click("#forward")
        try browser.see("Your name?")
        #expect(try browser.script("return document.querySelector('#a2').tagName").text == "INPUT")
        try browser.type("Ann", into: "#a2")
        try world.waitForAnswer(id, "who", "Ann")
        try browser.script(
            "Object.defineProperty(window, 'isSecureContext', { value: false }); location.hash = '#/t/\(id)/2'")
        try browser.see("Where was it?")
        try browser.click("#l1")
        try browser.see("only with pages opened over https", in: "#q1")
        try world.goTo("#/t/\(id)/review")
        try browser.see("1.5, 2")
        #expect(try browser.text("main").contains("nest.png"))
        try browser.click("#send")
        try wait(for: "the finished test") { try world.stored(id)["frozen"]["text"].text != nil ? true : nil }
        let frozen = try JSON(parsing: try #require(try world.stored(id)["frozen"]["text"].text))
        #expect(frozen["attachments"].elements.count == 1 && answer(frozen, "where")?["latitude"].number == 1.5)
        try world.close()
    }
}

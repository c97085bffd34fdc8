import Foundation
import Testing

/// An author at a real host's desk, in a real browser.
@Suite(
    "Questionnaires are written in a browser", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct DeskWritingBrowserTests {
    private final class World {
        let folder: TemporaryFolder
        let host: HostProcess
        let device: Device
        let author: String
        let taker: String
        private let driver: any BrowserDriver
        let browser: Browser

        init(hasScript: Bool = true, isDark: Bool = false, language: String = "en", width: Int = 1100) throws {
            folder = try TemporaryFolder()
            host = try HostProcess(folder: folder.path)
            try host.start("--desk")
            device = try Device(folder.path, of: host, pulls: false)
            let keys = Device(folder.path, name: "keys")
            func key(_ role: String, of data: String) throws -> String {
                try keys.json("host", "keys", "add", "--data", data, "--role", role)["key"].text ?? ""
            }
            let data = host.data
            author = try key("author", of: data)
            taker = try key("taker", of: data)
            driver = try Engine.usual.driver(folder: folder.path)
            browser = try Browser(
                driver,
                BrowserTraits(
                    profile: folder.path + "/profile", hasScript: hasScript, language: language, isDark: isDark,
                    width: width, height: 900))
            try browser.open(host.address + "/desk/")
            try browser.type(author, into: "#key")
            try browser.press(Browser.Key.enter)
        }

        func reach(_ selector: String, press keys: String...) throws {
            try browser.reach(selector)
            for key in keys { try browser.press(key) }
        }

        func close() throws {
            browser.quit()
            try host.stop()
        }
    }

    @Test("without a script and without a mouse an author writes and publishes a questionnaire, and a device takes it")
    func keyboard() throws {
        let world = try World(hasScript: false)
        let browser = world.browser
        try world.reach("a[href='/desk/write/new']", press: Browser.Key.enter)
        // The cursor is in the title.
        try browser.see("Start writing")
        try browser.waitForFocus()
        try browser.press("Capitals <b>", Browser.Key.enter)
        try browser.see("There are no questions yet.")
        func add(_ kind: String) throws {
            // A letter chooses in a list, as browsers have it.
            try world.reach("#kind", press: kind)
            try world.reach(".adding button", press: Browser.Key.enter)
            try browser.see("The question was added.")
        }
        func save() throws {
            try world.reach("button.main", press: Browser.Key.enter)
            try browser.see("Saved.")
        }
        try add("One")
        try browser.waitForFocus()
        try browser.press("What is the capital of **Italy**?")
        try world.reach("[name='o.0']", press: "Milan & co")
        try world.reach("[name='r.1']", press: Browser.Key.space)
        try world.reach("[name='o.1']", press: "Rome <i>")
        try world.reach("#points", press: "2")
        try save()
        try add("Yes")
        try browser.waitForFocus()
        try browser.press("Is Rome old?")
        try world.reach("[name='r.0']", press: Browser.Key.space)
        try save()
        try add("Num")
        try browser.waitForFocus()
        try browser.press("How many hills?")
        try world.reach("[name='a.0']", press: "7")
        try save()
        // The last question becomes the first one.
        try world.reach("[value^='up:q3']", press: Browser.Key.enter)
        try browser.see("How many hills?", in: "#question-1")
        // The focus is still on the button.
        try wait(for: "the focus on the button") {
            let isThere = try browser.script("return document.activeElement.matches(\"[value^='up:q3']\")")
            return isThere == .bool(true) ? true : nil
        }
        try browser.press(Browser.Key.enter)
        try browser.see("How many hills?", in: "#question-0")
        try world.reach("a[href$='/publish']", press: Browser.Key.enter)
        try browser.see("Nothing was found that cannot be right.")
        try world.reach("form[action$='/publish'] button", press: Browser.Key.enter)
        try browser.see("is published.", in: "body")
        let taker = ["QUIRE_TOKEN": world.taker]
        #expect(try world.device.quire(["pull"], environment: taker).exitCode == 0)
        let id = try #require(try world.device.json("list").elements.first?["id"].text)
        let answers = "{\"q1\": \"Rome <i>\", \"q2\": true, \"q3\": 7}"
        _ = try world.device.take(id, answers: answers)
        #expect(try world.device.quire(["sync"], environment: taker).exitCode == 0)
        let test = try #require(try world.device.json("host", "tests", "--data", world.host.data).elements.first)
        #expect(test["score"].number == 4)
        #expect(test["status"].text == "rated")
        try world.close()
    }

    @Test("axe-core finds nothing in the form of any kind of question", arguments: Look.sample)
    func accessibility(_ shown: Look) throws {
        guard let axe = AxeCore.script else { return }
        let world = try World(isDark: shown.isDark, language: shown.language, width: shown.isPhone ? 390 : 1100)
        let browser = world.browser
        try browser.open(world.host.address + "/desk/write/new")
        try browser.type("Ein Test", into: "#title")
        try browser.press(Browser.Key.enter)
        try browser.see("Ein Test", in: "h1")
        let draft = try browser.script("return location.pathname").text ?? ""
        for kind in [
            "choice", "choices", "boolean", "text", "number", "date", "scale", "ranking", "matching", "matrix",
            "gaps", "file", "location", "note",
        ] {
            try browser.open(world.host.address + draft)
            _ = try browser.script("document.querySelector('#kind').value = arguments[0]", kind)
            try browser.click(".adding button")
            try browser.type(kind == "gaps" ? "Red is {{1}}." : "What is $x^2$ of \(kind)?", into: "#text")
            for (name, text) in [("o.0", "One"), ("o.1", "Two"), ("row.0", "A row"), ("row.1", "Another row")]
            where try browser.has("[name='\(name)']") { try browser.type(text, into: "[name='\(name)']") }
            try browser.press(Browser.Key.tab)
            try browser.click("button[value=save]:not(.unseen)")
            try browser.see(shown.language == "ru" ? "Сохранено." : "Saved.")
            try look(browser, axe, kind)
        }
        for path in ["", "/publish", "/try"] {
            try browser.open(world.host.address + draft + path)
            try look(browser, axe, path)
        }
        try world.close()
    }

    private func look(_ browser: Browser, _ axe: String, _ name: String) throws {
        #expect(try browser.violations(by: axe) == "", "\(name)")
        let wide = try browser.script("return document.documentElement.scrollWidth > innerWidth")
        #expect(wide == .bool(false), "\(name) scrolls sideways")
        if let folder = ProcessInfo.processInfo.environment["QUIRE_LOOK"] {
            let width = try browser.script("return String(innerWidth)").text ?? ""
            try browser.screenshot().write(
                to: URL(fileURLWithPath: "\(folder)/\(width)-\(name.replacing("/", with: "")).png"))
        }
    }
}

import Foundation
import Testing

/// A questionnaire from nothing on the page, without a network, to another person's device, by keyboard alone.
@Suite(
    "An author writes on the page by keyboard", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PageAuthorJourneyTests {
    @Test(
        "six kinds, a section and a condition, offline; killed and started again, published, synced, taken elsewhere",
        arguments: triesAll ? [false, true] : [false])
    func writing(hasScript: Bool) throws {
        let world = try PageWorld(
            hasScript: hasScript, questionnaires: [Questionnaire(id: "other", title: "Another").json])
        var browser: Browser { world.browser }
        try world.host.stop()
        try browser.reach("a[href='/write']", press: Browser.Key.enter)
        try browser.see("Nothing was written here yet.")
        let author = StreamAuthor(browser: browser)
        try author.begin(at: "/write/new")
        try author.addSection("Water")
        try author.askAboutWater()
        // What was saved is on the disk: the program is killed, and the next one has it.
        try world.page.kill()
        try world.page.start()
        try browser.open(world.page.address + "/write")
        try browser.see("Draft, not published")
        try browser.reach(".waiting .actions a", press: Browser.Key.enter)
        try browser.see("Where does it flow?")
        try author.askAboutAnimals(in: "in")
        try author.makeCondition()
        // Tried as a person takes it; nothing is kept of that.
        try browser.reach("a[href$='/try']", press: Browser.Key.enter)
        try browser.see("How wide is it?")
        try browser.reach("button[value=mark]", press: Browser.Key.enter)
        try browser.see("Not answered")
        #expect(["empty", "in-progress", "done"].flatMap(world.device.tests).isEmpty)
        try author.publish("Published on this device.")
        try browser.see("Created here")
        #expect(try world.device.json("status")["waiting"].whole == 1)
        #expect(try world.device.quire("doctor").exitCode == 0)

        try world.host.start()
        // The page sends it by itself, too: the first one does it.
        _ = try world.device.quire("sync")
        let document = try wait(for: "the questionnaire at the host") { try published(world) }
        #expect(document["title"].text == "The stream")
        let questions = document["questions"].elements
        #expect(questions.map { $0["id"].text } == ["q1", "q2", "q3", "q4", "q5", "q6"])
        #expect(Set(questions.compactMap { $0["kind"].text }).count == 6, "\(questions)")
        #expect(document["sections"].elements.map { $0["questions"].texts } == [["q1", "q2", "q3"]])
        let pupil = try Device(world.folder.path, name: "pupil", of: world.host)
        let id = try #require(
            try pupil.json("list").elements.first { $0["title"].text == "The stream" }?["id"].text)
        let test = try pupil.take(
            id,
            answers:
                #"{"q1": true, "q2": 1.5, "q3": "Into the lake", "q4": ["Trout", "Beavers"], "q5": "To live in", "q6": 5}"#
        )
        #expect(try pupil.quire("sync").exitCode == 0)
        #expect(world.host.tests == [test])

        // Fetched again, the server's copy has no key; edited here, the key is still there and stays.
        try world.device.done("pull")
        try browser.open(world.page.address + "/write")
        try browser.see("The stream")
        try browser.reach("form[action='/write/of'] button", press: Browser.Key.enter)
        try browser.see("marked by its key")
        try browser.reach(".tabs a[href$='/settings']", press: Browser.Key.enter)
        // Tab selects what is in the field.
        try browser.reach("#title", press: "The stream and the lake")
        try browser.reach("button.main", press: Browser.Key.enter)
        try browser.see("Saved.")
        try browser.reach("a[href$='/publish']", press: Browser.Key.enter)
        try browser.see("What is different")
        try browser.reach("form[action$='/publish'] button", press: Browser.Key.enter)
        try browser.see("Published on this device.", in: "body")
        _ = try world.device.quire("sync")
        let changed = try wait(for: "the new title at the host") {
            try published(world).flatMap { $0["title"].text == "The stream and the lake" ? $0 : nil }
        }
        #expect(changed["key"]["q1"]["accept"].elements.count == 1)
        #expect(changed["key"]["q4"]["accept"].elements.count == 2)
        try world.close()
    }

    private static let pixel =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

    @Test("a picture that was attached to a questionnaire here is shown beside its form")
    func picture() throws {
        let world = try PageWorld(questionnaires: [Questionnaire(id: "other", title: "Another").json])
        let (browser, folder) = (world.browser, world.folder.path)
        let text =
            #"{"id": "x", "title": "Beavers", "questions": [{"id": "q1", "text": "Who is it?", "kind": "text"}]}"#
        try Files.write(text, to: folder + "/quiz.json")
        let made = try world.device.json("new", "--from", folder + "/quiz.json")
        let id = try #require(made["id"].text)
        try #require(Data(base64Encoded: Self.pixel)).write(to: URL(filePath: folder + "/beaver.png"))
        try world.device.done("attach", id, "q1", folder + "/beaver.png")
        try browser.open(world.page.address + "/write")
        try browser.click("form[action='/write/of'] button")
        try browser.see("Who is it?")
        try browser.click("a[href$='/q/q1']")
        try browser.see("As people see it")
        _ = try wait(for: "the picture") {
            let width = try browser.script(
                "return document.querySelector('.preview iframe')?.contentDocument?.querySelector('img')?.naturalWidth ?? 0"
            )
            return width.whole == 1 ? true : nil
        }
        try world.close()
    }

    @Test("axe-core finds nothing on any screen of authors, in light and dark, wide and narrow")
    func accessibility() throws {
        guard let axe = AxeCore.script else { return }
        for isDark in [false, true] {
            let world = try PageWorld(
                language: isDark ? "ru" : "en", isDark: isDark, width: isDark ? 390 : 1100,
                questionnaires: [Questionnaire(id: "other", title: "Another").json])
            let browser = world.browser
            func check(_ screen: String) throws {
                #expect(try browser.violations(by: axe) == "", "\(screen)")
                let width = try browser.script("return document.documentElement.scrollWidth - innerWidth")
                #expect(width.whole ?? 1 <= 0, "\(screen) is wider than the window")
            }
            func look(_ path: String) throws {
                try browser.open(world.page.address + path)
                _ = try browser.find("main")
                try check(path)
            }
            try look("/write")
            try look("/write/new")
            try browser.type("The stream", into: "#title")
            try browser.press(Browser.Key.enter)
            try browser.see("The stream", in: "h1")
            let draft = try browser.script("return location.pathname").text ?? ""
            for kind in ["choice", "boolean", "number", "ranking", "matrix", "gaps", "file"] {
                try browser.open(world.page.address + draft)
                _ = try browser.script("document.querySelector('#kind').value = arguments[0]", kind)
                try browser.click(".adding button")
                try browser.type(kind == "gaps" ? "Red is {{1}}." : "What of \(kind)?", into: "#text")
                for (name, text) in [("o.0", "One"), ("o.1", "Two"), ("row.0", "A row")]
                where try browser.has("[name='\(name)']") { try browser.type(text, into: "[name='\(name)']") }
                try browser.press(Browser.Key.tab)
                try browser.click("button[value=save]:not(.unseen)")
                try browser.see(isDark ? "Сохранено." : "Saved.")
                try check(kind)
            }
            try browser.open(world.page.address + draft)
            try browser.type("By the lake", into: "#newsection")
            try browser.click(".adding-section button")
            try browser.see("By the lake", in: ".listbar h2")
            try check("section")
            for path in [
                "", "/settings", "/publish", "/try", "/paste", "/copy", "/s/s1/media", "/q/q1/media", "/q/q1/preview",
                "/q/q5/preview",
            ] { try look(draft + path) }
            try look("/write")
            try browser.open(world.page.address + draft + "/publish")
            try browser.click("form[action$='/publish'] button")
            _ = try browser.find("form[action='/write/of']")
            try check("published")
            try browser.click("a[href^='/write/of/']")
            _ = try browser.find(".history")
            try check("versions")
            try browser.click(".history a")
            _ = try browser.find("#before")
            try check("version")
            try look("/")
            try world.close()
        }
    }

    /// The document that the host has of it.
    private func published(_ world: PageWorld) throws -> JSON? {
        for name in Files.names(in: world.host.questionnaires, suffix: ".json") {
            // It is replaced while it is looked at.
            guard let document = try? JSON(file: "\(world.host.questionnaires)/\(name)") else { continue }
            if document["title"].text?.hasPrefix("The stream") == true { return document }
        }
        return nil
    }
}

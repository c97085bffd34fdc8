import Foundation
import Testing

/// Two authors at one draft, and a question in the frames in which its author sees it.
@Suite(
    "Two authors and the preview in a browser", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct DeskTwoAuthorsTests {
    private static let questionnaire = """
        {"id": "d", "title": "D", "questions": [
          {"id": "a", "text": "First", "options": ["Yes", "No"]},
          {"id": "m", "text": "How often?", "kind": "matrix", "rows": ["Bread", "Milk"], "options": ["Daily", "Weekly", "Never"]}]}
        """

    private func opened(_ question: String, _ world: DeskWorld) throws -> String {
        try world.logIn("author", as: "Ada")
        try world.browser.click("form[action='/desk/write/of'] button")
        try world.browser.click("a[href$='/q/\(question)']")
        _ = try world.browser.find("#text")
        return try world.browser.url
    }

    @Test(
        "fields of both are saved together, and one that both changed is chosen by keyboard",
        arguments: [(false, true), (true, false)])
    func merged(_ hasScript: Bool, _ isDark: Bool) throws {
        let world = try DeskWorld(
            ["d": Self.questionnaire], hasScript: hasScript, isDark: isDark, width: isDark ? 500 : 1100)
        let browser = world.browser
        let form = try opened("a", world)
        let mine = try browser.tab
        _ = try browser.newTab()
        // Another author, in another window of this browser.
        try browser.open(form)
        try browser.type(" by another", into: "#text")
        try browser.type("4", into: "#points")
        try browser.click(".actions button[value=save]")
        try browser.see("Saved.")
        try browser.select(mine)
        try browser.type(" by me", into: "#text")
        try browser.type(", please", into: "[name='o.0']")
        try browser.click(".actions button[value=save]")
        try browser.see("changed 1 field at once", in: "[role=alert]")
        for words in ["First", "First by another", "First by me", "Before"] { try browser.see(words, in: ".sides") }
        let tools = try TemporaryFolder()
        if hasScript, let axe = PageSafetyTests.checker(tools.path) {
            let found = try browser.violations(by: axe)
            #expect(found == "")
            #expect(try browser.script("return document.documentElement.scrollWidth > innerWidth") == .bool(false))
        }
        // Without a choice the browser sends nothing.
        try browser.reach("button.main")
        try browser.press(Browser.Key.enter)
        #expect(try world.draft()["questions"].elements[0]["text"].text == "First by another")
        try browser.reach("[name='pick.text'][value=theirs]")
        try browser.press(Browser.Key.down)
        try browser.reach("button.main")
        try browser.press(Browser.Key.enter)
        try browser.see("both changes are in the questionnaire")
        let question = try world.draft()["questions"].elements[0]
        #expect(question["text"].text == "First by me" && question["points"].number == 4)
        #expect(question["options"].elements.map(\.text) == ["Yes, please", "No"])
        try world.close()
    }

    @Test("a question is shown as on a phone and as on a desktop, in frames that run nothing")
    func frames() throws {
        let world = try DeskWorld(["d": Self.questionnaire])
        let browser = world.browser
        _ = try opened("m", world)
        func inside(_ frame: String, _ script: String) throws -> JSON {
            try browser.script(
                "const page = document.querySelector('iframe.\(frame)').contentDocument; const view = page.defaultView; \(script)"
            )
        }
        for (frame, width) in [("phone", 390.0), ("desktop", 1200)] {
            try wait(for: "the frame \(frame)") {
                try inside(frame, "return page.querySelectorAll('.matrix input').length").number == 6 ? true : nil
            }
            #expect(try inside(frame, "return view.innerWidth").number == width)
            #expect(try inside(frame, "return page.scripts.length").number == 0)
            #expect(try inside(frame, "return page.documentElement.scrollWidth > view.innerWidth") == .bool(false))
        }
        // The stylesheet shows a table of many columns in another way on a phone.
        let head =
            "return view.getComputedStyle(page.querySelector('.matrix thead')).position + view.getComputedStyle(page.querySelector('.matrix tr:last-child')).display"
        #expect(try inside("phone", head) != inside("desktop", head))
        #expect(try browser.script("return document.documentElement.scrollWidth > innerWidth") == .bool(false))
        try browser.reach(".preview .scroll")
        let tools = try TemporaryFolder()
        if let axe = PageSafetyTests.checker(tools.path) { #expect(try browser.violations(by: axe) == "") }
        try browser.click(".preview a")
        _ = try browser.find(".matrix")
        try world.close()
    }
}

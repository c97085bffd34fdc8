import Foundation
import Testing

/// Three people on one store and one browser.
@Suite(
    "People who share a browser", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PagePeopleTests {
    private static let short = """
        {"id": "short", "title": "Short one", "questions": [{"id": "q1", "text": "Why?", "kind": "text"}]}
        """

    private func enter(_ name: String, _ world: PageWorld) throws {
        let browser = world.browser
        try browser.open(world.page.address + "/person")
        try browser.type(name, into: "#name")
        try browser.click("form[action='/person/set'] .main")
        try browser.see(name, in: "#who")
    }

    private func draft(_ text: String, _ world: PageWorld) throws -> String {
        let browser = world.browser
        try browser.open(world.page.address + "/q/short")
        try browser.click("form[action$='/begin'] button")
        try browser.see("Why?")
        try browser.type(text, into: "textarea")
        try wait(for: "“\(text)” in a draft") { answers(world).contains(text) ? true : nil }
        return try browser.url.components(separatedBy: "?")[0]
    }

    private func answers(_ world: PageWorld) -> [String] {
        world.device.tests("in-progress").compactMap { id in
            // It may be replaced while it is looked at.
            (try? JSON(file: world.device.testPath(id, "in-progress")))?["answers"][0]["answer"].text
        }
    }

    @Test(
        "each sees their own; who switches in mid-test in another tab loses nothing; the browser is killed in between")
    func three() throws {
        let world = try PageWorld(questionnaires: [Self.short])
        var tests: [String] = []
        for name in ["Ada", "Boris", "Clara"] {
            try enter(name, world)
            tests.append(try draft("by \(name)", world))
        }
        try world.restartBrowser()
        let browser = world.browser
        try browser.open(world.page.address + "/outbox")
        try browser.see("by Clara")
        #expect(try !browser.text().contains("by Ada") && !browser.text().contains("by Boris"))

        // Ada types while Boris comes, in another tab.
        try enter("Ada", world)
        try browser.open(tests[0])
        let first = try browser.tab
        _ = try browser.newTab()
        try enter("Boris", world)
        try browser.open(tests[0])
        try browser.see("This test belongs to Ada, and Boris is here now.")
        #expect(try !browser.text().contains("by Ada"))
        let second = try browser.tab
        try browser.select(first)
        try browser.see("Boris", in: "#who")
        try browser.type(" and more", into: "textarea")
        try browser.see("This test belongs to Ada, and Boris is here now.")
        try browser.see("Kept in this browser, not saved yet")
        #expect(try browser.value("textarea") == "by Ada and more")
        #expect(answers(world).contains("by Ada"))

        try browser.select(second)
        try browser.click(".confirm .main")
        try browser.see("Ada", in: "#who")
        try browser.select(first)
        try wait(for: "what Ada typed") { answers(world).contains("by Ada and more") ? true : nil }
        try world.close()
    }

    @Test("each of three has a PIN in one browser: no one sees another's tests, and a form in mid-test waits for it")
    func pins() throws {
        let axe = AxeCore.script
        let world = try PageWorld(questionnaires: [Self.short])
        let browser = world.browser
        var tests: [String] = []
        for (name, pin) in [("Ada", "1111"), ("Boris", "2222"), ("Clara", "3333")] {
            try enter(name, world)
            try browser.open(world.page.address + "/person")
            // A panel stays as it was left.
            if name == "Ada" { try browser.click("#own-pin summary") }
            try browser.type(pin, into: "#pin-new")
            try browser.type(pin, into: "#pin-again")
            if let axe { #expect(try browser.violations(by: axe) == "") }
            try browser.click("#own-pin .main")
            try browser.see("The PIN is set.")
            tests.append(try draft("by \(name)", world))
        }
        // Clara is there. The switch at the head of a page asks for Ada's PIN.
        try browser.open(world.page.address + "/")
        try browser.click("#who summary")
        try browser.click("#who form button")
        try browser.see("PIN, or the code on your card")
        if let axe { #expect(try browser.violations(by: axe) == "") }
        try browser.type("2222", into: "#pin")
        try browser.click(".confirm .main")
        try browser.see("This PIN is wrong.")
        try browser.type("1111", into: "#pin")
        try browser.click(".confirm .main")
        try browser.see("Ada", in: "#who")
        try browser.open(world.page.address + "/outbox")
        try browser.see("by Ada")
        #expect(try !browser.text().contains("by Boris") && !browser.text().contains("by Clara"))
        try browser.open(tests[1])
        try browser.see("This test belongs to Boris")
        #expect(try !browser.text().contains("by Boris"))
        // Another person comes, in another tab: the PIN that is being typed stays.
        try browser.type("22", into: "#pin")
        let first = try browser.tab
        _ = try browser.newTab()
        try enter("Dora", world)
        try browser.select(first)
        try browser.see("and Dora is here now", in: "#whose")
        try browser.type("22", into: "#pin")
        try browser.click(".confirm .main")
        try browser.see("Boris", in: "#who")
        #expect(try browser.value("textarea") == "by Boris")
        try world.close()
    }

    @Test("a form that was refused stays on the screen, says who is here, and is not sent again by itself")
    func refused() throws {
        let world = try PageWorld(questionnaires: [Self.short])
        let browser = world.browser
        try enter("Ada", world)
        try browser.open(world.page.address + "/person")
        try browser.click("#own-pin summary")
        try browser.type("1111", into: "#pin-new")
        try browser.type("1111", into: "#pin-again")
        try browser.click("#own-pin .main")
        try browser.see("The PIN is set.")
        _ = try draft("one", world)
        let first = try browser.tab
        let second = try browser.newTab()
        func comes(_ name: String) throws {
            try browser.select(second)
            try enter(name, world)
            try browser.select(first)
            try browser.see(name, in: "#who")
        }
        try comes("Boris")
        try browser.type(" two", into: "textarea")
        // As a page without its script sends it.
        try browser.script("document.querySelector('#test').submit()")
        try browser.see("and Boris is here now", in: "#whose")
        try browser.see("Nothing was saved.")
        // Otherwise the other tab saves the text that the browser kept.
        try browser.script("localStorage.clear()")
        try browser.type("9999", into: "#pin")
        try browser.click(".confirm .main")
        try browser.see("This PIN is wrong.")
        try browser.script("window.isSamePage = true")
        try comes("Clara")
        try browser.see("and Clara is here now", in: "#whose")
        #expect(try browser.text().contains("Nothing was saved.") && browser.text().contains("This PIN is wrong."))
        #expect(try browser.script("return window.isSamePage === true").bool == true)
        #expect(answers(world) == ["one"])

        // Ada comes, with her PIN: the form needs none any more.
        try browser.select(second)
        try browser.open(world.page.address + "/")
        try browser.click("#who summary")
        try browser.click("#who form button")
        try browser.type("1111", into: "#pin")
        try browser.click(".confirm .main")
        try browser.see("Ada", in: "#who")
        try browser.select(first)
        try browser.see("Ada", in: "#who")
        try wait(for: "a form without a PIN") { try browser.has("#pin, #whose") ? nil : true }
        #expect(answers(world) == ["one"])
        try browser.click(".confirm .main")
        try browser.see("Why?")
        try wait(for: "what was sent") { answers(world) == ["one two"] ? true : nil }
        try world.close()
    }

    @Test("the switch on a test saves first, and the screens are accessible")
    func switching() throws {
        // Where axe-core is not installed, the screens are not checked with it.
        let axe = AxeCore.script
        let world = try PageWorld(questionnaires: [Self.short])
        let browser = world.browser
        func check(_ screen: String) throws {
            guard let axe else { return }
            #expect(try browser.violations(by: axe) == "", "\(screen)")
        }
        try enter("Ada", world)
        let test = try draft("one", world)
        try browser.type(" two", into: "textarea")
        try browser.click("#who button")
        try browser.see("Who is here?")
        #expect(answers(world) == ["one two"])
        try check("people")
        try browser.open(world.page.address + "/")
        try browser.click("#who summary")
        try check("library")
        // What changes behind an open menu does not close it.
        let version = try browser.script("return document.body.dataset.version")
        try world.device.done("favorite", "short")
        try wait(for: "the change on the page") { () -> Bool? in
            try browser.script("return document.body.dataset.version") == version ? nil : true
        }
        #expect(try browser.script("return document.querySelector('#who details').open") == .bool(true))
        try enter("Boris", world)
        try browser.open(test)
        try browser.see("This test belongs to Ada")
        try check("another person")
        // Its person comes, in another tab.
        let first = try browser.tab
        _ = try browser.newTab()
        try enter("Ada", world)
        try browser.select(first)
        #expect(try browser.value("textarea") == "one two")
        try world.close()
    }
}

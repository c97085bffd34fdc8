import Foundation
import Testing

/// Sections, pools and shuffled options in a real browser, on the page and in the app.
@Suite(
    "Sections in a browser", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PageSectionTests {
    private static let form = """
        {"id": "river", "title": "River", "shuffle": {"questions": true, "options": true}, "passScore": 0.3,
         "release": {"correct": "rated", "explanation": "rated"}, "sections": [{"id": "s", "title": "The river", "text": "It is short.",
           "questions": ["a", "b", "c", "d"], "pick": 2}],
         "key": {"first": {"accept": [{"value": "o3"}], "explanation": "Count to three."}},
         "questions": [{"id": "first", "text": "Which?", "options": ["o1", "o2", "o3", "o4", "o5", "o6"]},
          {"id": "a", "kind": "note", "text": "Note"}, {"id": "b", "text": "Question b", "options": ["x", "y"]},
          {"id": "c", "text": "Question c", "options": ["x", "y"]}, {"id": "d", "text": "Question d", "options": ["x", "y"]}]}
        """
        .replacingOccurrences(of: "\\n", with: "")

    /// The options of a question as the screen has them, by their places in the document.
    private func order(_ selector: String, _ browser: Browser) throws -> JSON {
        try browser.script(
            "return [...document.querySelectorAll(arguments[0])].map(input => Number(input.value))", selector)
    }

    @Test("on a wide screen the passage is beside its questions, and folds away with them")
    func page() throws {
        // Where axe-core is not installed, the screens are not checked with it.
        let axe = AxeCore.script
        let world = try PageWorld(questionnaires: [Self.form])
        let browser = world.browser
        try browser.open(world.page.address + "/q/river")
        try browser.click("form[action$='/begin'] button")
        try browser.see("Which?")
        let test = try browser.url.components(separatedBy: "?")[0]
        let id = try #require(test.split(separator: "/").last.map(String.init))
        let order = try order("input[name='a.0']", browser)
        #expect(order.elements.count == 6)
        try browser.open(test + "?view=all")
        #expect(try self.order("input[name='a.0']", browser) == order, "the order is the test’s own")
        try browser.see("It is short.")
        try browser.click("input[name='a.0'][value='\(order.elements.first?.whole ?? 0)']")
        try wait(for: "the answer") { () -> Bool? in
            let path = world.device.testPath(id, "in-progress")
            guard Files.exists(path) else { return nil }
            let record = try JSON(file: path)
            return record["answers"].elements.first?["optionIndexes"].elements.first == order.elements.first
                ? true : nil
        }
        if let axe { #expect(try browser.violations(by: axe) == "") }
        try world.close()
    }

    /// The questions and options of the page as they stand, by their ids and places in the document.
    private func shown(_ browser: Browser) throws -> JSON {
        try browser.script(
            """
            return [...document.querySelectorAll('#test > .question, #test .part-questions > .question')].map(section =>
              [section.dataset.id, ...[...section.querySelectorAll('.option input')].map(input => input.value)].join());
            """)
    }

    @Test(
        "a draft has one order: with and without the script, on paper, after 30 restarts, on another machine",
        arguments: [true, false])
    func lasting(_ hasScript: Bool) throws {
        let world = try PageWorld(hasScript: hasScript, questionnaires: [Self.form])
        let browser = world.browser
        try browser.open(world.page.address + "/q/river")
        try browser.click("form[action$='/begin'] button")
        try browser.see("Which?")
        let test = try browser.url.components(separatedBy: "?")[0]
        let id = try #require(test.split(separator: "/").last.map(String.init))
        try browser.open(test + "?view=all")
        let order = try shown(browser)
        let drawn = order.texts.compactMap { $0.split(separator: ",").first.map(String.init) }
        #expect(drawn.count == 4 && drawn.contains("first") && drawn.contains("a"))
        let paper = try world.device.done("export", "--test", id, "--blank").output
        for restart in 1...30 {
            try world.page.kill()
            try world.page.start()
            // Paper is made by a program of its own, and the browser looks at every tenth.
            #expect(try world.device.done("export", "--test", id, "--blank").output == paper)
            guard restart.isMultiple(of: 10) else { continue }
            try browser.open(world.page.invitation)
            if !hasScript { try browser.click("#enter button") }
            _ = try browser.find("#list, #rooms")
            try browser.open(test + "?view=all")
            #expect(try shown(browser) == order)
        }
        let there = try Device(world.folder.path, name: "there", of: world.host)
        try world.device.done("outbox", "export", world.folder.path + "/all.tar")
        try there.done("outbox", "import", world.folder.path + "/all.tar")
        #expect(try there.done("export", "--test", id, "--blank").output == paper)
        let page = try ServeProcess(there)
        try page.start()
        try browser.open(page.invitation)
        if !hasScript { try browser.click("#enter button") }
        _ = try browser.find("#list, #rooms")
        try browser.open(page.address + "/t/\(id)?view=all")
        #expect(try shown(browser) == order)
        try page.stop()
        try world.close()
    }

    @Test("the app shows the same: order, pool, passage, and after the rating what is right and why")
    func app() throws {
        let world = try PhoneWorld([Self.form])
        let id = try world.begin("River", first: "Which?")
        try world.browser.see("Which?")
        let order = try order("#q0 .options input", world.browser)
        try world.browser.reload()
        try world.browser.see("Which?")
        #expect(try self.order("#q0 .options input", world.browser) == order)
        try world.browser.click("#a0-\(order.elements.first?.whole ?? 0)")
        try world.browser.click("#forward")
        try world.browser.see("It is short.")
        let shown = try world.stored(id)["record"]["shown"].texts
        #expect(shown.count == 4 && shown.first == "first")
        try world.browser.click("#map summary")
        try world.browser.click("#to-review")
        try world.browser.see("The river", in: "h2")
        try world.browser.click("#send")
        try world.browser.see("Rated", in: ".state-words")
        try world.browser.see("Count to three.")
        let isRight = order.elements.first?.whole == 2
        try world.browser.see(isRight ? "Passed" : "Right answer: o3")
        let sent = try JSON(file: "\(world.host.data)/tests/\(id).test.json")
        #expect(sent["shown"].texts == shown)
        #expect(sent["answers"].elements.first?["optionIndexes"].elements.first == order.elements.first)
        try world.close()
    }
}

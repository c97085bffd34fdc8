import Foundation
import Testing

/// A class from the first question to the spreadsheet, by keyboard alone.
@Suite(
    "A questionnaire is written, taken by a class, marked and looked at by keyboard", .serialized,
    .enabled(
        if: WebDriver.isInstalled && Command.isInstalled("tmux"),
        "chromium and chromedriver, or tmux, are not installed: apt-get install chromium-driver tmux"))
struct DeskClassJourneyTests {
    @Test(
        "a teacher writes and publishes; three pupils take it without a network and deliver through a hub; she marks, sends back, exports",
        arguments: triesAll ? [false, true] : [true])
    func journey(hasScript: Bool) throws {
        // With scripts in the whole of Chromium.
        let engine: Engine = hasScript ? .chromium : .usual
        let room = try PhoneWorld([], in: engine)
        try room.host.stop()
        let teacher = try room.key("teacher")
        try room.host.start("--desk")
        let folder = room.folder.path
        let driver = try engine.driver(folder: folder)
        let traits = BrowserTraits(profile: folder + "/teacher", hasScript: hasScript, language: "en")
        let browser = try Browser(driver, traits)
        try browser.open(room.host.address + "/desk/")
        try browser.logInToDesk(teacher, as: "Ms Lovelace")
        try StreamAuthor(browser: browser).publishAtDesk(pictureFrom: folder)
        let file = try #require(Files.names(in: room.host.questionnaires, suffix: ".json").first)
        let stream = String(file.dropLast(".json".count))
        let hubArguments = try room.giveHubKey()
        let devices = try ["page", "terminal"].map { name in
            let device = Device(folder, name: name)
            try device.done("init", "--remote", room.hub.address)
            try device.done("pull")
            try device.done("person", "set", "Pupil at the \(name)", "--id", name, "--group", "7b")
            return device
        }
        try room.browser.reload()
        try room.browser.see("The stream", in: "#list")
        try room.browser.reach("main .head button", press: Browser.Key.enter)
        _ = try room.browser.find("#list .here")
        try room.waitForWorker()
        // From here on there is no network.
        try room.hub.stop()
        try room.host.stop()
        try takeOnPhone(room)
        try takeOnPage(devices[0], hasScript: hasScript)
        try takeAtTerminal(devices[1], stream)
        #expect(devices.allSatisfy { $0.tests("done").count == 1 } && room.host.tests.isEmpty)
        try room.host.start("--desk")
        try room.hub.start(hubArguments)
        for device in devices { try device.done("sync") }
        try room.browser.reload()
        try wait(for: "three tests at the host") { room.host.tests.count == 3 ? true : nil }

        try browser.open(room.host.address + "/desk/")
        try browser.logInToDesk(teacher, as: "Ms Lovelace")
        try mark(browser, room, stream)
        try sendBack(browser, to: devices[0], of: stream)
        try look(browser, in: folder)
        browser.quit()
        try room.close()
    }

    // MARK: Pupils

    private func takeOnPhone(_ room: PhoneWorld) throws {
        let browser = room.browser
        try browser.reach(".item h2 a", press: Browser.Key.enter)
        _ = try browser.find("#begin")
        try browser.reach("#begin", press: Browser.Key.enter)
        func next(_ question: String, _ answer: () throws -> Void) throws {
            try Self.answer(browser, question, onwards: "#forward", answer)
        }
        // The first answer is yes.
        try next("Does it flow?") { try browser.reach("#a0-0", press: Browser.Key.space) }
        try next("How wide is it?") { try browser.reach("#a1", press: "2") }
        try next("Where does it flow?") { try browser.reach("#a2-0", press: Browser.Key.space) }
        try next("Who lives in it?") {
            try browser.reach("#a3-0", press: Browser.Key.space)
            try browser.reach("#a3-1", press: Browser.Key.space)
        }
        try next("Why do beavers") { try browser.reach("#a4", press: "By phone, \"to live\"; or = not") }
        try next("How did you like it?") { try browser.reach("#a5-0", press: Browser.Key.space) }
        try browser.reach("#send", press: Browser.Key.enter)
        _ = try browser.find(".state.busy")
    }

    /// Answers the question on the screen, and goes on.
    private static func answer(
        _ browser: Browser, _ question: String, onwards: String, _ answer: () throws -> Void
    ) throws {
        try browser.see(question)
        try answer()
        try browser.reach(onwards, press: Browser.Key.enter)
    }

    private func takeOnPage(_ device: Device, hasScript: Bool) throws {
        let page = try ServeProcess(device)
        try page.start()
        let driver = try Engine.usual.driver(folder: device.folder)
        let traits = BrowserTraits(profile: device.folder + "/pupil", hasScript: hasScript, language: "en")
        let browser = try Browser(driver, traits)
        try browser.open(page.invitation)
        if !hasScript { try browser.reach("#enter button", press: Browser.Key.enter) }
        // The script enters by itself, a moment later.
        _ = try browser.find(".item h2 a")
        try browser.reach(".item h2 a", press: Browser.Key.enter)
        try browser.reach("form[action$='/begin'] button", press: Browser.Key.enter)
        func next(_ question: String, _ answer: () throws -> Void) throws {
            try Self.answer(browser, question, onwards: ".steps .main", answer)
        }
        try next("Does it flow?") { try browser.reach("input[name='a.0']", press: Browser.Key.space) }
        try next("How wide is it?") { try browser.reach("#a1", press: "1.5") }
        try next("Where does it flow?") { try browser.reach("input[name='a.2']", press: Browser.Key.space) }
        try next("Who lives in it?") { try browser.reach("input[name='a.3']", press: Browser.Key.space) }
        try next("Why do beavers") { try browser.reach("#a4", press: "=На странице") }
        try next("How did you like it?") { try browser.reach("input[name='a.5']", press: Browser.Key.space) }
        try browser.see("Review your answers")
        try browser.reach(".final .main", press: Browser.Key.enter)
        try wait(for: "the test in the outbox") { device.tests("done").count == 1 ? true : nil }
        browser.quit()
        try page.stop()
    }

    private func takeAtTerminal(_ device: Device, _ stream: String) throws {
        let terminal = TmuxTerminal(device.folder, "tmux")
        try terminal.start(device, "take \(stream)")
        try terminal.see("Does it flow?")
        try terminal.type("2", "Tab")
        // The question about the direction is skipped: the stream does not flow.
        try terminal.see("How wide is it?")
        try terminal.type("7", "Tab")
        try terminal.see("Who lives in it?")
        try terminal.type("3", "Tab")
        try terminal.see("Why do beavers")
        try terminal.type("Because", "Tab")
        try terminal.see("How did you like it?")
        try terminal.type("4", "C-r", "End", "Enter")
        try wait(for: "the end") {
            if !device.tests("in-progress").isEmpty { try terminal.type("Enter") }
            return device.tests("in-progress").isEmpty ? true : nil
        }
        try wait(for: "the test in the outbox") { device.tests("done").count == 1 ? true : nil }
    }

    // MARK: The teacher

    private func mark(_ browser: Browser, _ room: PhoneWorld, _ stream: String) throws {
        try browser.reach("a.button[href='/desk/q/\(stream)/marking']", press: Browser.Key.enter)
        try browser.reach("a.button[href='/desk/q/\(stream)/marking/q5']", press: Browser.Key.enter)
        for place in 1...3 {
            try browser.see("Why do beavers")
            // The cursor is in the field of the points.
            try browser.waitForFocus()
            try browser.script("document.activeElement.form.dataset.former = ''")
            try browser.press("1,5", Browser.Key.enter)
            try wait(for: "\(place) marked") {
                let tests = try room.teacher.json("host", "tests", "--data", room.host.data).elements
                return tests.count { $0["status"].text == "rated" } == place ? true : nil
            }
            try wait(for: "the next page") { try browser.has("[data-former]") ? nil : true }
        }
        try browser.see("Nothing waits for marks.")
    }

    private func sendBack(_ browser: Browser, to device: Device, of stream: String) throws {
        let id = try #require(device.tests("checking").first)
        try browser.reach(".tabs a[href='/desk/q/\(stream)']", press: Browser.Key.enter)
        try browser.reach("tbody a[href='/desk/t/\(id)']", press: Browser.Key.enter)
        try browser.see("=На странице")
        try browser.reach("#return > summary", press: Browser.Key.enter)
        try browser.reach("#return-comment", press: "Say why.")
        try browser.reach("#return button.main", press: Browser.Key.enter)
        try browser.see("Returned to be corrected by Ms Lovelace")
        try wait(for: "the comment on the device") {
            try device.done("sync", "--verify")
            let status = device.deliveredStatus(id) ?? "-"
            return try device.quire("why", id).output.contains("Say why.") || status == "returned" ? true : nil
        }
        try browser.reach(".crumb a", press: Browser.Key.enter)
    }

    private func look(_ browser: Browser, in folder: String) throws {
        try browser.reach(".tabs a[href$='/statistics']", press: Browser.Key.enter)
        try browser.see("Median")
        try browser.see("Why do beavers")
        try browser.reach(".tabs a[href$='/results']", press: Browser.Key.enter)
        try browser.see("Pupil at the terminal")
        try browser.chromium("Browser.setDownloadBehavior", ["behavior": "allow", "downloadPath": folder])
        try browser.reach("a[download][href*='csv']", press: Browser.Key.enter)
        // The browser keeps the name free with an empty file until the download is complete.
        let name = try wait(for: "the file") {
            try Files.names(in: folder, suffix: ".csv").first {
                try !$0.hasPrefix("class") && !Files.text("\(folder)/\($0)").isEmpty
            }
        }
        let rows = LibreOffice.rows(try Files.text("\(folder)/\(name)"), ",")
        let heads = try #require(rows.first).map(\.text)
        let why = try #require(heads.firstIndex(of: "q5"))
        // A text that a spreadsheet would calculate begins with an apostrophe.
        #expect(
            Set(rows.dropFirst().map { $0[why].text })
                == ["By phone, \"to live\"; or = not", "'=На странице", "Because"], "\(rows)")
        guard LibreOffice.isInstalled else { return print("LibreOffice is not installed: the CSV is not opened in it") }
        let after = try LibreOffice.thereAndBack("\(folder)/\(name)", format: "ods")
        #expect(after.map { $0.map(\.text) } == rows.map { $0.map(\.text) })
    }
}

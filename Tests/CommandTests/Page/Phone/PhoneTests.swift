import Foundation
import Testing

/// The app of the hub in a real Chromium, over a real `quire hub` that is killed and started again, and a real host.
@Suite(
    "A phone that leaves the room", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PhoneTests {
    private func option(_ question: Int, _ place: Int) -> String { PhoneWorld.option(question, place) }

    @Test("the hub killed: the app opens, the test goes on over reload and a killed browser, waits, and goes once")
    func leavesTheRoom() throws {
        let world = try PhoneWorld([PhoneWorld.short, Questionnaire(id: "zother", title: "The other").json])
        let id = try world.begin()
        try world.browser.click(option(0, 0))
        try world.waitForAnswer(id, "q1", "yes")
        try world.waitForWorker()
        world.hub.kill()

        try world.browser.reload()
        try world.browser.see("Question 1 of 4")
        try world.browser.see("Offline", in: "#connection")
        #expect(try world.browser.script("return document.querySelector('#a0-0').checked") == .bool(true))
        try world.browser.click("#forward")
        try world.browser.see("Which of them?")
        try world.browser.click(option(1, 0))
        try world.browser.click(option(1, 2))
        try world.browser.click("#forward")
        try world.browser.see("Why?")
        try world.browser.type("Because of this", into: "#a2")
        try world.waitForAnswer(id, "q3", "Because of this")
        try world.browser.script("document.querySelector('#a2').setSelectionRange(3, 9)")
        try world.browser.reload()
        try world.browser.see("Why?")
        try wait(for: "the place") {
            try world.browser.script(
                "const t = document.activeElement; return [t.id, t.value, t.selectionStart, t.selectionEnd]")
                == .array([.string("a2"), .string("Because of this"), .number(3), .number(9)]) ? true : nil
        }

        // The library is there, and says what can be opened and what not.
        try world.restartBrowser()
        try world.browser.open(world.address)
        try world.browser.see("2 questionnaires", in: "#list")
        try world.browser.see("draft in progress", in: "#list")
        try world.browser.type("THE othér", into: "#search")
        try world.browser.see("Found: 1 questionnaire", in: "#list")
        try world.browser.see("not on this device", in: "#list")
        try world.browser.click(".item h2 a")
        try world.browser.see("can be opened when there is a connection")
        try world.goTo("#/t/\(id)")
        try world.browser.see("Why?")
        #expect(try world.browser.value("#a2") == "Because of this")
        try world.browser.click("#forward")
        try world.browser.type("2,5", into: "#a3")
        try world.browser.click("#forward")
        try world.browser.see("Every question has an answer.")
        try world.browser.see("You are offline.")
        #expect(try world.browser.text("#send") == "Save, send when connected")
        try world.browser.doubleClick("#send")
        try world.browser.see("Saved locally", in: ".state-words")
        try world.browser.see("waiting to be sent")
        #expect(world.host.tests.isEmpty)

        // Another reload without the hub, and then the hub is back at its place.
        try world.browser.reload()
        try world.browser.see("waiting to be sent")
        let frozen = try world.stored(id)["frozen"]
        try world.hub.start()
        try world.browser.see("Rated", in: ".state-words")
        #expect(try world.browser.text(".score").contains("of 4"))
        #expect(world.host.tests == [id])
        #expect(String(decoding: try world.host.test(id), as: UTF8.self) == frozen["text"].text)
        let sent = try JSON(parsing: try #require(frozen["text"].text))
        #expect(sent["id"].text == id && sent["answers"].elements.count == 4)
        #expect(sent["answers"][3]["answer"].text == "2.5")
        #expect(sent["answers"][1]["optionIndexes"] == .array([.number(0), .number(2)]))
        let receipt = try JSON(file: "\(world.host.data)/receipts/\(id).receipt.json")
        #expect(receipt["digest"].text == "sha256:" + (frozen["digest"].text ?? ""))
        #expect(try world.stored(id)["receipt"] == receipt)
        try world.browser.click("#proof summary")
        try world.browser.see("sha256:" + (frozen["digest"].text ?? ""), in: "#proof")
        try world.goTo("#/results")
        try world.browser.see("Short one", in: "#list")
        try world.close()
    }

    @Test("kill -9 of the browser: saved answers are kept, and a test that was started without the hub is sent, too")
    func killedBrowser() throws {
        let world = try PhoneWorld()
        let first = try world.begin()
        try world.waitForWorker()
        world.hub.kill()
        try world.goTo("#/t/\(first)/3")
        try world.browser.see("Why?")
        try world.browser.type("The last word", into: "#a2")
        try world.browser.see("Saved locally", in: "#saved")
        try world.waitForAnswer(first, "q3", "The last word")
        try world.restartBrowser(isKilled: true)
        try world.browser.open(world.address + "#/t/\(first)/3")
        try world.browser.see("Why?")
        #expect(try world.browser.value("#a2") == "The last word")

        // Another test of a questionnaire that is here can be started at any time.
        try world.goTo("#/q/short")
        try world.browser.click("#begin")
        try world.browser.see("Is it so?")
        let second = try #require(try world.browser.script("return location.hash.split('/')[2]").text)
        #expect(second != first)
        try world.browser.click(option(0, 1))
        try world.waitForAnswer(second, "q1", "no")
        try world.goTo("#/t/\(second)/review")
        try world.browser.click("#send")
        try world.browser.see("waiting to be sent")
        let text = try world.stored(second)["frozen"]["text"].text
        try world.restartBrowser(isKilled: true)
        try world.hub.start()
        try world.browser.open(world.address + "#/t/\(second)")
        try world.browser.see("Rated", in: ".state-words")
        #expect(world.host.tests == [second])
        #expect(try String(decoding: world.host.test(second), as: UTF8.self) == text)
        try world.close()
    }

    @Test("the server away: kept at the hub and never shown as sent, over kill -9 of the hub, then rated once")
    func serverAway() throws {
        let world = try PhoneWorld()
        let browser = world.browser
        let id = try world.begin()
        try browser.click(option(0, 0))
        world.host.kill()
        try browser.see("Hub only", in: "#connection")
        try world.goTo("#/t/\(id)/review")
        try browser.see("The hub keeps the answers and delivers them")
        #expect(try browser.text("#send") == "Send to the hub")
        try browser.click("#send")
        try browser.see("Kept at the hub", in: ".state-words")
        #expect(world.host.tests.isEmpty)
        world.hub.kill()
        try browser.see("Offline", in: "#connection")
        try browser.reload()
        try browser.see("Kept at the hub", in: ".state-words")
        try world.hub.start()
        try world.host.start()
        try browser.see("Rated", in: ".state-words")
        #expect(world.host.tests == [id])
        #expect(try String(decoding: world.host.test(id), as: UTF8.self) == world.stored(id)["frozen"]["text"].text)
        #expect(world.host.exchanges.count { $0.method == "PUT" && $0.status == 201 } == 1)
        try world.close()
    }

    @Test("the server is away before the first phone comes: it gets what the hub keeps, pictures too, and hands over")
    func firstPhone() throws {
        let world = try PhoneWorld(nil, hubArguments: ["--keep-all"])
        try wait(for: "the hub to have everything") { () -> Bool? in
            let keeping = try world.hub.status()["keeping"]
            return (keeping["urls"].whole ?? 0) > 12 && keeping["missing"].whole == 0 && keeping["lastRound"] != .null
                ? true : nil
        }
        world.host.kill()
        try world.forgetAll()
        let browser = world.browser
        try browser.see("14 questionnaires", in: "#list")
        try browser.see("Hub only", in: "#connection")
        try world.goTo("#/q/sky-and-planets")
        try browser.click("#begin")
        try browser.see("Question 1 of 10")
        let test = try #require(try browser.script("return location.hash.split('/')[2]").text)
        try world.goTo("#/t/\(test)/3")
        try browser.see("Question 3 of 10")
        let isSeen = try browser.asyncScript(
            "const done = arguments[0]; document.querySelector('figure img').decode().then(() => done(true), () => done(false))"
        )
        #expect(isSeen == .bool(true))
        try world.goTo("#/q/posle-uroka")
        try browser.click("#begin")
        try browser.see("Question 1 of 7")
        let id = try #require(try browser.script("return location.hash.split('/')[2]").text)
        try browser.type("Дроби", into: "#a0")
        try world.waitForAnswer(id, "q1", "Дроби")
        for question in [1, 3] {
            try world.goTo("#/t/\(id)/\(question + 1)")
            try browser.click(option(question, 0))
            try browser.see("Saved locally", in: "#saved")
        }
        try world.goTo("#/t/\(id)/review")
        try browser.click("#send")
        try browser.see("Kept at the hub", in: ".state-words")
        try world.host.start()
        try browser.see("Sent", in: ".state-words")
        #expect(world.host.tests == [id])
        try world.close()
    }

    @Test("two clicks, and two tabs that would both send: one PUT")
    func oncePerBrowser() throws {
        let world = try PhoneWorld()
        let browser = world.browser
        let id = try world.begin()
        try browser.click(option(0, 1))
        try world.waitForAnswer(id, "q1", "no")
        try world.waitForWorker()
        let first = try browser.tab
        let second = try browser.newTab()
        try browser.open(world.address + "#/t/\(id)/review")
        try browser.see("Review your answers")
        try world.notePuts()
        try browser.select(first)
        try world.goTo("#/t/\(id)/review")
        try browser.see("Review your answers")
        try world.notePuts()
        try browser.doubleClick("#send")
        try browser.select(second)
        // It hears that the test is finished, and tries to send it, too.
        try browser.script("import('./background-sync.js').then(sync => { sync.now(); sync.now(); })")
        try browser.see("Rated", in: ".state-words")
        var puts = try world.puts()
        try browser.select(first)
        try browser.see("Rated", in: ".state-words")
        puts += try world.puts()
        #expect(puts.count == 1)
        #expect(world.host.tests == [id])
        try world.close()
    }

    @Test("the reply is lost on its way: the same bytes go again under the same id, and the host has one test")
    func lostReply() throws {
        var ends: CuttingProxy?
        let world = try PhoneWorld(way: { port in
            // The browser itself tries again on each connection that it has, before the app hears of it.
            let plan = CuttingProxy.Plan(losesReplyAfterBytes: 90_000, lostReplies: 8)
            let proxy = try CuttingProxy(to: port, plan)
            ends = proxy
            return proxy.port
        })
        let browser = world.browser
        let id = try world.begin()
        try browser.click(option(0, 0))
        try world.goTo("#/t/\(id)/3")
        try browser.see("Why?")
        // As long as a field takes: its bytes alone are beyond what goes up before.
        try browser.script(
            "const t = document.querySelector('#a2'); t.value = 'long '.repeat(19000); t.dispatchEvent(new Event('input', {bubbles: true}))"
        )
        try browser.see("Saved locally", in: "#saved")
        try world.goTo("#/t/\(id)/review")
        try browser.see("Review your answers")
        try world.notePuts()
        // The answer makes the page too long for the driver to scroll to its end in time.
        try browser.script("document.querySelector('#send').click()")
        try browser.see("Rated", in: ".state-words")
        let puts = try world.puts()
        #expect(puts.count >= 2 && Set(puts).count == 1)
        #expect(ends?.cuts == 8)
        #expect(world.host.tests == [id])
        try world.close()
        ends?.end()
    }

    @Test("other bytes under its id at the server: changed elsewhere, and the person decides")
    func conflict() throws {
        let world = try PhoneWorld()
        let browser = world.browser
        let id = try world.begin()
        try browser.click(option(0, 0))
        try world.waitForAnswer(id, "q1", "yes")
        let other = """
            {"id": "\(id)", "questionnaire": {"id": "short", "title": "Other", "digest": \
            "sha256:\(String(repeating: "0", count: 64))"}, "dateStarted": "2026-11-21T04:51:00.000Z", "answers": []}
            """
        try Command.run(
            "curl", "-sSf", "-X", "PUT", "-H", "Content-Type: application/json", "--data-binary", other,
            "\(world.host.address)/v1/tests/\(id)", in: world.folder.path)
        try world.goTo("#/t/\(id)/review")
        try browser.click("#send")
        try browser.see("Changed elsewhere", in: ".state-words")
        #expect(String(decoding: try world.host.test(id), as: UTF8.self) == other)
        try browser.reload()
        try browser.see("Changed elsewhere", in: ".state-words")
        try browser.click("#again")
        try browser.see("Changed elsewhere", in: ".state-words")
        try world.goTo("#/outbox")
        try browser.see("Changed elsewhere", in: "#list")
        try world.close()
    }

    @Test("over plain http on a network: answers are kept and sent once, and the app says what it cannot do")
    func plainHTTP() throws {
        let world = try PhoneWorld(name: "hub.quire.test")
        let browser = world.browser
        #expect(try browser.script("return isSecureContext") == .bool(false))
        try browser.see("This page was not opened over https.", in: "#unsafe")
        let id = try world.begin()
        try browser.click(option(0, 0))
        try world.waitForAnswer(id, "q1", "yes")
        world.hub.kill()
        try browser.see("Offline", in: "#connection")
        try world.goTo("#/settings")
        try browser.see("not opened over https")
        try world.goTo("#/t/\(id)/review")
        try browser.click("#send")
        try browser.see("waiting to be sent")
        try world.hub.start()
        try browser.see("Rated", in: ".state-words")
        #expect(world.host.tests == [id])
        #expect(try String(decoding: world.host.test(id), as: UTF8.self) == world.stored(id)["frozen"]["text"].text)
        try world.close()
    }
}

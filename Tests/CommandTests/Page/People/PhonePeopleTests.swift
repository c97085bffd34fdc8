import Foundation
import Testing

/// People who share a phone in the room of a hub.
@Suite(
    "People who share a phone", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PhonePeopleTests {
    private static let one = """
        {"id": "one", "title": "Once", "questions": [{"id": "q1", "text": "Why?", "kind": "text"}],
        "availability": {"attempts": 1}}
        """
    private static let why = """
        {"id": "why", "title": "Why", "questions": [{"id": "q1", "text": "Why?", "kind": "text"}]}
        """
    private static let consent = """
        {"id": "consent", "title": "Consent", "questions": [
        {"id": "sign", "kind": "file", "text": "Sign here.", "capture": "signature"}]}
        """

    /// A host whose class is known, and the phone.
    private func world(
        _ questionnaires: [String], codes: [String] = ["", "", ""], more: String...
    ) throws -> PhoneWorld {
        let world = try PhoneWorld(questionnaires, width: 390, height: 800)
        try world.importClass(
            zip(["Ada Lovelace", "Boris B.", "\u{674E}"], codes).enumerated().map {
                "s-\($0 + 1),\($1.0),7b,\($1.1)"
            })
        if !codes[0].isEmpty { try world.giveHubKey("--show-people") }
        try world.browser.reload()
        return world
    }

    /// Opens a questionnaire and presses Start.
    private func start(_ title: String, _ id: String, _ world: PhoneWorld) throws {
        try world.goTo("#/")
        try world.browser.see(title, in: "#list")
        try world.goTo("#/q/\(id)")
        try world.browser.click("#begin")
    }

    private func answer(_ text: String, _ world: PhoneWorld) throws -> String {
        try world.browser.see("Why?")
        guard let id = try world.browser.script("return location.hash.split('/')[2]").text else {
            throw Unexpected("no id")
        }
        try world.browser.type(text, into: "#a0")
        try world.waitForAnswer(id, "q1", text)
        return id
    }

    private func send(_ id: String, _ world: PhoneWorld) throws {
        try world.goTo("#/t/\(id)/review")
        try world.browser.click("#send")
    }

    @Test("the start asks who takes it, from the class list by name or number; each sees their own, and all are sent")
    func choosing() throws {
        let world = try world([Self.why])
        let browser = world.browser
        try start("Why", "why", world)
        try browser.see("Who is taking this?")
        try browser.see("Boris B. (7b)", in: "#found")
        try browser.type("love", into: "#find")
        try wait(for: "one of the list") { try browser.text("#found") == "Ada Lovelace (7b)" ? true : nil }
        try browser.click("#is-s-1")
        let ada = try answer("by Ada", world)
        try browser.see("Ada Lovelace (7b)", in: "#who")
        #expect(try world.stored(ada)["record"]["person"]["id"].text == "s-1")

        try world.goTo("#/person")
        try browser.type("s-3", into: "#find")
        try browser.click("#is-s-3")
        try browser.see("\u{674E} (7b)", in: "#who")
        #expect(try !browser.text("#list").contains("draft in progress"))
        try start("Why", "why", world)
        let third = try answer("by the third", world)

        // Typed, new here; and a name of the list is the person of the list.
        try world.goTo("#/person")
        try browser.type("Eve", into: "#name")
        try browser.click("#set .main")
        try browser.see("Eve", in: "#who")
        try start("Why", "why", world)
        let eve = try answer("by Eve", world)
        for other in [ada, third] {
            try world.goTo("#/t/\(other)")
            try browser.see("This test belongs to")
            #expect(try !browser.text().contains("by Ada") && !browser.text().contains("by the third"))
        }
        try world.goTo("#/outbox")
        try browser.see("by Eve")
        #expect(try !browser.text().contains("by Ada"))

        // The browser is killed; who was there is there. The switch at the head is one step.
        try world.restartBrowser(isKilled: true)
        let again = world.browser
        try again.open(world.address)
        try again.see("Eve", in: "#who")
        try send(eve, world)
        try again.see("Sent", in: ".state-words")
        try again.click("#switch summary")
        try again.click("#to-s-1")
        try again.see("Ada Lovelace (7b)", in: "#who")
        try world.goTo("#/results")
        try again.see("No tests have been delivered yet.")
        try send(ada, world)
        try again.see("Sent", in: ".state-words")
        try again.see("Ada Lovelace (7b)", in: ".whose")
        let tests = try Device(world.folder.path, name: "teacher").json("host", "tests", "--data", world.host.data)
            .elements
        let people = tests.compactMap { $0["person"]["name"].text }
        #expect(Set(people) == ["Ada Lovelace", "Eve"] && people.count == 2)
        try world.close()
    }

    @Test("a code proves a person, also while another one is there; a typed one is not proven")
    func codes() throws {
        let world = try world([Self.why], codes: ["ABCD2345", "EFGH2345", "JKMN2345"])
        let browser = world.browser
        try start("Why", "why", world)
        // A hub that shows the class list does so without a key of the phone.
        try browser.see("Boris B. (7b)", in: "#found")
        try browser.type("abcd-2346", into: "#code")
        try browser.click("#login .plain")
        try browser.see("The server does not accept this code")
        try browser.script(
            "document.querySelector('#code').value = ''; document.querySelector('#code').dispatchEvent(new Event('input'))"
        )
        try browser.type("abcd-2345", into: "#code")
        try browser.click("#login .plain")
        let ada = try answer("by Ada", world)
        try world.goTo("#/person")
        try browser.click("#is-s-2")
        try start("Why", "why", world)
        let boris = try answer("by Boris", world)
        try send(boris, world)
        try browser.see("Sent", in: ".state-words")
        #expect(try !browser.text(".whose").contains("proven"))
        try browser.click("#switch summary")
        try browser.click("#to-s-1")
        // From the test of another person it leads to the library.
        try browser.see("Why", in: "#list")
        try send(ada, world)
        try browser.see("proven with a code", in: ".whose")
        let tests = try Device(world.folder.path, name: "teacher").json("host", "tests", "--data", world.host.data)
            .elements
        func verified(_ id: String) -> Bool? { tests.first { $0["id"].text == id }?["verified"].bool }
        #expect(verified(ada) == true && verified(boris) == false && tests.count == 2)
        try world.close()
    }

    @Test("attempts are said before a test begins and kept in a killed browser, per person; what is not open yet opens")
    func attempts() throws {
        let opens = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 86_400))
        let later = """
            {"id": "later", "title": "Later", "questions": [{"id": "q1", "text": "Why?", "kind": "text"}],
            "availability": {"opensAt": "\(opens)"}}
            """
        let world = try world([Self.one, later])
        let browser = world.browser
        try start("Once", "one", world)
        try browser.click("#is-s-1")
        let id = try answer("once", world)
        try world.waitForWorker()
        world.hub.kill()
        try send(id, world)
        try browser.see("Saved locally, waiting to be sent", in: ".state-words")
        try world.restartBrowser(isKilled: true)
        let again = world.browser
        try again.open(world.address + "#/q/one")
        try again.see("You have handed it in already, and it may be handed in once")
        #expect(try again.script("return document.querySelector('#begin')") == .null)
        try world.hub.start()
        try again.click("#switch summary")
        try again.click("#switch p a")
        try again.click("#is-s-2")
        try again.see("Boris", in: "#who")
        try world.goTo("#/q/one")
        try again.see("attempt 1 of 1")
        try again.click("#begin")
        try again.see("Why?")
        try world.goTo("#/q/later")
        try again.see("It opens at")
        #expect(try again.script("return document.querySelector('#begin')") == .null)
        try world.close()
    }

    @Test("a list that forbids typed names offers no field for one, and no start without a name")
    func listedOnly() throws {
        let world = try world([Self.why])
        let browser = world.browser
        try world.goTo("#/person")
        try browser.see("This is me")
        try browser.type("Eve", into: "#name")
        try browser.click("#set .main")
        try browser.see("Eve", in: "#who")
        try Device(world.folder.path, name: "teacher").done(
            "host", "people", "typed-names", "forbid", "--data", world.host.data)
        try browser.reload()
        try world.goTo("#/person/why")
        try browser.see("Only people on the class list take tests here.")
        #expect(try browser.script("return document.querySelector('#set, #anyone')") == .null)
        // Who was typed before takes none either.
        try start("Why", "why", world)
        try browser.see("Who is taking this?")
        try browser.click("#is-s-2")
        try browser.see("Why?")
        try world.close()
    }

    @Test("each case of the shared table is in the app what it is in Swift")
    func vectors() throws {
        let world = try PhoneWorld()
        try world.browser.see("Short one", in: "#list")
        let table = try Command.vectors("availability")
        let wrong = try world.browser.asyncScript(
            """
            const done = arguments[0], { access, attempts } = \(table);
            import('./availability.js').then(rules => {
              const wrong = [];
              for (const { name, availability, now, attempt, access: wanted } of access) {
                const found = rules.access(rules.read(availability), Date.parse(now), attempt);
                if (found.kind !== wanted.kind || found.of !== wanted.of || (found.at && found.at !== Date.parse(wanted.at))) wrong.push(name);
              }
              for (const { name, tests, next } of attempts) if (rules.nextAttempt(tests) !== next) wrong.push(name);
              done([String(access.length + attempts.length > 15), ...wrong]);
            }, error => done([String(error)]));
            """)
        #expect(wrong.texts == ["true"])
        try world.close()
    }

    @Test(
        "what one has drawn stays when another comes, until it is kept or erased; then the other sees no more of it",
        arguments: ["[data-keep]", "[data-erase]"])
    func drawn(_ end: String) throws {
        let world = try world([Self.consent])
        let browser = world.browser
        try start("Consent", "consent", world)
        try browser.click("#is-s-1")
        try browser.see("Sign here.")
        try browser.draw(on: ".sign canvas", by: "touch")
        let first = try browser.tab
        _ = try browser.newTab()
        try browser.open(world.address + "#/person")
        try browser.type("Boris", into: "#find")
        try browser.click("#is-s-2")
        try browser.see("Boris B.", in: "#who")
        try browser.select(first)
        try browser.see("Boris B.", in: "#who")
        try browser.see("Sign here.")
        try browser.click(end)
        try browser.see("This test belongs to Ada Lovelace")
        try world.close()
    }
}

import Foundation
import Testing

/// PINs of people who share a phone.
@Suite(
    "A PIN in the app for phones", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PhonePINTests {
    @Test(
        "it is asked for at each switch, after a reload, in another tab and in a killed browser; nothing of its person is seen until then"
    )
    func asked() throws {
        let axe = AxeCore.script
        let world = try PhoneWorld.ofClass()
        let browser = world.browser
        func check(_ screen: String) throws {
            if let axe { #expect(try browser.violations(by: axe) == "", "\(screen)") }
        }
        try world.enter("s-1", "Ada")
        for (pin, again, words) in [
            ("12", "12", "A PIN has 4 to 12 digits."), ("1111", "2222", "The two new PINs differ."),
        ] {
            try world.setPIN(pin, again: again)
            try browser.see(words, in: "#own-pin")
        }
        try check("the form")
        let ada = try world.withPIN()
        // Its person goes on without being asked.
        try world.goTo("#/outbox")
        try browser.see("by Ada")

        try browser.reload()
        try browser.see("PIN, or the code on your card", in: "#ask-pin")
        for hash in ["#/", "#/outbox", "#/t/\(ada)", "#/t/\(ada)/review", "#/q/why", "#/results"] {
            // The question of the screen before is none of this one.
            try browser.script("document.querySelector('#ask-pin').remove()")
            try world.goTo(hash)
            try browser.see("PIN, or the code on your card", in: "#ask-pin")
            #expect(try !browser.text().contains("by Ada") && !browser.text().contains("draft in progress"))
        }
        try check("the question")
        try browser.see("Locked with a PIN: Ada Lovelace (7b)", in: "#who")
        try browser.click("#forgotten summary")
        try check("a forgotten PIN")
        // Another person is there with one step more, and sees their own.
        try browser.click("#ask-pin .actions a")
        try world.choose("#is-s-2")
        try browser.see("Boris B. (7b)", in: "#who")
        try browser.see("Why", in: "#list")
        #expect(try !browser.text().contains("draft in progress"))
        try world.goTo("#/t/\(ada)")
        try browser.see("This test belongs to Ada")
        try browser.click("#as-owner")
        try world.typePIN("1112")
        try browser.see("This PIN is wrong.")
        try check("a wrong one")
        try browser.type("11-", into: "#pin")
        let isHeard = try browser.asyncScript(
            """
            const done = arguments[0];
            Promise.all([import('./store.js'), import('./people.js')]).then(async ([store, people]) => {
              store.changed('person');
              for (let look = 0; look < 20; look++) await people.state();
              done(true);
            }, error => done(String(error)));
            """)
        // Late news of who is there takes nothing that is typed.
        #expect(try isHeard == .bool(true) && browser.value("#pin") == "11-")
        try browser.type("11", into: "#pin")
        try browser.click("#ask-pin .main")
        try browser.see("Why?")
        #expect(try browser.value("#a0") == "by Ada")

        // By the head of the screen, by the list, and by a typed name.
        for way in ["head", "list", "name"] {
            try world.enter("s-2", "Boris")
            switch way {
            case "head":
                try browser.click("#switch summary")
                try browser.click("#to-s-1")
            case "list":
                try world.goTo("#/person")
                try world.choose("#is-s-1")
            default:
                try world.goTo("#/person")
                try browser.type("ada lovelace", into: "#name")
                try browser.click("#set .main")
            }
            try world.typePIN("1111")
            try browser.see("Ada", in: "#who")
            try browser.see("draft in progress", in: "#list")
        }
        // Another tab knows nothing of it.
        let tab = try browser.newTab()
        try browser.open(world.address + "#/outbox")
        try browser.see("PIN, or the code on your card", in: "#ask-pin")
        try browser.select(tab)
        try world.restartBrowser(isKilled: true)
        let again = world.browser
        try again.open(world.address + "#/t/\(ada)")
        try world.typePIN("1111")
        try again.see("Why?")
        #expect(try again.value("#a0") == "by Ada")

        // Changed with the one of now, removed with it.
        try world.setPIN("2222", former: "9999")
        try again.see("This PIN is wrong.", in: "#own-pin")
        try world.setPIN("2222", former: "1111")
        try again.see("The PIN is set.", in: "#told")
        try again.reload()
        try world.goTo("#/outbox")
        try world.typePIN("2222")
        try again.see("by Ada")
        try world.goTo("#/person")
        try again.click("#own-pin summary")
        try again.type("2222", into: "#pin-former")
        try again.click("#remove-pin")
        try again.see("The PIN is removed.", in: "#told")
        try again.reload()
        try again.see("Ada", in: "#who")
        try world.goTo("#/outbox")
        try again.see("by Ada")
        try world.close()
    }

    @Test("what waits is sent while another person is there, who hears nothing of it")
    func sentMeanwhile() throws {
        let world = try PhoneWorld.ofClass()
        let browser = world.browser
        let ada = try world.withPIN()
        try world.waitForWorker()
        world.hub.kill()
        try world.goTo("#/t/\(ada)/review")
        try browser.click("#send")
        try browser.see("Saved locally, waiting to be sent", in: ".state-words")
        try world.enter("s-2", "Boris")
        try browser.script(
            """
            window.heard = '';
            new MutationObserver(() => { window.heard += document.querySelector('#told').textContent; })
              .observe(document.querySelector('#told'), {childList: true});
            """)
        try world.hub.start("--token-file", world.folder.path + "/hub-key", "--show-people")
        try browser.script("dispatchEvent(new Event('online'))")
        try wait(for: "Ada's test") { () -> Bool? in
            try world.stored(ada)["status"].text == "sent" ? true : nil
        }
        let tests = try world.teacher.json("host", "tests", "--data", world.host.data).elements
        #expect(tests.map { $0["person"]["id"].text } == ["s-1"])
        // An own one is said, in the same way and later.
        try world.goTo("#/results")
        try browser.see("No tests have been delivered yet.")
        let boris = try world.beginWhy("by Boris")
        try world.goTo("#/t/\(boris)/review")
        try browser.click("#send")
        try browser.see("Sent", in: ".state-words")
        #expect(try browser.script("return window.heard.includes('Why')") == .bool(false))
        try world.close()
    }

    @Test(
        "wrong ones are bounded, also over reloads; the code of the card opens, and so does the right one after the wait"
    )
    func bounded() throws {
        let world = try PhoneWorld.ofClass()
        let browser = world.browser
        _ = try world.withPIN()
        for number in 0..<5 {
            try browser.reload()
            try world.typePIN("000\(number)")
            try browser.see("This PIN is wrong.")
        }
        try browser.see("The next try is in 30 s.")
        try browser.reload()
        // Nothing is compared, not even the right one. A clock that was set back waits the full time, however slow this is.
        try world.setTries("Date.now() + 3600e3")
        try world.typePIN("1111")
        try browser.see("Too many wrong PINs. The next try is in")
        #expect(try browser.script("return document.querySelector('#as-owner, #list')") == .null)
        // Half a minute later.
        try world.setTries("pins['s-1'].tries.at - 31000")
        try world.typePIN("1111")
        try browser.see("Why?")
        #expect(try browser.value("#a0") == "by Ada")
        // The count ended. With the code known here the field takes it, without any wait.
        try world.goTo("#/person")
        try browser.type(PhoneWorld.code, into: "#code")
        try browser.click("#login .plain")
        try browser.see("Why", in: "#list")
        for _ in 0..<5 {
            try browser.reload()
            try world.typePIN("0000")
            try browser.see("This PIN is wrong.", in: "#pin-fault")
        }
        try browser.reload()
        try world.setTries("Date.now() + 3600e3")
        try world.typePIN("0000")
        try browser.see("Too many wrong PINs.", in: "#pin-fault")
        try world.typePIN("abcd 2345 efgh 6789")
        try browser.see("draft in progress", in: "#list")
        try world.close()
    }

    @Test(
        "a forgotten one: the code of the card logs in without it, and a teacher's key removes it, a taker's does not")
    func forgotten() throws {
        let world = try PhoneWorld.ofClass()
        let browser = world.browser
        _ = try world.withPIN()
        try browser.reload()
        try browser.click("#forgotten summary")
        try browser.click("#forgotten p a")
        try browser.type(PhoneWorld.code, into: "#code")
        try browser.click("#login .plain")
        try browser.see("draft in progress", in: "#list")
        try browser.reload()
        let (taker, teacher) = (try world.key("taker"), try world.key("teacher"))
        func reset(_ key: String) throws {
            try browser.script("document.querySelector('#forgotten').open = true")
            try browser.script("document.querySelector('#teacher-key').value = ''")
            try browser.script("document.querySelector('#reset .refusal').replaceChildren()")
            try browser.type(key, into: "#teacher-key")
            try browser.click("#reset button")
        }
        _ = try browser.find("#forgotten")
        for key in ["nonsense", "\u{43a}\u{43b}\u{44e}\u{447}", taker] {
            try reset(key)
            try browser.see("This is not the key of a teacher.", in: "#reset")
        }
        world.hub.kill()
        try reset(teacher)
        try browser.see("The server cannot be reached now, so the key cannot be checked.", in: "#reset")
        try world.hub.start("--token-file", world.folder.path + "/hub-key", "--show-people")
        try reset(teacher)
        try browser.see("draft in progress", in: "#list")
        // The phone does not keep the key, and asks for no PIN any more.
        let kept = try browser.asyncScript(
            """
            const done = arguments[0];
            indexedDB.open('quire').onsuccess = event => {
              event.target.result.transaction('facts').objectStore('facts').getAll().onsuccess = event => done(JSON.stringify(event.target.result));
            };
            """)
        let facts = try #require(kept.text)
        #expect(facts.contains(PhoneWorld.code) && !facts.contains(teacher))
        try browser.reload()
        try browser.see("draft in progress", in: "#list")
        try world.close()
    }

    @Test("over plain http no PIN can be set, and the screen says what that means")
    func plain() throws {
        let world = try PhoneWorld.ofClass(name: "hub.school.example")
        try world.enter("s-1", "Ada")
        try world.goTo("#/person")
        try world.browser.click("#own-pin summary")
        try world.browser.see("none can be set. Everyone who uses this phone can switch to you.", in: "#own-pin")
        #expect(try world.browser.script("return document.querySelector('#own-pin input')") == .null)
        try world.close()
    }

    @Test("each case of the shared table is in the app what it is in Swift; a PIN is stored as its hash alone")
    func vectors() throws {
        let world = try PhoneWorld.ofClass()
        let table = try Command.vectors("pins")
        let wrong = try world.browser.asyncScript(
            """
            const done = arguments[0], { pins, tries } = \(table);
            import('./pins.js').then(async rules => {
              const wrong = [];
              for (const one of pins) if (rules.digits(one.written) !== (one.digits ?? null)) wrong.push(one.written);
              for (const one of tries) if (rules.remainingSeconds({ wrong: one.wrong, at: 1e12 }, 1e12 + one.past * 1000) !== one.wait) wrong.push(one.name);
              // Of another implementation of PBKDF2.
              if (await rules.hash('1234', [...Array(16).keys()], 1000) !== '\(Self.hash)') wrong.push('hash');
              done([String(pins.length > 10 && tries.length > 10), ...wrong]);
            }, error => done([String(error)]));
            """)
        #expect(wrong.texts == ["true"])
        try world.enter("s-1", "Ada")
        try world.setPIN("271828")
        try world.browser.see("The PIN is set.", in: "#told")
        let kept = try world.browser.asyncScript(
            "const done = arguments[0]; import('./store.js').then(store => store.fact('pins')).then(pins => done(JSON.stringify(pins)))"
        )
        let text = try #require(kept.text)
        #expect(text.contains("\"rounds\":600000") && text.contains("pbkdf2-sha256") && !text.contains("271828"))
        try world.close()
    }

    /// Of Python's hashlib.
    private static let hash = "2240ea2a22754a3c4610356ef8e4d7acf25af2ac3d2d11866de97a8b7812c52c"
}

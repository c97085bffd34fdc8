import Foundation
import Testing

/// Drafts that outlive a cleared browser: the hub has them, encrypted with the person's code.
@Suite(
    "Drafts of the app that the hub keeps", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PhoneHubDraftTests {
    @Test(
        "the hub is killed while drafts arrive, the phone's storage is cleared: after the log-in the draft is back with answers and place, and is sent once"
    )
    func outlives() throws {
        let world = try HubDraftWorld()
        let phone = world.phone
        try world.logIn()
        let id = try world.begin()
        try phone.browser.type("Because", into: "#a0")
        for round in 1...4 {
            try phone.browser.type(" \(round)", into: "#a0")
            // The app looks for the hub at once, and hands over what there is.
            try phone.browser.script("dispatchEvent(new Event('online'))")
            phone.hub.kill()
            try world.startHub()
        }
        try phone.waitForAnswer(id, "q1", "Because 1 2 3 4")
        try phone.browser.click("#forward")
        try phone.browser.see("Since when?")
        try phone.browser.type("Monday", into: "#a1")
        try phone.waitForAnswer(id, "q2", "Monday")
        try world.waitForCopy(id)
        try phone.goTo("#/outbox")
        try phone.browser.see("copy at the hub", in: "#list")
        phone.hub.kill()
        // Nothing of it can be read in the hub's files.
        for file in try world.files() {
            let bytes = try Data(contentsOf: URL(filePath: file))
            for secret in ["Because", "Monday", "Ada", "Since when"] {
                #expect(bytes.range(of: Data(secret.utf8)) == nil)
            }
        }
        try world.startHub()
        try phone.forgetAll()
        #expect(try phone.stored(id) == .null)
        try world.logIn()
        try phone.browser.see("1 draft came back from the hub.", in: "#told")
        try phone.goTo("#/t/\(id)")
        try phone.browser.see("Since when?")
        #expect(try phone.browser.value("#a1") == "Monday")
        try phone.goTo("#/t/\(id)/1")
        try phone.browser.see("Why?")
        #expect(try phone.browser.value("#a0") == "Because 1 2 3 4")
        try phone.goTo("#/t/\(id)/review")
        try phone.browser.click("#send")
        try phone.browser.see("proven with a code", in: ".whose")
        let tests = try world.tests()
        #expect(tests.count == 1 && tests[0]["id"].text == id)
        #expect(try world.files().isEmpty)
        try phone.close()
    }

    @Test("a hand-over whose reply is lost is recognized, and not taken for that of another device")
    func lostReply() throws {
        let world = try HubDraftWorld()
        let phone = world.phone
        try world.logIn()
        let id = try world.begin()
        try phone.browser.type("One", into: "#a0")
        try phone.waitForAnswer(id, "q1", "One")
        try world.waitForCopy(id)
        try phone.browser.script(
            """
            const real = window.fetch;
            window.lost = 0;
            window.fetch = async (address, options) => {
              const reply = await real(address, options);
              if (options?.method !== 'PUT' || !String(address).includes('/_hub/drafts/')) return reply;
              window.lost += 1;
              window.fetch = real;
              throw new TypeError('lost');
            };
            """)
        try phone.browser.type(" two", into: "#a0")
        try phone.waitForAnswer(id, "q1", "One two")
        try world.waitForCopy(id)
        #expect(try phone.browser.script("return window.lost") == .number(1))
        try phone.browser.type(" three", into: "#a0")
        try phone.waitForAnswer(id, "q1", "One two three")
        try world.waitForCopy(id)
        #expect(try phone.browser.text("#draft-notice") == "")
        try phone.close()
    }

    @Test("what is discarded does not come back, and a photo does; over plain http nothing is handed over")
    func discardedAndPlain() throws {
        let world = try HubDraftWorld()
        let phone = world.phone
        try world.logIn()
        let id = try world.begin()
        try phone.browser.type("Gone", into: "#a0")
        try phone.waitForAnswer(id, "q1", "Gone")
        try world.waitForCopy(id)
        #expect(try !world.files().isEmpty)
        try phone.browser.script("window.confirm = () => true")
        try phone.browser.click("#map summary")
        try phone.browser.click("#discard")
        try phone.browser.see("Two", in: "#list")
        let other = try world.begin()
        let photo = phone.folder.path + "/photo.png"
        try Files.write(String(repeating: "photo", count: 20_000), to: photo)
        try phone.browser.click("#d0 summary")
        try phone.browser.type(photo, into: "#c0")
        try phone.browser.see("photo.png", in: "#d0")
        try world.waitForCopy(other)
        try phone.forgetAll()
        try world.logIn()
        try phone.browser.see("1 draft came back", in: "#told")
        #expect(try phone.stored(id) == .null)
        try phone.goTo("#/t/\(other)/review")
        try phone.browser.click("#send")
        try phone.browser.see("proven with a code", in: ".whose")
        try wait(for: "the photo at the host") {
            Files.names(in: phone.host.data + "/media", suffix: "").count == 1 ? true : nil
        }
        try phone.close()

        let plain = try HubDraftWorld(name: "hub.school.example")
        try plain.logIn()
        let draft = try plain.begin()
        try plain.phone.browser.type("Stays", into: "#a0")
        try plain.phone.waitForAnswer(draft, "q1", "Stays")
        try plain.phone.goTo("#/settings")
        try plain.phone.browser.see("cannot encrypt", in: "#drafts")
        _ = try plain.phone.browser.asyncScript(
            "const done = arguments[0]; import('./drafts.js').then(drafts => drafts.exchange()).then(() => done(true))")
        #expect(try plain.files().isEmpty)
        try plain.phone.close()
    }

    @Test(
        "a file that stayed on its phone is kept while another phone goes on; what was taken away goes at the hub, too")
    func filesOfTwoPhones() throws {
        let world = try HubDraftWorld()
        let phone = world.phone
        try world.logIn()
        let id = try world.begin()
        for (name, length) in [("large.png", 9 << 20), ("small.png", 20_000)] {
            let file = phone.folder.path + "/" + name
            try Files.write(String(repeating: "x", count: length), to: file)
            if name == "large.png" { try phone.browser.click("#d0 summary") }
            try phone.browser.type(file, into: "#c0")
            try phone.browser.see(name, in: "#d0")
        }
        func names() throws -> [String?] {
            try phone.stored(id)["record"]["attachments"].elements.map { $0["name"].text }
        }
        try world.waitForCopy(id)
        // The draft, its questionnaire and the small file.
        #expect(try world.files().count == 3)
        try phone.changePhone(from: "first", to: "second")
        try world.logIn()
        try phone.browser.see("1 draft came back", in: "#told")
        #expect(try names() == ["small.png"])
        try phone.goTo("#/t/\(id)")
        try phone.browser.see("large.png", in: "#draft-notice")
        try phone.browser.type("Here", into: "#a0")
        try phone.waitForAnswer(id, "q1", "Here")
        try world.waitForCopy(id)
        try phone.changePhone(from: "second", to: "first")
        try phone.waitForAnswer(id, "q1", "Here")
        #expect(Set(try names()) == ["large.png", "small.png"])
        _ = try phone.browser.asyncScript(
            """
            const done = arguments[0];
            Promise.all([import('./files.js'), import('./store.js')]).then(async ([files, store]) => {
              const { record } = await store.test('\(id)');
              await files.detach('\(id)', record.attachments.find(({ name }) => name === 'small.png').id);
              done(true);
            }, error => done(String(error)));
            """)
        try world.waitForCopy(id)
        #expect(try world.files().count == 2)
        try phone.goTo("#/t/\(id)/review")
        try phone.browser.click("#send")
        try phone.browser.see("proven with a code", in: ".whose")
        try wait(for: "the large file at the host") {
            Files.names(in: phone.host.data + "/media", suffix: "").count == 1 ? true : nil
        }
        try phone.close()
    }

    @Test("a copy of a draft that does not get through holds up no answers")
    func apart() throws {
        let world = try HubDraftWorld()
        let phone = world.phone
        try world.logIn()
        let id = try world.begin()
        try phone.browser.script(
            """
            const real = window.fetch;
            window.held = 0;
            window.fetch = (address, options) => {
              if (options?.method !== 'PUT' || !String(address).includes('/_hub/drafts/')) return real(address, options);
              window.held += 1;
              return new Promise(() => {});
            };
            """)
        try phone.browser.type("Held", into: "#a0")
        try phone.waitForAnswer(id, "q1", "Held")
        try phone.browser.script("dispatchEvent(new Event('online'))")
        try wait(for: "the copy") { try phone.browser.script("return window.held") == .number(1) ? true : nil }
        try phone.goTo("#/t/\(id)/review")
        try phone.browser.click("#send")
        try phone.browser.see("proven with a code", in: ".whose")
        #expect(try world.tests().count == 1)
        try phone.close()
    }

    @Test("each case of the shared table: what is done about a draft, what a reply means, and what a code opens")
    func vectors() throws {
        let world = try PhoneWorld()
        try world.browser.see("Short one", in: "#list")
        let table = try Command.vectors("drafts")
        let wrong = try world.browser.asyncScript(
            """
            const done = arguments[0], { envelopes, decisions, outcomes } = \(table);
            const bytesOf = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
            import('./drafts.js').then(async drafts => {
              const wrong = [];
              for (const one of decisions) if (drafts.decide(one) !== one.step) wrong.push(one.name);
              for (const one of outcomes) if (drafts.outcome(one.status, one.kind) !== one.outcome) wrong.push(`${one.status} ${one.kind}`);
              for (const one of envelopes) {
                const opened = await drafts.open(one.code, one, bytesOf(one.envelope));
                if ((opened && new TextDecoder().decode(opened.bytes)) !== one.text) wrong.push(one.name);
                if (!one.iv) continue;
                const sealed = await drafts.seal(one.code, one.salt, one, new TextEncoder().encode(one.text), new Uint8Array(one.iv));
                if (btoa(String.fromCharCode(...sealed)) !== one.envelope) wrong.push('sealed: ' + one.name);
              }
              done([String(envelopes.length > 8 && decisions.length > 12 && outcomes.length > 13), ...wrong]);
            }, error => done([String(error)]));
            """)
        #expect(wrong.texts == ["true"])
        try world.close()
    }
}

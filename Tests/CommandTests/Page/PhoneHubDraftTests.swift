import Foundation
import Testing

/// Drafts that outlive a cleared browser: the hub has them, encrypted with the person's code.
@Suite(
    "Drafts of the app that the hub keeps", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PhoneHubDraftTests {
    private static let code = "ABCD2345EFGH6789"
    private static let two = """
        {"id": "two", "title": "Two", "questions": [{"id": "q1", "text": "Why?", "kind": "text"},
        {"id": "q2", "text": "Since when?", "kind": "text"}]}
        """

    /// A host that knows Ada's code, a hub with a key of its own, and a phone.
    private struct World {
        let phone: PhoneWorld
        private let keyFile: String

        init(name: String? = nil) throws {
            phone = try PhoneWorld([PhoneHubDraftTests.two], width: 390, height: 800, name: name)
            let teacher = Device(phone.folder.path, name: "teacher")
            let file = phone.folder.path + "/class.csv"
            try Files.write("id,name,group,code\ns-1,Ada Lovelace,7b,\(PhoneHubDraftTests.code)\n", to: file)
            try teacher.done("host", "people", "import", file, "--data", phone.host.data)
            let key = try teacher.json("host", "keys", "add", "--data", phone.host.data, "--role", "taker")["key"].text
            keyFile = phone.folder.path + "/hub-key"
            try Files.write(try #require(key) + "\n", to: keyFile)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: keyFile)
            try phone.hub.stop()
            try startHub()
            try phone.browser.reload()
        }

        func startHub() throws { try phone.hub.start("--token-file", keyFile) }

        func logIn() throws {
            try phone.goTo("#/person")
            try phone.browser.type(PhoneHubDraftTests.code, into: "#code")
            try phone.browser.click("#login .plain")
            try phone.browser.see("Ada Lovelace", in: "#who")
        }

        func begin() throws -> String {
            try phone.goTo("#/q/two")
            try phone.browser.click("#begin")
            try phone.browser.see("Why?")
            guard let id = try phone.browser.script("return location.hash.split('/')[2]").text else {
                throw Unexpected("no id")
            }
            return id
        }

        /// Waits until the hub has this very state of a draft.
        func waitForCopy(_ id: String) throws {
            try wait(for: "the draft at the hub") { () -> Bool? in
                let isThere = try phone.browser.asyncScript(
                    """
                    const done = arguments[0];
                    Promise.all([import('./drafts.js'), import('./store.js')]).then(async ([drafts, store]) => {
                      await drafts.exchange().catch(() => 0);
                      const test = await store.test('\(id)');
                      done(drafts.stateOf(test) === 'kept' && !await drafts.isChanged(test));
                    }, error => done(String(error)));
                    """)
                return isThere == .bool(true) ? true : nil
            }
        }

        /// The files of drafts in the hub's store.
        func files() throws -> [String] {
            let folder = phone.hub.store + "/hub/drafts"
            return try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".draft") }
                .map { folder + "/" + $0 }
        }

        func tests() throws -> [JSON] {
            try Device(phone.folder.path, name: "teacher").json("host", "tests", "--data", phone.host.data).elements
        }
    }

    @Test(
        "the hub is killed while drafts arrive, the phone's storage is cleared: after the log-in the draft is back with answers and place, and is sent once"
    )
    func outlives() throws {
        let world = try World()
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

    @Test(
        "a phone that still has the draft learns that it was handed in from another one, and cannot make a second delivery"
    )
    func twoPhones() throws {
        let world = try World()
        let phone = world.phone
        try world.logIn()
        let id = try world.begin()
        try phone.browser.type("On both", into: "#a0")
        try phone.waitForAnswer(id, "q1", "On both")
        try world.waitForCopy(id)
        try phone.changePhone(from: "first", to: "second")
        try world.logIn()
        try phone.browser.see("1 draft came back", in: "#told")
        // Goes on there: the first one, which has not changed, takes it over; then both change it.
        try phone.goTo("#/t/\(id)")
        try phone.browser.see("Why?")
        try phone.browser.type(", then here", into: "#a0")
        try phone.waitForAnswer(id, "q1", "On both, then here")
        try world.waitForCopy(id)
        try phone.changePhone(from: "second", to: "first")
        try phone.waitForAnswer(id, "q1", "On both, then here")
        try phone.goTo("#/t/\(id)")
        try phone.browser.see("Why?")
        phone.hub.kill()
        try phone.browser.type(" and first", into: "#a0")
        try phone.waitForAnswer(id, "q1", "On both, then here and first")
        try phone.changePhone(from: "first", to: "second")
        try world.startHub()
        try phone.goTo("#/t/\(id)")
        try phone.browser.type(" and second", into: "#a0")
        try phone.waitForAnswer(id, "q1", "On both, then here and second")
        try world.waitForCopy(id)
        try phone.changePhone(from: "second", to: "first")
        try phone.goTo("#/t/\(id)")
        try phone.browser.see("continued on another device", in: "#draft-notice")
        // Neither is overwritten before the person chooses.
        try phone.browser.reload()
        try phone.browser.see("continued on another device", in: "#draft-notice")
        _ = try phone.browser.asyncScript(
            "const done = arguments[0]; import('./drafts.js').then(drafts => drafts.exchange()).then(() => done(true))")
        #expect(try phone.browser.value("#a0") == "On both, then here and first")
        try phone.browser.click("#take-other")
        try phone.waitForAnswer(id, "q1", "On both, then here and second")
        try wait(for: "the other text") {
            try phone.browser.value("#a0") == "On both, then here and second" ? true : nil
        }
        // The second one hands it in.
        try phone.changePhone(from: "first", to: "second")
        try phone.goTo("#/t/\(id)/review")
        try phone.browser.click("#send")
        try phone.browser.see("proven with a code", in: ".whose")
        try phone.changePhone(from: "second", to: "first")
        try phone.goTo("#/t/\(id)")
        try phone.browser.see("handed in from another device", in: "#draft-notice")
        try phone.goTo("#/t/\(id)/review")
        try phone.browser.click("#send")
        try phone.browser.see("handed in before with other answers", in: ".state")
        let tests = try world.tests()
        #expect(tests.count == 1 && tests[0]["id"].text == id)
        try phone.close()
    }

    @Test("a hand-over whose reply is lost is recognized, and not taken for that of another device")
    func lostReply() throws {
        let world = try World()
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
        let world = try World()
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

        let plain = try World(name: "hub.school.example")
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
        let world = try World()
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
        let world = try World()
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
        let table = try Files.text(Command.repository + "/Tests/Vectors/drafts.json")
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

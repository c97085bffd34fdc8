import Foundation
import Testing

/// The main job of the page and of the app in browsers other than the one that most tests run in.
@Suite("The main job in the whole of Chromium, in Firefox and in WebKit", .serialized)
struct PageEnginesTests {
    /// Each question has a right answer, so that the key alone rates it.
    private static let short = PhoneWorld.short.replacingOccurrences(
        of: #""q3": "Because of this", "q4": "2.5"}"#, with: #""q3": "So it is", "q4": "7"}"#)
    private static let questionnaires = [short, Questionnaire(id: "other", title: "Another").json]

    @Test(
        "the page in Chromium: found, taken over reloads, reviewed, sent, rated",
        .enabled(if: Engine.chromium.isInstalled, "Chromium is not installed: apt-get install chromium-driver"))
    func pageInChromium() throws { try page(.chromium) }

    @Test(
        "the page in Firefox: found, taken over reloads, reviewed, sent, rated",
        .enabled(if: Engine.firefox.isInstalled, "Firefox is not installed: apt-get install firefox-esr"))
    func pageInFirefox() throws { try page(.firefox) }

    @Test(
        "the page in WebKit: found, taken over reloads, reviewed, sent, rated",
        .enabled(if: Engine.webKit.isInstalled, "WebKitGTK is not installed: apt-get install webkit2gtk-driver xvfb"))
    func pageInWebKit() throws { try page(.webKit) }

    @Test(
        "the app in Chromium: found, taken over reloads, reviewed, sent, rated",
        .enabled(if: Engine.chromium.isInstalled, "Chromium is not installed: apt-get install chromium-driver"))
    func appInChromium() throws { try app(.chromium) }

    @Test(
        "the app in Firefox: found, taken over reloads, reviewed, sent, rated",
        .enabled(if: Engine.firefox.isInstalled, "Firefox is not installed: apt-get install firefox-esr"))
    func appInFirefox() throws { try app(.firefox) }

    @Test(
        "the app in WebKit: found, taken over reloads, reviewed, sent, rated",
        .enabled(if: Engine.webKit.isInstalled, "WebKitGTK is not installed: apt-get install webkit2gtk-driver xvfb"))
    func appInWebKit() throws { try app(.webKit) }

    private func page(_ engine: Engine) throws {
        let world = try PageWorld(engine, questionnaires: Self.questionnaires)
        let browser = world.browser
        func option(_ question: Int, _ place: Int) -> String { "input[name='a.\(question)'][value='\(place)']" }
        try browser.see("Another")
        try browser.type("shor", into: "#search")
        try browser.see("Found: 1 questionnaire")
        try browser.click(".item h2 a")
        try browser.click("form[action$='/begin'] button")
        try browser.see("Question 1 of 4")
        try browser.click(option(0, 0))
        try browser.click(".steps .main")
        try browser.see("Question 2 of 4")
        try browser.click(option(1, 0))
        try browser.click(option(1, 2))
        try browser.see("Saved locally", in: "#saved")
        try browser.reload()
        try browser.see("Question 2 of 4")
        #expect(
            try browser.script("return [...document.querySelectorAll(':checked')].map(field => field.value).join()")
                == .string("0,2"))
        try browser.click(".steps .main")
        try browser.see("Question 3 of 4")
        try browser.type("So it is", into: "textarea")
        try browser.see("Saved locally", in: "#saved")
        try browser.reload()
        try browser.see("Question 3 of 4")
        #expect(try browser.value("textarea") == "So it is")
        try browser.click(".steps .main")
        try browser.see("Question 4 of 4")
        try browser.type("7", into: "#a3")
        try browser.click(".steps .main")
        try browser.see("Every question has an answer.")
        try browser.reload()
        // By what is drawn: WebKit's driver leaves out texts that an ellipsis may cut.
        try wait(for: "the answers in the review") {
            let drawn = try browser.script(
                """
                return [...document.querySelectorAll('.lines .given')]
                  .filter(line => line.offsetWidth > 10 && line.offsetHeight > 10).map(line => line.innerText).join('|')
                """)
            return drawn.text?.contains("So it is") == true ? true : nil
        }
        try browser.click(".final .main")
        try browser.see("Rated", in: ".state-words")
        #expect(try browser.text(".score").contains("4"))
        // It was open when the rating came, and has not been loaded again.
        _ = try browser.find("#answers .mark.good")
        let sent = try JSON(
            parsing: String(decoding: try world.host.test(try #require(world.host.tests.first)), as: UTF8.self))
        #expect(
            sent["answers"].elements.map { $0["answer"].texts.isEmpty ? $0["answer"].text ?? "" : "several" }
                == ["yes", "several", "So it is", "7"])
        try browser.open(world.page.address + "/results")
        try browser.see("Short one")
        #expect(world.host.tests.count == 1)
        try world.close()
    }

    /// Chooses a photo for the third question, as far as a script can: WebKit's dialog for files cannot be steered.
    private func attach(_ browser: Browser) throws {
        try browser.click("#d2 summary")
        try browser.script(
            """
            const field = document.querySelector('#c2'), chosen = new DataTransfer();
            chosen.items.add(new File([new Uint8Array(300000).fill(7)], 'photo.png', { type: 'image/png' }));
            field.files = chosen.files;
            field.dispatchEvent(new Event('change', { bubbles: true }));
            """)
        try browser.see("photo.png", in: "#d2")
    }

    @Test(
        "a transaction that WebKit never ends is given up with a reason, and the storage goes on",
        .enabled(if: Engine.webKit.isInstalled, "WebKitGTK is not installed: apt-get install webkit2gtk-driver xvfb"))
    func stuckTransaction() throws {
        let world = try PhoneWorld(Self.questionnaires, in: .webKit)
        try world.browser.see("Another", in: "#list")
        let end = try world.browser.asyncScript(
            """
            const done = arguments[0];
            import(document.baseURI.split('#')[0] + 'store.js').then(async store => {
              store.patience.milliseconds = 1000;
              const blob = new Blob(['x'.repeat(100000)]);
              const put = () => store.transact(['bytes'], 'readwrite', run => run('bytes', null, 'put', { id: 'x', blob }));
              const first = await put().then(() => 'stored', error => error.name);
              store.patience.milliseconds = 30000;
              await store.setFact('after', first);
              done([first, await store.fact('after')]);
            }).catch(error => done([String(error)]));
            """)
        let words = end.texts
        #expect(
            words.count == 2 && words[0] == words[1]
                && ["stored", "TimeoutError", "DataCloneError", "AbortError", "UnknownError"].contains(words[0]),
            "\(end)")
        try world.close()
    }

    @Test(
        "a click on Next counts in WebKit, though something else is saved while the button is down",
        .enabled(if: Engine.webKit.isInstalled, "WebKitGTK is not installed: apt-get install webkit2gtk-driver xvfb"))
    func heldButton() throws {
        let world = try PhoneWorld([Self.short], in: .webKit)
        let browser = world.browser
        let id = try world.begin()
        try browser.click(PhoneWorld.option(0, 0))
        try world.waitForAnswer(id, "q1", "yes")
        try browser.hold("#forward") {
            // The second change waits until the screen has read the first one.
            let end = try browser.asyncScript(
                """
                const done = arguments[0], id = '\(id)';
                import(document.baseURI.split('#')[0] + 'store.js').then(async store => {
                  await store.toggleFlag(id, 'q1');
                  await store.toggleFlag(id, 'q2');
                  await store.test(id);
                  done(true);
                }).catch(error => done(String(error)));
                """)
            #expect(end == .bool(true))
        }
        try browser.see("Which of them?")
        let flagged = "return document.querySelector('#m0')?.className ?? ''"
        try wait(for: "the flag on the map") { () -> Bool? in
            try browser.script(flagged).text?.contains("flagged") == true ? true : nil
        }
        try world.close()
    }

    private func app(_ engine: Engine) throws {
        let world = try PhoneWorld(Self.questionnaires, in: engine)
        let browser = world.browser
        try browser.see("Another", in: "#list")
        try browser.type("shor", into: "#search")
        try browser.see("Found: 1 questionnaire", in: "#list")
        let id = try world.begin()
        try browser.click(PhoneWorld.option(0, 0))
        try world.waitForAnswer(id, "q1", "yes")
        try browser.reload()
        try browser.see("Is it so?")
        #expect(try browser.script("return document.querySelector('#a0-0').checked") == .bool(true))
        try browser.click("#forward")
        try browser.see("Which of them?")
        try browser.click(PhoneWorld.option(1, 0))
        try browser.click(PhoneWorld.option(1, 2))
        try browser.click("#forward")
        try browser.see("Why?")
        try browser.type("So it is", into: "#a2")
        try world.waitForAnswer(id, "q3", "So it is")
        try browser.reload()
        try browser.see("Why?")
        #expect(try browser.value("#a2") == "So it is")
        try attach(browser)
        try browser.see("Saved locally", in: "#saved")
        try browser.reload()
        try browser.see("photo.png", in: "#d2")
        try browser.click("#forward")
        try browser.see("How many?")
        try browser.type("7", into: "#a3")
        try browser.click("#forward")
        try browser.see("Every question has an answer.")
        try browser.click("#send")
        try browser.see("Rated", in: ".state-words")
        #expect(try browser.text(".score").contains("of 4"))
        #expect(world.host.tests == [id])
        try wait(for: "the photo at the host") { () -> Bool? in
            Files.names(in: world.host.data + "/media").isEmpty ? nil : true
        }
        try world.goTo("#/results")
        try browser.see("Short one", in: "#list")
        try world.close()
    }
}

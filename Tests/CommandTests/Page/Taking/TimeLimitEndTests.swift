import Foundation
import Testing

/// Warnings near the end of a time limit, and the end itself, in real browsers.
@Suite(
    "The end of a time limit on the page", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct TimeLimitEndTests {
    static let ended = "The time is over: the test is handed in as it was."

    static func form(_ seconds: Int) -> String {
        """
        {"id": "limited", "title": "Limited", "timeLimitSeconds": \(seconds), "finishAtTimeLimit": true, "questions": [
        {"id": "q1", "text": "First?", "kind": "text"}, {"id": "q2", "text": "Second?", "kind": "number", "required": true}]}
        """
    }

    private func begin(_ world: PageWorld) throws -> String {
        try world.browser.open(world.page.address + "/q/limited")
        try world.browser.see("handed in by itself at the end of the time")
        try world.browser.click("form[action$='/begin'] button")
        try world.browser.see("First?")
        let address = try world.browser.url.components(separatedBy: "?")[0]
        return try #require(address.split(separator: "/").last.map(String.init))
    }

    private func waitForAnswer(_ world: PageWorld, _ id: String, _ text: String) throws {
        try wait(for: "the answer on the disk") { () -> Bool? in
            guard world.device.tests("in-progress").contains(id) else { return nil }
            let stored = try JSON(file: world.device.testPath(id, "in-progress"))["answers"].elements
            return stored.first?["answer"].text == text ? true : nil
        }
    }

    /// The finished test, wherever it is on its way.
    private func finished(_ world: PageWorld, _ id: String) throws -> JSON {
        try wait(for: "the test at the host") { () -> JSON? in
            let path = "\(world.host.data)/tests/\(id).test.json"
            return Files.exists(path) ? try JSON(file: path) : nil
        }
    }

    private func expectInTime(_ test: JSON, _ limit: Int) throws {
        let start = try #require(test["dateStarted"].text.flatMap { try? Date($0, strategy: Self.style) })
        let end = try #require(test["dateFinished"].text.flatMap { try? Date($0, strategy: Self.style) })
        #expect(abs(end.timeIntervalSince(start) - Double(limit)) < 0.01)
        #expect(try #require(test["timing"]["activeSeconds"].number) <= Double(limit))
    }

    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// Long enough for what is done before the end, however busy the machine is.
    private static let longLimit = 300

    /// Moves the start of a draft on the disk back, as if so many seconds had gone by since.
    private func setStart(_ world: PageWorld, _ id: String, secondsAgo: Double) throws {
        // The program changes a draft only while it holds this lock.
        let lock = open("\(world.device.store)/outbox/edit.lock", O_RDWR | O_CLOEXEC)
        guard lock >= 0, flock(lock, LOCK_EX) == 0 else { throw Unexpected("the drafts cannot be locked") }
        defer { close(lock) }
        // A draft without an answer has a place of its own.
        let file = try #require(
            ["in-progress", "empty"].map { world.device.testPath(id, $0) }.first { Files.exists($0) })
        let draft = try Files.text(file)
        let start = Date(timeIntervalSinceNow: -secondsAgo).formatted(Self.style)
        let earlier = draft.replacing(/"dateStarted"( ?: ?)"[^"]*"/) { match in
            "\"dateStarted\"\(match.output.1)\"\(start)\""
        }
        #expect(earlier != draft)
        try Files.write(earlier, to: file)
    }

    /// Lets the time of a draft go by but for so many seconds. The page learns it from the program, which it asks when the
    /// browser's two clocks part.
    private func leave(_ seconds: Int, of limit: Int = Self.longLimit, _ world: PageWorld, _ id: String) throws {
        try setStart(world, id, secondsAgo: Double(limit - seconds))
        try world.browser.script("const now = Date.now; Date.now = () => now() + 5000")
    }

    @Test(
        "five minutes and one minute before the end the page says so, also to screen readers",
        arguments: [(600, 298, "Less than 5 minutes left."), (290, 58, "Less than a minute left.")])
    func warnings(_ limit: Int, _ left: Int, _ words: String) throws {
        let world = try PageWorld(questionnaires: [Self.form(limit)])
        let browser = world.browser
        let id = try begin(world)
        #expect(try browser.has("#time-warning") == (limit < 300))
        try leave(left, of: limit, world, id)
        try browser.see(words, in: "#told")
        try browser.see(words, in: "#time-warning")
        #expect(try browser.script("return document.querySelector('#told').getAttribute('aria-live')").text == "polite")
        // Said once: the next page shows it, and does not say it again. So does the review.
        try browser.reload()
        try browser.see(words, in: "#time-warning")
        try browser.click(".steps .main")
        try browser.see("Second?")
        try browser.see(words, in: "#time-warning")
        #expect(try browser.text("#told").isEmpty)
        try browser.open(try browser.url.components(separatedBy: "?")[0] + "/review")
        try browser.see(words, in: "#time-warning")
        try browser.see("left", in: "[role=timer]")
        try world.close()
    }

    @Test("without a script each page says in words how little time is left", arguments: [290, 55])
    func withoutScript(_ limit: Int) throws {
        let world = try PageWorld(hasScript: false, questionnaires: [Self.form(limit)])
        _ = try begin(world)
        try world.browser.see(
            limit > 60 ? "Less than 5 minutes left." : "Less than a minute left.", in: "#time-warning")
        try world.close()
    }

    @Test("at the end the page hands in what is typed, though a required question has no answer")
    func page() throws {
        let world = try PageWorld(questionnaires: [Self.form(Self.longLimit)])
        let browser = world.browser
        let id = try begin(world)
        try browser.type("typed to the e", into: "#a0")
        try browser.press("n", "d")
        try waitForAnswer(world, id, "typed to the end")
        try leave(8, world, id)
        try browser.see(Self.ended, in: "body")
        let test = try finished(world, id)
        #expect(test["answers"].elements.map { $0["answer"].text } == ["typed to the end"])
        try expectInTime(test, Self.longLimit)
        let listed = try world.device.json("why", id)
        #expect(listed["late"] == .bool(false))
        try world.close()
    }

    @Test("and from the review")
    func review() throws {
        let world = try PageWorld(questionnaires: [Self.form(Self.longLimit)])
        let browser = world.browser
        let id = try begin(world)
        try browser.open(try browser.url.components(separatedBy: "?")[0] + "/review")
        try browser.see("left", in: "[role=timer]")
        try leave(8, world, id)
        try browser.see(Self.ended, in: "body")
        try expectInTime(try finished(world, id), Self.longLimit)
        try world.close()
    }

    @Test("what could not be saved at the end is handed in when the program is back")
    func away() throws {
        let world = try PageWorld(questionnaires: [Self.form(Self.longLimit)])
        let browser = world.browser
        let id = try begin(world)
        try browser.type("before", into: "#a0")
        try waitForAnswer(world, id, "before")
        try leave(19, world, id)
        try browser.see("0:1", in: "[role=timer]")
        try world.page.kill()
        try browser.type(" and after", into: "#a0")
        try browser.see("the test will be handed in", in: "[data-left]")
        // What is typed now would be too late, and is not taken.
        #expect(try browser.script("return document.querySelector('#test').inert") == .bool(true))
        try browser.press("!")
        try world.page.start()
        let test = try finished(world, id)
        #expect(test["answers"].elements.map { $0["answer"].text } == ["before and after"])
        try world.close()
    }

    @Test("a clock of the browser that is set neither ends a test nor prolongs it", arguments: [7200, -7200])
    func clockIsSet(_ seconds: Int) throws {
        let world = try PageWorld(questionnaires: [Self.form(Self.longLimit)])
        let browser = world.browser
        let id = try begin(world)
        try leave(19, world, id)
        try browser.see("0:1", in: "[role=timer]")
        try browser.script(
            """
            const now = Date.now;
            Date.now = () => now() + \(seconds * 1000);
            window.seen = [];
            const clock = document.querySelector('[data-left]');
            new MutationObserver(() => seen.push(clock.textContent)).observe(clock, { childList: true, characterData: true, subtree: true });
            """)
        let seen = try wait(for: "a clock that goes on") { () -> [String]? in
            let seen = try browser.script("return seen").texts
            return seen.count > 2 ? seen : nil
        }
        #expect(seen.allSatisfy { $0.contains("0:0") || $0.contains("0:1") }, "\(seen)")
        try browser.see(Self.ended, in: "body")
        try expectInTime(try finished(world, id), Self.longLimit)
        try world.close()
    }

    @Test("without a script the next request hands in what it sends")
    func nextRequest() throws {
        let world = try PageWorld(hasScript: false, questionnaires: [Self.form(4)])
        let browser = world.browser
        let id = try begin(world)
        try browser.type("typed to the end", into: "#a0")
        let end = Date() + 4
        try waitForEnd(end)
        try browser.click(".steps .main")
        try browser.see(Self.ended, in: "body")
        let test = try finished(world, id)
        #expect(test["answers"].elements.map { $0["answer"].text } == ["typed to the end"])
        try expectInTime(test, 4)
        try world.close()
    }

    @Test("after a killed browser the test is handed in an hour after its end, and is not late for that")
    func killed() throws {
        let world = try PageWorld(questionnaires: [Self.form(Self.longLimit)])
        let browser = world.browser
        let id = try begin(world)
        try browser.type("typed", into: "#a0")
        try waitForAnswer(world, id, "typed")
        try browser.kill()
        try world.page.stop()
        #expect(world.device.tests("in-progress") == [id])
        // The rest of the time and an hour go by.
        try setStart(world, id, secondsAgo: Double(Self.longLimit + 3700))
        try world.page.start()
        let test = try finished(world, id)
        #expect(test["answers"].elements.map { $0["answer"].text } == ["typed"])
        try expectInTime(test, Self.longLimit)
        try world.page.stop()
        try world.host.stop()
    }
}

/// The same in the app, and at the terminal.
@Suite("The end of a time limit in the app and at the terminal", .serialized)
struct OtherTimeLimitEndTests {
    @Test(
        "in the app what is typed up to the end is handed in, from a question and from the review",
        .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed"),
        arguments: [false, true])
    func app(_ isReviewed: Bool) throws {
        let world = try PhoneWorld([TimeLimitEndTests.form(300)])
        let browser = world.browser
        let id = try world.begin("Limited", first: "First?")
        try browser.type("typed to the end", into: "#a0")
        try world.waitForAnswer(id, "q1", "typed to the end")
        if isReviewed {
            try world.goTo("#/t/\(id)/review")
            try browser.see("left", in: "[role=timer]")
        }
        // The time goes by.
        try browser.script("const now = performance.now.bind(performance); performance.now = () => now() + 300000")
        try browser.see(TimeLimitEndTests.ended, in: "#told")
        let path = "\(world.host.data)/tests/\(id).test.json"
        try wait(for: "the test at the host") { Files.exists(path) ? true : nil }
        let test = try JSON(file: path)
        #expect(test["answers"].elements.map { $0["answer"].text } == ["typed to the end"])
        #expect(try #require(test["timing"]["activeSeconds"].number) <= 300)
        try world.close()
    }

    @Test(
        "an app that was killed hands in at its next start",
        .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed"))
    func killedApp() throws {
        let world = try PhoneWorld([TimeLimitEndTests.form(300)])
        let id = try world.begin("Limited", first: "First?")
        try world.browser.type("typed", into: "#a0")
        try world.waitForAnswer(id, "q1", "typed")
        try world.restartBrowser(isKilled: true)
        // The time goes by while the app is closed: this page of the hub's has its storage, and not its scripts.
        try world.browser.open(world.hub.address + "/_hub/status")
        let isMoved = try world.browser.asyncScript(
            """
            const done = arguments[0];
            indexedDB.open('quire').onsuccess = event => {
              const base = event.target.result, change = base.transaction('tests', 'readwrite', { durability: 'strict' });
              const tests = change.objectStore('tests');
              tests.get('\(id)').onsuccess = event => {
                const test = event.target.result;
                test.record.dateStarted = new Date(Date.now() - 310000).toISOString();
                tests.put(test);
              };
              change.oncomplete = () => { base.close(); done(true); };
              change.onabort = () => done(false);
            };
            """)
        #expect(isMoved == .bool(true))
        try world.browser.open(world.address)
        let path = "\(world.host.data)/tests/\(id).test.json"
        try wait(for: "the test at the host") { Files.exists(path) ? true : nil }
        #expect(try JSON(file: path)["answers"].elements.map { $0["answer"].text } == ["typed"])
        try world.close()
    }

    @Test("the terminal warns, and hands in what is typed", .enabled(if: Command.isInstalled("tmux"), "no tmux"))
    func terminal() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        for (name, limit) in [("five", 315), ("one", 75), ("limited", 20)] {
            let text = TimeLimitEndTests.form(limit).replacingOccurrences(of: "limited", with: name)
            try Files.write(text, to: "\(host.questionnaires)/\(name).json")
        }
        try host.start()
        let device = try Device(folder.path, of: host)
        let warned = [("five", "Less than 5 minutes left."), ("one", "Less than a minute left.")].map { name, words in
            (TmuxTerminal(folder.path, name), name, words)
        }
        for (terminal, name, _) in warned {
            try terminal.start(device, "take \(name)")
            try terminal.see("First?")
        }
        for (terminal, _, words) in warned { try terminal.see(words) }
        let terminal = TmuxTerminal(folder.path, "end")
        try terminal.start(device, "take limited")
        try terminal.see("First?")
        try terminal.type("t", "y", "p", "e", "d")
        try terminal.see(TimeLimitEndTests.ended)
        try terminal.waitForEnd()
        let id = try wait(for: "the test at the host") {
            Files.names(in: host.data + "/tests", suffix: ".test.json").first.map { String($0.dropLast(10)) }
        }
        let test = try JSON(file: "\(host.data)/tests/\(id).test.json")
        #expect(test["answers"].elements.map { $0["answer"].text } == ["typed"])
        #expect(try #require(test["timing"]["activeSeconds"].number) <= 20)
        #expect(try device.json("why", id)["late"] == .bool(false))
        try host.stop()
    }

    @Test(
        "a test that was stopped past its end by Ctrl-Z is in time, and a file that is attached after the end is not",
        .enabled(if: Command.isInstalled("tmux"), "no tmux"))
    func stopped() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        try Files.write(TimeLimitEndTests.form(10), to: "\(host.questionnaires)/limited.json")
        try host.start()
        let device = try Device(folder.path, of: host)
        let other = try device.take("limited", answers: #"{"q1": "typed"}"#, isFinished: false)
        let terminal = TmuxTerminal(folder.path, "stopped")
        try terminal.run("env QUIRE_STORE=\(device.store) PS1='ready> ' bash --norc --noprofile -i")
        try terminal.see("ready>")
        try terminal.type("\(Command.binary) take limited --new", "Enter")
        try terminal.see("First?")
        try terminal.type("t", "y", "p", "e", "d", "C-z")
        try terminal.see("Stopped")
        // Longer than a program may take to save.
        let end = Date() + 45
        try waitForEnd(end)
        let photo = folder.path + "/photo.jpg"
        try Files.write("photo", to: photo)
        let attached = try device.done("attach", other, "q1", photo)
        #expect((attached.output + attached.errors).contains(TimeLimitEndTests.ended))
        #expect(try device.json("why", other)["late"] == .bool(true))
        try terminal.type("fg", "Enter")
        try terminal.see(TimeLimitEndTests.ended)
        let id = try wait(for: "the test at the host") {
            Files.names(in: host.data + "/tests", suffix: ".test.json").map { String($0.dropLast(10)) }
                .first { $0 != other }
        }
        let test = try JSON(file: "\(host.data)/tests/\(id).test.json")
        #expect(test["answers"].elements.map { $0["answer"].text } == ["typed"])
        #expect(try #require(test["timing"]["activeSeconds"].number) <= 10)
        #expect(try device.json("why", id)["late"] == .bool(false))
        try host.stop()
    }

    @Test("a terminal that was killed: the next “quire take” hands in")
    func killedTerminal() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        try Files.write(TimeLimitEndTests.form(2), to: "\(host.questionnaires)/limited.json")
        try host.start()
        let device = try Device(folder.path, of: host)
        let id = try device.take("limited", answers: #"{"q1": "typed"}"#, isFinished: false)
        let end = Date() + 2
        try waitForEnd(end)
        let taken = try device.done("take", "limited")
        #expect(taken.output.contains(TimeLimitEndTests.ended) || taken.errors.contains(TimeLimitEndTests.ended))
        #expect(device.deliveredStatus(id) != nil || device.tests("done") == [id])
        try host.stop()
    }
}

/// Waits until the time of a test is over, which only its clock says.
private func waitForEnd(_ end: Date) throws {
    try wait(for: "the end of the time") { Date() > end ? true : nil }
}

import Foundation
import Testing

/// `docs/teacher.md`, followed as a new teacher would: each grey box is typed, each bold word is pressed.
@Suite(
    "The guide for teachers", .serialized,
    .enabled(
        if: WebDriver.isInstalled && Command.isInstalled("tmux"),
        "chromium and chromedriver, or tmux, are not installed: apt-get install chromium-driver tmux"))
struct TeacherGuideTests {
    private let folder: TemporaryFolder
    private let port: Int
    private let guide: String
    /// The texts of the grey boxes, in their order.
    private let boxes: [String]

    init() throws {
        folder = try TemporaryFolder()
        port = try SteadyPort.next()
        guide = try Files.text(Command.repository + "/docs/teacher.md").replacing("8484", with: "\(port)")
        boxes = guide.components(separatedBy: "\n```\n").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        try Files.makeFolder(folder.path + "/bin")
        try Command.run("ln", "-s", Command.binary, folder.path + "/bin/quire", in: folder.path)
    }

    /// A script of the shell of a person who has `quire`.
    private func script(_ text: String) -> String {
        "cd '\(folder.path)'\nPATH='\(folder.path)/bin':$PATH\n\(text)\n"
    }

    @discardableResult
    private func type(_ text: String) throws -> Outcome {
        let shell = try ChildProcess(
            ["bash", "-e"], environment: Command.environment(home: folder.path), folder: folder.path,
            input: script(text))
        let outcome = try shell.end()
        guard outcome.exitCode == 0 else { throw Unexpected("\(text)\n\(outcome)") }
        return outcome
    }

    /// Presses the link or button with words that the guide has, too.
    private func press(_ words: String, in browser: Browser) throws {
        #expect(guide.contains("**\(words)**") || guide.contains("*\(words)*"), "the guide does not name “\(words)”")
        try wait(for: "“\(words)” on the screen") { () -> Bool? in
            let find = """
                document.querySelectorAll('[data-named]').forEach(named => named.removeAttribute('data-named'));
                const found = [...document.querySelectorAll('main a, main button:not(.unseen), main summary')].find(
                    shown => shown.childNodes[0]?.textContent.trim().replace('…', '') === arguments[0]);
                found?.setAttribute('data-named', '');
                return found !== undefined;
                """
            return try browser.script(find, words) == .bool(true) ? true : nil
        }
        try browser.click("[data-named]")
    }

    @Test("from an empty folder to the results, with nothing but what is written there")
    func guided() throws {
        try #require(boxes.count == 6)
        #expect(try type(boxes[0]).output.contains("No faults."))
        let keys = try type(boxes[1]).output.split(separator: "\n").map(String.init)
        try #require(keys.count == 2)
        #expect(try type(boxes[2]).output.contains("Ada Byron"))

        // The host runs in a terminal of its own.
        let host = try ChildProcess(
            ["bash", "-c", script("exec \(boxes[3]) --listen 127.0.0.1:\(port)")],
            environment: Command.environment(home: folder.path), folder: folder.path, isWatched: true)
        defer { host.send(SIGTERM) }
        #expect(try HostProcess.firstLine(of: host).hasSuffix(":\(port)"))
        try take(key: keys[1])

        let browser = try Browser(
            try Engine.chromium.driver(folder: folder.path),
            BrowserTraits(profile: folder.path + "/profile", language: "en"))
        let address = "http://127.0.0.1:\(port)/desk/"
        #expect(guide.contains(address))
        try browser.open(address)
        try browser.logInToDesk(keys[0], as: "Ms Lovelace")
        try markAndLook(browser)
        browser.quit()

        let test = try #require(
            Files.names(in: folder.path + "/school/tests", suffix: ".test.json").first?.split(separator: ".").first)
        #expect(try type(boxes[5].replacing("TEST", with: test) + " </dev/null").output.contains("Ada Byron"))
        let columns = try Files.text(folder.path + "/columns.csv")
        #expect(columns.contains("Why do countries have a capital?"))
        #expect(try Files.text(folder.path + "/capitals.csv").contains("So that letters arrive"))
        #expect(try Files.text(folder.path + "/report.html").contains("Ada Byron"))
    }

    /// The class takes the test at its terminal.
    private func take(key: String) throws {
        let file = folder.path + "/class.sh"
        try Files.write(script(boxes[4].replacing("=KEY", with: "=" + key)), to: file)
        let terminal = TmuxTerminal(folder.path, "class")
        try terminal.run("exec bash -e \(file)")
        try terminal.see("What is the capital of France?")
        try terminal.type("2", "Tab")
        try terminal.see("What is the capital of Italy?")
        try terminal.type("2", "Tab")
        try terminal.see("Why do countries have a capital?")
        try terminal.type("So that letters arrive", "C-r", "End", "Enter")
        try wait(for: "the test at the host") {
            Files.names(in: folder.path + "/school/tests", suffix: ".test.json").isEmpty ? nil : true
        }
        try terminal.waitForEnd()
    }

    /// Sections 4 to 7 of the guide.
    private func markAndLook(_ browser: Browser) throws {
        try browser.click("h2 a[href='/desk/q/capitals']")
        try press("Handed in", in: browser)
        try browser.see("Ada Byron", in: "tbody")
        try press("Class", in: browser)
        try browser.see("Boris Petrov", in: "tbody")
        #expect(guide.contains("*Load it again every 20 s*"))
        try browser.see("every 20 s")

        try press("Marking", in: browser)
        try press("Hide names", in: browser)
        try browser.see("Show names")
        try browser.click("a.button.main")
        try browser.see("So that letters arrive")
        #expect(try !browser.text().contains("Ada"))
        // The cursor is in the field of the points: type them, press Enter.
        try browser.type("Well said.", into: ".points textarea")
        try browser.click("input[name=keep]")
        try browser.click(".points input[name=points]")
        try browser.press("1.5", Browser.Key.enter)
        try browser.see("Nothing waits for marks.")

        try press("Results", in: browser)
        try browser.see("Ada Byron", in: "tbody")
        try browser.see("2.5", in: "tbody")
        for words in ["First attempts", "Best attempts", "All attempts", "Last attempts"] {
            try press(words, in: browser)
            try browser.see("Ada Byron", in: "tbody")
        }
        try Files.makeFolder(folder.path + "/downloads")
        try browser.chromium(
            "Browser.setDownloadBehavior", ["behavior": "allow", "downloadPath": folder.path + "/downloads"])
        try press("Download the answers as CSV", in: browser)
        try wait(for: "the file") { Files.names(in: folder.path + "/downloads", suffix: ".csv").first }
        try press("Rate everything again", in: browser)
        try browser.see("Capitals")
        try press("Statistics", in: browser)
        try browser.see("Median")
    }
}

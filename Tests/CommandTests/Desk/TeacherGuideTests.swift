import Foundation
import Testing

/// `docs/teacher.md` and its Russian twin, followed as a new teacher would: each grey box is typed, each bold word is pressed.
@Suite(
    "The guide for teachers", .serialized,
    .enabled(
        if: WebDriver.isInstalled && Command.isInstalled("tmux"),
        "chromium and chromedriver, or tmux, are not installed: apt-get install chromium-driver tmux"))
struct TeacherGuideTests {
    /// A guide, and the words of its example and of the screens in its language.
    struct Guide: Sendable, CustomStringConvertible {
        var file: String
        var language: String
        var questionnaire: String
        var teacher: String
        var names: [String]
        var questions: [String]
        var answer: String
        var comment: String
        var handedIn: String
        var inClass: String
        var reload: String
        var marking: String
        var hideNames: String
        var showNames: String
        var nothingWaits: String
        var results: String
        var score: String
        var attempts: [String]
        var csv: String
        var again: String
        var statistics: String
        var median: String
        var freeAnswers: String
        var search: String
        var description: String { file }

        static let all = [
            Guide(
                file: "teacher.md", language: "en", questionnaire: "capitals", teacher: "Ms Lovelace",
                names: ["Ada Byron", "Boris Petrov"],
                questions: [
                    "What is the capital of France?", "What is the capital of Italy?",
                    "Why do countries have a capital?",
                ],
                answer: "So that letters arrive", comment: "Well said.", handedIn: "Handed in", inClass: "Class",
                reload: "Load it again every 20 s", marking: "Marking", hideNames: "Hide names",
                showNames: "Show names",
                nothingWaits: "Nothing waits for marks.", results: "Results", score: "2.5",
                attempts: ["First attempts", "Best attempts", "All attempts", "Last attempts"],
                csv: "Download the answers as CSV", again: "Rate everything again", statistics: "Statistics",
                median: "Median", freeAnswers: "Free answers", search: "letter"),
            Guide(
                file: "ru/teaching.md", language: "ru", questionnaire: "stolicy", teacher: "Анна Петровна",
                names: ["Ада Белова", "Борис Петров"],
                questions: ["Столица Франции?", "Столица Италии?", "Зачем стране столица?"],
                answer: "Чтобы доходили письма", comment: "Хорошо сказано.", handedIn: "Сдали", inClass: "Класс",
                reload: "Обновлять каждые 20 с", marking: "Проверка", hideNames: "Скрыть имена",
                showNames: "Показать имена", nothingWaits: "Всё проверено.", results: "Результаты", score: "2,5",
                attempts: ["Первые попытки", "Лучшие попытки", "Все попытки", "Последние попытки"],
                csv: "Скачать ответы (CSV)", again: "Оценить всё заново", statistics: "Статистика", median: "Медиана",
                freeAnswers: "Свободные ответы", search: "письмо"),
        ]
    }

    private let folder: TemporaryFolder
    private let port: Int

    init() throws {
        folder = try TemporaryFolder()
        port = try SteadyPort.next()
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
    private func press(_ words: String, of guide: String, in browser: Browser) throws {
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

    @Test("from an empty folder to the results, with nothing but what is written there", arguments: Guide.all)
    func guided(_ words: Guide) throws {
        // Lines of a paragraph are broken anywhere.
        let guide = try Files.text(Command.repository + "/docs/" + words.file).replacing("8484", with: "\(port)")
        let boxes = guide.components(separatedBy: "\n```\n").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        try #require(boxes.count == 6)
        #expect(try type(boxes[0]).output.contains("No faults."))
        let keys = try type(boxes[1]).output.split(separator: "\n").map(String.init)
        try #require(keys.count == 2)
        #expect(try type(boxes[2]).output.contains(words.names[0]))

        // The host runs in a terminal of its own.
        let host = try ChildProcess(
            ["bash", "-c", script("exec \(boxes[3]) --listen 127.0.0.1:\(port)")],
            environment: Command.environment(home: folder.path), folder: folder.path, isWatched: true)
        defer { host.send(SIGTERM) }
        #expect(try HostProcess.firstLine(of: host).hasSuffix(":\(port)"))
        try take(boxes[4].replacing("=KEY", with: "=" + keys[1]), words)

        let browser = try Browser(
            try Engine.usual.driver(folder: folder.path),
            BrowserTraits(profile: folder.path + "/profile", language: words.language))
        let address = "http://127.0.0.1:\(port)/desk/"
        #expect(guide.contains(address))
        try browser.open(address)
        try browser.logInToDesk(keys[0])
        // The label of the key is the name.
        try browser.see(words.teacher, in: ".connection")
        try markAndLook(browser, words, guide.split(whereSeparator: \.isNewline).joined(separator: " "))
        browser.quit()

        let test = try #require(
            Files.names(in: folder.path + "/school/tests", suffix: ".test.json").first?.split(separator: ".").first)
        let output = try type(boxes[5].replacing("TEST", with: test) + " </dev/null").output
        #expect(output.contains(words.names[0]))
        let columns = try Files.text(folder.path + "/columns.csv")
        #expect(columns.contains(words.questions[2]))
        #expect(try Files.text(folder.path + "/\(words.questionnaire).csv").contains(words.answer))
        #expect(try Files.text(folder.path + "/report.html").contains(words.names[0]))
    }

    /// The class takes the test at its terminal.
    private func take(_ box: String, _ words: Guide) throws {
        let file = folder.path + "/class.sh"
        try Files.write(script(box), to: file)
        let terminal = TmuxTerminal(folder.path, "class")
        try terminal.run("exec bash -e \(file)")
        try terminal.see(words.questions[0])
        try terminal.type("2", "Tab")
        try terminal.see(words.questions[1])
        try terminal.type("2", "Tab")
        try terminal.see(words.questions[2])
        try terminal.type(words.answer, "C-r", "End", "Enter")
        try wait(for: "the test at the host") {
            Files.names(in: folder.path + "/school/tests", suffix: ".test.json").isEmpty ? nil : true
        }
        try terminal.waitForEnd()
    }

    /// Sections 4 to 7 of the guide.
    ///
    /// - Parameter guide: its text without breaks of lines.
    private func markAndLook(_ browser: Browser, _ words: Guide, _ guide: String) throws {
        func press(_ name: String) throws { try self.press(name, of: guide, in: browser) }
        try browser.click("h2 a[href='/desk/q/\(words.questionnaire)']")
        try press(words.handedIn)
        try browser.see(words.names[0], in: "tbody")
        try press(words.inClass)
        try browser.see(words.names[1], in: "tbody")
        #expect(guide.contains("*\(words.reload)*"))
        try browser.see(words.reload)

        try press(words.marking)
        try press(words.hideNames)
        try browser.see(words.showNames)
        try browser.click("a.button.main")
        try browser.see(words.answer)
        #expect(try !browser.text().contains(words.names[0]))
        // The cursor is in the field of the points: type them, press Enter.
        try browser.type(words.comment, into: ".points textarea")
        try browser.click("input[name=keep]")
        try browser.click(".points input[name=points]")
        try browser.press("1.5", Browser.Key.enter)
        try browser.see(words.nothingWaits)

        try press(words.results)
        try browser.see(words.names[0], in: "tbody")
        try browser.see(words.score, in: "tbody")
        for attempts in words.attempts {
            try press(attempts)
            try browser.see(words.names[0], in: "tbody")
        }
        try Files.makeFolder(folder.path + "/downloads")
        try browser.chromium(
            "Browser.setDownloadBehavior", ["behavior": "allow", "downloadPath": folder.path + "/downloads"])
        try press(words.csv)
        try wait(for: "the file") { Files.names(in: folder.path + "/downloads", suffix: ".csv").first }
        try press(words.again)
        try browser.see(words.questionnaire == "capitals" ? "Capitals" : "Столицы")
        try press(words.statistics)
        try browser.see(words.median)
        try press(words.freeAnswers)
        try browser.type(words.search + Browser.Key.enter, into: "#search")
        try browser.see(words.answer)
    }
}

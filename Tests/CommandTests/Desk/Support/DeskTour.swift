import Foundation
import Testing

/// Each screen of the desk in one look, in the order of an exam: a class that took it, its marks, its figures, its next version.
struct DeskTour {
    let look: Look
    private let made: Class
    private let world: DeskWorld
    private let at: (_ screen: String, _ browser: Browser) throws -> Void

    /// - Parameter at: is called where a screen is shown; the next one is opened after it.
    init(_ look: Look, at: @escaping (_ screen: String, _ browser: Browser) throws -> Void) throws {
        self.look = look
        self.at = at
        made = look.language == "ru" ? Self.russian : Self.english
        world = try DeskWorld(language: look.language, isDark: look.isDark, width: look.width, height: 900)
        try look.narrow(world.browser)
    }

    private var isRussian: Bool { look.language == "ru" }
    private var browser: Browser { world.browser }

    private func open(_ path: String) throws { try browser.open(world.host.address + path) }

    private func show(_ screen: String, _ path: String?) throws {
        if let path { try open(path) }
        try at(screen, browser)
    }

    private func show(_ screen: String) throws { try show(screen, nil) }

    private func host(_ arguments: String...) throws {
        let data = ["--data", world.host.data, "--questionnaires", world.host.questionnaires]
        let outcome = try world.office.quire(["host"] + arguments + data)
        guard outcome.exitCode == 0 else { throw Unexpected("\(outcome)") }
    }

    private func write(_ exam: String, as name: String = "sky") throws {
        try Files.write(exam, to: "\(world.host.questionnaires)/\(name).json")
    }

    func walk() throws {
        try show("home-empty", "/desk/")
        try write(made.exam)
        try write(made.other, as: "rings")
        let tests = try handIn()
        try host("rate", tests[0], "why", "--points", "3", "--by", made.teacher, "--comment", made.comment)
        try host("rate", tests[1], "why", "--points", "0.5", "--by", made.teacher)
        try host("rate", tests[1], "--return", "--comment", made.toCorrect, "--by", made.teacher)
        try host("rate", tests[2], "why", "--points", "2", "--by", made.teacher)
        try logIn()
        try mark(tests)
        try results()
        try writeDraft()
        try markTwice()
        try publish()
        try show("message", "/desk/nothing")
        try world.close()
    }

    private func logIn() throws {
        let key = try world.key("teacher")
        try show("login", "/desk/")
        try browser.reach("#key", press: "wrong-wrong-wrong" + Browser.Key.enter)
        _ = try browser.find(".notice.bad")
        try show("login-refused")
        try open("/desk/")
        try browser.logInToDesk(key, as: made.teacher)
    }

    private func mark(_ tests: [String]) throws {
        try open("/desk/q/sky/comments")
        try browser.type(made.comment, into: "#new-comment")
        try browser.type("1", into: "#new-points")
        try browser.click("button.main")
        _ = try browser.find("#c1-comment")
        try show("comments", "/desk/q/sky/comments")
        try show("class", "/desk/q/sky/watching")
        try show("handed-in", "/desk/q/sky")
        try show("marking", "/desk/q/sky/marking")
        try show("mark", "/desk/q/sky/marking/why")
        try show("test", "/desk/t/\(tests[1])")
    }

    private func results() throws {
        try show("results", "/desk/q/sky/results")
        try show("results-answers", "/desk/q/sky/results?cells=answers")
        try show("sections", "/desk/q/sky/results?cells=sections")
        try show("statistics", "/desk/q/sky/statistics")
        try show("answers", "/desk/q/sky/answers?search=" + (isRussian ? "%D0%B7%D0%B5%D0%BC%D0%BB%D1%8F" : "turn"))
        try show("report", "/desk/q/sky/report")
    }

    private func writeDraft() throws {
        try show("new", "/desk/write/new")
        try browser.type(isRussian ? "Контрольная за май" : "A test for May", into: "#title")
        try browser.press(Browser.Key.enter)
        try browser.click(".adding button")
        _ = try browser.find(".notice.good")
        let other = try Self.draft(browser)
        try show("publish-faults", other + "/publish")
        try open("/desk/")
        try browser.click("form[action='/desk/write/of']:has(input[value=sky]) button")
        _ = try browser.find("#question-1")
        let draft = try Self.draft(browser)
        try show("draft")
        try open(draft + "/q/moons")
        try browser.script(
            "document.querySelector('#hint').value = arguments[0]",
            isRussian ? "Их открыл Галилей." : "Galileo found them.")
        try browser.click("button[value=save]:not(.unseen)")
        _ = try browser.find(".notice.good")
        try Self.writing(draft, browser, isRussian, show)
    }

    /// The address of the draft that is shown.
    static func draft(_ browser: Browser) throws -> String {
        let path = try browser.script("return location.pathname").text ?? ""
        return path.split(separator: "/").prefix(path.hasPrefix("/desk/") ? 3 : 2).reduce("") { $0 + "/" + $1 }
    }

    /// The screens of a draft of the exam, at the desk or on a device's own page.
    static func writing(
        _ draft: String, _ browser: Browser, _ isRussian: Bool,
        _ show: (_ screen: String, _ path: String?) throws -> Void
    ) throws {
        try show("question", draft + "/q/moons")
        try takeMerge(draft + "/q/why", browser, isRussian) { try show("merge", nil) }
        try show("section", draft + "/s/s2")
        try show("settings", draft + "/settings")
        try show("try", draft + "/try")
        try browser.click("input[type=radio]")
        try browser.click("button[value=mark]")
        _ = try browser.find(".score")
        try show("try-marked", nil)
        try show("publish", draft + "/publish")
        try show("paste", draft + "/paste")
        try show("copy", draft + "/copy?q=" + (isRussian ? "%D0%BF%D0%BB%D0%B0%D0%BD%D0%B5%D1%82%D0%B0" : "planet"))
        try show("media", draft + "/q/moons/media")
    }

    /// Someone else marks the answer that is open.
    private func markTwice() throws {
        try open("/desk/q/sky/marking/why")
        let action = try browser.script("return document.querySelector('form.points').getAttribute('action')").text
        let test = try #require(action?.split(separator: "/").dropFirst(2).first).description
        try host("rate", test, "why", "--points", "1", "--by", isRussian ? "Иван Ильич" : "Mr Babbage")
        try browser.type("2", into: "form.points input[name=points]")
        try browser.click("form.points button.main")
        _ = try browser.find("form.points .notice.bad")
        try show("mark-changed")
    }

    private func publish() throws {
        try open("/desk/")
        try browser.click(".item:has(a[href='/desk/q/sky']) .actions a.button:not(.main)")
        _ = try browser.find("#question-1")
        try open(try Self.draft(browser) + "/publish")
        try browser.click("form[action$='/publish'] button")
        // The screen before it has a good notice, too.
        try wait(for: "the questionnaires") { try browser.url.contains("?published=") ? true : nil }
        _ = try browser.find(".notice.good")
        try show("home", nil)
        try show("versions", "/desk/write/of/sky")
        try browser.click(".history li:last-child a")
        _ = try browser.find("main.draftversion")
        try show("version")
        try write(made.exam.replacing("\"light\": 8", with: "\"light\": 9"))
        try show("again", "/desk/q/sky/again")
    }

    /// Two authors who save the same question.
    private static func takeMerge(
        _ path: String, _ browser: Browser, _ isRussian: Bool, _ take: () throws -> Void
    ) throws {
        let words =
            isRussian
            ? ("Почему день сменяет ночь?", "Откуда берутся день и ночь?")
            : ("Why is there a night?", "What makes day and night?")
        let place = try browser.script("return location.origin").text ?? ""
        try browser.open(place + path)
        let saved = try browser.asyncScript(
            """
            const done = arguments[0], form = document.querySelector('form.card.writing');
            const fields = new URLSearchParams(new FormData(form));
            fields.set('text', '\(words.0)');
            fields.set('do', 'save');
            fetch(form.action, { method: 'POST', body: fields }).then(reply => done(reply.ok));
            """)
        #expect(saved == .bool(true))
        try browser.script("document.querySelector('#text').value = arguments[0]", words.1)
        try browser.click("button[value=save]:not(.unseen)")
        _ = try browser.find(".sides")
        try take()
    }

    /// All but the last hand in; their tests.
    private func handIn() throws -> [String] {
        let lines = made.people.enumerated().map { "p\($0.offset),\($0.element),7\(isSecond($0.offset) ? "b" : "a")" }
        let file = world.folder.path + "/class.csv"
        try Files.write((["id,name,group"] + lines).joined(separator: "\n") + "\n", to: file)
        try world.office.done("host", "people", "import", file, "--data", world.host.data, "--yes")
        let device = try Device(world.folder.path, of: world.host)
        var tests: [String] = []
        for (place, answer) in made.answers.enumerated() {
            try device.done(
                "person", "set", made.people[place], "--id", "p\(place)", "--group", isSecond(place) ? "7b" : "7a")
            let moons = answer.moons.map { "\"\($0)\"" }.joined(separator: ",")
            tests.append(
                try device.take(
                    "sky",
                    answers: """
                        {"largest": "\(answer.planet)", "moons": [\(moons)], "light": \(place % 3 == 2 ? 9 : 8), "why": "\(answer.why)"}
                        """))
            try device.done("sync")
        }
        return tests
    }

    /// Whether the person is in the second class.
    private func isSecond(_ place: Int) -> Bool { place > 3 }
}

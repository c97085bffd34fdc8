import Foundation
import Testing

/// Takes the pictures of the desk for the documents: `make pictures`.
@Suite(
    "Pictures of the desk", .serialized,
    .enabled(if: ProcessInfo.processInfo.environment["QUIRE_PICTURES"] != nil, "only make pictures takes them"))
struct DeskPicturesTests {
    @Test("each screen in each look", arguments: Look.all)
    func pictures(_ look: Look) throws {
        try DeskTour(look) { try PagePicturesTests.save($1, "desk-\($0)", in: look) }.walk()
    }
<<<<<<< HEAD
=======

    static let english = Class(
        people: [
            "Ada Byron", "Boris Petrov", "Clara Schumann", "Dmitri Ivanov", "Emmy Noether", "Farid Aliev", "Gauri Rao",
        ],
        answers: [
            ("Jupiter", ["Europa", "Io"], "The Earth turns around itself once a day."),
            ("Saturn", ["Europa"], "Because the Sun goes around the Earth."),
            ("Jupiter", ["Europa", "Io"], "It turns."),
            ("Jupiter", ["Io", "Titan"], "We turn away from the Sun."),
            ("Mars", ["Titan"], "I do not know."),
            ("Jupiter", ["Europa", "Io"], "One side of the Earth is always in its own shadow."),
        ],
        exam: """
            {"id": "sky", "title": "Sky and planets", "locale": "en", "description": "Ten minutes, without a book.",
             "availability": {"closesAt": "2099-06-30T18:00:00Z", "late": "mark", "attempts": 2},
             "answerKey": {"largest": "Jupiter", "light": 8}, "multiAnswerKey": {"moons": ["Europa", "Io"]},
             "sections": [{"id": "s1", "title": "The planets", "questions": ["largest", "moons"]},
              {"id": "s2", "title": "The Earth", "text": "Think of the globe in the corridor.", "questions": ["light", "why"]}],
             "questions": [
              {"id": "largest", "text": "Which planet is the largest?", "options": ["Mars", "Jupiter", "Saturn"]},
              {"id": "moons", "text": "Which are moons of Jupiter?", "kind": "choices", "options": ["Europa", "Io", "Titan"], "points": 2},
              {"id": "light", "text": "How many minutes does light need from the Sun to the Earth?", "kind": "number"},
              {"id": "why", "text": "Why is there day and night?", "kind": "text", "points": 3, "hint": "One sentence is enough."}]}
            """,
        comment: "Right, and well said.", toCorrect: "Look at the globe once more: what moves?", teacher: "Ms Lovelace")

    static let russian = Class(
        people: [
            "Анна Белова", "Борис Петров", "Вера Ильина", "Глеб Орлов", "Дина Алиева", "Егор Козлов", "Жанна Ким",
        ],
        answers: [
            ("Юпитер", ["Европа", "Ио"], "Земля за сутки оборачивается вокруг своей оси."),
            ("Сатурн", ["Европа"], "Потому что Солнце ходит вокруг Земли."),
            ("Юпитер", ["Европа", "Ио"], "Она вращается."),
            ("Юпитер", ["Ио", "Титан"], "Мы отворачиваемся от Солнца."),
            ("Марс", ["Титан"], "Не знаю."),
            ("Юпитер", ["Европа", "Ио"], "Одна сторона Земли всегда в своей тени."),
        ],
        exam: """
            {"id": "sky", "title": "Небо и планеты", "locale": "ru", "description": "Десять минут, без учебника.",
             "availability": {"closesAt": "2099-06-30T18:00:00Z", "late": "mark", "attempts": 2},
             "answerKey": {"largest": "Юпитер", "light": 8}, "multiAnswerKey": {"moons": ["Европа", "Ио"]},
             "sections": [{"id": "s1", "title": "Планеты", "questions": ["largest", "moons"]},
              {"id": "s2", "title": "Земля", "text": "Вспомните глобус в коридоре.", "questions": ["light", "why"]}],
             "questions": [
              {"id": "largest", "text": "Какая планета самая большая?", "options": ["Марс", "Юпитер", "Сатурн"]},
              {"id": "moons", "text": "Что из этого — спутники Юпитера?", "kind": "choices", "options": ["Европа", "Ио", "Титан"], "points": 2},
              {"id": "light", "text": "Сколько минут свет идёт от Солнца до Земли?", "kind": "number"},
              {"id": "why", "text": "Почему бывают день и ночь?", "kind": "text", "points": 3, "hint": "Достаточно одной фразы."}]}
            """,
        comment: "Верно и хорошо сказано.", toCorrect: "Посмотрите на глобус ещё раз: что движется?",
        teacher: "Анна Сергеевна")

    @Test("each screen in each look", arguments: PagePicturesTests.Look.all)
    func pictures(_ look: PagePicturesTests.Look) throws {
        let isRussian = look.language == "ru"
        let made = isRussian ? Self.russian : Self.english
        let world = try DeskWorld(
            ["sky": made.exam], language: look.language, isDark: look.isDark, width: look.isPhone ? 412 : 1000,
            height: 900)
        let browser = world.browser
        // A window is never as narrow as a phone.
        try browser.chromium(
            "Emulation.setDeviceMetricsOverride",
            ["width": look.isPhone ? 412 : 1000, "height": 900, "deviceScaleFactor": 1, "mobile": look.isPhone])
        let tests = try handIn(made, world)
        let data = ["--data", world.host.data, "--questionnaires", world.host.questionnaires]
        func host(_ arguments: String...) throws {
            let outcome = try world.office.quire(["host"] + arguments + data)
            guard outcome.exitCode == 0 else { throw Unexpected("\(outcome)") }
        }
        try host("rate", tests[0], "why", "--points", "3", "--by", made.teacher, "--comment", made.comment)
        try host("rate", tests[1], "why", "--points", "0.5", "--by", made.teacher)
        try host("rate", tests[1], "--return", "--comment", made.toCorrect, "--by", made.teacher)
        try host("rate", tests[2], "why", "--points", "2", "--by", made.teacher)

        func take(_ screen: String, _ path: String? = nil) throws {
            if let path { try browser.open(world.host.address + path) }
            try PagePicturesTests.save(
                browser, "desk-\(screen)", in: look, isMain: Self.main.contains(screen))
        }
        let key = try world.key("teacher")
        try take("login", "/desk/")
        try browser.logInToDesk(key, as: made.teacher)
        try browser.open(world.host.address + "/desk/q/sky/comments")
        try browser.type(made.comment, into: "#new-comment")
        try browser.type("1", into: "#new-points")
        try browser.click("button.main")
        _ = try browser.find("#c1-comment")
        try take("comments", "/desk/q/sky/comments")
        try take("class", "/desk/q/sky/watching")
        try take("handed-in", "/desk/q/sky")
        try take("marking", "/desk/q/sky/marking")
        try take("mark", "/desk/q/sky/marking/why")
        try take("test", "/desk/t/\(tests[1])")
        try take("results", "/desk/q/sky/results")
        try take("sections", "/desk/q/sky/results?cells=sections")
        try take("statistics", "/desk/q/sky/statistics")
        try take("answers", "/desk/q/sky/answers?search=" + (isRussian ? "%D0%B7%D0%B5%D0%BC%D0%BB%D1%8F" : "turn"))
        try browser.open(world.host.address + "/desk/")
        try browser.click("form[action='/desk/write/of'] button")
        _ = try browser.find("#kind")
        let draft = try browser.script("return location.pathname").text ?? ""
        try take("draft")
        try browser.open(world.host.address + draft + "/q/moons")
        try browser.script(
            "document.querySelector('#hint').value = arguments[0]",
            isRussian ? "Их открыл Галилей." : "Galileo found them.")
        try browser.click("button[value=save]:not(.unseen)")
        _ = try browser.find(".notice.good")
        try take("question", draft + "/q/moons")
        try Self.takeMerge(draft + "/q/why", browser, isRussian) { try take("merge") }
        try take("section", draft + "/s/s2")
        try take("settings", draft + "/settings")
        try take("try", draft + "/try")
        try take("publish", draft + "/publish")
        try take("paste", draft + "/paste")
        try take("copy", draft + "/copy?q=" + (isRussian ? "%D0%BF%D0%BB%D0%B0%D0%BD%D0%B5%D1%82%D0%B0" : "planet"))
        try take("media", draft + "/q/moons/media")
        try take("versions", "/desk/write/of/sky")
        try take("home", "/desk/")
        try Files.write(
            made.exam.replacing("\"light\": 8", with: "\"light\": 9"), to: world.host.questionnaires + "/sky.json")
        try take("again", "/desk/q/sky/again")
        try world.close()
    }

    /// Two authors who save the same question.
    static func takeMerge(_ path: String, _ browser: Browser, _ isRussian: Bool, _ take: () throws -> Void) throws {
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

    /// All but the last hand in, and the last is at it; their tests.
    private func handIn(_ made: Class, _ world: DeskWorld) throws -> [String] {
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
        let last = made.answers.count
        try device.done("person", "set", made.people[last], "--id", "p\(last)", "--group", "7b")
        _ = try device.take("sky", answers: "{}", isFinished: false)
        try device.done("sync")
        return tests
    }

    /// Whether the person is in the second class.
    private func isSecond(_ place: Int) -> Bool { place > 3 }
>>>>>>> df9236c1 (Desk: the class shows who is at it, and whose test waits at which hub)
}

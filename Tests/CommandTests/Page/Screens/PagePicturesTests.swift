import Foundation
import Testing

/// Takes the pictures of the page for the documents: `make pictures`.
@Suite(
    "Pictures of the page", .serialized,
    .enabled(if: ProcessInfo.processInfo.environment["QUIRE_PICTURES"] != nil, "only make pictures takes them"))
struct PagePicturesTests {
    /// Saves the top of a screen with nothing focused.
    static func save(_ browser: Chromium, _ name: String, in look: Look) throws {
        try browser.script("document.activeElement.blur(); scrollTo({top: 0, behavior: 'instant'})")
        try save(browser, "\(name)-\(look)")
    }

    /// Saves what the browser shows, when all of it is painted.
    static func save(_ browser: Chromium, _ name: String) throws {
        let target = try #require(ProcessInfo.processInfo.environment["QUIRE_PICTURES"])
        let folder = target.hasPrefix("/") ? target : Command.repository + "/" + target
        try Files.makeFolder(folder)
        let isPainted = try browser.asyncScript(
            "const done = arguments[0]; Promise.all([...document.images].map(i => i.decode().catch(() => 0))).then(() => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"
        )
        guard isPainted == .bool(true) else { throw Unexpected("\(name) is not painted") }
        let file = "\(folder)/\(name).png"
        try browser.screenshot().write(to: URL(filePath: file))
        // Few colours are many enough, and a quarter of the size.
        if Command.isInstalled("pngquant") {
            let own = try TemporaryFolder()
            try Command.run("pngquant", "--force", "--strip", "--ext", ".png", "64", file, in: own.path)
        }
    }

    @Test("each screen in each look", arguments: Look.all)
    func pictures(_ look: Look) throws {
        let world = try PageWorld(
            language: look.language, isDark: look.isDark, width: look.isPhone ? 412 : 1000, height: 800)
        let browser = world.browser
        func take(_ screen: String, _ path: String, ready: String = "main") throws {
            try browser.open(world.page.address + path)
            _ = try browser.find(ready)
            try Self.save(browser, "\(screen)-\(look)")
        }
        let isRussian = look.language == "ru"
        let id = isRussian ? "karta-i-kompas" : "sky-and-planets"
        let answers = try Files.text(Command.sampleAnswers + "/\(id).json")
        // Some life: favourites, a draft, something delivered, something that waits, something refused.
        try world.device.done("favorite", "sky-and-planets")
        try world.device.done("favorite", "griby")
        let rated = try world.device.take(id, answers: answers)
        try browser.open(world.page.address + "/t/\(rated)")
        _ = try wait(for: "the rating") { world.device.deliveredStatus(rated) == "rated" ? true : nil }
        _ = try world.device.take("posle-uroka", answers: "{}", isFinished: false)
        let draft = try world.device.take(id, answers: answers, isFinished: false)
        let questionnaire = try JSON(file: "\(Command.samples)/\(id).json")
        let picture = questionnaire["questions"].elements.firstIndex { !$0["media"].elements.isEmpty } ?? 0
        try take("library", "/")
        try take("search", isRussian ? "/?q=%D0%BA%D0%BE%D0%BC%D0%BF%D0%B0%D1%81" : "/?q=sky")
        try take("questionnaire", "/q/\(id)")
        try take("test", "/t/\(draft)?n=\(picture + 1)")
        try take("test-all", "/t/\(draft)?view=all")
        for name in ["question-picture.png", "notes.pdf"] {
            let path = "\(world.folder.path)/\(name)"
            let paint = Command.repository + "/docs/pictures/library-en-light-desktop.png"
            try FileManager.default.copyItem(atPath: paint, toPath: path)
            try world.device.done(
                "attach", draft, try #require(questionnaire["questions"].elements[picture]["id"].text), path)
        }
        try take("test-files", "/t/\(draft)?view=one&n=\(picture + 1)")
        try take("files", "/t/\(draft)/files/\(picture + 1)")
        try take("files-none", "/t/\(draft)/files/\(picture + 2)")
        try take("review", "/t/\(draft)/review")
        try take("result", "/t/\(rated)")
        try take("results", "/results")
        try take("settings", "/settings")
        try take("discard", "/t/\(draft)/discard")
        world.host.kill()
        _ = try world.device.take(isRussian ? "griby" : "sky-and-planets", answers: "{}", isFinished: false)
        _ = try world.device.take(id, answers: answers)
        try take("outbox", "/outbox", ready: ".dot.off")
        try take("review-offline", "/t/\(draft)/review", ready: ".dot.off")
        try browser.command("DELETE", "/cookie")
        try take("door", "/open")
        browser.quit()
        try world.page.stop()
    }

    @Test("the app for phones", arguments: Look.all.filter(\.isPhone))
    func app(_ look: Look) throws {
        let world = try PhoneWorld(nil, language: look.language, isDark: look.isDark, width: 412, height: 800)
        let browser = world.browser
        let isRussian = look.language == "ru"
        let id = isRussian ? "karta-i-kompas" : "sky-and-planets"
        let text = try Files.text("\(Command.samples)/\(id).json")
        let questions = try JSON(parsing: text)["questions"].elements
        let answers = try JSON(file: Command.sampleAnswers + "/\(id).json")
        func begin() throws -> String {
            try world.goTo("#/q/\(id)")
            _ = try browser.find("#begin")
            try browser.script("document.querySelector('#begin').click()")
            _ = try browser.find("#test")
            return try #require(try browser.script("return location.hash.split('/')[2]").text)
        }
        /// Answers as a person would, only faster: through the app's own way of saving.
        func answer(_ test: String) throws {
            for question in questions {
                guard let name = question["id"].text else { continue }
                let given = answers[name]
                let texts = given.text.map { [$0] } ?? given.texts
                let options = question["options"].texts
                let places = texts.compactMap { options.firstIndex(of: $0) }
                let value = try Self.json(given.text.map { .string($0) } ?? .array(texts.map { .string($0) }))
                _ = try browser.asyncScript(
                    """
                    const done = arguments[0];
                    import('./store.js').then(store => store.record('\(test)', {questionId: \(try Self.json(.string(name))),
                      answer: \(value), optionIndexes: [\(places.map(String.init).joined(separator: ","))]}, '-')).then(() => done(true));
                    """)
            }
        }
        func take(_ screen: String, _ hash: String, _ ready: String) throws {
            try world.goTo(hash)
            _ = try browser.find(ready)
            try browser.script("document.activeElement.blur(); scrollTo({top: 0, behavior: 'instant'})")
            try Self.save(browser, "app-\(screen)-\(look)")
        }
        _ = try browser.find("#list .item")
        let rated = try begin()
        try answer(rated)
        try world.goTo("#/t/\(rated)/review")
        _ = try browser.find("#send")
        try browser.script("document.querySelector('#send').click()")
        _ = try browser.find(".score")
        let draft = try begin()
        try answer(draft)
        try world.waitForWorker()
        let picture = questions.firstIndex { !$0["media"].elements.isEmpty } ?? 0
        try take("result", "#/t/\(rated)", ".score")
        try browser.script("document.querySelector('.told').replaceChildren()")
        try take("settings", "#/settings", "#worker")
        try take("library", "#/", ".fact.draft")
        world.hub.kill()
        try browser.reload()
        _ = try browser.find(".dot.off")
        try take("test", "#/t/\(draft)/\(picture + 1)", "figure img")
        try take("review", "#/t/\(draft)/review", "#send")
        try browser.script("document.querySelector('#send').click()")
        _ = try browser.find(".state.busy")
        try take("waiting", "#/t/\(draft)", ".state.busy")
        try take("outbox", "#/outbox", "#list .item")
        browser.quit()
        try world.host.stop()
    }

    private static func json(_ value: JSON) throws -> String {
        let plain: Any =
            switch value {
            case .string(let text): text
            default: value.texts
            }
        let data = try JSONSerialization.data(withJSONObject: plain, options: .fragmentsAllowed)
        return String(decoding: data, as: UTF8.self)
    }
}

import Foundation
import Testing

/// Takes the pictures of the page for the documents: `make pictures`.
@Suite(
    "Pictures of the page", .serialized,
    .enabled(if: ProcessInfo.processInfo.environment["QUIRE_PICTURES"] != nil, "only make pictures takes them"))
struct PagePicturesTests {
    /// A look: what stands in the files' names.
    struct Look: Sendable, CustomStringConvertible {
        var language: String
        var isDark: Bool
        var isPhone: Bool
        var description: String {
            "\(language)-\(isDark ? "dark" : "light")-\(isPhone ? "phone" : "desktop")"
        }

        static let all = ["en", "ru"].flatMap { language in
            [false, true].flatMap { isDark in
                [false, true].map { Look(language: language, isDark: isDark, isPhone: $0) }
            }
        }
    }

    @Test("each screen in each look", arguments: Look.all)
    func pictures(_ look: Look) throws {
        let target = try #require(ProcessInfo.processInfo.environment["QUIRE_PICTURES"])
        let folder = target.hasPrefix("/") ? target : Command.repository + "/" + target
        try Files.makeFolder(folder)
        let world = try PageWorld(
            language: look.language, isDark: look.isDark, width: look.isPhone ? 412 : 1000, height: 800)
        let browser = world.browser
        func take(_ screen: String, _ path: String, ready: String = "main") throws {
            try browser.open(world.page.address + path)
            _ = try browser.find(ready)
            let isTaken = try browser.asyncScript(
                "const done = arguments[0]; Promise.all([...document.images].map(i => i.decode().catch(() => 0))).then(() => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"
            )
            guard isTaken == .bool(true) else { throw Unexpected("\(screen) is not painted") }
            let file = "\(folder)/\(screen)-\(look).png"
            try browser.screenshot().write(to: URL(filePath: file))
            // Few colours are many enough, and a quarter of the size.
            if Command.isInstalled("pngquant") {
                try Command.run("pngquant", "--force", "--strip", "--ext", ".png", "64", file, in: world.folder.path)
            }
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
}

import Foundation
import Testing

/// Two authors at one draft, and a question in the frames in which its author sees it.
@Suite(
    "Two authors and the preview in a browser", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct DeskTwoAuthorsTests {
    private func opened(_ question: String, _ world: DeskWorld) throws -> String {
        try world.logIn("author", as: "Ada")
        try world.browser.click("form[action='/desk/write/of'] button")
        try world.browser.click("a[href$='/q/\(question)']")
        _ = try world.browser.find("#text")
        return try world.browser.url
    }

    @Test(
        "fields of both are saved together, and one that both changed is chosen by keyboard",
        arguments: [(false, true), (true, false)])
    func merged(_ hasScript: Bool, _ isDark: Bool) throws {
        let world = try DeskWorld(
            ["d": TwoAuthors.questionnaire], hasScript: hasScript, isDark: isDark, width: isDark ? 500 : 1100)
        let form = try opened("a", world)
        try TwoAuthors(browser: world.browser, hasScript: hasScript, draft: world.draft).merge(at: form)
        try world.close()
    }

    @Test("a question is shown as on a phone and as on a desktop, in frames that run nothing")
    func frames() throws {
        let world = try DeskWorld(["d": TwoAuthors.questionnaire])
        _ = try opened("m", world)
        try TwoAuthors(browser: world.browser, hasScript: true, draft: world.draft).lookAtFrames()
        try world.close()
    }
}

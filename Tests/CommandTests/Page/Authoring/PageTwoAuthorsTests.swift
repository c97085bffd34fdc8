import Foundation
import Testing

/// Two windows with one draft on the page, and a question in the frames in which its author sees it.
@Suite(
    "Two authors and the preview on the page", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PageTwoAuthorsTests {
    private func opened(_ question: String, _ world: PageWorld) throws -> TwoAuthors {
        let file = world.folder.path + "/d.json"
        try Files.write(TwoAuthors.questionnaire, to: file)
        try world.device.done("new", "--from", file)
        try world.browser.open(world.page.address + "/write")
        try world.browser.click("form[action='/write/of'] button")
        try world.browser.click("a[href$='/q/\(question)']")
        _ = try world.browser.find("#text")
        let folder = world.device.store + "/writing"
        return TwoAuthors(browser: world.browser, hasScript: world.hasScript) { try latestDraft(below: folder) }
    }

    @Test(
        "fields of both are saved together, and one that both changed is chosen by keyboard",
        arguments: [(false, true), (true, false), (true, true)])
    func merged(_ hasScript: Bool, _ isDark: Bool) throws {
        let world = try PageWorld(
            hasScript: hasScript, isDark: isDark, width: isDark ? 500 : 1100,
            questionnaires: [Questionnaire(id: "other", title: "Another").json])
        try opened("a", world).merge(at: try world.browser.url)
        try world.close()
    }

    @Test("a question is shown as on a phone and as on a desktop, in frames that run nothing")
    func frames() throws {
        let world = try PageWorld(questionnaires: [Questionnaire(id: "other", title: "Another").json])
        try opened("m", world).lookAtFrames()
        try world.close()
    }
}

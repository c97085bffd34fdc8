import Foundation
import Testing

/// Each screen of *My questionnaires* on a device's own page, in one look.
struct WritingTour {
    let look: Look
    private let world: PageWorld
    private let at: (_ screen: String, _ browser: Browser) throws -> Void

    /// - Parameter at: is called where a screen is shown; the next one is opened after it.
    init(_ look: Look, at: @escaping (_ screen: String, _ browser: Browser) throws -> Void) throws {
        self.look = look
        self.at = at
        let lake = Questionnaire(id: "lake", title: look.language == "ru" ? "Озеро" : "The lake")
        world = try PageWorld(
            language: look.language, isDark: look.isDark, width: look.width, height: 900, questionnaires: [lake.json])
        try look.narrow(world.browser)
    }

    private var isRussian: Bool { look.language == "ru" }
    private var browser: Browser { world.browser }

    private func open(_ path: String) throws { try browser.open(world.page.address + path) }

    private func show(_ screen: String, _ path: String?) throws {
        if let path { try open(path) }
        try at(screen, browser)
    }

    func walk() throws {
        try show("list-empty", "/write")
        let sky = try make()
        try show("new", "/write/new")
        try browser.type(isRussian ? "Птицы зимой" : "Birds in winter", into: "#title")
        try browser.press(Browser.Key.enter)
        _ = try browser.find("#kind")
        try open("/write")
        _ = try browser.find(".dot.off")
        try show("list", nil)
        try openDraft(of: sky)
        let draft = try DeskTour.draft(browser)
        try show("draft", nil)
        try DeskTour.writing(draft, browser, isRussian, show)
        try open(draft + "/publish")
        try browser.click("form[action$='/publish'] button")
        _ = try browser.find("form[action='/write/of']")
        try show("versions", "/write/of/" + sky)
        try browser.click(".history li:last-child a")
        _ = try browser.find("#before")
        try show("version", nil)
        browser.quit()
        try world.page.stop()
    }

    private func openDraft(of id: String) throws {
        try browser.script(
            "document.querySelector('form[action=\"/write/of\"] input[value=\"' + arguments[0] + '\"]').form.requestSubmit()",
            id)
        _ = try browser.find("#question-1")
    }

    /// One is with the server, one was changed there and here, one waits.
    ///
    /// - Returns: the id of the first one.
    private func make() throws -> String {
        let device = world.device
        func file(_ name: String, _ text: String) throws -> String {
            let path = world.folder.path + "/\(name).json"
            try Files.write(text, to: path)
            return path
        }
        func titled(_ title: String) -> String { Questionnaire(id: "lake", title: title).json }
        let exam = isRussian ? DeskTour.russian.exam : DeskTour.english.exam
        try world.page.stop()
        let sky = try device.json("new", "--from", try file("sky", exam))
        try device.done("sync")
        let (mine, theirs) = isRussian ? ("Озеро весной", "Озеро осенью") : ("The lake in spring", "The lake in autumn")
        try device.done("edit", "lake", "--from", try file("mine", titled(mine)))
        try Files.write(titled(theirs), to: world.host.questionnaires + "/0.json")
        #expect(try device.quire("sync", "--json").json()["conflicts"].whole == 1)
        try world.host.stop()
        try device.done("new", "--from", try file("river", titled(isRussian ? "Реки нашего края" : "Our rivers")))
        try world.page.start()
        return try #require(sky["id"].text)
    }
}

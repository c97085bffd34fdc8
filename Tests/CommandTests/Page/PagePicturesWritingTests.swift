import Foundation
import Testing

/// Takes the pictures of the page's screens for authors: `make pictures`.
@Suite(
    "Pictures of the page for authors", .serialized,
    .enabled(if: ProcessInfo.processInfo.environment["QUIRE_PICTURES"] != nil, "only make pictures takes them"))
struct PagePicturesWritingTests {
    /// The screens that are shown in each look; the others in two.
    private static let main: Set = ["list", "draft", "question"]

    @Test("each screen in each look", arguments: PagePicturesTests.Look.all)
    func pictures(_ look: PagePicturesTests.Look) throws {
        let isRussian = look.language == "ru"
        let lake = Questionnaire(id: "lake", title: isRussian ? "Озеро" : "The lake")
        let world = try PageWorld(
            language: look.language, isDark: look.isDark, width: look.isPhone ? 412 : 1000, height: 900,
            questionnaires: [lake.json])
        let (browser, device) = (world.browser, world.device)
        try browser.chromium(
            "Emulation.setDeviceMetricsOverride",
            ["width": look.isPhone ? 412 : 1000, "height": 900, "deviceScaleFactor": 1, "mobile": look.isPhone])
        func file(_ name: String, _ text: String) throws -> String {
            let path = world.folder.path + "/\(name).json"
            try Files.write(text, to: path)
            return path
        }
        func titled(_ title: String) -> String { Questionnaire(id: "lake", title: title).json }
        // One is with the server, one was changed there and here, one waits, one is a draft.
        let exam = isRussian ? DeskPicturesTests.russian.exam : DeskPicturesTests.english.exam
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

        func take(_ screen: String, _ path: String? = nil) throws {
            if let path { try browser.open(world.page.address + path) }
            try PagePicturesTests.save(
                browser, "write-\(screen)", in: look, isMain: Self.main.contains(screen))
        }
        try browser.open(world.page.address + "/write/new")
        try browser.type(isRussian ? "Птицы зимой" : "Birds in winter", into: "#title")
        try browser.press(Browser.Key.enter)
        _ = try browser.find("#kind")
        try browser.open(world.page.address + "/write")
        _ = try browser.find(".dot.off")
        try take("list")
        let id = try #require(sky["id"].text)
        try browser.script(
            "document.querySelector('form[action=\"/write/of\"] input[value=\"' + arguments[0] + '\"]').form.requestSubmit()",
            id)
        _ = try browser.find("#question-1")
        let draft = try browser.script("return location.pathname").text ?? ""
        try take("draft")
        try take("question", draft + "/q/moons")
        try take("media", draft + "/q/moons/media")
        try DeskPicturesTests.takeMerge(draft + "/q/why", browser, isRussian) { try take("merge") }
        try take("try", draft + "/try")
        try take("publish", draft + "/publish")
        try take("versions", "/write/of/" + id)
        browser.quit()
        try world.page.stop()
    }
}

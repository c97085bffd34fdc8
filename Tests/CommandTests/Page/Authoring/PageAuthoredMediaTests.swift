import Foundation
import Testing

/// A picture and a sound from the browser of an author without a network to another person's device.
@Suite(
    "Pictures and sound of a questionnaire that is written on the page", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PageAuthoredMediaTests {
    private static let pixel =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

    /// A second of silence.
    private static var sound: Data {
        func number(_ value: UInt32, _ bytes: Int = 4) -> [UInt8] {
            (0..<bytes).map { UInt8(value >> (8 * $0) & 0xFF) }
        }
        let head = number(1, 2) + number(1, 2) + number(8000) + number(8000) + number(1, 2) + number(8, 2)
        return Data(
            Array("RIFF".utf8) + number(36 + 8000) + Array("WAVEfmt ".utf8) + number(16) + head
                + Array("data".utf8) + number(8000) + [UInt8](repeating: 128, count: 8000))
    }

    @Test("they are added offline, shown, published, sent once and on another device", arguments: [false, true])
    func delivery(hasScript: Bool) throws {
        let world = try PageWorld(
            hasScript: hasScript, questionnaires: [Questionnaire(id: "other", title: "Another").json])
        let (browser, folder) = (world.browser, world.folder.path)
        let pupil = try Device(folder, name: "pupil", of: world.host)
        try world.host.stop()
        let picture = try #require(Data(base64Encoded: Self.pixel))
        try picture.write(to: URL(filePath: folder + "/beaver.png"))
        try Self.sound.write(to: URL(filePath: folder + "/splash.wav"))
        try Files.write("No picture", to: folder + "/false.png")
        let text =
            #"{"id": "x", "title": "Beavers", "questions": [{"id": "q1", "text": "Who is it?", "kind": "text"}], "sections": [{"id": "s1", "title": "By the lake", "questions": ["q1"]}]}"#
        try Files.write(text, to: folder + "/quiz.json")
        let id = try #require(try world.device.json("new", "--from", folder + "/quiz.json")["id"].text)
        try browser.open(world.page.address + "/write")
        try browser.click("form[action='/write/of'] button")
        try browser.click("a[href$='/q/q1']")
        try browser.click("button[value=media]")
        try browser.see("There are none yet.")
        try browser.type(folder + "/false.png", into: "#file")
        try browser.click("button[value=add]")
        try browser.see("is not a picture, sound or film that is shown everywhere")
        try browser.type(folder + "/beaver.png", into: "#file")
        try browser.type("A beaver", into: "#alt")
        try browser.click("button[value=add]")
        try browser.see("Saved.")
        if hasScript {
            _ = try wait(for: "the picture") {
                let width = try browser.script("return document.querySelector('.media-edit img')?.naturalWidth ?? 0")
                return width.whole == 1 ? true : nil
            }
        }
        _ = try browser.find("img[alt='A beaver']")
        try browser.click("a[href$='/q/q1']")
        _ = try browser.find("iframe.phone")
        try browser.click("button[value=done]")
        try browser.click("a[href$='/s/s1']")
        try browser.click("button[value=media]")
        try browser.type(folder + "/splash.wav", into: "#file")
        try browser.click("button[value=add]")
        _ = try browser.find(".media-edit audio")
        // The program is killed: what was added is there.
        try world.page.kill()
        try world.page.start()
        try browser.reload()
        _ = try browser.find(".media-edit audio")
        #expect(try world.device.quire("doctor").exitCode == 0)
        try browser.click(".tabs a[href$='/publish']")
        try browser.see("Nothing was found that cannot be right.")
        try browser.click("form[action$='/publish'] button")
        try browser.see("Published on this device.", in: "body")
        #expect(try world.device.quire("doctor").exitCode == 0)
        #expect(Files.regularFiles(below: world.device.store + "/writing").isEmpty)

        try world.host.start()
        try wait(for: "the files at the host") {
            // The page sends by itself, too: the first one does it.
            _ = try world.device.quire("sync")
            return Files.names(in: world.host.questionnaires + "/media", suffix: "").count == 2 ? true : nil
        }
        let media = Files.names(in: world.host.questionnaires + "/media", suffix: "")
        let bytes = try media.sorted { $0.hasSuffix("png") && !$1.hasSuffix("png") }.map {
            try Files.read("\(world.host.questionnaires)/media/\($0)")
        }
        #expect(bytes == [picture, Self.sound])
        try pupil.done("pull")
        let server = try #require(
            try pupil.json("list").elements.first { $0["title"].text == "Beavers" }?["id"].text)
        let shown = try pupil.json("show", server)["questions"].elements[0]["media"].elements
        #expect(shown.map { $0["alt"].text } == ["A beaver"])
        let cached = try pupil.json("cache", "ls").elements.compactMap { $0["url"].text }
        #expect(cached.count { $0.contains("/questionnaires/media/") } == 2, "\(cached)")
        #expect(try world.device.json("status")["waiting"].whole == 0 && !id.isEmpty)
        try world.close()
    }
}

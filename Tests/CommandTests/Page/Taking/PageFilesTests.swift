import Foundation
import Testing

@Suite(
    "Files of answers in a browser", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PageFilesTests {
    private static let questionnaire = """
        {"id": "short", "title": "Short one", "questions": [
        {"id": "q1", "text": "Why?", "kind": "text"}, {"id": "q2", "text": "How many?", "kind": "number"}]}
        """
    /// One pixel.
    private static let png = Data(
        base64Encoded:
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")

    @Test("chosen, listed, opened, taken away, sent; what was typed before is there", arguments: [true, false])
    func whole(_ hasScript: Bool) throws {
        let world = try PageWorld(hasScript: hasScript, questionnaires: [Self.questionnaire])
        let browser = world.browser
        let folder = world.folder.path
        let photo = folder + "/Фото <b>1'\"&amp;.png"
        try #require(Self.png).write(to: URL(filePath: photo))
        let film = try Files.film(folder + "/film.bin", bytes: 6_000_000)
        func choose(_ path: String) throws {
            try browser.type(path, into: "#file")
            if !hasScript { try browser.click("#attach .main") }
        }
        try browser.open(world.page.address + "/q/short")
        try browser.click("form[action$='/begin'] button")
        try browser.type("Because", into: "textarea")
        try browser.click("button[value='files-0']")
        try browser.see("No files are attached to this answer")
        try choose(photo)
        try browser.see("Фото <b>1'\"&amp;.png")
        try choose(film)
        try browser.see("film.bin")
        #expect(try browser.text("#files").contains("6 MB · goes with the test"))
        // The picture is a picture, from this page alone.
        if hasScript {
            let width = try browser.asyncScript(
                "const done = arguments[0], image = document.querySelector('.thumb img'); image.loading = 'eager'; image.decode().then(() => done(image.naturalWidth), e => done(String(e)))"
            )
            #expect(width == .number(1))
        }
        try browser.reload()
        try browser.see("film.bin")
        try browser.click("#files li:last-child form button")
        try wait(for: "it to go") { try browser.text("#files").contains("film.bin") ? nil : true }
        try choose(film)
        try browser.see("film.bin")
        try browser.click("#attach .plain")
        try browser.see("Add or remove")
        #expect(try browser.value("textarea") == "Because")
        #expect(try browser.text("#test").contains("film.bin"))
        try browser.click(".steps .main")
        try browser.see("Question 2 of 2")
        try browser.click(".steps .main")
        try browser.see("film.bin")
        try browser.click(".final .main")
        try wait(for: "the files at the host") { () -> Bool? in
            Files.names(in: world.host.data + "/media", suffix: "").count == 2 ? true : nil
        }
        let sum = String(try Command.run("sha256sum", film, in: folder).prefix(64))
        #expect(Files.names(in: world.host.data + "/media", suffix: "").contains(sum))
        try wait(for: "the word of it") { () -> Bool? in
            try browser.reload()
            return try browser.text("main").contains("6 MB · Sent") ? true : nil
        }
        #expect(world.host.tests.count == 1)
        try world.close()
    }

    @Test("the program away while a file is sent: that is said, and the file goes when it is back")
    func away() throws {
        let world = try PageWorld(questionnaires: [Self.questionnaire])
        let browser = world.browser
        let photo = world.folder.path + "/photo.png"
        try #require(Self.png).write(to: URL(filePath: photo))
        try browser.open(world.page.address + "/q/short")
        try browser.click("form[action$='/begin'] button")
        try browser.click("button[value='files-0']")
        try browser.see("No files are attached to this answer")
        try world.page.kill()
        try browser.type(photo, into: "#file")
        try browser.see("the file was not saved. Choose it again", in: "#refused")
        #expect(!(try browser.text().contains("What you type is kept")))
        try world.page.start()
        try wait(for: "the notice to go") {
            try browser.script("return document.querySelector('#refused').hidden") == .bool(true) ? true : nil
        }
        try browser.type(photo, into: "#file")
        try browser.see("photo.png")
        try world.close()
    }
}

import Foundation
import Testing

/// Signatures that are drawn, on the page and in the app, in a real Chromium.
@Suite(
    "Signatures", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct SignatureTests {
    private static let form = """
        {"id": "consent", "title": "Consent", "questions": [
        {"id": "sign", "kind": "file", "text": "Sign here.", "capture": "signature", "maxFiles": 1, "required": true},
        {"id": "why", "kind": "text", "text": "Anything else?"}]}
        """

    /// Whether the host has a picture of these lines: white, with some black.
    private func expectSignature(
        _ browser: Browser, _ folder: TemporaryFolder, _ host: HostProcess, _ test: String
    ) throws {
        let media = try wait(for: "the signature") { () -> JSON? in
            let text = try Command.run("curl", "-sS", "\(host.address)/v1/tests/\(test)/media", in: folder.path)
            let files = try JSON(parsing: text)["media"].elements
            return files.first?["state"].text == "arrived" ? files.first : nil
        }
        #expect(media["name"].text == "signature.png" && media["mediaType"].text == "image/png")
        let file = try #require(media["id"].text)
        let picture = try Command.run(
            "sh", "-c", "curl -sS \(host.address)/v1/tests/\(test)/media/\(file) | base64 -w0", in: folder.path)
        let inked = try browser.asyncScript(
            """
            const done = arguments[0], bytes = Uint8Array.from(atob('\(picture)'), sign => sign.charCodeAt(0));
            createImageBitmap(new Blob([bytes], { type: 'image/png' })).then(image => {
              const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height }), pen = canvas.getContext('2d');
              pen.drawImage(image, 0, 0);
              const { data } = pen.getImageData(0, 0, image.width, image.height);
              let dark = 0, light = 0;
              for (let place = 0; place < data.length; place += 4) { if (data[place + 3] === 255) data[place] < 100 ? dark += 1 : light += 1; }
              done([image.width, dark > 300 && light > 100000].join());
            }, error => done(String(error)));
            """)
        #expect(inked.text == "900,true")
    }

    @Test(
        "on the page: drawn by mouse, erased, drawn again, attached by the button that leads on; a file by the keyboard"
    )
    func page() throws {
        let axe = AxeCore.script
        let world = try PageWorld(width: 390, height: 844, questionnaires: [Self.form])
        let browser = world.browser
        try browser.open(world.page.address + "/q/consent")
        try browser.click("form[action$='/begin'] button")
        try browser.see("Draw your signature")
        #expect(try browser.script("return document.querySelector('.sign .actions').hidden") == .bool(true))
        if let axe { #expect(try browser.violations(by: axe) == "") }
        try browser.draw(on: ".sign canvas")
        try browser.click("[data-erase]")
        #expect(try browser.script("return document.querySelector('.sign .actions').hidden") == .bool(true))
        try browser.draw(on: ".sign canvas")
        try browser.click(".steps .main")
        try browser.see("Anything else?")
        let test = try browser.url.components(separatedBy: "?")[0]
        try browser.open(test + "?n=1")
        try browser.see("signature.png")
        let id = try #require(test.split(separator: "/").last.map(String.init))
        try browser.open(test + "/review")
        try browser.click(".final .main")
        try browser.see("signature.png", in: ".answers")
        try expectSignature(browser, world.folder, world.host, id)
        try world.close()
    }

    @Test("without the script the field for files is the answer, and nothing is there to draw on")
    func withoutScript() throws {
        let world = try PageWorld(hasScript: false, questionnaires: [Self.form])
        try world.browser.open(world.page.address + "/q/consent")
        try world.browser.click("form[action$='/begin'] button")
        try world.browser.see("Or attach a picture of it")
        #expect(try !world.browser.text("main").contains("Draw your signature"))
        try world.close()
    }

    @Test("in the app, in a private window: drawn by touch, attached, removed, drawn again, sent")
    func app() throws {
        let world = try PhoneWorld([Self.form], in: .chromium, width: 390, height: 844, more: ["--incognito"])
        let browser = world.browser
        let id = try world.begin("Consent", first: "Sign here.")
        try browser.draw(on: ".sign canvas", by: "touch")
        try browser.click("[data-keep]")
        try browser.see("signature.png", in: "#d0")
        #expect(try browser.script("return document.querySelector('#d0 .field').hidden") == .bool(true))
        try browser.click("#d0 li button")
        try browser.see("No files are attached")
        try browser.draw(on: ".sign canvas", by: "touch")
        try browser.click("#forward")
        try browser.see("Anything else?")
        try world.goTo("#/t/\(id)/review")
        try browser.see("signature.png")
        try browser.click("#send")
        try browser.see("Sent", in: ".state-words")
        try expectSignature(browser, world.folder, world.host, id)
        try world.close()
    }
}

import Foundation
import Testing

/// The site of the documents, searched in a real browser.
@Suite(
    "The search of the help", .serialized,
    .enabled(if: Engine.chromium.isInstalled && Command.isInstalled("python3"), "chromium or python3 is not installed"))
struct HelpSearchTests {
    private let folder: TemporaryFolder
    /// Laid out as `make install` does, so that the page finds the site.
    private var prefix: String { folder.path + "/usr" }
    private var site: String { prefix + "/share/doc/quire/html" }

    init() throws {
        folder = try TemporaryFolder()
        try Files.makeFolder(prefix + "/bin")
        try Command.run("cp", Command.binary, prefix + "/bin/quire", in: folder.path)
        try Command.run(Command.repository + "/contrib/site/make-site", Command.binary, site, in: folder.path)
    }

    private func browser(_ language: String = "en") throws -> Browser {
        try Browser(
            Engine.usual.driver(folder: folder.path),
            BrowserTraits(profile: folder.path + "/profile", language: language))
    }

    /// Searches on the open page, and opens the first hit.
    private func search(_ browser: Browser, _ word: String, stem: String) throws {
        #expect(try browser.script("return document.querySelector('#found').hidden") == .bool(true))
        try browser.type(word, into: "form[role=search] input")
        _ = try browser.find("#found li mark")
        let marked = try browser.text("#found li mark").lowercased()
        #expect(marked.contains(stem), "\(marked)")
        let target = try #require(try browser.script("return document.querySelector('#found li a').href").text)
        try browser.click("#found li a")
        try wait(for: "the hit’s page") {
            try browser.script("return document.readyState === 'complete' && location.href").text == target ? true : nil
        }
        let shown = try browser.text("article").lowercased()
        #expect(shown.contains(stem), "\(target) has no “\(stem)”")
        if let anchor = target.split(separator: "#").dropFirst().first {
            let place = try browser.script(
                """
                const heading = document.getElementById(decodeURIComponent(arguments[0]));
                return heading !== null && heading.getBoundingClientRect().top < innerHeight;
                """, String(anchor))
            #expect(place == .bool(true), "\(target)")
        }
    }

    @Test(
        "from a folder: a word is searched, and the hit is opened",
        arguments: [("index.html", "quarantine", "quarantine"), ("ru/index.html", "анкету", "анкет")])
    func fromFolder(start: String, word: String, stem: String) throws {
        let browser = try browser()
        try browser.open("file://\(site)/\(start)")
        try search(browser, word, stem: stem)
        // On a page that is not the first one, too.
        try browser.type("zzzz", into: "form[role=search] input")
        try browser.see(start.hasPrefix("ru") ? "Ничего не найдено." : "Nothing found.", in: "#found")
        try browser.press(Browser.Key.escape)
        #expect(try browser.script("return document.querySelector('#found').hidden") == .bool(true))
        browser.quit()
    }

    @Test(
        "through the page: its help is opened in the person's language, a word is searched, and the hit is opened",
        arguments: [("en", "Help", "attempts", "attempt"), ("ru", "Справка", "ответы", "ответ")])
    func throughPage(language: String, link: String, word: String, stem: String) throws {
        let device = Device(folder.path)
        try device.done("init", "--remote", "http://127.0.0.1:9")
        let page = try ServeProcess(device, binary: prefix + "/bin/quire")
        try page.start("--manual")
        let browser = try browser(language)
        try browser.open(page.invitation)
        _ = try browser.find("footer")
        try browser.see(link, in: "footer")
        try browser.click("footer a[href^='/help']")
        _ = try browser.find("form[role=search] input")
        let address = try #require(try browser.script("return location.pathname").text)
        #expect(address == (language == "en" ? "/help/index.html" : "/help/\(language)/index.html"))
        try search(browser, word, stem: stem)
        browser.quit()
        try page.stop()
    }
}

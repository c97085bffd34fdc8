import Foundation
import Testing

/// A teacher at a real host's desk, in a real browser.
@Suite(
    "The desk in a browser", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct DeskBrowserTests {
    private static let exam = """
        {"id": "exam", "title": "Экзамен", "answerKey": {"q1": "Paris"}, "questions": [
         {"id": "q1", "text": "Capital of France?", "options": ["Paris", "London"]},
         {"id": "essay", "text": "Why?", "kind": "text", "points": 2}]}
        """

    private final class World {
        let folder: TemporaryFolder
        let host: HostProcess
        let device: Device
        let key: String
        private let driver: any BrowserDriver
        let browser: Browser

        init(hasScript: Bool = true) throws {
            folder = try TemporaryFolder()
            host = try HostProcess(folder: folder.path)
            try Files.write(DeskBrowserTests.exam, to: host.questionnaires + "/exam.json")
            try host.start("--desk")
            device = try Device(folder.path, of: host)
            for (name, answer) in [("Ада", "Paris"), ("Boris", "London"), ("Clara", "Paris")] {
                try device.done("person", "set", name, "--id", name)
                _ = try device.take("exam", answers: "{\"q1\": \"\(answer)\", \"essay\": \"By \(name)\"}")
            }
            try device.done("sync")
            // From now on the host asks for keys.
            key = try device.json("host", "keys", "add", "--data", host.data, "--role", "teacher")["key"].text ?? ""
            driver = try Engine.usual.driver(folder: folder.path)
            browser = try Browser(
                driver,
                BrowserTraits(
                    profile: folder.path + "/profile", hasScript: hasScript, language: "en", width: 1100, height: 900))
        }

        func logIn() throws {
            try browser.open(host.address + "/desk/")
            try browser.type(key, into: "#key")
            try browser.type("Ms Lovelace", into: "#name")
            try browser.press(Browser.Key.enter)
            try browser.see("Экзамен")
        }

        func close() throws {
            browser.quit()
            try host.stop()
        }
    }

    @Test("without a script and without a mouse a teacher marks three answers one after the other")
    func keyboard() throws {
        let world = try World(hasScript: false)
        let browser = world.browser
        try world.logIn()
        try browser.reach("a.button[href='/desk/q/exam/marking']")
        try browser.press(Browser.Key.enter)
        try browser.see("3 to be marked")
        try browser.reach("a.button[href='/desk/q/exam/marking/essay']")
        try browser.press(Browser.Key.enter)
        for (place, points) in ["2", "1,5", "0"].enumerated() {
            // The cursor is in the field of the points.
            try browser.see("By ")
            try browser.waitForFocus()
            try browser.press(points, Browser.Key.enter)
            try wait(for: "\(points) points") {
                let tests = try world.device.json("host", "tests", "--data", world.host.data).elements
                return tests.count { $0["status"].text == "rated" } == place + 1 ? true : nil
            }
        }
        try browser.see("Nothing waits for marks.")
        let tests = try world.device.json("host", "tests", "--data", world.host.data).elements
        #expect(tests.allSatisfy { $0["status"].text == "rated" })
        // One point for each of the two who knew the capital, and those of the teacher.
        #expect(tests.compactMap { $0["score"].number }.reduce(0, +) == 2 + 3.5)
        try world.close()
    }

    @Test("a link with a key fills it in, and leaves it in no address")
    func link() throws {
        let world = try World()
        let browser = world.browser
        try browser.open(world.host.address + "/desk/#key=" + world.key)
        try wait(for: "the address without the key") { try browser.url.hasSuffix("/desk/") ? true : nil }
        // The cursor is in the field of the name.
        try browser.press("Ms Lovelace", Browser.Key.enter)
        try browser.see("Ms Lovelace", in: ".connection")
        try browser.see("Экзамен")
        try browser.open(world.host.address + "/desk/#key=" + world.key)
        try wait(for: "the address without the key") { try browser.url.hasSuffix("/desk/") ? true : nil }
        try world.close()
    }
}

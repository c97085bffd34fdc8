import Foundation
import Testing

/// A questionnaire from nothing to the pupil's device, by keyboard alone.
@Suite(
    "An author writes and publishes by keyboard", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct DeskAuthorJourneyTests {
    private static let pixel =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

    @Test(
        "six kinds in two sections, with a condition and a picture, without and with the script",
        arguments: [false, true])
    func writing(hasScript: Bool) throws {
        let world = try DeskWorld(hasScript: hasScript)
        let browser = world.browser
        let taker = try world.key("taker")
        try world.logIn("author")
        try browser.reach("a[href='/desk/write/new']", press: Browser.Key.enter)
        try browser.see("Start writing")
        try browser.press("The stream", Browser.Key.enter)
        try browser.see("There are no questions yet.")
        for title in ["Water", "Animals"] {
            try browser.reach("#newsection", press: title, Browser.Key.enter)
            try browser.see(title, in: ".listbar h2")
            try browser.reach("button.main", press: Browser.Key.enter)
            try browser.see(title, in: ".block:last-of-type")
        }
        /// Letters choose in a list, as browsers have it.
        func add(_ kind: String, to section: String, _ text: String, _ fill: () throws -> Void) throws {
            try browser.reach("#kind", press: kind)
            try browser.reach("#section", press: section)
            try browser.reach(".adding button", press: Browser.Key.enter)
            try browser.see("The question was added.")
            try browser.press(text)
            try fill()
            try browser.reach("button.main", press: Browser.Key.enter)
            try browser.see("Saved.")
        }
        func option(_ place: Int, _ text: String, isRight: Bool = false) throws {
            if isRight { try browser.reach("[name='r.\(place)']", press: Browser.Key.space) }
            try browser.reach("[name='o.\(place)']", press: text)
        }
        try add("Yes", to: "Wat", "Does it flow?") { try browser.reach("[name='r.0']", press: Browser.Key.space) }
        try add("Num", to: "Wat", "How wide is it?") { try browser.reach("[name='a.0']", press: "1.5") }
        try add("One", to: "Wat", "Where does it flow?") {
            try option(0, "Into the lake", isRight: true)
            try option(1, "Into the sea")
        }
        try add("Sev", to: "Ani", "Who lives in it?") {
            try option(0, "Trout", isRight: true)
            try option(1, "Beavers", isRight: true)
            try option(2, "Camels")
        }
        try add("Text", to: "Ani", "Why do beavers build dams?") { try browser.reach("#points", press: "2") }
        try add("Sca", to: "Ani", "How did you like it?") {
            try browser.reach("#least", press: "1")
            try browser.reach("#most", press: "5")
        }
        // The third question is asked only of those who say that it flows.
        try browser.reach("a[href$='/q/q3']", press: Browser.Key.enter)
        try browser.see("Where does it flow?")
        try browser.reach("details.condition > summary", press: Browser.Key.enter)
        try browser.reach("[name='cq.0']", press: Browser.Key.down)
        try browser.reach("button[value=save]:not(.unseen)", press: Browser.Key.enter)
        try browser.see("Saved.")
        try browser.reach("[name='cv.0']", press: Browser.Key.down)
        try browser.reach("button.main", press: Browser.Key.enter)
        try browser.see("Saved.")
        // A picture for the fourth. The window that chooses a file is the system's.
        try browser.reach("a[href$='/q/q4']", press: Browser.Key.enter)
        try browser.see("Who lives in it?")
        try browser.reach("button[value=media]", press: Browser.Key.enter)
        let picture = world.folder.path + "/beaver.png"
        try #require(Data(base64Encoded: Self.pixel)).write(to: URL(filePath: picture))
        try browser.reach("#file")
        try browser.type(picture, into: "#file")
        try browser.reach("#alt", press: "A beaver")
        try browser.reach("button[value=add]", press: Browser.Key.enter)
        _ = try browser.find("img[alt='A beaver']")
        try browser.reach("a[href$='/publish']", press: Browser.Key.enter)
        try browser.see("Nothing was found that cannot be right.")
        try browser.reach("form[action$='/publish'] button", press: Browser.Key.enter)
        try browser.see("is published.", in: "body")

        let file = try #require(Files.names(in: world.host.questionnaires, suffix: ".json").first)
        let document = try JSON(file: "\(world.host.questionnaires)/\(file)")
        let questions = document["questions"].elements
        #expect(questions.map { $0["id"].text } == ["q1", "q2", "q3", "q4", "q5", "q6"])
        #expect(Set(questions.compactMap { $0["kind"].text }).count == 6, "\(questions)")
        #expect(
            document["sections"].elements.map { $0["questions"].texts } == [["q1", "q2", "q3"], ["q4", "q5", "q6"]])
        let device = try Device(world.folder.path, name: "pupil", of: world.host, pulls: false)
        let environment = ["QUIRE_TOKEN": taker]
        #expect(try device.quire(["pull"], environment: environment).exitCode == 0)
        let id = try #require(try device.json("list").elements.first?["id"].text)
        // Where the stream does not flow, the third question is not asked.
        let dry = try device.quire(
            ["take", id, "--answers", "-", "--finish"], environment: environment,
            input: #"{"q1": false, "q3": "Into the sea"}"#)
        #expect(dry.exitCode == 0, "\(dry)")
        _ = try device.take(
            id,
            answers:
                #"{"q1": true, "q2": 1.5, "q3": "Into the lake", "q4": ["Trout", "Beavers"], "q5": "To live in", "q6": 5}"#
        )
        #expect(try device.quire(["sync"], environment: environment).exitCode == 0)
        let tests = try world.office.json("host", "tests", "--data", world.host.data).elements
        #expect(tests.count == 2)
        let answers = try world.office.quire(
            "host", "results", id, "--json", "--data", world.host.data, "--questionnaires", world.host.questionnaires)
        let rows = try answers.json().elements
        #expect(rows.contains { $0["answers"]["q1"].bool == false && $0["answers"]["q3"].text == nil }, "\(answers)")
        #expect(rows.contains { $0["answers"]["q3"].text == "Into the lake" && $0["points"]["q4"].number == 1 })
        // The picture came with the questionnaire.
        #expect(try device.json("show", id)["questions"].elements.contains { !$0["media"].elements.isEmpty })
        try world.close()
    }
}

import Foundation
import Testing

/// A questionnaire from nothing to the pupil's device, by keyboard alone.
@Suite(
    "An author writes and publishes by keyboard", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct DeskAuthorJourneyTests {
    @Test(
        "six kinds in two sections, with a condition and a picture, without and with the script",
        arguments: [false, true])
    func writing(hasScript: Bool) throws {
        let world = try DeskWorld(hasScript: hasScript)
        let browser = world.browser
        let taker = try world.key("taker")
        try world.logIn("author")
        try StreamAuthor(browser: browser).publishAtDesk(pictureFrom: world.folder.path)

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

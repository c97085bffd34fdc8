import Foundation
import Testing

/// The screen on which a teacher follows a class, while devices report to its host.
@Suite(
    "The class on the desk", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct DeskWatchingTests {
    private static let exam = """
        {"id": "exam", "title": "Exam", "answerKey": {"q1": "a"},
         "questions": [{"id": "q1", "text": "Which?", "options": ["a", "b"]}]}
        """

    @Test("a page that loads itself again shows who is at it, and who has handed in", arguments: [true, false])
    func live(hasScript: Bool) throws {
        let world = try DeskWorld(["exam": Self.exam], hasScript: hasScript)
        let device = try Device(world.folder.path, of: world.host)
        try device.done("person", "set", "Ada", "--id", "ada", "--group", "7b")
        try world.logIn("teacher")
        let browser = world.browser
        let taker = ["QUIRE_TOKEN": try world.key("taker")]
        func sync() throws {
            let outcome = try device.quire(["sync"], environment: taker)
            guard outcome.exitCode == 0 else { throw Unexpected(outcome.description) }
        }
        let id = try device.take("exam", answers: #"{"q1": "a"}"#, isFinished: false)
        try browser.open(world.host.address + "/desk/q/exam/watching")
        try browser.see("is at it: 0")
        try browser.reach("input[name=refresh]", press: " ")
        try browser.reach("form.selection button", press: Browser.Key.enter)
        _ = try browser.find("input[name=refresh]:checked")
        try sync()
        // Nothing is pressed any more.
        try browser.see("is at it: 1")
        for words in ["is at it", "since", "heard"] { try browser.see(words, in: "tbody") }
        try device.done("finish", id)
        try sync()
        try browser.see("is at it: 0")
        try browser.see("rated: 1")
        try world.close()
    }
}

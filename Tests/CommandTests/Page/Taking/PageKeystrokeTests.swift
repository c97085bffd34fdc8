import Foundation
import Testing

/// How long the browser is at work for a key, in the processor time of the page's own thread: that does not depend on what else
/// the machine does. `LongQuestionnaireTests` counts the work in each run.
@Suite(
    "A key among thousands of questions", .serialized,
    .enabled(if: ProcessInfo.processInfo.environment["QUIRE_KEYS"] != nil, "only make bench-keys measures them"))
struct PageKeystrokeTests {
    private static let keys = 40

    /// Milliseconds of the page's thread for each key, with what saving and laying out takes.
    private func milliseconds(_ browser: Browser, field: String, saved: (String) throws -> Void) throws -> Double {
        func work() throws -> Double {
            let metrics = try browser.chromium("Performance.getMetrics", [:])
            let task = metrics["metrics"].elements.first { $0["name"].text == "TaskDuration" }
            return try #require(task?["value"].number) * 1000
        }
        try browser.chromium("Performance.enable", ["timeDomain": "threadTicks"])
        try browser.click(field)
        // What is done once is not counted.
        try browser.press("a")
        try saved("a")
        let before = try work()
        for _ in 0..<Self.keys { try browser.press("x") }
        try saved("a" + String(repeating: "x", count: Self.keys))
        return (try work() - before) / Double(Self.keys)
    }

    private func onPage(_ count: Int, _ view: String) throws -> Double {
        let world = try PageWorld(questionnaires: [LongQuestionnaireTests.form(count)])
        let browser = world.browser
        try browser.open(world.page.address + "/q/long")
        try browser.click("form[action$='/begin'] button")
        try browser.see("Question number 0?")
        let test = try browser.url.components(separatedBy: "?")[0]
        let id = try #require(test.split(separator: "/").last.map(String.init))
        try browser.open(test + "?view=\(view)&n=18")
        _ = try browser.find("#a17")
        let found = try milliseconds(browser, field: "#a17") { text in
            try wait(for: "the answer on the disk") { () -> Bool? in
                guard world.device.tests("in-progress").contains(id) else { return nil }
                let stored = try JSON(file: world.device.testPath(id, "in-progress"))["answers"].elements
                return stored.first?["answer"].text == text ? true : nil
            }
        }
        try world.close()
        return found
    }

    private func inApp(_ count: Int, _ view: String) throws -> Double {
        let world = try PhoneWorld([LongQuestionnaireTests.form(count)])
        let browser = world.browser
        let id = try world.begin("Long", first: "Question number 0?")
        try world.goTo("#/t/\(id)/8")
        try browser.see("Question number 7?")
        if view == "all" { try browser.script("document.getElementById('view').click()") }
        _ = try browser.find("#a7")
        let found = try milliseconds(browser, field: "#a7") { try world.waitForAnswer(id, "q7", $0) }
        try world.close()
        return found
    }

    @Test(
        "with 5,000 questions and 500 conditions it is less than ten times the work of a form of 50",
        arguments: ["one", "all"], [true, false])
    func keys(_ view: String, _ isPage: Bool) throws {
        let measure = isPage ? onPage : inApp
        let (few, many) = (try measure(50, view), try measure(5000, view))
        let place = (isPage ? "page" : "app") + ", view \(view)"
        print("a key, \(place): \(few) ms of the page's thread with 50 questions, \(many) ms with 5,000")
        #expect(many < 10 * few, "\(place): \(few) and \(many) ms")
    }
}

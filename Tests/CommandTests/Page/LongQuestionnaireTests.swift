import Foundation
import Testing

/// A questionnaire of thousands of questions in a real Chromium. Work is counted, not timed: that is the same on every machine.
@Suite(
    "Long questionnaires in a browser", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct LongQuestionnaireTests {
    /// Every tenth question depends on the one before it.
    private static func form(_ count: Int) -> String {
        let questions = (0..<count).map { number in
            let condition = number % 10 == 9 ? #", "condition": {"question": "q\#(number - 1)", "answered": true}"# : ""
            return
                #"{"id": "q\#(number)", "kind": "text", "multiline": false, "text": "Question number \#(number)?"\#(condition)}"#
        }
        return #"{"id": "long", "title": "Long", "questions": [\#(questions.joined(separator: ","))]}"#
    }

    /// Starts to count searches in the document, and elements and attributes that are changed.
    private static let counting = """
        window.work = { searches: 0, changes: 0 };
        for (const kind of [Document.prototype, Element.prototype]) for (const name of ['querySelector', 'querySelectorAll']) {
          const search = kind[name];
          kind[name] = function (...given) { work.searches += 1; return search.apply(this, given); };
        }
        new MutationObserver(found => { work.changes += found.length; }).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
        """

    /// The most work that a key may cause where it shows and hides no question. The page itself waits for the count of
    /// answers, as each look from outside may be counted, too.
    private func expectLittleWork(_ browser: Browser, _ place: String, until words: String) throws {
        let work = try browser.asyncScript(
            """
            const done = arguments[0], line = document.getElementById('answered');
            const look = () => { if (line.textContent.includes('\(words)')) done([work.searches, work.changes]); };
            new MutationObserver(look).observe(line, { subtree: true, childList: true, characterData: true });
            look();
            """
        ).elements.compactMap(\.whole)
        try #require(work.count == 2)
        #expect(work[0] > 0 && work[0] < 400, "searches on \(place)")
        #expect(work[1] > 0 && work[1] < 150, "changes on \(place)")
    }

    @Test("on the page, one question at a time, a key causes no work for each of 2,000 questions")
    func page() throws {
        let world = try PageWorld(questionnaires: [Self.form(2000)])
        let browser = world.browser
        try browser.open(world.page.address + "/q/long")
        try browser.click("form[action$='/begin'] button")
        try browser.see("Question number 0?")
        let test = try browser.url.components(separatedBy: "?")[0]
        try browser.open(test + "?view=one&n=18")
        _ = try browser.find("#a17")
        try browser.click("#a17")
        try browser.script(Self.counting)
        try browser.press("x")
        try expectLittleWork(browser, "the page", until: "1 of 1800")
        try world.close()
    }

    @Test("nor in the app")
    func app() throws {
        let world = try PhoneWorld([Self.form(2000)])
        let browser = world.browser
        let id = try world.begin("Long", first: "Question number 0?")
        try world.goTo("#/t/\(id)/8")
        try browser.see("Question number 7?")
        try browser.click("#a7")
        try browser.script(Self.counting)
        try browser.press("x")
        try world.waitForAnswer(id, "q7", "x")
        try expectLittleWork(browser, "the app", until: "1 of 1800")
        try world.close()
    }
}

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

    private static let count = 5000

    /// Starts to count searches in the document, elements and attributes that are changed, and characters of pages that are read.
    private static let counting = """
        window.work = { searches: 0, changes: 0, sizes: [] };
        for (const kind of [Document.prototype, Element.prototype]) for (const name of ['querySelector', 'querySelectorAll']) {
          const search = kind[name];
          kind[name] = function (...given) { work.searches += 1; return search.apply(this, given); };
        }
        const parse = DOMParser.prototype.parseFromString;
        DOMParser.prototype.parseFromString = function (text, ...more) {
          work.sizes.push(text.length);
          return parse.call(this, text, ...more);
        };
        new MutationObserver(found => { work.changes += found.length; })
          .observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
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

    /// Waits for a page that the script reads after a save, whose characters fit. After its own save the page asks for what
    /// is around the questions, and reads none of them again.
    private func expectPage(_ browser: Browser, _ fits: (Int) -> Bool) throws {
        try wait(for: "a page that fits") { () -> Bool? in
            let sizes = try browser.script("return work.sizes.splice(0)").elements.compactMap(\.whole)
            return sizes.contains(where: fits) ? true : nil
        }
    }

    /// All questions are there, and the browser lays out those in sight.
    private func expectPieces(_ browser: Browser) throws {
        let seen = try browser.script(
            """
            const isSeen = id => document.getElementById(id).checkVisibility({ contentVisibilityAuto: true });
            const count = what => document.querySelectorAll(what).length;
            return [count('.piece'), count('.piece .question'), isSeen('q17'), isSeen('q4990')];
            """)
        #expect(seen == .array([.number(100), .number(5000), .bool(true), .bool(false)]))
    }

    @Test(
        "on the page, a key causes no work for each of 5,000 questions",
        arguments: ["one", "all"])
    func page(_ view: String) throws {
        let world = try PageWorld(questionnaires: [Self.form(Self.count)])
        let browser = world.browser
        try browser.open(world.page.address + "/q/long")
        try browser.click("form[action$='/begin'] button")
        try browser.see("Question number 0?")
        let test = try browser.url.components(separatedBy: "?")[0]
        try browser.open(test + "?view=\(view)&n=18")
        _ = try browser.find("#a17")
        try browser.click("#a17")
        if view == "all" { try expectPieces(browser) }
        try browser.script(Self.counting)
        try browser.press("x")
        try expectLittleWork(browser, "the page", until: "1 of 4500")
        // The page before this one noted its place when it was left, so the first look may be at everything.
        try expectPage(browser) { _ in true }
        try browser.press("y")
        try expectPage(browser) { $0 < 20_000 }
        try world.close()
    }

    @Test("where another window answers, the page shows it after its own saves, too")
    func elsewhere() throws {
        let world = try PageWorld(questionnaires: [Self.form(20)])
        let browser = world.browser
        try browser.open(world.page.address + "/q/long")
        try browser.click("form[action$='/begin'] button")
        try browser.see("Question number 0?")
        let test = try browser.url.components(separatedBy: "?")[0]
        try browser.open(test + "?view=all")
        try browser.click("#a0")
        try browser.press("x")
        try browser.see("1 of 18", in: "#answered")
        let id = try #require(test.split(separator: "/").last.map(String.init))
        try world.device.done("answer", id, "q1", "from elsewhere")
        try wait(for: "the other answer") { () -> Bool? in
            try browser.script("return document.getElementById('a1').value").text == "from elsewhere" ? true : nil
        }
        try browser.click("#a2")
        try browser.press("y")
        try browser.see("3 of 18", in: "#answered")
        for place in 0..<3 {
            let spot = "document.querySelectorAll('.map li button')[\(place)].className"
            try wait(for: "question \(place + 1) among all") {
                try browser.script("return \(spot)").text == "answered" ? true : nil
            }
        }
        try world.close()
    }

    @Test("nor in the app", arguments: ["one", "all"])
    func app(_ view: String) throws {
        let world = try PhoneWorld([Self.form(Self.count)])
        let browser = world.browser
        let id = try world.begin("Long", first: "Question number 0?")
        try world.goTo("#/t/\(id)/8")
        try browser.see("Question number 7?")
        if view == "all" {
            try browser.script("document.getElementById('view').click()")
            _ = try browser.find("#a17")
            try expectPieces(browser)
        }
        let question = view == "all" ? 17 : 7
        try browser.click("#a\(question)")
        try browser.script(Self.counting)
        try browser.press("x")
        try world.waitForAnswer(id, "q\(question)", "x")
        try expectLittleWork(browser, "the app", until: "1 of 4500")
        try world.close()
    }
}

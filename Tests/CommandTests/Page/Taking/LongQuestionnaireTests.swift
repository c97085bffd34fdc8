import Foundation
import Testing

/// A questionnaire of thousands of questions in a real Chromium. Work is counted, not timed: that is the same on every machine.
@Suite(
    "Long questionnaires in a browser", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct LongQuestionnaireTests {
    /// Every tenth question depends on the one before it.
    static func form(_ count: Int) -> String {
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

    /// After its own save the page asks for what is around the questions, and reads none of them again. A save that meets a
    /// request under way has it read all once more, and the next one does not.
    private func expectSmallPage(_ browser: Browser) throws {
        var all: [Int] = []
        for _ in 0..<5 {
            try browser.script("work.sizes = []")
            try browser.press("y")
            let sizes = try wait(for: "a page that is read after a save") { () -> [Int]? in
                let sizes = try browser.script("return work.sizes").elements.compactMap(\.whole)
                return sizes.isEmpty ? nil : sizes
            }
            all += sizes
            if sizes.allSatisfy({ $0 < 20_000 }) { return }
        }
        Issue.record("each save has the page read all questions: \(all) characters")
    }

    /// All questions are there, and the browser lays out those in sight.
    private func expectPieces(_ browser: Browser) throws {
        let isSeen = "return document.getElementById('q17').checkVisibility({ contentVisibilityAuto: true })"
        try wait(for: "a question in sight") { try browser.script(isSeen) == .bool(true) ? true : nil }
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
        // This page would note its place when it is left, and the next one would look at everything for that.
        try browser.script("window.fetch = () => new Promise(() => {})")
        try browser.open(test + "?view=\(view)&n=18")
        _ = try browser.find("#a17")
        try browser.click("#a17")
        if view == "all" { try expectPieces(browser) }
        try browser.script(Self.counting)
        try browser.press("x")
        try expectLittleWork(browser, "the page", until: "1 of 4500")
        try expectSmallPage(browser)
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

    // MARK: A key that shows or hides a question

    /// Types into the question before one that depends on it, and takes that away again, several times. Every other question has
    /// another number then.
    ///
    /// The changes in the document are counted: those near the window, and no others.
    private func expectFewChanges(_ browser: Browser, _ place: String) throws {
        try browser.click("#a8")
        try browser.script(Self.counting)
        var changes: [Int] = []
        var undisturbed: [Int] = []
        for turn in 0..<8 {
            let isShown = turn.isMultiple(of: 2)
            try browser.script("work.changes = 0; work.sizes = []")
            try browser.press(isShown ? "x" : "\u{E003}")
            let count = try browser.asyncScript(
                """
                const done = arguments[0], box = document.getElementById('q9');
                const look = () => { if (box.hidden !== \(isShown)) requestAnimationFrame(() => setTimeout(() => done([work.changes, work.sizes.length]))); };
                new MutationObserver(look).observe(box, { attributes: true });
                look();
                """)
            let (turnChanges, pagesRead) = (try #require(count[0].whole), try #require(count[1].whole))
            changes.append(turnChanges)
            if pagesRead == 0 { undisturbed.append(turnChanges) }
            #expect(try browser.text("#q10 .number") == (isShown ? "11" : "10"))
        }
        #expect(undisturbed.allSatisfy { $0 < 500 }, "\(place): \(changes)")
        // Where a save ends within the turn, the page reads what the program has, and may number all of them once.
        #expect(changes.filter { $0 >= 500 }.count <= 1, "\(place): \(changes)")
        // The others are right where they are seen.
        try browser.script("document.querySelector('#q4990').scrollIntoView()")
        try wait(for: "the number of a question that came into sight") {
            try browser.script("return document.querySelector('#q4990 .number').textContent").text == "4492"
                ? true : nil
        }
        try browser.script("document.querySelector('#map').open = true")
        try wait(for: "the number of a question among all") {
            try browser.script("return document.querySelectorAll('#map li button')[4990].textContent").text == "4492"
                ? true : nil
        }
    }

    @Test("on the page, a key that shows or hides a question causes no work for each of 5,000")
    func hiding() throws {
        let world = try PageWorld(questionnaires: [Self.form(Self.count)])
        let browser = world.browser
        try browser.open(world.page.address + "/q/long")
        try browser.click("form[action$='/begin'] button")
        try browser.see("Question number 0?")
        try browser.open(try browser.url.components(separatedBy: "?")[0] + "?view=all")
        _ = try browser.find("#a8")
        try expectFewChanges(browser, "the page")
        try world.close()
    }

    /// 1,000 questions, of which 45 of the second piece, and all of the third, are asked where the first has an answer.
    private static func sparse() -> String {
        let questions = (0..<1000).map { number in
            let isOptional = (55..<150).contains(number)
            let condition = isOptional ? #", "condition": {"question": "q0", "answered": true}"# : ""
            return
                #"{"id": "q\#(number)", "kind": "text", "multiline": false, "text": "Number \#(number)?"\#(condition)}"#
        }
        return #"{"id": "long", "title": "Long", "questions": [\#(questions.joined(separator: ","))]}"#
    }

    /// The heights of the second, third and fourth piece.
    private func heights(_ browser: Browser) throws -> [Double] {
        try browser.script(
            "return [...document.querySelectorAll('.piece')].slice(1, 4).map(piece => piece.offsetHeight)"
        )
        .elements.compactMap(\.number)
    }

    private func expectHeights(_ browser: Browser) throws {
        let few = try heights(browser)
        try #require(few.count == 3)
        #expect(few[0] > 500 && few[0] < few[2] / 5, "five of fifty: \(few)")
        #expect(few[1] < 5, "none: \(few)")
        // As high as they are when the browser lays them out, so that the place in the page stays.
        try browser.script("document.querySelector('#q199').scrollIntoView()")
        try wait(for: "pieces that are laid out") {
            try browser.script(
                "return document.querySelector('#q199').checkVisibility({ contentVisibilityAuto: true })"
            ) == .bool(true) ? true : nil
        }
        let real = try heights(browser)
        #expect(few[2] > 0.7 * real[2] && few[2] < 1.4 * real[2], "\(few[2]) is not about \(real[2])")
        try browser.script("document.querySelector('#q0').scrollIntoView()")
        try browser.click("#a0")
        try browser.press("x")
        try wait(for: "the height of the questions that are asked now") { () -> Bool? in
            let many = try heights(browser)
            return many[0] > 0.7 * real[2] && many[1] > 0.7 * real[2] ? true : nil
        }
    }

    @Test("a piece out of sight is as high as its questions that show, on the page")
    func piecesOfPage() throws {
        let world = try PageWorld(questionnaires: [Self.sparse()])
        let browser = world.browser
        try browser.open(world.page.address + "/q/long")
        try browser.click("form[action$='/begin'] button")
        try browser.see("Number 0?")
        try browser.open(try browser.url.components(separatedBy: "?")[0] + "?view=all")
        _ = try browser.find("#a0")
        try expectHeights(browser)
        try world.close()
    }
}

import Foundation
import Testing

/// A questionnaire in Arabic on every screen, in a real Chromium: what is computed, not what is written in the source.
@Suite(
    "From right to left in a browser", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct RightToLeftTests {
    static let form = #"""
        {"id": "stars", "title": "الكواكب", "locale": "ar", "textFormat": "markdown", "release": {"correct": "rated", "explanation": "rated"},
         "sections": [{"id": "s", "title": "مقدمة", "text": "ثمانية كواكب تدور حول الشمس.", "questions": ["count", "sum", "rank", "grid"]}],
         "questions": [
          {"id": "count", "text": "كم عدد الكواكب في `x = [1, 2]` و $x^2 + 1$؟", "options": ["8", "تسعة", "`n - 1`"], "hint": "اختر واحدا."},
          {"id": "sum", "kind": "number", "points": 0, "text": "كم درجة الحرارة؟", "unit": "°C"},
          {"id": "rank", "kind": "ranking", "points": 0, "text": "رتب من الأصغر إلى الأكبر.", "options": ["عطارد", "الأرض", "المشتري"]},
          {"id": "grid", "kind": "matrix", "points": 0, "text": "كم مرة؟", "rows": ["القمر", "الشمس"], "options": ["أبدا", "دائما"]},
          {"id": "why", "kind": "text", "points": 0, "text": "لماذا؟"}],
         "key": {"count": {"accept": [{"value": "تسعة", "feedback": "أحسنت!"}, {"value": "8", "points": 0, "feedback": "لا."}], "explanation": "انظر `x[0]`."}}}
        """#

    /// The computed direction of each of these, and whether the screen scrolls sideways.
    private func expect(_ directions: [String: String], _ browser: Browser, _ place: String) throws {
        for (selector, direction) in directions.sorted(by: { $0.key < $1.key }) {
            let found = try browser.script(
                "const one = document.querySelector(arguments[0]); return one ? getComputedStyle(one).direction : 'not there'",
                selector)
            #expect(found.text == direction, "\(selector) on \(place)")
        }
        #expect(
            try browser.script("return document.documentElement.scrollWidth <= innerWidth") == .bool(true), "\(place)")
    }

    /// Whether the first of two elements is to the right of the other.
    private func isRight(_ first: String, of other: String, _ browser: Browser) throws -> Bool {
        try browser.script(
            "const [one, two] = [...arguments].map(s => document.querySelector(s).getBoundingClientRect()); return one.left >= two.right",
            first, other) == .bool(true)
    }

    private static let question = [
        "#test": "rtl", "#q0": "rtl", "#q0 h2": "rtl", "#q0 .options": "rtl", "#q0 .option": "rtl", "#q0 code": "ltr",
        "#q0 math": "ltr", ".steps": "rtl", ".map ol": "rtl", ".passage-text p, .passage-text div": "rtl",
        "body": "ltr",
    ]
    private static let result = [
        "#answers": "rtl", "#answers .card": "rtl", "#answers h2": "rtl", ".explanation": "rtl",
        ".explanation code": "ltr",
        ".feedback": "rtl", "#report": "ltr",
    ]

    @Test(
        "the page with the script and without: question, options, review, result and print", arguments: [true, false])
    func page(_ hasScript: Bool) throws {
        let world = try PageWorld(hasScript: hasScript, width: 390, height: 844, questionnaires: [Self.form])
        let browser = world.browser
        try browser.open(world.page.address + "/q/stars")
        try browser.click("form[action$='/begin'] button")
        try browser.see("كم عدد")
        let test = try browser.url.components(separatedBy: "?")[0]
        // Without the script the driver's own still runs.
        try expect(Self.question, browser, "the first question")
        #expect(try isRight("#q0 .number", of: "#q0 h2 span:last-child", browser))
        #expect(try isRight("#q0 .option input", of: "#q0 .option span", browser))
        #expect(
            try browser.script("return getComputedStyle(document.getElementById('saved'), '::before').marginRight")
                != .string("0px"), "the tick stands before its words")
        try browser.click("input[name='a.0'][value='0']")
        try browser.click(".steps .main")
        try browser.see("درجة")
        #expect(try isRight(".steps .plain", of: ".steps .main", browser), "back is to the right")
        try browser.type("-12.5", into: "#a1")
        try expect(["#a1": "ltr", "#q1": "rtl"], browser, "the number")
        try browser.open(test + "?view=all")
        try expect(["#q2 .ranking": "rtl", "#q3 table": "rtl"], browser, "all questions")
        #expect(try isRight("#q2 .words", of: "#q2 button", browser))
        try browser.open(test + "/review")
        try expect(["#review": "rtl", ".lines li": "rtl", ".lines .asked": "rtl", "h1": "ltr"], browser, "the review")
        #expect(try isRight(".lines .number", of: ".lines .asked", browser))
        #expect(try isRight(".lines .asked", of: ".lines .given", browser))
        try browser.click(".final .main")
        // Without the script nothing comes by itself.
        try wait(for: "the rating") { () -> Bool? in
            if !hasScript { try browser.reload() }
            return try browser.has(".feedback") ? true : nil
        }
        try expect(Self.result, browser, "the result")
        try browser.open(test + "/print")
        try expect(["html": "rtl", "code": "ltr", ".question": "rtl"], browser, "the print")
        // Time and number keep their order beside each other, and what the program says stands under its question.
        let printed = try browser.script(
            """
            const quiet = getComputedStyle(document.querySelector('.question .quiet'));
            return [document.querySelectorAll('.person bdi').length, quiet.unicodeBidi, quiet.textAlign];
            """)
        #expect(printed == .array([.number(2), .string("plaintext"), .string("right")]))
        try world.close()
    }

    @Test("the desk, where an author tries it out: passage, question and options")
    func desk() throws {
        let world = try DeskWorld(["stars": Self.form])
        try world.logIn("author")
        let browser = world.browser
        try browser.click("form[action='/desk/write/of'] button")
        try browser.click("main a[href$='/try']")
        try browser.see("كم عدد")
        try expect(
            [
                ".card.formatted": "rtl", "#q0": "rtl", "#q0 h2": "rtl", "#q0 .options": "rtl", "#q0 code": "ltr",
                "body": "ltr",
            ],
            browser, "the trial")
        try world.close()
    }

    @Test("the app's texts run as the shared vectors say")
    func vectors() throws {
        let world = try PhoneWorld()
        try world.browser.see("Short one", in: "#list")
        let vectors = try Command.vectors("directions")
        let wrong = try world.browser.asyncScript(
            """
            const done = arguments[0], cases = \(vectors);
            import('./formatted.js').then(({ sideOf }) => done(JSON.stringify([cases.length,
              ...cases.filter(one => sideOf(one.locale, ...one.texts) !== one.direction)])), error => done(String(error)));
            """)
        let found = try JSON(parsing: wrong.text ?? "null").elements
        #expect(found.count == 1 && (found.first?.whole ?? 0) > 30, "\(wrong)")
        try world.close()
    }

    @Test("the app: question, options, review and result")
    func app() throws {
        let world = try PhoneWorld([Self.form], width: 390, height: 844)
        let browser = world.browser
        let id = try world.begin("الكواكب", first: "كم عدد")
        try expect(Self.question, browser, "the first question")
        #expect(try isRight("#q0 .option input", of: "#q0 .option span", browser))
        try browser.click(PhoneWorld.option(0, 0))
        try browser.click("#forward")
        try browser.see("درجة")
        #expect(try isRight("#previous", of: "#forward", browser), "back is to the right")
        try browser.type("-12.5", into: "#a1")
        try expect(["#a1": "ltr", "#q1": "rtl"], browser, "the number")
        try world.goTo("#/t/\(id)/review")
        try browser.see("-12.5")
        try expect(["#review": "rtl", ".lines li": "rtl", "h1": "ltr"], browser, "the review")
        #expect(try isRight(".lines .number", of: ".lines .asked", browser))
        try browser.click("#send")
        try browser.see("لا.", in: ".feedback")
        // The hub formats what came with the result.
        _ = try browser.find(".explanation code")
        try expect(Self.result, browser, "the result")
        try world.close()
    }
}

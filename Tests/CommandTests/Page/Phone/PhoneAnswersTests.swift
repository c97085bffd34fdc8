import Foundation
import Testing

/// What a person answered is what the app shows and sends.
@Suite(
    "Answers in the app are the person's", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PhoneAnswersTests {
    @Test("the app reads each number of the shared vectors as the program does")
    func numbers() throws {
        let world = try PhoneWorld()
        try world.browser.see("Short one", in: "#list")
        let vectors = try Command.vectors("numbers")
        let wrong = try world.browser.asyncScript(
            """
            const done = arguments[0], cases = \(vectors);
            import('./numbers.js').then(({ read }) => done(JSON.stringify([cases.length, ...cases.filter(one => {
              const { number, ambiguous } = read(one.text);
              return (number ?? null) !== (one.number ?? null) || String(ambiguous) !== String(one.ambiguous);
            })])), error => done(String(error)));
            """)
        let found = try JSON(parsing: wrong.text ?? "null").elements
        #expect(found.count == 1 && (found.first?.whole ?? 0) > 60, "\(wrong)")
        try world.close()
    }

    @Test("the app takes each file of the shared vectors as the program does")
    func acceptedFiles() throws {
        let world = try PhoneWorld()
        try world.browser.see("Short one", in: "#list")
        let vectors = try Command.vectors("accepted-files")
        let wrong = try world.browser.asyncScript(
            """
            const done = arguments[0], cases = \(vectors);
            import('./kinds.js').then(({ takesFile }) => done(JSON.stringify([cases.length,
              ...cases.filter(one => takesFile(one, one) !== one.takes)])), error => done(String(error)));
            """)
        let found = try JSON(parsing: wrong.text ?? "null").elements
        #expect(found.count == 1 && (found.first?.whole ?? 0) > 15, "\(wrong)")
        try world.close()
    }

    @Test("the app shows each medium of the shared vectors as the page does")
    func mediaKinds() throws {
        let world = try PhoneWorld()
        try world.browser.see("Short one", in: "#list")
        let vectors = try Command.vectors("media-kinds")
        let wrong = try world.browser.asyncScript(
            """
            const done = arguments[0], cases = \(vectors);
            import('./kinds.js').then(({ mediaKind }) => done(JSON.stringify([cases.length,
              ...cases.filter(one => mediaKind(one.path, one.type) !== one.kind)])), error => done(String(error)));
            """)
        let found = try JSON(parsing: wrong.text ?? "null").elements
        #expect(found.count == 1 && (found.first?.whole ?? 0) > 25, "\(wrong)")
        try world.close()
    }

    @Test("a number that is none is named on the way to the next question, and no longer once it is right")
    func wrongNumber() throws {
        let world = try PhoneWorld()
        let browser = world.browser
        let id = try world.begin()
        try world.goTo("#/t/\(id)/4")
        try browser.see("How many?")
        try browser.type("1,500", into: "#a3")
        try browser.click("#forward")
        try browser.see("“1,500” may mean 1.5 or 1500: write 1500 or 1.5.", in: "#f3")
        try browser.see("How many?")
        #expect(try browser.value("#a3") == "1,500")
        try browser.script("const field = document.querySelector('#a3'); field.setSelectionRange(1, 2); field.focus()")
        try browser.press(" ")
        try wait(for: "the fault to be gone") {
            try browser.script("return document.querySelector('#f3').hidden") == .bool(true) ? true : nil
        }
        try browser.see("Saved as 1500", in: ".as")
        try world.waitForAnswer(id, "q4", "1500")
        try browser.click("#forward")
        try browser.see("Question 1 still needs an answer.")
        try world.close()
    }

    @Test("an answer is matched with the options by its text, and one that fits none stays until the person decides")
    func matched() throws {
        let world = try PhoneWorld()
        let browser = world.browser
        let id = try world.begin()
        func put(_ answers: String) throws {
            _ = try browser.asyncScript(
                """
                const done = arguments[0];
                import('./store.js').then(store => store.edit('\(id)', test => {
                  test.record.answers = \(answers);
                  test.status = 'in-progress';
                })).then(() => done(true), error => done(String(error)));
                """)
            try browser.reload()
            try browser.see("Is it so?")
        }
        let ticked = "return [...document.querySelectorAll('.options :checked')].map(one => one.parentNode.innerText)"
        // At the place of another option: the text counts.
        try put("[{questionId: 'q1', answer: 'no', optionIndexes: [0]}]")
        #expect(try browser.script(ticked).texts == ["no"])
        try put(
            "[{questionId: 'q1', answer: 'perhaps', optionIndexes: [0]}, {questionId: 'q2', answer: ['c', 'x'], optionIndexes: [0, 1]}]"
        )
        #expect(try browser.script(ticked).texts.first?.hasPrefix("perhaps") == true)
        try browser.see("not among the options", in: ".options")
        try browser.click("#forward")
        try browser.see("Which of them?")
        #expect(try browser.script(ticked).texts.map { $0.prefix(1) } == ["c", "x"])
        try browser.click(PhoneWorld.option(1, 0))
        try wait(for: "both in the storage") {
            try world.stored(id)["record"]["answers"].elements.contains { $0["answer"].texts == ["a", "c", "x"] }
                ? true : nil
        }
        #expect(try world.stored(id)["record"]["answers"].elements.contains { $0["answer"].text == "perhaps" })
        try world.close()
    }

    @Test("indentation and blank lines are shown as they are: question, option, own answer, result")
    func spacing() throws {
        let code = "if x:\\n    print(1)\\n\\n\\ty  =  2"
        let world = try PhoneWorld([
            """
            {"id": "short", "title": "Short one", "questions": [
            {"id": "q1", "text": "Is it so?\\n\(code)", "options": ["  \(code)", "no"]},
            {"id": "q2", "text": "  Why?", "kind": "text"}]}
            """
        ])
        let browser = world.browser
        let id = try world.begin()
        let text = "if x:\n    print(1)\n\n\ty  =  2"
        func shown(_ selector: String) throws -> [String] {
            try browser.script(
                "return [...document.querySelectorAll(arguments[0])].map(one => one.innerText)", selector
            ).texts
        }
        #expect(try shown("h2 span:last-child") == ["Is it so?\n" + text])
        #expect(try shown(".option span") == ["  " + text, "no"])
        try browser.click(PhoneWorld.option(0, 0))
        try browser.click("#forward")
        try browser.see("Why?")
        try browser.script(
            """
            const field = document.querySelector('#a1');
            field.value = arguments[0];
            field.dispatchEvent(new InputEvent('input', { bubbles: true }));
            """, "  " + text)
        try world.waitForAnswer(id, "q2", "  " + text)
        try browser.click("#forward")
        try browser.see("Every question has an answer.")
        try browser.click("#send")
        try browser.see("Sent", in: ".state-words")
        #expect(try shown(".given") == ["  " + text, "  " + text])
        try world.close()
    }
}

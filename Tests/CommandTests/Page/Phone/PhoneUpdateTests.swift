import Foundation
import Testing

/// A newer version of a questionnaire, and files as answers, in the app of the hub in a real Chromium.
@Suite(
    "A newer version on a phone", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PhoneUpdateTests {
    private static func farm(_ name: String, _ options: String, _ third: String) -> String {
        """
        {"id": "farm", "title": "Farm", "questions": [
        {"id": "q1", "text": "\(name)", "kind": "text"},
        {"id": "q2", "text": "What grows there?", "options": [\(options)]},
        {"id": "q3", "text": "\(third)", "kind": "text"}]}
        """
    }

    @Test("answers are carried over by the rules of the library, case by case")
    func table() throws {
        let world = try PhoneWorld()
        let table = try Command.vectors("answer-transfer")
        let wrong = try world.browser.asyncScript(
            """
            const done = arguments[0], rows = \(table);
            Promise.all(['transfer.js', 'library.js'].map(name => import(new URL(name, document.baseURI).href))).then(([{ transfer }, library]) => {
              const version = question => library.parse(new TextEncoder().encode(JSON.stringify({ id: 'a', title: 'A', questions: question ? [question] : [] })));
              const text = value => JSON.stringify(value, (name, one) => one && typeof one === 'object' && !Array.isArray(one) ? Object.fromEntries(Object.entries(one).sort()) : one);
              const wrong = rows.filter(row => {
                const { carried, changes, left } = transfer([{ questionId: 'q', ...row.given }], version(row.old), version(row.new));
                const given = carried[0] && { answer: carried[0].answer, ...(carried[0].optionIndexes ? { optionIndexes: carried[0].optionIndexes } : {}) };
                return text(given ?? null) !== text(row.carried) || (left[0]?.reason ?? null) !== (row.reason ?? null)
                  || changes.length > 0 !== (row.changed ?? false);
              });
              done(rows.length + ' ' + wrong.map(row => row.name).join('; '));
            }, error => done(String(error)));
            """)
        let count = try JSON(parsing: table).elements.count
        #expect(wrong.text == "\(count) ")
        try world.close()
    }

    @Test("a test has the library's questions, their order, gaps and words in each language, case by case")
    func taking() throws {
        let world = try PhoneWorld()
        let (orders, gaps) = try (Command.vectors("arrangements"), Command.vectors("gap-texts"))
        let languages = try Command.vectors("translations")
        let wrong = try world.browser.asyncScript(
            """
            const done = arguments[0], orders = \(orders), gaps = \(gaps), languages = \(languages);
            Promise.all(['sections.js', 'library.js', 'kinds.js', 'translations.js'].map(name => import(new URL(name, document.baseURI).href))).then(([sections, library, kinds, translations]) => {
              const parse = document => library.parse(new TextEncoder().encode(JSON.stringify({ id: 'a', title: 'A', ...document })));
              const text = value => JSON.stringify(value, (name, one) => one && typeof one === 'object' && !Array.isArray(one) ? Object.fromEntries(Object.entries(one).sort()) : one);
              const wrong = orders.filter(({ test, orderOf, questionnaire, order, options, notDrawn }) => {
                const made = sections.arranged(parse(questionnaire), { id: test, orderOf });
                const places = Object.fromEntries(made.questions.filter(({ order }) => order).map(({ id, order }) => [id, order]));
                return text([made.questions.map(({ id }) => id), places, (made.notDrawn ?? []).sort()]) !== text([order, options, notDrawn]);
              }).map(({ name }) => name);
              wrong.push(...gaps.filter(({ text: given, pieces, question, answer, blanks, shown, names }) => {
                if (pieces) return text(kinds.gapPieces(given)) !== text(pieces);
                const [read] = parse({ questions: [question] }).questions;
                return text([kinds.withBlanks(read), kinds.shown(read, { answer }), kinds.parts(read).map(({ id }) => id)]) !== text([blanks, shown, names]);
              }).map(({ text, blanks }) => text ?? blanks));
              wrong.push(...languages.filter(row => {
                const base = parse(row.questionnaire), made = translations.translated(base, row.tag);
                const questions = made.questions.map(question => ({ text: question.text, hint: question.hint ?? null, unit: question.unit ?? null, options: question.options.map(one => kinds.label(question, one)),
                  parts: kinds.isStructured(question) && question.kind !== 'ranking' ? kinds.parts(question).map(part => [part.id, part.text, ...part.options.map(one => kinds.label(part, one))]) : [],
                  shown: Object.hasOwn(row.answers, question.id) ? kinds.shown(question, { answer: row.answers[question.id] }) : [] }));
                return text([translations.languages(made), made.locale, made.title, made.description, made.sections.map(({ title, text }) => [title, text]), questions])
                  !== text([row.languages, row.locale, row.title, row.description, row.sections, row.questions]);
              }).map(({ name, tag }) => name + ' ' + tag));
              done(orders.length + ' ' + gaps.length + ' ' + wrong.join('; '));
            }, error => done(String(error)));
            """)
        let counts = try (JSON(parsing: orders).elements.count, JSON(parsing: gaps).elements.count)
        #expect(wrong.text == "\(counts.0) \(counts.1) ")
        try world.close()
    }

    @Test("a draft moves to the newer version with what fits; what stays is said before and after")
    func moved() throws {
        let world = try PhoneWorld([Self.farm("Whats the farm called?", #""Weat", "Rice""#, "How many cows?")])
        let browser = world.browser
        let draft = try world.begin("Farm", first: "Whats the farm called?")
        try browser.type("Green hill", into: "#a0")
        try world.waitForAnswer(draft, "q1", "Green hill")
        try world.goTo("#/t/\(draft)/2")
        try browser.click(PhoneWorld.option(1, 0))
        try world.waitForAnswer(draft, "q2", "Weat")
        try world.goTo("#/t/\(draft)/3")
        try browser.see("How many cows?")
        try browser.type("seven", into: "#a2")
        try world.waitForAnswer(draft, "q3", "seven")
        let newer = Self.farm("What is the farm called?", #""Wheat", "Rice", "Other""#, "Who lives next door?")
        try Files.write(newer, to: world.host.questionnaires + "/0.json")
        try wait(for: "the newer version in the list") { () -> Bool? in
            try browser.reload()
            // A reload breaks off what the app asks the hub for, so it has some time for it.
            let isThere = try browser.asyncScript(
                """
                const done = arguments[0], end = Date.now() + 10000;
                const look = () => {
                  const found = document.querySelector('#see-update') !== null;
                  if (found || Date.now() > end) done(found); else setTimeout(look, 100);
                };
                look();
                """)
            return isThere == .bool(true) ? true : nil
        }
        try browser.click("#see-update")
        try browser.see("2 of 3 answers are carried over")
        for text in ["Whats the farm called?", "“Weat” and is “Wheat”", "seven", "it is a different question now"] {
            try browser.see(text)
        }
        try browser.click("#move")
        try browser.see("Not carried over from the old version")
        let made = try #require(try browser.script("return location.hash.split('/')[2]").text)
        #expect(made != draft)
        let record = try world.stored(made)["record"]
        #expect(record["answers"].elements.map { $0["answer"].text } == ["Green hill", "Wheat"])
        #expect(record["parent"].text == draft)
        #expect(try record["dateStarted"] == world.stored(draft)["record"]["dateStarted"])
        try world.goTo("#/outbox")
        try browser.see("Green hill · Weat · seven", in: "#list")
        try browser.see("Green hill · Wheat", in: "#list")
        try world.close()
    }

    @Test("a required question that a photo answers lets the test be sent, with the time that was spent on it")
    func photo() throws {
        let world = try PhoneWorld([
            #"{"id": "well", "title": "Well", "questions": [{"id": "q1", "text": "Take a photo", "required": true}]}"#
        ])
        let browser = world.browser
        let test = try world.begin("Well", first: "Take a photo")
        try world.goTo("#/t/\(test)/review")
        try browser.see("Question 1 still needs an answer")
        try world.goTo("#/t/\(test)/1")
        try browser.see("Take a photo")
        let photo = world.folder.path + "/well.jpg"
        try Files.write("grey", to: photo)
        try browser.click("#d0 summary")
        try browser.type(photo, into: "#c0")
        try browser.see("well.jpg", in: "#d0")
        try browser.see("1 of 1 answered", in: "#answered")
        try browser.click("#forward")
        try browser.see("Every question has an answer")
        try browser.click("#send")
        try wait(for: "the host to have it") { () -> Bool? in
            try world.stored(test)["receipt"]["receivedAt"].text != nil ? true : nil
        }
        let sent = try JSON(parsing: try #require(try world.stored(test)["frozen"]["text"].text))
        #expect(try #require(sent["timing"]["activeSeconds"].number) > 0)
        try world.close()
    }
}

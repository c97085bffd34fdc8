import Foundation
import Testing

/// Languages of a questionnaire, and flags, in the app of the hub in a real Chromium.
@Suite(
    "Languages and flags on a phone", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PhoneLanguageTests {
    private static func well() throws -> String {
        try Files.text(Command.repository + "/sample-data/forms/village-well.json")
    }

    @Test("descriptions of pictures are translated as the program does it")
    func descriptions() throws {
        let world = try PhoneWorld()
        try world.browser.see("Short one", in: "#list")
        let found = try world.browser.asyncScript(
            """
            const done = arguments[0], media = [{ path: 'a.png', alt: 'Well' }, { path: 'b.png' }];
            const questions = [{ id: 'a', text: '?', kind: 'text', options: [], media }, { id: 'b', text: '?', kind: 'text', options: [], media }];
            const translations = { ru: { sections: { s: { media: ['Карта', 'План'] } }, questions: { a: { media: ['Колодец', 'Ведро'] }, b: { media: ['Дом'] } } } };
            import('./translations.js').then(({ translated }) => {
              const made = translated({ locale: 'en', title: 'Q', sections: [{ id: 's', media }], questions, translations }, 'ru');
              done([...made.questions, ...made.sections].flatMap(({ media }) => media.map(({ alt }) => alt ?? '-')).join());
            }, error => done(String(error)));
            """)
        #expect(found.text == "Колодец,Ведро,Well,-,Карта,План")
        try world.close()
    }

    @Test(
        "the language is switched while taking; the answers stay the document's own, and a flag goes with the draft alone"
    )
    func taken() throws {
        let world = try PhoneWorld([Self.well()], width: 390, height: 844)
        let browser = world.browser
        let draft = try world.begin("The village well", first: "Is there a well near your house?")
        try browser.click(PhoneWorld.option(0, 0))
        try browser.click("#flag0")
        try world.goTo("#/t/\(draft)/2")
        try browser.see("Who looks after it?")
        try browser.click(PhoneWorld.option(1, 1))
        try world.waitForAnswer(draft, "owner", "One family")
        try browser.click("#language-ru")
        try browser.see("Кто за ним следит?")
        try browser.see("Одна семья")
        #expect(try browser.script("return document.querySelector('#q1 h2').lang").text == "ru")
        #expect(try browser.script("return document.querySelector('#a1-1').checked") == .bool(true))
        #expect(
            try browser.script("return document.querySelector('#m0').getAttribute('aria-label')").text
                == "Question 1, answered, flagged")
        if let axe = AxeCore.script { #expect(try browser.violations(by: axe) == "") }
        try world.goTo("#/t/\(draft)/review")
        try browser.see("Flagged to come back to: 1")
        try browser.see("Есть ли колодец рядом с вашим домом?")
        try browser.see("Одна семья")
        let record = try world.stored(draft)["record"]
        #expect(record["language"].text == "ru" && record["flagged"].elements.map(\.text) == ["near"])
        #expect(record["answers"].elements.contains { $0["answer"].text == "One family" })
        try browser.click("#send")
        try browser.see("Одна семья", in: ".answers")
        try world.goTo("#/")
        try browser.type("кипячения", into: "#search")
        try browser.see("The village well", in: "#list")
        try world.close()
    }
}

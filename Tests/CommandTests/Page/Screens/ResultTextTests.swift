import Foundation
import Testing

/// What a key says to answers, in the language of the person and as its author formatted it.
@Suite(
    "Feedback and explanations in a result", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct ResultTextTests {
    private static let quiz = #"""
        {"id": "loop", "title": "Loop", "locale": "en", "textFormat": "markdown", "release": {"explanation": "rated"},
         "questions": [{"id": "q1", "text": "What does it print?", "options": ["`1`", "`2`"]}],
         "key": {"q1": {"accept": [{"value": "`1`", "feedback": "Yes, **one**.", "translations": {"ru": {"feedback": "Да, **один**."}}},
             {"value": "`2`", "points": 0, "feedback": "No."}],
           "explanation": "As it says:\n\n```python\nif x:\n    print(1)\n```\n\nand $x^2$.",
           "translations": {"ru": {"explanation": "Вот почему:\n\n```python\nif x:\n    print(1)\n```\n\nи $x^2$."}}}},
         "translations": {"ru": {"title": "Цикл", "questions": {"q1": {"text": "Что напечатает?", "options": ["`1`", "`2`"]}}}}}
        """#

    private func expectResult(_ browser: Browser) throws {
        try browser.see("Да, один.", in: ".feedback")
        #expect(try browser.script("return document.querySelector('.feedback strong')?.textContent").text == "один")
        try browser.see("Вот почему:", in: ".explanation")
        #expect(
            try browser.script("return document.querySelector('.explanation pre code')?.innerText").text
                == "if x:\n    print(1)")
        #expect(try browser.script("return document.querySelectorAll('.explanation math msup').length").whole == 1)
        #expect(try !browser.text("main").contains("As it says"))
    }

    @Test("the app shows them translated and formatted, and keeps them for later without the hub")
    func app() throws {
        let world = try PhoneWorld([Self.quiz], language: "ru", width: 390, height: 844)
        let id = try world.begin("Loop", first: "Что напечатает?")
        try world.browser.click(PhoneWorld.option(0, 0))
        try world.goTo("#/t/\(id)/review")
        try world.browser.click("#send")
        try world.browser.see("Проверено", in: ".state-words")
        try expectResult(world.browser)
        try world.waitForWorker()
        try world.hub.stop()
        try world.restartBrowser()
        try world.browser.open(world.address + "#/t/\(id)")
        try expectResult(world.browser)
        try world.close()
    }

    @Test("so do the page, the terminal and the print of the result")
    func page() throws {
        let world = try PageWorld(language: "ru", width: 390, height: 844, questionnaires: [Self.quiz])
        let browser = world.browser
        try browser.open(world.page.address + "/q/loop")
        try browser.click("form[action$='/begin'] button")
        try browser.see("Что напечатает?")
        let id = try #require(
            try browser.url.components(separatedBy: "?")[0].split(separator: "/").last.map(String.init))
        try browser.click("input[name='a.0'][value='0']")
        try browser.click(".steps .main")
        try browser.click(".final .main")
        try browser.see("Проверено", in: ".state-words")
        try expectResult(browser)
        let russian = ["LC_ALL": "ru_RU.UTF-8"]
        let why = try world.device.quire(["why", id], environment: russian).output
        #expect(why.contains("Да, один.") && why.contains("    if x:\n") && why.contains("        print(1)"))
        #expect(!why.contains("```") && !why.contains("**"))
        let paper = world.folder.path + "/result.html"
        _ = try world.device.quire(["export", "--test", id, "-o", paper], environment: russian)
        let html = try Files.text(paper)
        #expect(html.contains("<strong>один</strong>") && html.contains("Вот почему:") && !html.contains("As it says"))
        let english = try world.device.quire(["why", id]).output
        #expect(english.contains("Yes, one.") && english.contains("As it says:"))
        try world.close()
    }
}

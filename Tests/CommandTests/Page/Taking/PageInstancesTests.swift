import Foundation
import Testing

@Suite(
    "Repeated sections on the page, with its script", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PageInstancesTests {
    private static let form = """
        {"id": "home", "title": "Home", "sections": [
          {"id": "people", "questions": ["name"], "repeat": {"max": 3, "label": "Person"}},
          {"id": "pets", "questions": ["pet"], "repeat": {"min": 0, "label": "Pet"}, "condition": {"question": "any", "is": true}}],
         "questions": [{"id": "street", "text": "Which street?", "kind": "text"}, {"id": "name", "text": "Name?", "kind": "text"},
          {"id": "any", "text": "Any pets?", "kind": "boolean"}, {"id": "pet", "text": "Which animal?", "kind": "text"}]}
        """

    @Test("a button saves what was typed and adds an instance; removal is confirmed; conditions count")
    func instances() throws {
        let axe = AxeCore.script
        let world = try PageWorld(questionnaires: [Self.form])
        let browser = world.browser
        try browser.open(world.page.address + "/q/home")
        try browser.click("form[action$='/begin'] button")
        try browser.see("Which street?")
        let test = try browser.url.components(separatedBy: "?")[0]
        let id = try #require(test.split(separator: "/").last.map(String.init))
        try browser.open(test + "?view=all")
        try browser.type("Anna", into: "#q1 [name='a.1']")
        try browser.click("[data-repeats=people] button")
        try browser.see("Person 2 of 2")
        try browser.type("Ben", into: "#q2 [name='a.2']")
        try wait(for: "the answer of the second person") { () -> Bool? in
            try JSON(file: world.device.testPath(id, "in-progress"))["answers"].elements.contains {
                $0["instance"].whole == 2 && $0["answer"].text == "Ben"
            }
                ? true : nil
        }
        func isHidden() throws -> Bool {
            try browser.script("return document.querySelector('[data-repeats=pets]').hidden") == .bool(true)
        }
        #expect(try isHidden())
        try browser.click("input[name='a.3'][value='0']")
        try wait(for: "the button of the pets") { try isHidden() ? nil : true }
        if let axe { #expect(try browser.violations(by: axe) == "") }
        try browser.click("[value=instance-remove-1-people]")
        try browser.see("Remove “Person 1”?")
        try browser.see("Anna")
        if let axe { #expect(try browser.violations(by: axe) == "") }
        try browser.click(".danger")
        try browser.see("Person 1 of 1")
        #expect(try browser.value("#q1 [name='a.1']") == "Ben")
        try world.close()
    }
}

import Foundation
import Testing

@Suite(
    "Repeated sections in the app", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PhoneInstancesTests {
    private static let document = """
        {"id": "home", "title": "Home", "sections": [{"id": "people", "questions": ["name"], "repeat": {"max": 3, "label": "Person"}}],
         "questions": [{"id": "street", "text": "Which street?", "kind": "text"}, {"id": "name", "text": "First name?", "kind": "text"}],
         "key": {"name": {"accept": [{"value": "Ben"}]}}, "release": {"correct": "rated"}}
        """

    @Test("instances are added, moved and removed on the phone, and the host gets them by their numbers")
    func instances() throws {
        let world = try PhoneWorld([Self.document], width: 390, height: 844)
        let browser = world.browser
        let id = try world.begin("Home", first: "Which street?")
        try browser.click("#forward")
        try browser.see("Person 1 of 1")
        try browser.type("Anna", into: "#a1")
        try browser.click("#add-people")
        try browser.see("Person 2 of 2")
        try browser.type("Ben", into: "#a2")
        try browser.click("#add-people")
        try browser.see("Person 3 of 3")
        try browser.type("Clara", into: "#a3")
        try world.waitForAnswer(id, "name\u{2060}[3]", "Clara")
        // The third before the second; then the first is removed, once that is confirmed.
        try browser.script("document.querySelector('.instance [id^=up-]').click()")
        try browser.see("Person 2 of 3")
        try world.goTo("#/t/\(id)/2")
        try browser.see("Person 1 of 3")
        try browser.script("window.confirm = () => false; document.querySelector('.instance [id^=remove-]').click()")
        try browser.see("Person 1 of 3")
        try browser.script("window.confirm = () => true; document.querySelector('.instance [id^=remove-]').click()")
        try browser.see("Person 1 of 2")
        try world.goTo("#/t/\(id)/review")
        try browser.see("Person 2")
        try browser.click("#send")
        try wait(for: "the host's rating") { try world.stored(id)["receipt"]["evaluation"]["score"].number }
        try browser.see("Person 2", in: "main")
        let text = try #require(try world.stored(id)["frozen"]["text"].text)
        let file = try JSON(parsing: text)
        #expect(file["instances"]["people"].elements.compactMap(\.whole) == [1, 2])
        let answers = file["answers"].elements.map {
            "\($0["questionId"].text ?? "") \($0["instance"].whole ?? 0) \($0["answer"].text ?? "")"
        }
        #expect(answers.sorted() == ["name 1 Clara", "name 2 Ben"] && !text.contains("\u{2060}"))
        try world.close()
    }
}

import Foundation
import Testing

/// The list of a draft, with a pointer.
@Suite(
    "Questions of a draft are dragged", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct DeskDraggingTests {
    @Test("a question is dragged to the place of another one, and a second drag moves it back")
    func dragging() throws {
        let world = try DeskWorld([
            "d":
                #"{"id": "d", "title": "D", "questions": [{"id": "a", "text": "First", "kind": "text"}, {"id": "b", "text": "Second", "kind": "text"}]}"#
        ])
        let browser = world.browser
        try world.logIn("author")
        try browser.click("form[action='/desk/write/of'] button")
        for (first, second) in [("Second", "First"), ("First", "Second")] {
            _ = try browser.find("[data-question][draggable=true]")
            try browser.script(
                """
                const [from, to] = document.querySelectorAll('[data-question]'), dataTransfer = new DataTransfer();
                const send = (target, type) => target.dispatchEvent(new DragEvent(type, {bubbles: true, cancelable: true, dataTransfer}));
                send(from, 'dragstart'); send(to, 'dragover'); send(to, 'drop');
                """)
            try browser.see(first, in: "#question-0")
            try browser.see(second, in: "#question-1")
        }
        #expect(try world.draft()["questions"].elements.map { $0["id"].text } == ["a", "b"])
        try world.close()
    }
}

import Foundation
import Testing

/// Two authors with one draft, in two tabs of a browser: at the desk, and on the page.
struct TwoAuthors {
    let browser: Browser
    let hasScript: Bool
    /// The document of the draft, as its last state has it.
    let draft: () throws -> JSON

    static let questionnaire = """
        {"id": "d", "title": "D", "questions": [
          {"id": "a", "text": "First", "options": ["Yes", "No"]},
          {"id": "m", "text": "How often?", "kind": "matrix", "rows": ["Bread", "Milk"], "options": ["Daily", "Weekly", "Never"]}]}
        """

    /// Both change the question “a”: different fields are saved together, and the one that both changed is chosen by keyboard.
    ///
    /// - Parameter form: its address; the browser shows it.
    func merge(at form: String) throws {
        let mine = try browser.tab
        let theirs = try browser.newTab()
        try browser.open(form)
        try browser.type(" by another", into: "#text")
        try browser.type("4", into: "#points")
        try browser.click(".actions button[value=save]")
        try browser.see("Saved.")
        try browser.select(mine)
        try browser.type(" by me", into: "#text")
        try browser.type(", please", into: "[name='o.0']")
        try browser.click(".actions button[value=save]")
        try browser.see("changed 1 field at once", in: "[role=alert]")
        for words in ["First", "First by another", "First by me", "Before"] { try browser.see(words, in: ".sides") }
        try check()
        // Without a choice the browser sends nothing.
        try browser.reach("button.main")
        try browser.press(Browser.Key.enter)
        #expect(try draft()["questions"].elements[0]["text"].text == "First by another")
        try browser.reach("[name='pick.text'][value=theirs]")
        try browser.press(Browser.Key.down)
        try browser.reach("button.main")
        try browser.press(Browser.Key.enter)
        try browser.see("both changes are in the questionnaire")
        let question = try draft()["questions"].elements[0]
        #expect(question["text"].text == "First by me" && question["points"].number == 4)
        #expect(question["options"].elements.map(\.text) == ["Yes, please", "No"])
        // The other author saves a form that is older than both changes, and is asked nothing: no field is in dispute.
        try browser.select(theirs)
        try browser.type("A hint", into: "#hint")
        try browser.click(".actions button[value=save]")
        try browser.see("both changes are in the questionnaire")
        let merged = try draft()["questions"].elements[0]
        #expect(merged["hint"].text == "A hint" && merged["text"].text == "First by me")
    }

    /// The frames of the question “m”, whose form the browser shows.
    func lookAtFrames() throws {
        func inside(_ frame: String, _ script: String) throws -> JSON {
            try browser.script(
                "const page = document.querySelector('iframe.\(frame)').contentDocument; const view = page.defaultView; \(script)"
            )
        }
        for (frame, width) in [("phone", 390.0), ("desktop", 1200)] {
            try wait(for: "the frame \(frame)") {
                // Its width and its table are the stylesheet's, which comes later.
                let inputs = try inside(
                    frame, "return page.readyState === 'complete' ? page.querySelectorAll('.matrix input').length : 0")
                return inputs.number == 6 ? true : nil
            }
            #expect(try inside(frame, "return view.innerWidth").number == width)
            #expect(try inside(frame, "return page.scripts.length").number == 0)
            #expect(try inside(frame, "return page.documentElement.scrollWidth > view.innerWidth") == .bool(false))
        }
        // The stylesheet shows a table of many columns in another way on a phone.
        let head =
            "return view.getComputedStyle(page.querySelector('.matrix thead')).position + view.getComputedStyle(page.querySelector('.matrix tr:last-child')).display"
        #expect(try inside("phone", head) != inside("desktop", head))
        try browser.reach(".preview .scroll")
        try check()
        try browser.click(".preview a")
        _ = try browser.find(".matrix")
        #expect(try browser.script("return location.pathname.endsWith('/m/preview')") == .bool(true))
        try check()
    }

    /// Neither a finding of axe-core nor a page that is wider than its window.
    private func check() throws {
        guard hasScript else { return }
        if let axe = AxeCore.script { #expect(try browser.violations(by: axe) == "") }
        #expect(try browser.script("return document.documentElement.scrollWidth > innerWidth") == .bool(false))
    }
}

/// The document of the only draft below a folder, as its last state has it.
func latestDraft(below folder: String) throws -> JSON {
    func number(_ path: String) -> Int? {
        path.split(separator: "/").last.flatMap { Int($0.dropLast(".json".count)) }
    }
    let states = Files.regularFiles(below: folder).filter { $0.hasSuffix(".json") && number($0) != nil }
    guard let last = states.max(by: { number($0) ?? 0 < number($1) ?? 0 }) else { throw Unexpected("no draft") }
    return try JSON(file: last)["document"]
}

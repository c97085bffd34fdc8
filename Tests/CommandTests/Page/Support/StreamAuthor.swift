import Foundation

/// An author who writes a questionnaire about a stream by keyboard alone, at the desk or on the page: six kinds, and a condition.
struct StreamAuthor {
    let browser: Browser

    private static let pixel =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

    /// At the desk, from the list of questionnaires to the one that is published: two sections, and a picture.
    ///
    /// - Parameter folder: where the author has the picture.
    func publishAtDesk(pictureFrom folder: String) throws {
        try begin(at: "/desk/write/new")
        for title in ["Water", "Animals"] { try addSection(title) }
        try askAboutWater()
        try askAboutAnimals(in: "Ani", scalePoints: "0")
        try makeCondition()
        try addPicture(from: folder)
        try publish("is published.")
    }

    /// - Parameter link: the address of the form for a new questionnaire.
    func begin(at link: String) throws {
        try browser.reach("a[href='\(link)']", press: Browser.Key.enter)
        try browser.see("Start writing")
        try browser.waitForFocus()
        try browser.press("The stream", Browser.Key.enter)
        try browser.see("There are no questions yet.")
    }

    func addSection(_ title: String) throws {
        try browser.reach("#newsection", press: title, Browser.Key.enter)
        try browser.see(title, in: ".listbar h2")
        try browser.reach("button.main", press: Browser.Key.enter)
        try browser.see(title, in: ".block:last-of-type")
    }

    /// The first three questions, in the section *Water*.
    func askAboutWater() throws {
        try add("Yes", to: "Wat", "Does it flow?") { try browser.reach("[name='r.0']", press: Browser.Key.space) }
        try add("Num", to: "Wat", "How wide is it?") { try browser.reach("[name='a.0']", press: "1.5") }
        try add("One", to: "Wat", "Where does it flow?") {
            try option(0, "Into the lake", isRight: true)
            try option(1, "Into the sea")
        }
    }

    /// The other three.
    ///
    /// - Parameters:
    ///   - section: the letters that choose it.
    ///   - scalePoints: of the last one; `0` for one that waits for no one.
    func askAboutAnimals(in section: String, scalePoints: String? = nil) throws {
        try add("Sev", to: section, "Who lives in it?") {
            try option(0, "Trout", isRight: true)
            try option(1, "Beavers", isRight: true)
            try option(2, "Camels")
        }
        try add("Text", to: section, "Why do beavers build dams?") { try browser.reach("#points", press: "2") }
        try add("Sca", to: section, "How did you like it?") {
            try browser.reach("#least", press: "1")
            try browser.reach("#most", press: "5")
            if let scalePoints { try browser.reach("#points", press: scalePoints) }
        }
    }

    /// Letters choose in a list, as browsers have it.
    private func add(_ kind: String, to section: String, _ text: String, _ fill: () throws -> Void) throws {
        try browser.reach("#kind", press: kind)
        try browser.reach("#section", press: section)
        try browser.reach(".adding button", press: Browser.Key.enter)
        try browser.see("The question was added.")
        try browser.waitForFocus()
        try browser.press(text)
        try fill()
        try browser.reach("button.main", press: Browser.Key.enter)
        try browser.see("Saved.")
    }

    private func option(_ place: Int, _ text: String, isRight: Bool = false) throws {
        if isRight { try browser.reach("[name='r.\(place)']", press: Browser.Key.space) }
        try browser.reach("[name='o.\(place)']", press: text)
    }

    /// The third question is asked only of those who say that it flows.
    func makeCondition() throws {
        try browser.reach("a[href$='/q/q3']", press: Browser.Key.enter)
        try browser.see("Where does it flow?")
        try browser.reach("details.condition > summary", press: Browser.Key.enter)
        try browser.reach("[name='cq.0']", press: Browser.Key.down)
        try browser.reach("button[value=save]:not(.unseen)", press: Browser.Key.enter)
        try browser.see("Saved.")
        try browser.reach("[name='cv.0']", press: Browser.Key.down)
        try browser.reach("button.main", press: Browser.Key.enter)
        try browser.see("Saved.")
    }

    /// For the fourth question. The window that chooses a file is the system's.
    private func addPicture(from folder: String) throws {
        try browser.reach("a[href$='/q/q4']", press: Browser.Key.enter)
        try browser.see("Who lives in it?")
        try browser.reach("button[value=media]", press: Browser.Key.enter)
        let picture = folder + "/beaver.png"
        guard let bytes = Data(base64Encoded: Self.pixel) else { throw Unexpected("no picture") }
        try bytes.write(to: URL(filePath: picture))
        try browser.reach("#file")
        try browser.type(picture, into: "#file")
        try browser.reach("#alt", press: "A beaver")
        try browser.reach("button[value=add]", press: Browser.Key.enter)
        _ = try browser.find("img[alt='A beaver']")
    }

    /// - Parameter note: what the page says then.
    func publish(_ note: String) throws {
        try browser.reach("a[href$='/publish']", press: Browser.Key.enter)
        try browser.see("Nothing was found that cannot be right.")
        try browser.reach("form[action$='/publish'] button", press: Browser.Key.enter)
        try browser.see(note, in: "body")
    }
}

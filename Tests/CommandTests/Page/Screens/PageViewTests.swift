import Foundation
import Testing

/// What the page looks like where a browser lays it out.
@Suite(
    "The page laid out", .serialized,
    .enabled(if: Engine.chromium.isInstalled, "Chromium is not installed: apt-get install chromium-driver"))
struct PageViewTests {
    private static let uneven = """
        {"id": "short", "title": "Uneven", "questions": [
        {"id": "q1", "text": "One?", "options": ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n"]},
        {"id": "q2", "text": "Why?", "kind": "text"},
        {"id": "q3", "text": "\(String(repeating: "A long question. ", count: 80))", "options": ["a", "b"]},
        {"id": "q4", "text": "How many?", "kind": "number"}]}
        """

    @Test(
        "Next puts each question at the same height, whatever the one before",
        arguments: [(400, 700), (667, 375), (1100, 900)])
    func height(_ width: Int, _ height: Int) throws {
        let world = try PageWorld(width: width, height: height, questionnaires: [Self.uneven])
        let browser = world.browser
        try browser.open(world.page.address + "/q/short")
        try browser.click("form[action$='/begin'] button")
        var tops: [JSON] = []
        for number in 1...4 {
            try browser.see("Question \(number) of 4")
            tops.append(
                try browser.script("return Math.round(document.querySelector('.question').getBoundingClientRect().top)")
            )
            // The header hides none of it.
            #expect(
                try browser.script(
                    """
                    const bar = document.querySelector('.bar').getBoundingClientRect();
                    return document.querySelector('.question').getBoundingClientRect().top >= bar.bottom
                    """) == .bool(true))
            if number < 4 { try browser.click(".steps .main") }
        }
        #expect(Set(tops).count == 1, "\(tops)")
        try world.close()
    }

    @Test(
        "the header is whole on a phone on its side and at 200 %: nothing beside it, nothing over another",
        arguments: [(667, 375), (640, 400), (960, 540), (375, 667)], ["en", "ru"])
    func header(_ size: (width: Int, height: Int), _ language: String) throws {
        let world = try PageWorld(
            language: language, width: size.width, height: size.height, questionnaires: [Self.uneven])
        let browser = world.browser
        for path in ["/", "/settings"] {
            try browser.open(world.page.address + path)
            _ = try browser.find("#connection strong")
            let found = try browser.script(
                """
                const parts = [...document.querySelectorAll('.brand, .rooms a, .connection p, .connection button')];
                const boxes = parts.map(part => [part.className || part.textContent.trim(), part.getBoundingClientRect()]);
                const faults = [];
                if (document.documentElement.scrollWidth > innerWidth) faults.push('the page is wider than the window');
                boxes.forEach(([name, box], index) => {
                  if (box.left < 0 || box.right > innerWidth + 1) faults.push(name + ' sticks out');
                  for (const [other, its] of boxes.slice(index + 1)) {
                    if (box.left < its.right - 1 && its.left < box.right - 1 && box.top < its.bottom - 1 && its.top < box.bottom - 1) faults.push(name + ' lies over ' + other);
                  }
                });
                if (innerHeight < 480 && innerWidth > 600 && document.querySelector('.bar').offsetHeight > 64) faults.push('more than a row');
                return faults;
                """)
            #expect(found.texts == [], "\(path)")
        }
        try world.close()
    }

    @Test("a picture opens large by keyboard, turns to its full size, and closes; without a script it is a link")
    func picture() throws {
        let world = try PageWorld()
        let browser = world.browser
        try browser.open(world.page.address + "/q/sky-and-planets")
        try browser.click("form[action$='/begin'] button")
        _ = try browser.find("#test")
        let test = try browser.url.components(separatedBy: "?")[0]
        try browser.open(test + "?n=3")
        try browser.reach("a.picture")
        let link = try browser.script(
            "return [document.activeElement.target, document.activeElement.getAttribute('href').startsWith('/media/')]")
        #expect(link == .array([.string("_blank"), .bool(true)]))
        try browser.press(Browser.Key.enter)
        _ = try browser.find("dialog.zoom[open] img")
        #expect(try browser.script("return document.activeElement.textContent") == .string("Close"))
        try browser.press(Browser.Key.shift)
        let size = "const image = document.querySelector('.zoomed img'); return image.getBoundingClientRect().width"
        let small = try browser.script(size).number ?? 0
        try browser.click(".zoomed img")
        #expect(try browser.script(size).number ?? 0 > small)
        try browser.press(Browser.Key.escape)
        try wait(for: "its end") { try browser.has("dialog") ? nil : true }
        #expect(try browser.script("return document.activeElement.className") == .string("picture"))
        try world.close()
    }
}

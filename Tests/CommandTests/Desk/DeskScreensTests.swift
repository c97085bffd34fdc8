import Foundation
import Testing

/// Each screen of the desk, and of *My questionnaires*, as axe-core sees it, and what it costs.
@Suite(
    "Screens of teachers and authors", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct DeskScreensTests {
    /// What a screen costs once the stylesheets, the script and the icon are there.
    private struct Cost: CustomStringConvertible {
        var bytes: Int
        /// Of pictures, frames and the like.
        var requests: Int
        var description: String { "\(bytes) | \(requests)" }

        init(bytes: Int, requests: Int) { (self.bytes, self.requests) = (bytes, requests) }

        init(of browser: Browser) throws {
            let found = try browser.script(
                """
                const own = ['link', 'script', 'css', 'fetch', 'other'];
                return [performance.getEntriesByType('navigation')[0].decodedBodySize,
                    performance.getEntriesByType('resource').filter(file => !own.includes(file.initiatorType)).length];
                """)
            let numbers = found.elements.compactMap(\.whole)
            guard numbers.count == 2 else { throw Unexpected("no figures of the page: \(found)") }
            (bytes, requests) = (numbers[0], numbers[1])
        }

        /// The table of a document: rows that name a screen as its pictures are named, with bytes and requests.
        static func documented(_ file: String) throws -> [String: Cost] {
            let text = try Files.text(Command.repository + "/docs/" + file)
            let rows = text.matches(of: /\| `((?:desk|write)-[a-z-]+)` \| ([0-9 ]+) \| ([0-9]+) \|/)
            return Dictionary(
                rows.map { row in
                    let bytes = Int(row.2.filter(\.isNumber)) ?? 0
                    return (String(row.1), Cost(bytes: bytes, requests: Int(row.3) ?? 0))
                }, uniquingKeysWith: { first, _ in first })
        }
    }

    private static func check(_ screen: String, _ browser: Browser, _ axe: String, _ look: Look) throws {
        #expect(try browser.violations(by: axe) == "", "\(screen)")
        // A phone's own width of the window follows a page that is too wide.
        let width = try browser.script("return document.documentElement.scrollWidth").whole ?? .max
        #expect(width <= look.width, "\(screen) scrolls sideways")
    }

    @Test("axe-core finds nothing on any screen of the desk, and none is wider than its window", arguments: Look.sample)
    func desk(_ look: Look) throws {
        guard let axe = AxeCore.script else { return }
        try DeskTour(look) { try Self.check("desk-\($0)", $1, axe, look) }.walk()
    }

    @Test("axe-core finds nothing on any screen of My questionnaires", arguments: Look.sample)
    func writing(_ look: Look) throws {
        guard let axe = AxeCore.script else { return }
        try WritingTour(look) { try Self.check("write-\($0)", $1, axe, look) }.walk()
    }

    @Test("the documents say of each screen how many bytes and requests it is", arguments: ["results.md", "page.md"])
    func costs(file: String) throws {
        var measured: [(screen: String, cost: Cost)] = []
        let look = Look(language: "en", isDark: false, isPhone: false)
        if file == "results.md" {
            try DeskTour(look) { measured.append(("desk-\($0)", try Cost(of: $1))) }.walk()
        } else {
            try WritingTour(look) { measured.append(("write-\($0)", try Cost(of: $1))) }.walk()
        }
        let written = try Cost.documented(file)
        let table = measured.map { "| `\($0.screen)` | \($0.cost) |" }.joined(separator: "\n")
        #expect(Set(written.keys) == Set(measured.map(\.screen)), "\(table)")
        for (screen, cost) in measured {
            guard let said = written[screen] else { continue }
            // A sentence more or less is no news.
            #expect(abs(said.bytes - cost.bytes) <= max(1000, cost.bytes / 4), "\(screen): \(cost), \(said)")
            #expect(said.requests == cost.requests, "\(screen)")
        }
    }
}

import Foundation
import Testing

/// Drafts of the phone that were made before it had people.
@Suite(
    "A draft in the app without a person", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PhoneClaimTests {
    private func enter(_ name: String, _ world: PhoneWorld) throws {
        try world.goTo("#/person")
        try world.browser.type(name, into: "#name")
        try world.browser.click("#set .main")
        try world.browser.see(name, in: "#who")
        try world.browser.see("Why", in: "#list")
    }

    @Test("it stays for everybody until one of them claims it; then it is theirs alone, with what was just typed")
    func claimed() throws {
        let world = try PhoneWorld([PhoneWorld.why], width: 390, height: 800)
        let browser = world.browser
        try browser.see("Why", in: "#list")
        let id = try world.beginWhy("before")
        #expect(try !browser.has("#claim"))
        for name in ["Boris", "Ada"] {
            try enter(name, world)
            try world.goTo("#/t/\(id)")
            try browser.see("This test has no person: everybody on this device sees it.")
            #expect(try browser.value("#a0") == "before")
        }
        // The second tab of the same person has the offer, too, until it is made use of in the first.
        let first = try browser.tab
        let second = try browser.newTab()
        try browser.open(world.address + "#/t/\(id)")
        try browser.see("It belongs to Ada", in: "#claim")
        try browser.select(first)
        try browser.type(" and after", into: "#a0")
        try browser.see("It belongs to Ada", in: "#claim")
        try browser.click("#claim")
        try wait(for: "the claim") { () -> Bool? in
            try world.stored(id)["record"]["person"]["name"].text == "Ada" ? true : nil
        }
        try world.waitForAnswer(id, "q1", "before and after")
        try wait(for: "the offer to go") { try !browser.has("#claim") ? true : nil }
        #expect(try browser.value("#a0") == "before and after")
        try browser.select(second)
        try wait(for: "the offer to go in the second tab") { try !browser.has("#claim") ? true : nil }
        #expect(try browser.value("#a0") == "before and after")
        try browser.select(first)

        try enter("Boris", world)
        try world.goTo("#/t/\(id)")
        try browser.see("This test belongs to Ada")
        #expect(try !browser.text().contains("before"))
        // Nor is it claimed by a tab that did not see it go.
        let claimed = try browser.asyncScript(
            """
            const done = arguments[0];
            import('./people.js').then(async people => {
              await people.claim('\(id)', (await people.state()).current);
              done(true);
            }).catch(error => done(String(error)));
            """)
        #expect(claimed == .bool(true))
        #expect(try world.stored(id)["record"]["person"]["name"].text == "Ada")
        try browser.click("#as-owner")
        try browser.see("Ada", in: "#who")
        try world.goTo("#/t/\(id)/review")
        try browser.click("#send")
        try browser.see("Sent", in: ".state-words")
        let tests = try world.teacher.json("host", "tests", "--data", world.host.data).elements
        #expect(tests.map { $0["person"]["name"].text } == ["Ada"])
        try world.close()
    }
}

import Foundation
import Testing

/// Other actions while a PIN is asked for or set.
@Suite(
    "A PIN in the app that is left, or set in two tabs", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PhonePINLeavingTests {
    private static let question = "PIN, or the code on your card"

    /// By the head of the screen, whose list stays as it was left.
    private func switchTo(_ id: String, _ world: PhoneWorld) throws {
        _ = try world.browser.find("#switch")
        try world.browser.script("document.querySelector('#switch').open = true")
        try world.browser.click("#to-\(id)")
    }

    private func askForAda(_ world: PhoneWorld) throws {
        try switchTo("s-1", world)
        try world.browser.see(Self.question, in: "#ask-pin")
    }

    @Test("who leaves the question with Back or by a link while the PIN is compared stays who they are")
    func left() throws {
        let world = try PhoneWorld.ofClass()
        let browser = world.browser
        _ = try world.withPIN()
        try world.enter("s-2", "Boris")
        try world.holdHashes()
        for way in ["back", "link"] {
            try world.goTo("#/")
            try browser.see("Why", in: "#list")
            try askForAda(world)
            try world.typePIN("1111")
            try world.waitForHash()
            if way == "back" { try browser.back() } else { try browser.click("#room-outbox") }
            try wait(for: "another screen") { try !browser.has("#ask-pin") ? true : nil }
            try world.release()
            // It was the right one, which ends the count of tries.
            try wait(for: "the PIN to be compared") { () -> Bool? in
                try world.fact("pins")["s-1"]["tries"] == .null ? true : nil
            }
            #expect(try world.fact("person").text == "s-2", "\(way)")
            try browser.see("Boris B. (7b)", in: "#who")
            try world.goTo("#/outbox")
            #expect(try !browser.text().contains("by Ada"), "\(way)")
        }
        try world.close()
    }

    @Test("Back does not lead to a question that was answered, and a switch at a question leads to the library")
    func history() throws {
        let world = try PhoneWorld.ofClass()
        let browser = world.browser
        _ = try world.withPIN()
        try world.enter("s-2", "Boris")
        try world.goTo("#/settings")
        _ = try browser.find("#room-settings[aria-current]")
        try askForAda(world)
        try world.typePIN("1111")
        try browser.see("draft in progress", in: "#list")
        try browser.back()
        _ = try browser.find("#room-settings[aria-current]")
        #expect(try browser.script("return location.hash") == .string("#/settings"))
        #expect(try !browser.has("#ask-pin"))
        try browser.see("Ada", in: "#who")

        try world.enter("s-2", "Boris")
        try world.enter("s-3", "Clara")
        try askForAda(world)
        try switchTo("s-2", world)
        try browser.see("Why", in: "#list")
        try browser.see("Boris", in: "#who")
        #expect(try browser.script("return location.hash") == .string("#/"))
        try world.close()
    }

    @Test("a PIN that is set while another person comes in another tab opens nothing there and switches no one")
    func twoTabs() throws {
        let world = try PhoneWorld.ofClass()
        let browser = world.browser
        try world.enter("s-1", "Ada")
        let ada = try world.beginWhy("by Ada")
        try world.goTo("#/person")
        try world.holdHashes()
        try world.setPIN("1111")
        try world.waitForHash()
        let first = try browser.tab
        let second = try browser.newTab()
        try browser.open(world.address)
        try browser.see("draft in progress", in: "#list")
        try world.enter("s-2", "Boris")
        try browser.select(first)
        try browser.see("Boris B. (7b)", in: "#who")
        try world.release()
        try wait(for: "the PIN") { try world.fact("pins")["s-1"]["hash"] != .null ? true : nil }
        for tab in [first, second] {
            try browser.select(tab)
            #expect(try world.fact("person").text == "s-2")
            try world.goTo("#/t/\(ada)")
            try browser.see("This test belongs to Ada")
            #expect(try !browser.text().contains("by Ada"))
            try browser.click("#as-owner")
            try browser.see(Self.question, in: "#ask-pin")
        }
        // One who is no longer there gets no PIN.
        let refused = try browser.asyncScript(
            """
            const done = arguments[0];
            import('./people.js').then(people => people.setPIN({ id: 's-1', name: 'Ada' }, '1111', '2222', '2222'))
              .then(() => done('set'), error => done(error.kind));
            """)
        #expect(refused.text == "left")
        // In the first tab Ada types hers; the second one asks for it then, too.
        try browser.select(first)
        try world.typePIN("1111")
        try world.waitForHash()
        try world.release()
        try browser.see("Why?")
        try browser.select(second)
        try browser.reload()
        try browser.see(Self.question, in: "#ask-pin")
        #expect(try !browser.text().contains("by Ada"))
        try world.close()
    }

    @Test("of a page that the browser keeps nothing is seen before it is up to date; an unsaved answer stays on it")
    func keptPage() throws {
        let world = try PhoneWorld.ofClass()
        let browser = world.browser
        let ada = try world.withPIN()
        func turn(_ event: String) throws {
            try browser.script("dispatchEvent(new PageTransitionEvent(arguments[0], { persisted: true }))", event)
        }
        try turn("pagehide")
        #expect(try !browser.text().contains("Why?"))
        let first = try browser.tab
        _ = try browser.newTab()
        try browser.open(world.address)
        try world.typePIN("1111")
        try browser.see("draft in progress", in: "#list")
        try browser.select(first)
        #expect(try !browser.text().contains("Why?"))
        try turn("pageshow")
        // The other tab took the place of this one.
        try world.typePIN("1111")
        try browser.see("Why?")
        #expect(try browser.value("#a0") == "by Ada")

        try browser.script(
            """
            window.put = IDBObjectStore.prototype.put;
            IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError'); };
            """)
        try browser.type(" and more", into: "#a0")
        try browser.see("Not saved")
        try turn("pagehide")
        try browser.see("Why?")
        try turn("pageshow")
        #expect(try browser.value("#a0") == "by Ada and more")
        try browser.script("IDBObjectStore.prototype.put = window.put")
        try world.waitForAnswer(ada, "q1", "by Ada and more")
        try world.close()
    }
}

import Foundation
import Testing

/// Drafts that the person did not choose, and drafts that the hub lost.
@Suite(
    "Drafts of a phone that were set aside or are gone", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PhoneAsidesTests {
    /// The draft is changed here and on another device; both are on the screen.
    private func differ(_ id: String, _ was: String, here: String, there: String, _ world: HubDraftWorld) throws {
        let phone = world.phone
        try world.keepAway()
        try phone.browser.type(here, into: "#a0")
        try phone.waitForAnswer(id, "q1", was + here)
        try world.changeElsewhere(id, was, to: there)
        try world.reach()
        try phone.browser.see(there, in: "#draft-notice .differences")
        _ = try phone.browser.find("#take-other")
    }

    /// Waits for what is set aside, as the screen has it in its order.
    private func seeAsides(_ texts: [String], _ phone: PhoneWorld) throws {
        try wait(for: "\(texts) set aside") { () -> Bool? in
            let isSeen = try phone.browser.script(
                """
                const asides = [...document.querySelectorAll('#draft-notice details')], texts = JSON.parse(arguments[0]);
                for (const aside of asides) aside.open = true;
                return asides.length === texts.length && asides.every((aside, place) =>
                  [...aside.querySelectorAll('.differences dd')].some(line => line.innerText.trim() === texts[place]));
                """, String(decoding: try JSONEncoder().encode(texts), as: UTF8.self))
            return isSeen == .bool(true) ? true : nil
        }
    }

    @Test("of two choices one after the other both drafts stay, each is to be had, and none once the test is handed in")
    func several() throws {
        let world = try HubDraftWorld()
        let phone = world.phone
        try world.logIn()
        let id = try world.begin()
        try phone.browser.type("Alpha", into: "#a0")
        try phone.waitForAnswer(id, "q1", "Alpha")
        try world.waitForCopy(id)
        try differ(id, "Alpha", here: " here", there: "Beta", world)
        try phone.browser.click("#keep-own")
        try seeAsides(["Beta"], phone)
        try world.waitForCopy(id)
        try differ(id, "Alpha here", here: " again", there: "Gamma", world)
        try phone.browser.click("#take-other")
        try phone.waitForAnswer(id, "q1", "Gamma")
        try seeAsides(["Beta", "Alpha here again"], phone)
        try phone.browser.reload()
        try seeAsides(["Beta", "Alpha here again"], phone)
        // Each is taken from its own place, which the draft of now takes.
        try phone.browser.click("#take-aside-2")
        try phone.waitForAnswer(id, "q1", "Alpha here again")
        try seeAsides(["Beta", "Gamma"], phone)
        try phone.browser.click("#take-aside")
        try phone.waitForAnswer(id, "q1", "Beta")
        try seeAsides(["Alpha here again", "Gamma"], phone)
        try phone.goTo("#/t/\(id)/review")
        try phone.browser.click("#send")
        try phone.browser.see("proven with a code", in: ".whose")
        try wait(for: "nothing set aside") { () -> Bool? in
            try phone.fact("handed")[id]["asides"] == .null ? true : nil
        }
        #expect(try phone.stored(id)["frozen"]["text"].text?.contains("Beta") == true)
        try phone.close()
    }

    @Test("where the hub lost the other draft, the one of the phone goes on and is handed over again")
    func gone() throws {
        let world = try HubDraftWorld()
        let phone = world.phone
        try world.logIn()
        let id = try world.begin()
        try phone.browser.type("Alpha", into: "#a0")
        try phone.waitForAnswer(id, "q1", "Alpha")
        try world.waitForCopy(id)
        try differ(id, "Alpha", here: " here", there: "Beta", world)
        phone.hub.kill()
        for file in try world.files() { try Files.remove(file) }
        try world.startHub()
        try phone.browser.click("#take-other")
        try world.waitForCopy(id)
        try wait(for: "the notice to go") { try phone.browser.text("#draft-notice") == "" ? true : nil }
        #expect(try phone.browser.value("#a0") == "Alpha here")
        #expect(try !world.files().isEmpty)
        try phone.close()
    }
}

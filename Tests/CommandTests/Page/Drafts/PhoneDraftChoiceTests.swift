import Foundation
import Testing

/// A draft on two phones, and one that was encrypted with a former code.
@Suite(
    "The same draft on two phones", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PhoneDraftChoiceTests {
    /// What was set aside is unfolded, as often as the screen is made, and has this answer.
    private func seeAside(_ text: String, _ phone: PhoneWorld) throws {
        try wait(for: "“\(text)” set aside") { () -> Bool? in
            let isSeen = try phone.browser.script(
                """
                const aside = document.querySelector('#aside');
                if (aside) aside.open = true;
                return aside?.querySelector('.differences')?.innerText.includes(arguments[0]) === true;
                """, text)
            return isSeen == .bool(true) ? true : nil
        }
    }

    @Test(
        "a phone that still has the draft learns that it was handed in from another one, and cannot make a second delivery"
    )
    func twoPhones() throws {
        let world = try HubDraftWorld()
        let phone = world.phone
        try world.logIn()
        let id = try world.begin()
        try phone.browser.type("On both", into: "#a0")
        try phone.waitForAnswer(id, "q1", "On both")
        try world.waitForCopy(id)
        try phone.changePhone(from: "first", to: "second")
        try world.logIn()
        try phone.browser.see("1 draft came back", in: "#told")
        // Goes on there: the first one, which has not changed, takes it over; then both change it.
        try phone.goTo("#/t/\(id)")
        try phone.browser.see("Why?")
        try phone.browser.type(", then here", into: "#a0")
        try phone.waitForAnswer(id, "q1", "On both, then here")
        try world.waitForCopy(id)
        try phone.changePhone(from: "second", to: "first")
        try phone.waitForAnswer(id, "q1", "On both, then here")
        try phone.goTo("#/t/\(id)")
        try phone.browser.see("Why?")
        phone.hub.kill()
        try phone.browser.type(" and first", into: "#a0")
        try phone.waitForAnswer(id, "q1", "On both, then here and first")
        try phone.changePhone(from: "first", to: "second")
        try world.startHub()
        try phone.goTo("#/t/\(id)")
        try phone.browser.type(" and second", into: "#a0")
        try phone.waitForAnswer(id, "q1", "On both, then here and second")
        try world.waitForCopy(id)
        try phone.changePhone(from: "second", to: "first")
        try phone.goTo("#/t/\(id)")
        try phone.browser.see("continued on another device", in: "#draft-notice")
        // Neither is overwritten before the person chooses.
        try phone.browser.reload()
        try phone.browser.see("continued on another device", in: "#draft-notice")
        _ = try phone.browser.asyncScript(
            "const done = arguments[0]; import('./drafts.js').then(drafts => drafts.exchange()).then(() => done(true))")
        #expect(try phone.browser.value("#a0") == "On both, then here and first")
        // The answers of both are there to decide by, and only those that differ.
        try phone.browser.see("On both, then here and first", in: "#draft-notice")
        try phone.browser.see("On both, then here and second", in: "#draft-notice")
        #expect(try !phone.browser.text("#draft-notice").contains("Since when?"))
        try phone.browser.click("#take-other")
        try phone.waitForAnswer(id, "q1", "On both, then here and second")
        func see(_ text: String) throws {
            try wait(for: text) { try phone.browser.value("#a0") == text ? true : nil }
        }
        try see("On both, then here and second")
        // The one that was not chosen is here, over a reload, and may be taken after all.
        try phone.browser.reload()
        for text in ["On both, then here and first", "On both, then here and second"] {
            try seeAside(text, phone)
            try phone.browser.click("#take-aside")
            try see(text)
        }
        try world.waitForCopy(id)
        // The second one hands it in.
        try phone.changePhone(from: "first", to: "second")
        try phone.goTo("#/t/\(id)/review")
        try phone.browser.click("#send")
        try phone.browser.see("proven with a code", in: ".whose")
        try phone.changePhone(from: "second", to: "first")
        try phone.goTo("#/t/\(id)")
        try phone.browser.see("handed in from another device", in: "#draft-notice")
        try phone.goTo("#/t/\(id)/review")
        try phone.browser.click("#send")
        try phone.browser.see("handed in before with other answers", in: ".state")
        let tests = try world.tests()
        #expect(tests.count == 1 && tests[0]["id"].text == id)
        try phone.close()
    }

    @Test("the choice to keep the draft of the phone keeps the other one here, too; without the hub none is offered")
    func keepsOwn() throws {
        let world = try HubDraftWorld()
        let phone = world.phone
        try world.logIn()
        let id = try world.begin()
        try phone.browser.type("Both", into: "#a0")
        try phone.waitForAnswer(id, "q1", "Both")
        try world.waitForCopy(id)
        try phone.changePhone(from: "first", to: "second")
        try world.logIn()
        try phone.browser.see("1 draft came back", in: "#told")
        try phone.goTo("#/t/\(id)/2")
        try phone.browser.type("Monday", into: "#a1")
        try phone.waitForAnswer(id, "q2", "Monday")
        try world.waitForCopy(id)
        phone.hub.kill()
        try phone.changePhone(from: "second", to: "first")
        try phone.goTo("#/t/\(id)/1")
        try phone.browser.type(" of us", into: "#a0")
        try phone.waitForAnswer(id, "q1", "Both of us")
        try world.startHub()
        try phone.browser.script("dispatchEvent(new Event('online'))")
        try phone.browser.see("Monday", in: "#draft-notice .differences")
        phone.hub.kill()
        try phone.browser.reload()
        try phone.browser.see("which cannot be reached now", in: "#draft-notice")
        #expect(try phone.browser.script("return document.querySelector('#keep-own, #take-other')") == .null)
        try world.startHub()
        try phone.browser.reload()
        // What the other one has by now is kept, not what was seen before.
        _ = try phone.browser.find("#keep-own")
        try world.changeElsewhere(id, "Monday", to: "Monday or Tuesday")
        try phone.browser.click("#keep-own")
        try seeAside("Monday or Tuesday", phone)
        try world.waitForCopy(id)
        try phone.goTo("#/t/\(id)/review")
        try phone.browser.click("#send")
        try phone.browser.see("proven with a code", in: ".whose")
        #expect(try world.tests().count == 1)
        #expect(try phone.stored(id)["frozen"]["text"].text?.contains("Monday") == false)
        try phone.close()
    }

    @Test(
        "a new card: its code opens no draft of the old one, which is said; the phone that has the draft hands it over again"
    )
    func newCard() throws {
        let world = try HubDraftWorld()
        let phone = world.phone
        let new = "WXYZ6789JKMN2345"
        try world.logIn()
        let id = try world.begin()
        try phone.browser.type("Old card", into: "#a0")
        try phone.waitForAnswer(id, "q1", "Old card")
        try world.waitForCopy(id)
        try phone.importClass(["s-1,Ada Lovelace,7b,\(new)"])
        phone.hub.kill()
        try world.startHub()
        // Another phone: the draft is at the hub, and cannot be opened.
        try phone.changePhone(from: "first", to: "second")
        try world.logIn(new)
        try phone.goTo("#/settings")
        try phone.browser.see("1 draft at the hub was encrypted with another code of yours and cannot be opened.")
        #expect(try phone.stored(id) == .null)
        // The old phone learns that its code is none any more, and keeps its draft.
        try phone.changePhone(from: "second", to: "first")
        try phone.goTo("#/t/\(id)")
        try phone.browser.see("Why?")
        try phone.browser.type(", still here", into: "#a0")
        try phone.waitForAnswer(id, "q1", "Old card, still here")
        try phone.browser.script("dispatchEvent(new Event('online'))")
        try phone.goTo("#/settings")
        try phone.browser.see("The server does not accept your code any more")
        try world.logIn(new)
        try world.waitForCopy(id)
        try phone.goTo("#/settings")
        try phone.browser.see("encrypted with your code")
        // Now the other one opens it.
        try phone.changePhone(from: "first", to: "second")
        try phone.waitForAnswer(id, "q1", "Old card, still here")
        try phone.goTo("#/t/\(id)/review")
        try phone.browser.click("#send")
        try phone.browser.see("proven with a code", in: ".whose")
        #expect(try world.tests().count == 1)
        try phone.close()
    }
}

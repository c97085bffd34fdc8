import Foundation
import HummingbirdTesting
import Model
import Testing

@testable import Desk
@testable import Host

@Suite("Published versions, closing, and copies on the desk")
struct VersionScreenTests {
    private func edit(_ browser: DeskBrowser, _ text: String) async throws -> String {
        let draft = try await browser.draftOfExam()
        let bare = String(draft.prefix { $0 != "?" })
        _ = try DeskBrowser.location(
            try await browser.send(bare + "/q/essay", ["shown": "text", "text": text, "points": "2"]))
        return bare
    }

    @Test(
        "the list of versions says who and when; one of them becomes a draft, and nothing is published by that",
        arguments: DeskPlace.ofOneHost)
    func versions(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        // The first version has the time of its file, which is that of the real clock.
        let seconds = Date().timeIntervalSince1970 - Double(fixture.clock.now.millisecondsSinceEpoch) / 1000
        fixture.clock.advance(by: .seconds(Int(seconds) + 60))
        let key = try await fixture.key(.author).text
        try await fixture.serve { client in
            let browser = try await DeskBrowser(client, key: key, name: "Ада <b>")
            for text in ["Why not?", "Why <i>then</i>?"] {
                let draft = try await self.edit(browser, text)
                fixture.clock.advance(by: .seconds(3600))
                let check = try await browser.page(draft + "/publish")
                #expect(check.contains("What is different"))
                _ = try DeskBrowser.location(try await browser.send(draft + "/publish", [:]))
            }
            let list = try await browser.page("/desk/write/of/exam")
            #expect(list.contains("published by Ада &lt;b&gt;") && !list.contains("Ада <b>"))
            let links = list.matches(of: #/href="(/desk/write/of/exam/[0-9a-f]{64})"/#).map { String($0.output.1) }
            #expect(links.count == 3)
            let newest = try await browser.page(links[0])
            #expect(newest.contains("<del>Why not?</del>") && newest.contains("Why &lt;i&gt;then&lt;/i&gt;?"))
            let oldest = try await browser.page(links[2])
            #expect(oldest.contains("This is the oldest version that the host keeps."))
            #expect(oldest.contains("<del>Why?</del>"))
            let draft = try DeskBrowser.location(try await browser.send(links[2], [:]))
            #expect(draft.hasSuffix("?said=versiontaken"))
            let bare = String(draft.prefix { $0 != "?" })
            #expect(try await browser.page(bare + "/q/essay").contains(">\nWhy?</textarea>"))
            #expect(
                try await fixture.published()?.published.questionnaire.questions[1].text
                    == "Why <i>then</i>?")
            // With a draft there, that draft gets it, and undo returns it.
            let again = try DeskBrowser.location(try await browser.send(links[1], [:]))
            #expect(again.hasPrefix(bare))
            #expect(try await browser.page(bare + "/q/essay").contains("Why not?"))
            _ = try DeskBrowser.location(try await browser.send(bare, to: bare + "/undo", [:]))
            #expect(try await browser.page(bare + "/q/essay").contains(">\nWhy?</textarea>"))
            _ = try DeskBrowser.location(try await browser.send(bare + "/publish", [:]))
            #expect(try await fixture.published()?.published.questionnaire.questions[1].text == "Why?")
            #expect(try await browser.get("/desk/write/of/nothing").status == .notFound)
            #expect(
                try await browser.get("/desk/write/of/exam/" + String(repeating: "0", count: 64)).status == .notFound)
        }
    }

    @Test(
        "a questionnaire is closed now and opened again, and the draft that waits follows",
        arguments: DeskPlace.ofOneHost)
    func closing(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let key = try await fixture.key(.teacher).text
        try await fixture.deliver(person: "ada", ["q1": "Paris"])
        try await fixture.serve { client in
            let browser = try await DeskBrowser(client, key: key)
            let draft = try await self.edit(browser, "Why so?")
            let page = "/desk/write/of/exam"
            #expect(try await browser.page(page).contains("Open, without an end."))
            for _ in 0..<2 {
                let closed = try DeskBrowser.location(
                    try await browser.send(page, to: page + "/close", ["late": "refuse"]))
                #expect(closed == page + "?said=closed")
            }
            let current = try #require(try await fixture.published()?.published.questionnaire)
            #expect(current.availability?.closesAt != nil && current.availability?.late == .refuse)
            #expect(try await browser.page(page).contains("Closed since"))
            // The draft is of the version that there is now: publishing it asks nothing, and it stays closed.
            _ = try DeskBrowser.location(try await browser.send(draft + "/publish", [:]))
            let published = try #require(try await fixture.published()?.published.questionnaire)
            #expect(published.questions[1].text == "Why so?" && published.availability?.closesAt != nil)
            _ = try DeskBrowser.location(try await browser.send(page, to: page + "/reopen", [:]))
            let opened = try #require(try await fixture.published()?.published)
            #expect(opened.questionnaire.availability?.closesAt == nil)
            #expect(opened.key.rightAnswers(to: opened.questionnaire.questions[0]) == [.string("Paris")])
        }
    }

    @Test("publishing says how many tests, people and attempts it affects", arguments: DeskPlace.ofOneHost)
    func affected(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        try fixture.replaceExam(
            DeskFixture.exam.replacing("\"answerKey\"", with: "\"availability\": {\"attempts\": 2}, \"answerKey\""))
        let key = try await fixture.key(.teacher).text
        for _ in 0..<2 { try await fixture.deliver(person: "ada", ["essay": "Because."]) }
        try await fixture.deliver(person: "boris", ["essay": "So."])
        try await fixture.serve { client in
            let browser = try await DeskBrowser(client, key: key)
            let draft = try await self.edit(browser, "Why so?")
            let check = try await browser.page(draft + "/publish")
            #expect(check.contains("3 tests were handed in") && check.contains("They are of 2 people."))
            #expect(check.contains("1 person has no attempt left: each has 2."))
            #expect(check.contains("known on the devices only"))
        }
    }

    @Test(
        "an author, who may not see tests, reads nothing about those that were handed in",
        arguments: DeskPlace.ofOneHost)
    func affectedForAuthors(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let key = try await fixture.key(.author).text
        try await fixture.deliver(person: "ada", ["essay": "Because."])
        try await fixture.serve { client in
            let browser = try await DeskBrowser(client, key: key)
            let draft = try await self.edit(browser, "Why so?")
            for screen in [draft + "/publish", "/desk/write/of/exam"] {
                let page = try await browser.page(screen)
                #expect(page.contains("known on the devices only"), "\(screen)")
                for word in ["handed in on", "have been handed in", "1 person", "waits for marks"] {
                    #expect(!page.contains(word), "\(screen): \(word)")
                }
            }
        }
    }

    @Test(
        "questions are found by their words and copied with their keys, without their conditions",
        arguments: DeskPlace.allCases)
    func copies(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let key = try await fixture.key(.author).text
        try await fixture.serve { client in
            let browser = try await DeskBrowser(client, key: key)
            let draft = try DeskBrowser.location(
                try await browser.send("/desk/write/new", to: "/desk/write", ["title": "Mine", "locale": "en"]))
            let copy = draft + "/copy"
            #expect(try await browser.page(copy + "?q=nowhere").contains("No question of another questionnaire"))
            let found = try await browser.page(copy + "?q=FRANCE%20capital%20london")
            #expect(found.contains("value=\"p/exam/q1\"") && !found.contains("p/exam/essay"))
            #expect(found.contains("Экзамен &lt;b&gt;7б&lt;/b&gt;"))
            let none = try await browser.send(copy + "?q=france", to: copy, [:])
            #expect(try DeskBrowser.location(none) == copy + "?said=none")
            _ = try DeskBrowser.location(
                try await browser.send(copy + "?q=france", to: copy, ["pick": "p/exam/q1"]))
            let question = try await browser.page(draft + "/q/q1")
            #expect(question.contains("Capital of France?") && question.contains("name=\"r.0\" value=\"1\""))
            #expect(question.contains("aria-label=\"Option 1 is right\" checked"))
            // What is not there is not copied.
            let gone = try await browser.send(copy + "?q=france", to: copy, ["pick": "p/exam/nothing"])
            #expect(try DeskBrowser.location(gone) == copy + "?said=none")
        }
    }

    @Test("a section is written, filled and deleted with its form alone", arguments: DeskPlace.allCases)
    func sections(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let key = try await fixture.key(.author).text
        try await fixture.serve { client in
            let browser = try await DeskBrowser(client, key: key)
            let draft = try await browser.draftOfExam()
            let form = try DeskBrowser.location(
                try await browser.send(draft, ["do": "addsection", "title": "<b>Part</b>"]))
            let section = String(form.prefix { $0 != "?" })
            #expect(section == draft + "/s/s1")
            _ = try DeskBrowser.location(
                try await browser.send(section, ["title": "<b>Part</b>", "text": "Read <i>this</i>", "pick": "1"]))
            for id in ["q1", "essay"] {
                let fields = ["shown": id == "q1" ? "choice" : "text", "section": "s1", "text": "T \(id)"]
                    .merging(id == "q1" ? ["o.0": "Paris", "o.1": "London"] : [:]) { $1 }
                _ = try DeskBrowser.location(try await browser.send(draft + "/q/" + id, fields))
            }
            let list = try await browser.page(draft)
            #expect(list.contains("&lt;b&gt;Part") && list.contains("each test draws 1") && !list.contains("<b>Part"))
            let trial = try await browser.page(draft + "/try")
            #expect(trial.contains("Read &lt;i&gt;this&lt;/i&gt;"))
            let page = try await browser.page(section)
            #expect(page.contains("2 questions are in it. You choose"))
            _ = try DeskBrowser.location(try await browser.send(section, ["do": "remove"]))
            #expect(try await browser.page(draft).contains("T essay"))
            _ = try DeskBrowser.location(try await browser.send(draft, to: draft + "/undo", [:]))
            _ = try DeskBrowser.location(try await browser.send(section, ["do": "removeall"]))
            let rest = try await browser.page(draft)
            #expect(!rest.contains("T essay") && !rest.contains("T q1") && rest.contains("And why not?"))
        }
    }
}

import AuthorDrafts
import HummingbirdTesting
import Model
import Testing

@testable import Desk
@testable import Host

@Suite("Questionnaires are written on the desk")
struct WritingScreenTests {
    /// The hidden fields of the first form of a page, and those that are given.
    @Test(
        "an author writes a questionnaire and publishes it; the host then serves it without its key",
        arguments: DeskPlace.ofOneHost)
    func whole(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let key = try await fixture.key(.author).text
        try await fixture.serve { client in
            let browser = try await DeskBrowser(client, key: key, name: "Ада")
            let title = "<script>alert(1)</script> & «Столицы»"
            let draft = try DeskBrowser.location(
                try await browser.send("/desk/write/new", to: "/desk/write", ["title": title, "locale": "ru"]))
            let question = try DeskBrowser.location(try await browser.send(draft, ["do": "add", "kind": "choice"]))
            let path = String(question.prefix { $0 != "?" })
            let saved = try await browser.send(
                path,
                [
                    "shown": "choice", "kind": "choice", "text": "Столица <b>Италии</b>?", "o.0": "Рим \"вечный\"",
                    "r.0": "1",
                    "f.0": "Верно", "o.1": "<img src=x onerror=alert(1)>", "points": "2", "do": "done",
                ])
            #expect(try DeskBrowser.location(saved).hasPrefix(draft))
            let list = try await browser.page(draft)
            #expect(!list.contains("<script>alert") && !list.contains("<img src=x") && !list.contains("<b>Италии"))
            let check = try await browser.page(draft + "/publish")
            #expect(check.contains("Nothing was found that cannot be right."))
            let published = try DeskBrowser.location(try await browser.send(draft + "/publish", [:]))
            #expect(published.hasPrefix("/desk/?published="))
            let id = String(published.dropFirst("/desk/?published=".count))
            let home = try await browser.page("/desk/")
            #expect(!home.contains("Draft, not published"))
            let reply = try await client.executeRequest(
                uri: "/v1/questionnaires/\(id)", method: .get, headers: [.authorization: "Bearer \(key)"], body: nil)
            let sent = try Questionnaire(json: Array(reply.body.readableBytesView))
            #expect(sent.title == title)
            #expect(sent.questions.map(\.options) == [["Рим \"вечный\"", "<img src=x onerror=alert(1)>"]])
            #expect(!reply.text.contains("Верно"))
        }
        // The draft is gone, and the file has the key.
        #expect(try await fixture.drafts().isEmpty)
    }

    @Test(
        "a draft of a published questionnaire says whom publishing affects, keeps what the desk does not show, and survives the host’s end",
        arguments: DeskPlace.ofOneHost)
    func republish(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let key = try await fixture.key(.teacher).text
        try await fixture.deliver(person: "ada", ["q1": "Paris"])
        let draft = Collected()
        try await fixture.serve { client in
            let browser = try await DeskBrowser(client, key: key)
            draft.text = try await browser.draftOfExam()
            for path in ["/desk/", draft.text] {
                let page = try await browser.page(path)
                #expect(page.contains("Draft, nothing changed yet") && !page.contains("Changes, not published"))
            }
            _ = try await browser.send(
                draft.text + "/q/q1",
                ["shown": "choice", "text": "Capital?", "o.0": "Paris", "w.0": "0", "r.0": "1", "o.1": "Rome"])
        }
        try await fixture.serve { client in
            let browser = try await DeskBrowser(client, key: key)
            #expect(try await browser.page("/desk/").contains("Changes, not published"))
            // The tab that a screen is below is marked, and the page of a tab itself.
            let tab = { (page: String) in String(page.firstMatch(of: /aria-current="(page|true)">([^<]+)</)?.2 ?? "") }
            for (path, current) in [
                ("", "Questions"), ("/q/q1", "Questions"), ("/paste", "Questions"), ("/settings", "Settings"),
                ("/publish", "Check and publish"),
            ] {
                let page = try await browser.page(draft.text + path)
                let tabs = try #require(page.firstMatch(of: /<nav class="tabs".*?<\/nav>/)).output
                #expect(tab(String(tabs)) == current, "\(path)")
            }
            // Opened again it is the same draft.
            let again = try await browser.send("/desk/", to: "/desk/write/of", ["questionnaire": "exam"])
            #expect(try DeskBrowser.location(again) == draft.text)
            let check = try await browser.page(draft.text + "/publish")
            #expect(check.contains("1 test was handed in"))
            _ = try DeskBrowser.location(try await browser.send(draft.text + "/publish", [:]))
            let current = try #require(try await fixture.published())
            #expect(current.published.questionnaire.questions[0].options == ["Paris", "Rome"])
            #expect(current.published.questionnaire.questions.count == 3)
            let first = try #require(current.published.questionnaire.question("q1"))
            #expect(current.published.key.rightAnswers(to: first) == [.string("Paris")])
            // The test that was handed in keeps its version.
            let options = try await fixture.archive { archive in
                let handedIn = try #require(try archive.lists.list().tests.first)
                return try archive.handedIn(handedIn.id)?.2?.questionnaire.questions[0].options
            }
            #expect(options == ["Paris", "London"])
        }
    }

    @Test(
        "two authors: different questions are both saved, the same question is a conflict, and nothing typed is lost",
        arguments: DeskPlace.allCases)
    func twoAuthors(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let (first, second) = (try await fixture.key(.author).text, try await fixture.key(.teacher).text)
        try await fixture.serve { client in
            let ada = try await DeskBrowser(client, key: first, name: "Ada")
            let boris = try await DeskBrowser(client, key: second, name: "Boris")
            let draft = try await ada.draftOfExam()
            let (one, two) = (draft + "/q/q1", draft + "/q/essay")
            var borisOne = try DeskBrowser.hidden(in: try await boris.page(one))
            var borisTwo = try DeskBrowser.hidden(in: try await boris.page(two))
            _ = try DeskBrowser.location(
                try await ada.send(one, ["shown": "choice", "text": "By Ada", "o.0": "Paris", "o.1": "London"]))
            borisTwo.merge(["shown": "text", "text": "By Boris", "points": "2"]) { $1 }
            _ = try DeskBrowser.location(try await boris.post(two, borisTwo))
            borisOne.merge(["shown": "choice", "text": "Mine <i>too</i>", "o.0": "Paris", "o.1": "London"]) { $1 }
            let conflict = try await boris.post(one, borisOne)
            #expect(conflict.status == .conflict)
            #expect(conflict.text.contains("Ada") || conflict.text.contains("Boris"))
            #expect(conflict.text.contains("Mine &lt;i&gt;too"))
            let list = try await ada.page(draft)
            #expect(list.contains("By Ada") && list.contains("By Boris") && !list.contains("Mine"))
            // Chosen, it replaces the other change.
            var again = try DeskBrowser.form(one, in: conflict.text)
            again["pick.text"] = "mine"
            _ = try DeskBrowser.location(try await boris.post(one, again))
            #expect(try await ada.page(draft).contains("Mine"))
        }
    }

    @Test("undo takes back one change after the other", arguments: DeskPlace.allCases)
    func undo(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let key = try await fixture.key(.author).text
        try await fixture.serve { client in
            let browser = try await DeskBrowser(client, key: key)
            let draft = try await browser.draftOfExam()
            _ = try DeskBrowser.location(try await browser.send(draft, ["do": "delete:q1"]))
            _ = try DeskBrowser.location(try await browser.send(draft, ["do": "delete:why/not"]))
            #expect(try await !browser.page(draft).contains("Capital of France?"))
            _ = try DeskBrowser.location(try await browser.send(draft, to: draft + "/undo", [:]))
            _ = try DeskBrowser.location(try await browser.send(draft, to: draft + "/undo", [:]))
            let list = try await browser.page(draft)
            #expect(list.contains("Capital of France?") && list.contains("And why not?"))
            #expect(!list.contains(draft + "/undo"))
        }
    }

    @Test("a published questionnaire that changed meanwhile is replaced only when the author says so")
    func changedMeanwhile() async throws {
        let fixture = try DeskFixture()
        let key = try await fixture.key(.author).text
        try await fixture.serve { client in
            let browser = try await DeskBrowser(client, key: key)
            let draft = try await browser.draftOfExam()
            try fixture.replaceExam(DeskFixture.exam.replacing("Why?", with: "Why so?"))
            let refused = try await browser.send(draft + "/publish", [:])
            #expect(refused.status == .conflict)
            #expect(
                try await fixture.published()?.published.questionnaire.questions[1].text
                    == "Why so?")
            _ = try DeskBrowser.location(try await browser.send(draft + "/publish", ["replaces": "1"]))
            #expect(
                try await fixture.published()?.published.questionnaire.questions[1].text == "Why?")
        }
    }

    @Test(
        "where the host was killed before the receipt, what was published is still the draft's own",
        arguments: DeskPlace.allCases)
    func killedWhilePublishing(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let key = try await fixture.key(.author).text
        try await fixture.serve { client in
            let browser = try await DeskBrowser(client, key: key)
            let draft = try await browser.draftOfExam()
            func save(_ text: String) async throws {
                let form = ["shown": "choice", "text": text, "o.0": "Paris", "o.1": "London", "r.0": "1"]
                _ = try DeskBrowser.location(try await browser.send(draft + "/q/q1", form))
            }
            try await save("First")
            // The file is written, and nothing says for which draft.
            let document = try #require(try await fixture.drafts().first).document
            try await fixture.archive { archive in
                _ = try QuestionnaireArchive(of: archive).carryOut(
                    QuestionnaireWrite(
                        change: .random(), action: .edit, questionnaire: "exam", base: .any, policy: .client,
                        document: try DocumentCoding.encode(document)))
            }
            // A state between the two that cannot be published hides nothing.
            try await fixture.archive { [clock = fixture.clock] archive in
                let drafts = DraftStore(of: archive, clock: clock)
                let first = try #require(try drafts.all().first)
                guard case .object(var members) = first.document else {
                    throw DocumentFault(field: nil, reason: "none")
                }
                members["key"] = .object(["q1": .string("Rome")])
                let faulty = try #require(try drafts.save(first.next(.object(members)), by: nil))
                #expect(try drafts.save(faulty.next(first.document), by: nil) != nil)
            }
            try await save("Second")
            let published = try await browser.send(draft + "/publish", [:])
            #expect(published.status == .seeOther, "\(published.text)")
            #expect(try await fixture.published()?.published.questionnaire.questions[0].text == "Second")
        }
    }

    @Test("no key, a taker’s key, and a foreign form write nothing", arguments: DeskPlace.allCases)
    func rights(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let (author, taker) = (try await fixture.key(.author).text, try await fixture.key(.taker).text)
        try await fixture.serve { client in
            #expect(try await DeskBrowser(client).get("/desk/write/new").status == .unauthorized)
            await #expect(throws: DeskBrowser.NotIn.self) { try await DeskBrowser(client, key: taker) }
            let anonymous = try await DeskBrowser(client).post("/desk/write", ["title": "Mine"])
            #expect(anonymous.status == .unauthorized)
            let browser = try await DeskBrowser(client, key: author)
            let token = try #require(DeskBrowser.hidden(in: try await browser.page("/desk/write/new"))["token"])
            let foreign = try await browser.post(
                "/desk/write", ["title": "Mine", "token": token], [.origin: "https://evil.example"])
            #expect(foreign.status == .forbidden)
            #expect(try await browser.post("/desk/write", ["title": "Mine", "token": "guessed"]).status == .forbidden)
            #expect(
                try await browser.post("/desk/write", ["title": " ", "token": token]).status == .unprocessableContent)
            #expect(try await browser.get("/desk/write/" + TestID.random().description).status == .notFound)
            #expect(try await browser.get("/desk/write/../../etc").status == .notFound)
        }
        #expect(try await fixture.drafts().isEmpty)
    }

    @Test("what is not right is listed with links and cannot be published", arguments: DeskPlace.ofOneHost)
    func check(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let key = try await fixture.key(.author).text
        try await fixture.serve { client in
            let browser = try await DeskBrowser(client, key: key)
            let draft = try DeskBrowser.location(
                try await browser.send("/desk/write/new", to: "/desk/write", ["title": "New", "locale": "en"]))
            _ = try DeskBrowser.location(try await browser.send(draft, ["do": "add", "kind": "choice"]))
            let check = try await browser.page(draft + "/publish")
            #expect(check.contains("<a href=\"\(draft)/q/q1\">Question 1</a>"))
            #expect(check.contains("There is nothing to choose from: add options."))
            #expect(!check.contains("action=\"\(draft)/publish\""))
            let sent = try await browser.send(draft + "/publish", [:])
            #expect(try DeskBrowser.location(sent) == draft + "/publish")
            #expect(try await fixture.archive { try $0.catalog.refresh().entries.count } == 1)
        }
    }
}

/// A value out of a closure.
private final class Collected: @unchecked Sendable {
    // Proof: it is set before the closure returns, and read after that.
    var text = ""
}

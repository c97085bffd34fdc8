import HummingbirdTesting
import Model
import Testing

@testable import Desk
@testable import Host

@Suite("Saved comments on the desk")
struct DeskCommentTests {
    private static let list = "/desk/q/exam/comments"

    private func add(
        _ text: String, question: String = "essay", points: String = "", isForEveryone: Bool = false,
        _ browser: DeskBrowser
    ) async throws {
        var fields = ["comment": text, "question": question, "points": points]
        if isForEveryone { fields["everyone"] = "1" }
        let reply = try await browser.send(Self.list, fields)
        #expect(reply.headers[.location] == Self.list + "?saved=1", "\(reply.text)")
    }

    /// The ids of the comments that a form offers, by their words.
    private func offered(in page: String) -> [String: String] {
        let pairs = page.matches(of: #/<option value="([0-9a-f-]{36})">([^<]*)</option>/#)
            .map { (String($0.output.2), String($0.output.1)) }
        return Dictionary(pairs) { first, _ in first }
    }

    @Test(
        "a comment that was kept is chosen for the next answer, changed there, and saved with its points",
        arguments: DeskPlace.allCases)
    func queue(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let key = try await fixture.key(.teacher)
        let ids = try await fixture.deliver(["Ada", "Boris"]) { ["essay": "Text of \($0)"] }
        try await fixture.serve { client in
            let browser = try await DeskBrowser(client, key: key.text, name: "Анна")
            let queue = "/desk/q/exam/marking/essay?names=hidden"
            let first = try await browser.page(queue)
            #expect(!first.contains("name=\"pick\"") && first.contains("href=\"\(Self.list)\""))
            var form = try DeskBrowser.form("/desk/t/\(ids[0])/marks/essay?names=hidden", in: first)
            (form["points"], form["comment"], form["keep"]) = ("1", "Say <why>.\r\nAnd when.", "1")
            #expect(try await browser.post("/desk/t/\(ids[0])/marks/essay?names=hidden", form).status == .seeOther)
            let action = "/desk/t/\(ids[1])/marks/essay?names=hidden"
            let page = try await browser.page(queue)
            let pick = try #require(self.offered(in: page)["Say &lt;why&gt;. And when."], "\(page)")
            form = try DeskBrowser.form(action, in: page)
            (form["points"], form["comment"], form["do"], form["pick"]) = ("0,5", "Typed.", "insert", pick)
            let inserted = try await browser.post(action, form)
            #expect(
                inserted.status == .ok && inserted.text.contains("\nTyped.\nSay &lt;why&gt;.\nAnd when.</textarea>"))
            // It is the same screen, with what was typed, and nothing is saved.
            #expect(inserted.text.contains("value=\"0,5\"") && inserted.text.contains("Show names"))
            #expect(inserted.text.contains("dir=\"auto\" autofocus>") && !inserted.text.contains(">Boris<"))
            #expect(try await fixture.history(of: ids[1]).isEmpty)
            form = try DeskBrowser.form(action, in: inserted.text)
            (form["points"], form["comment"]) = ("0,5", "Typed. Say why.")
            #expect(try await browser.post(action, form).headers[.location] == form["back"])
            let verdict = try await fixture.handedIn(ids[1])?.receipt.evaluation?.questions[1]
            #expect(verdict?.points == 0.5 && verdict?.comment == "Typed. Say why.")
        }
    }

    @Test(
        "a line of the rubric adds its points; own comments are those of one key, the rubric is everyone’s",
        arguments: DeskPlace.allCases)
    func rubric(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let (anna, boris) = (try await fixture.key(.teacher).text, try await fixture.key(.teacher).text)
        let id = try await fixture.deliver(person: "Ada", ["essay": "So.", "why/not": "No."])
        let action = "/desk/t/\(id)/marks/essay"
        try await fixture.serve { client in
            let first = try await DeskBrowser(client, key: anna)
            try await self.add("Own", first)
            try await self.add("A reason", points: "0,5", isForEveryone: true, first)
            try await self.add("Another", points: "1", isForEveryone: true, first)
            try await self.add("Of all questions", question: "", isForEveryone: true, first)
            let second = try await DeskBrowser(client, key: boris)
            let page = try await second.page("/desk/t/\(id)")
            let offered = self.offered(in: page)
            #expect(Set(offered.keys) == ["+0.5 · A reason", "+1 · Another", "Of all questions"])
            // Twice for the essay, once for the other question.
            #expect(page.matches(of: #/<option value="[0-9a-f-]{36}">/#).count == 3 + 1 + 1)
            var form = try DeskBrowser.form(action, in: page)
            (form["do"], form["pick"], form["points"]) = ("insert", offered["+0.5 · A reason"], "")
            var reply = try await second.post(action, form)
            #expect(reply.text.contains("value=\"0.5\"") && reply.text.contains("\nA reason</textarea>"))
            form = try DeskBrowser.form(action, in: reply.text)
            (form["do"], form["pick"]) = ("insert", offered["+1 · Another"])
            (form["points"], form["comment"]) = ("0.5", "A reason")
            reply = try await second.post(action, form)
            #expect(reply.text.contains("value=\"1.5\"") && reply.text.contains("\nA reason\nAnother</textarea>"))
            // Points keep their digits, and a text that would be cut is not inserted.
            (form["points"], form["comment"]) = ("0.125", "")
            reply = try await second.post(action, form)
            #expect(reply.text.contains("value=\"1.125\""))
            form["comment"] = String(repeating: "a", count: SavedComment.longestText)
            reply = try await second.post(action, form)
            #expect(reply.text.contains("would be too long") && reply.text.contains("aaa</textarea>"))
        }
    }

    @Test(
        "points that another teacher saved meanwhile are not replaced after a comment was inserted",
        arguments: DeskPlace.allCases)
    func insertedMeanwhile(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let id = try await fixture.deliver(person: "Ada", ["essay": "So."])
        try await fixture.serve { client in
            let action = "/desk/t/\(id)/marks/essay"
            let browser = DeskBrowser(client)
            try await self.add("Own", browser)
            let page = try await browser.page("/desk/t/\(id)")
            var form = try DeskBrowser.form(action, in: page)
            (form["points"], form["comment"]) = ("1", "First")
            #expect(try await browser.post(action, form).status == .seeOther)
            form = try DeskBrowser.form(action, in: page)
            (form["do"], form["pick"]) = ("insert", self.offered(in: page)["Own"])
            let inserted = try await browser.post(action, form)
            form = try DeskBrowser.form(action, in: inserted.text)
            form["points"] = "0"
            #expect(try await browser.post(action, form).status.code == 409)
        }
    }

    @Test(
        "comments are changed and deleted; what cannot be saved says why and stays in its form",
        arguments: DeskPlace.allCases)
    func list(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        try await fixture.serve { client in
            let browser = DeskBrowser(client)
            try await self.add("First <b>", points: "-1", browser)
            var page = try await browser.page(Self.list)
            #expect(page.contains("First &lt;b&gt;</textarea>") && page.contains("value=\"−1\""))
            let id = try #require(page.firstMatch(of: /name="id" value="([^"]*)"/)).output.1
            let changed = [
                "id": String(id), "comment": "Changed", "question": "", "points": "−1", "everyone": "1",
            ]
            #expect(try await browser.send(Self.list, changed).status == .seeOther)
            page = try await browser.page(Self.list)
            #expect(
                page.contains("Changed</textarea>") && !page.contains("First") && page.contains("value=\"1\" checked"))
            for (fields, words) in [
                (["comment": " \r\n", "points": "1"], "Write a comment."),
                (["comment": "Mine", "points": "lots"], "The points are a number"),
            ] {
                let refused = try await browser.send(Self.list, fields)
                #expect(refused.status.code == 422 && refused.text.contains(words))
                #expect(refused.text.contains("value=\"\(fields["points"] ?? "")\""))
            }
            let gone = ["id": String(id), "comment": "Changed", "do": "delete"]
            #expect(try await browser.send(Self.list, gone).status == .seeOther)
            #expect(try await !browser.page(Self.list).contains("Changed"))
            #expect(try await browser.get("/desk/q/none/comments").status == .notFound)
        }
    }

    @Test(
        "a full list takes no more: the mark is saved, and that its comment was not kept is said",
        arguments: DeskPlace.allCases)
    func full(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let id = try await fixture.deliver(person: "Ada", ["essay": "So."])
        let owner = SavedComment.Owner.marker(key: nil)
        try await fixture.archive { (archive) throws in
            let store = CommentStore(files: archive.hostFiles)
            for number in 0..<CommentStore.mostComments {
                #expect(try store.save(SavedComment(text: "\(number)"), by: owner, questionnaire: "exam"))
            }
            #expect(try !store.save(SavedComment(text: "more"), by: owner, questionnaire: "exam"))
            #expect(try store.save(SavedComment(text: "7"), by: owner, questionnaire: "exam"), "it is there")
        }
        try await fixture.serve { client in
            let browser = DeskBrowser(client)
            let action = "/desk/t/\(id)/marks/essay"
            var form = try DeskBrowser.form(action, in: try await browser.page("/desk/t/\(id)"))
            (form["points"], form["comment"], form["keep"]) = ("1", "More", "1")
            let refused = try await browser.post(action, form)
            #expect(refused.status == .ok && refused.text.contains("The points are saved."))
            #expect(try await fixture.history(of: id).count == 1)
            // Sent twice.
            form["keep"] = nil
            #expect(try await browser.post(action, form).status == .seeOther)
        }
        let shown = try await fixture.archive {
            try CommentStore(files: $0.hostFiles).shown(to: owner, questionnaire: "exam")
        }
        #expect(shown.count == CommentStore.mostComments)
    }

    @Test("an author, who may not see tests, sees no comments and saves none", arguments: DeskPlace.allCases)
    func author(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let key = try await fixture.key(.author)
        try await fixture.serve { client in
            let browser = try await DeskBrowser(client, key: key.text)
            #expect(try await browser.get(Self.list).status == .forbidden)
            let token = try DeskBrowser.hidden(in: try await browser.page("/desk/"))
            let reply = try await browser.post(Self.list, token.merging(["comment": "x"]) { $1 })
            #expect(reply.status == .forbidden)
        }
    }
}

import HummingbirdTesting
import Model
import Testing

@testable import Desk
@testable import Host

@Suite("Forms of a draft that save themselves")
struct AutosaveTests {
    @Test("what one open form saves is one step to undo, and the work of another author stays")
    func coalesced() async throws {
        let fixture = try DeskFixture()
        let (first, second) = (try fixture.key(.author).text, try fixture.key(.author).text)
        try await fixture.serve { client in
            let ada = try await DeskBrowser(client, key: first, name: "Ada")
            let boris = try await DeskBrowser(client, key: second, name: "Boris")
            let draft = try await ada.draftOfExam()
            let path = draft + "/q/essay"
            var form = try DeskBrowser.hidden(in: try await ada.page(path))
            let before = form["version"]
            form["do"] = "autosave"
            form["shown"] = "text"
            form["form"] = "0123"
            func type(_ text: String) async throws {
                form["text"] = text
                let reply = try await ada.post(path, form)
                #expect(reply.status == .ok)
                #expect(Int(reply.text) != nil)
                form["version"] = reply.text
            }
            try await type("Name")
            try await type("Name it")
            let saved = try await boris.send(
                draft + "/q/q1",
                ["shown": "choice", "kind": "choice", "text": "By Boris", "o.0": "Paris", "o.1": "London"])
            #expect(saved.status == .seeOther)
            try await type("Name it now")
            #expect(try await boris.page(draft).contains("Name it now"))
            // The reply was lost: the same comes again, with the version from before.
            form["version"] = before
            #expect(try await ada.post(path, form).status == .ok)
            _ = try await ada.send(draft, to: draft + "/undo", [:])
            let page = try await ada.page(draft)
            #expect(page.contains("By Boris") && page.contains("Name it"))
            #expect(!page.contains("Name it now"))
            // One step more is that of the other author, and one more the typing before it.
            for _ in 1...2 { _ = try await ada.send(draft, to: draft + "/undo", [:]) }
            let start = try await ada.page(draft)
            #expect(!start.contains("By Boris") && !start.contains("Name it"))
        }
    }

    @Test("a question that another author changed meanwhile is not saved over")
    func conflict() async throws {
        let fixture = try DeskFixture()
        let (first, second) = (try fixture.key(.author).text, try fixture.key(.author).text)
        try await fixture.serve { client in
            let ada = try await DeskBrowser(client, key: first, name: "Ada")
            let boris = try await DeskBrowser(client, key: second, name: "Boris")
            let draft = try await ada.draftOfExam()
            let path = draft + "/q/essay"
            var form = try DeskBrowser.hidden(in: try await ada.page(path))
            _ = try await boris.send(path, ["shown": "text", "text": "By Boris"])
            form["do"] = "autosave"
            form["shown"] = "text"
            form["form"] = "0123"
            form["text"] = "By Ada"
            #expect(try await ada.post(path, form).status == .conflict)
            #expect(try await ada.page(draft).contains("By Boris"))
        }
    }

    @Test("however often a form saves itself, undoing returns to what was before it was opened")
    func kept() throws {
        let fixture = try DeskFixture()
        try fixture.withServices { services in
            let drafts = services.drafts
            func document(_ title: String) -> JSONValue { .object(["title": .string(title)]) }
            var draft = AuthorDraft(of: document(""), id: .random())
            for title in ["first", "second"] {
                draft = try #require(try drafts.save(draft.next(document(title)), by: nil))
            }
            for number in 1...(DraftStore.keptStates + 20) {
                draft = try #require(try drafts.save(draft.next(document("\(number)"), by: "form"), by: nil))
            }
            #expect(draft.previous == 2)
            let second = try #require(try drafts.state(2, of: draft.id))
            #expect(second.document == document("second"))
            #expect(try drafts.state(second.previous ?? 0, of: draft.id)?.document == document("first"))
            #expect(try drafts.versions(of: draft.id).count == DraftStore.keptStates + 2)
        }
    }
}

import Model
import OutboxStore
import Quire
import Simulation
import SystemPackage
import Testing

@testable import Web

@Suite("Questionnaires that are written on the page")
struct WritingPageTests {
    /// Makes a draft with one question, and gives the draft's address.
    private static func write(_ title: String, _ browser: Browser) async throws -> String {
        let draft = try await browser.post("/write", [("title", title), ("locale", "en")]).location
        let added = try await browser.post(draft, [("version", "1"), ("do", "add"), ("kind", "choice")]).location
        let question = String(added.prefix { $0 != "?" })
        let saved = try await browser.post(
            question,
            [
                ("version", "2"), ("do", "done"), ("shown", "choice"), ("kind", "choice"), ("text", "Where to?"),
                ("o.0", "Lake"), ("w.0", ""), ("o.1", "Sea"), ("w.1", ""),
            ])
        #expect(saved.status == .seeOther && saved.location.hasPrefix(draft))
        return draft
    }

    @Test("offline, from nothing to a change that waits; it can be taken at once")
    func writing() async throws {
        let fixture = try await PageFixture()
        let store = fixture.store
        try await fixture.serve(isOnline: false) { browser, _ in
            #expect(try await browser.get("/").text.contains("href=\"/write\""))
            let draft = try await Self.write("The stream", browser)
            let list = try await browser.get("/write").text
            #expect(list.contains("The stream") && list.contains("Draft, not published"))
            // Published only from its own form.
            #expect(
                try await browser.post(draft + "/publish", [("version", "3")], withToken: false).status == .forbidden)
            #expect(try store.outbox.changes(.questionnaire).isEmpty)
            #expect(try await browser.post(draft + "/publish", [("version", "3")]).location == "/write")
            let change = try #require(try store.outbox.changes(.questionnaire).first)
            #expect(change.change.action == .create && change.change.title == "The stream")
            let published = try await browser.get("/write").text
            for words in ["The stream", "Created here", "Published on this device."] {
                #expect(published.contains(words), "\(words)")
            }
            #expect(!published.contains("Draft, not published"))
            let id = change.change.questionnaire
            #expect(try await browser.get("/q/\(id)").text.contains("Where to?") == false)
            #expect(try await browser.post("/q/\(id)/begin").location.hasPrefix("/t/"))
            // The draft is gone, and says so.
            #expect(try await browser.get(draft).status == .notFound)
        }
    }

    @Test("a draft is there after the page was ended, and is continued")
    func restart() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve(isOnline: false) { browser, _ in _ = try await Self.write("The stream", browser) }
        try await fixture.serve(isOnline: false) { browser, _ in
            let list = try await browser.get("/write").text
            #expect(list.contains("Continue the draft"))
            let draft = try #require(try fixture.store.authoring.drafts().all().first)
            #expect(try await browser.get("/write/\(draft.id)").text.contains("Where to?"))
            // Undo, as at the desk.
            #expect(try await browser.post("/write/\(draft.id)/undo", [("version", "3")]).status == .seeOther)
            #expect(try await browser.get("/write/\(draft.id)").text.contains("Without a text"))
        }
    }

    @Test("a draft's file that was damaged is named, and hides no other draft")
    func damaged() async throws {
        let fixture = try await PageFixture()
        let store = fixture.store
        try await fixture.serve(isOnline: false) { browser, _ in
            let first = try await Self.write("The stream", browser)
            _ = try await Self.write("The lake", browser)
            let file = FilePath(String("writing" + first.dropFirst("/write".count) + "/3.json"))
            try store.fileSystem.writeDurably(Array("{".utf8), to: file, temporaryFolder: "outbox/tmp")
            let list = try await browser.get("/write").text
            #expect(list.contains("The lake") && list.contains("3.json is damaged"), "\(list)")
        }
    }

    @Test("versions that were published here are listed with what each changed, and one becomes a draft")
    func versions() async throws {
        let fixture = try await PageFixture()
        let store = fixture.store
        try await fixture.serve(isOnline: false) { browser, _ in
            let first = try await Self.write("The stream", browser)
            _ = try await browser.post(first + "/publish", [("version", "3")])
            let id = try #require(try store.outbox.changes(.questionnaire).first).change.questionnaire
            let edit = try await browser.post("/write/of", [("questionnaire", id)]).location
            _ = try await browser.post(
                edit + "/settings", [("version", "1"), ("title", "The river"), ("locale", "en"), ("markdown", "1")])
            #expect(try await browser.get(edit + "/publish").text.contains("href=\"/write/of/\(id)\""))
            _ = try await browser.post(edit + "/publish", [("version", "2")])
            #expect(try await browser.get("/write").text.contains("href=\"/write/of/\(id)\""))
            let list = try await browser.get("/write/of/\(id)").text
            let links = list.matches(of: /href="(\/write\/of\/[^"\/]+\/[0-9a-f-]{36})"/).map { String($0.output.1) }
            #expect(links.count == 2 && list.contains("here now"))
            let old = try await browser.get(try #require(links.last)).text
            #expect(old.contains("This is the oldest version on this device.") && old.contains("The river"))
            let taken = try await browser.post(try #require(links.last), []).location
            #expect(taken.hasSuffix("?said=versiontaken"))
            #expect(try await browser.get(taken).text.contains("The stream"))
            // Nothing is published by it.
            #expect(try store.outbox.changes(.questionnaire).count == 2)
            #expect(try await browser.get("/write/of/\(id)/nothing").status == .notFound)
            #expect(try await browser.get("/write/of/nothing").status == .notFound)
            #expect(try await browser.post(try #require(links.last), [], withToken: false).status == .forbidden)
        }
    }

    @Test("it is edited from the list and from its own screen, and deleted")
    func editing() async throws {
        let fixture = try await PageFixture()
        let store = fixture.store
        try await fixture.serve(isOnline: false) { browser, _ in
            let draft = try await Self.write("The stream", browser)
            _ = try await browser.post(draft + "/publish", [("version", "3")])
            let id = try #require(try store.outbox.changes(.questionnaire).first).change.questionnaire
            #expect(try await browser.get("/q/\(id)").text.contains("action=\"/write/of\""))
            // What others published is not written here.
            #expect(try await !browser.get("/q/capitals").text.contains("/write/of"))
            let edit = try await browser.post("/write/of", [("questionnaire", id)]).location
            // Pressed twice it is the same draft.
            #expect(try await browser.post("/write/of", [("questionnaire", id)]).location == edit)
            _ = try await browser.post(
                edit + "/settings", [("version", "1"), ("title", "The river"), ("locale", "en"), ("markdown", "1")])
            #expect(try await browser.get(edit + "/publish").text.contains("What is different"))
            _ = try await browser.post(edit + "/publish", [("version", "2")])
            #expect(try store.outbox.changes(.questionnaire).map(\.change.action) == [.create, .edit])
            #expect(try store.library().contains { $0.title == "The river" })
            // Of a version that the person did not see nothing is deleted.
            _ = try await browser.post("/write/delete", [("questionnaire", id), ("version", "other")])
            #expect(try await browser.get("/write").text.contains("It was changed meanwhile, so nothing was deleted"))
            let version = try #require(try store.documents.openHere(id: id)).digest.description
            #expect(try await browser.get("/write").text.contains("name=\"version\" value=\"\(version)\""))
            let deleted = try await browser.post("/write/delete", [("questionnaire", id), ("version", version)])
            #expect(deleted.location == "/write")
            #expect(try await browser.get("/write").text.contains("Deleted. No server had it."))
            #expect(try store.outbox.changes(.questionnaire).isEmpty)
        }
    }

    @Test("a conflict stands in the list with both versions and the choices")
    func conflict() async throws {
        let fixture = try await PageFixture()
        let (store, remote) = (fixture.store, fixture.remote)
        let opened = try await store.open(id: "capitals", remote: remote, isOffline: true)
        try store.edit(opened, to: Array(#"{"id": "capitals", "title": "Mine", "questions": []}"#.utf8))
        remote.publish("capitals", #"{"id": "capitals", "title": "Theirs", "questions": []}"#)
        _ = try await store.sweeper(remote).sweep()
        remote.setPresence(.away("no route"))
        try await fixture.serve(isOnline: false) { browser, _ in
            let page = try await browser.get("/write").text
            for word in ["Mine", "Theirs", "Keep mine", "Take the server’s", "Keep both"] {
                #expect(page.contains(word), "\(word)")
            }
        }
    }

    @Test("an address that no screen has is not found")
    func addresses() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve(isOnline: false) { browser, _ in
            for path in ["/write/nothing", "/write/\(TestID.random())", "/write/of/capitals", "/write/new/more"] {
                let status = try await browser.get(path).status
                #expect(status == .notFound, "\(path)")
            }
            let unknown = try await browser.post("/write/of", [("questionnaire", "unknown")])
            #expect(unknown.status == .notFound)
            let untitled = try await browser.post("/write", [("title", " ")]).text
            #expect(untitled.contains("Give the questionnaire a title."))
        }
    }
}

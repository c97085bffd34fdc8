import Model
import OutboxStore
import Quire
import Simulation
import Testing

@testable import Web

@Suite("Changed questionnaires on the page")
struct ChangePageTests {
    @Test("a favourite set offline is sent exactly once")
    func favorite() async throws {
        let fixture = try await PageFixture()
        let store = fixture.store
        try await fixture.serve { browser, _ in
            for _ in 1...2 { _ = try await browser.post("/q/capitals/favorite", [("on", "1")]) }
            #expect(try store.marks.ids(.favorite) == ["capitals"])
            let changes = try store.outbox.changes(.favorite)
            #expect(changes.map(\.change.questionnaire) == ["capitals"])
            let outbox = try await browser.get("/outbox").text
            #expect(outbox.contains("Made a favourite") || changes.allSatisfy { $0.item.status.isDelivered })
        }
    }

    @Test(
        "what was changed here and on the server is shown field by field, and the person decides",
        arguments: [("mine", 1), ("theirs", 0), ("both", 1)])
    func conflict(_ choice: String, _ waiting: Int) async throws {
        let fixture = try await PageFixture()
        let (store, remote) = (fixture.store, fixture.remote)
        let opened = try await store.open(id: "capitals", remote: remote, isOffline: true)
        let change = try store.edit(
            opened, to: Array(#"{"id": "capitals", "title": "Mine <b>", "questions": []}"#.utf8))
        remote.publish("capitals", #"{"id": "capitals", "title": "Theirs", "questions": []}"#)
        _ = try await store.sweeper(remote).sweep()
        #expect(try store.conflicts().map(\.id) == [change.item.id])
        remote.setPresence(.away("no route"))
        try await fixture.serve { browser, _ in
            let page = try await browser.get("/outbox").text
            for word in ["Your changes", "Edited here", "Mine &lt;b&gt;", "Theirs", "Keep mine", "Keep both"] {
                #expect(page.contains(word), "\(word)")
            }
            #expect(!page.contains("Mine <b>"))
            for _ in 1...2 {
                let answer = try await browser.post("/c/\(change.item.id)/\(choice)")
                #expect(answer.status == .seeOther && answer.location == "/outbox")
            }
            #expect(try store.conflicts().isEmpty)
            #expect(try store.outbox.changes(.questionnaire).count == waiting)
            #expect(try await browser.post("/c/\(change.item.id)/nonsense").status == .notFound)
        }
    }

    @Test("a deletion that met another version is not offered to be kept beside it")
    func deletion() async throws {
        let fixture = try await PageFixture()
        let (store, remote) = (fixture.store, fixture.remote)
        try store.delete(try await store.open(id: "capitals", remote: remote, isOffline: true))
        remote.publish("capitals", #"{"id": "capitals", "title": "Theirs", "questions": []}"#)
        _ = try await store.sweeper(remote).sweep()
        remote.setPresence(.away("no route"))
        try await fixture.serve { browser, _ in
            let page = try await browser.get("/outbox").text
            #expect(page.contains("Keep mine") && page.contains("Take the server’s") && !page.contains("Keep both"))
        }
    }
}

import AuthorDrafts
import HummingbirdTesting
import Model
import Testing

@testable import Authoring
@testable import Desk
@testable import Host

@Suite("What another author saves meanwhile does not go with a draft")
struct DraftConflictTests {
    @Test("a draft is discarded only as its author saw it", arguments: DeskPlace.ofOneHost)
    func discard(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let (first, second) = (try await fixture.key(.author).text, try await fixture.key(.author).text)
        try await fixture.serve { client in
            let (ada, boris) = (
                try await DeskBrowser(client, key: first, name: "Ada"),
                try await DeskBrowser(client, key: second, name: "Boris")
            )
            let draft = try await ada.draftOfExam()
            let seen = try DeskBrowser.form(draft + "/discard", in: try await ada.page(draft + "/publish"))
            let saved = try await boris.send(
                draft + "/q/essay", ["shown": "text", "text": "By Boris", "points": "2"])
            #expect(saved.status == .seeOther)
            let refused = try await ada.post(draft + "/discard", seen)
            #expect(refused.headers[.location] == draft + "/publish?said=changed")
            let page = try await ada.page(draft + "/publish?said=changed")
            #expect(page.contains("Someone else changed this questionnaire meanwhile."))
            #expect(try await boris.page(draft).contains("By Boris"))
            var unversioned = seen
            unversioned["version"] = nil
            _ = try await ada.post(draft + "/discard", unversioned)
            #expect(try await fixture.drafts().count == 1)
            let again = try DeskBrowser.form(draft + "/discard", in: page)
            #expect(try await ada.post(draft + "/discard", again).headers[.location] == "/desk/")
            #expect(try await fixture.drafts().isEmpty)
        }
    }

    @Test(
        "publishing a state that another one was saved after publishes and removes nothing",
        arguments: DeskPlace.ofOneHost)
    func publish(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        try await fixture.withServices { services in
            let original = try #require(try services.original("exam"))
            var draft = DraftDocument(try DocumentCoding.decode(JSONValue.self, from: original.bytes))
            draft.members["title"] = .string("New")
            let document = draft.json
            let made = AuthorDraft(of: document, id: .random(), questionnaire: "exam", base: original.digest)
            let first = try #require(try services.drafts.save(made.next(document), by: "Ada"))
            let second = try #require(try services.drafts.save(first.next(document), by: "Boris"))
            guard case .savedMeanwhile = try services.publish(first, by: "Ada") else {
                Issue.record("it was published")
                return
            }
            #expect(try !services.drafts.remove(first))
            #expect(try services.drafts.latest(made.id)?.version == second.version)
            #expect(try services.original("exam")?.digest == original.digest)
            guard case .published = try services.publish(second, by: "Boris") else {
                Issue.record("it was not published")
                return
            }
            #expect(try services.drafts.latest(made.id) == nil)
            // The draft is gone: published again it changes nothing.
            guard case .savedMeanwhile = try services.publish(second, by: "Boris") else {
                Issue.record("it was published twice")
                return
            }
            #expect(try services.drafts.save(second.next(document), by: "Ada") == nil)
        }
    }

    @Test(
        "a draft that a killed host left behind after publishing is written on, and published once more",
        arguments: DeskPlace.ofOneHost)
    func leftBehind(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        try await fixture.withServices { services in
            let original = try #require(try services.original("exam"))
            var document = DraftDocument(try DocumentCoding.decode(JSONValue.self, from: original.bytes))
            document.members["title"] = .string("New")
            let made = AuthorDraft(of: document.json, id: .random(), questionnaire: "exam", base: original.digest)
            let first = try #require(try services.drafts.save(made.next(document.json), by: "Ada"))
            guard case .published = try services.publish(first, by: "Ada") else {
                Issue.record("it was not published")
                return
            }
            // The same draft as it would be there without the last step.
            var left = made
            left.id = .random()
            let found = try #require(try services.drafts.save(left.next(document.json), by: "Ada"))
            document.members["title"] = .string("Newer")
            let second = try #require(try services.drafts.save(found.next(document.json), by: "Ada"))
            guard case .published = try services.publish(second, by: "Ada") else {
                Issue.record("its own earlier state kept it from being published")
                return
            }
            #expect(try services.archive.catalog.document(id: "exam")?.published.questionnaire.title == "Newer")
        }
    }
}

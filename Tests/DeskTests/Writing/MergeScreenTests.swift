import AuthorDrafts
import HummingbirdTesting
import Model
import Testing

@testable import Authoring
@testable import Desk
@testable import Host

@Suite("A form that is saved over another author's change")
struct MergeScreenTests {
    /// Two authors who look at the same draft of the exam.
    private func authors(
        _ place: DeskPlace,
        _ body: @Sendable (DeskFixture, _ ada: DeskBrowser, _ boris: DeskBrowser, _ draft: String) async throws -> Void
    ) async throws {
        let fixture = try DeskFixture(place)
        let (first, second) = (try await fixture.key(.author).text, try await fixture.key(.author).text)
        try await fixture.serve { client in
            let ada = try await DeskBrowser(client, key: first, name: "Ada")
            let boris = try await DeskBrowser(client, key: second, name: "Boris")
            try await body(fixture, ada, boris, try await ada.draftOfExam())
        }
    }

    private func saved(_ fixture: DeskFixture) async throws -> DraftDocument {
        DraftDocument(try #require(try await fixture.drafts().first).document)
    }

    private let form = ["shown": "text", "text": "Why?", "points": "2", "do": "save"]

    @Test(
        "fields that one of both changed are saved together, and the page says so",
        arguments: DeskPlace.allCases)
    func apart(_ place: DeskPlace) async throws {
        try await authors(place) { fixture, ada, boris, draft in
            let essay = draft + "/q/essay"
            let seen = try DeskBrowser.hidden(in: try await ada.page(essay))
            _ = try await boris.send(essay, form.merging(["text": "Why so?"]) { $1 })
            let reply = try await ada.post(
                essay, seen.merging(form) { $1 }.merging(["points": "5", "hint": "H"]) { $1 })
            #expect(try DeskBrowser.location(reply) == essay + "?said=merged")
            #expect(try await ada.page(essay + "?said=merged").contains("both changes are in the questionnaire"))
            let question = try #require(try await saved(fixture).question("essay"))
            #expect(question.text == "Why so?" && question.members.number("points") == "5")
            #expect(question.members["hint"]?.text == "H")
        }
    }

    @Test(
        "fields that both changed are shown side by side; each choice counts, and without one they are shown again",
        arguments: DeskPlace.allCases)
    func together(_ place: DeskPlace) async throws {
        try await authors(place) { fixture, ada, boris, draft in
            let essay = draft + "/q/essay"
            let seen = try DeskBrowser.hidden(in: try await ada.page(essay))
            _ = try await boris.send(essay, form.merging(["text": "By <Boris>", "hint": "B", "points": "3"]) { $1 })
            let typed = form.merging(["text": "By \"Ada\"", "hint": "A", "explanation": "E"]) { $1 }
            let conflict = try await ada.post(essay, seen.merging(typed) { $1 })
            #expect(conflict.status == .conflict)
            for words in [
                "changed 2 fields at once", "Change by Boris", "My change", "Before", "By &lt;Boris&gt;",
                "name=\"pick.text\" value=\"mine\" required", "name=\"pick.hint\" value=\"theirs\" required",
            ] {
                #expect(conflict.text.contains(words), "\(words)")
            }
            #expect(!conflict.text.contains("pick.points") && !conflict.text.contains("pick.explanation"))
            let again = try DeskBrowser.form(essay, in: conflict.text)
            #expect(again["text"] == "By \"Ada\"" && again["version"] == seen["version"])
            // One is missing, or is none of both.
            for picks in [["pick.text": "mine"], ["pick.text": "mine", "pick.hint": "both"]] {
                let more = try await ada.post(essay, again.merging(picks) { $1 })
                #expect(more.status == .conflict && more.text.contains("changed 1 field at once"))
                #expect(try await saved(fixture).question("essay")?.text == "By <Boris>")
            }
            let done = try await ada.post(essay, again.merging(["pick.text": "mine", "pick.hint": "theirs"]) { $1 })
            #expect(try DeskBrowser.location(done) == essay + "?said=merged")
            let question = try #require(try await saved(fixture).question("essay"))
            #expect(question.text == "By \"Ada\"" && question.members["hint"]?.text == "B")
            #expect(question.members.number("points") == "3")
            #expect(try await saved(fixture).key(of: "essay")["explanation"]?.text == "E")
        }
    }

    @Test(
        "a choice is one between what was shown: a later change of that field is shown first",
        arguments: DeskPlace.allCases)
    func later(_ place: DeskPlace) async throws {
        try await authors(place) { fixture, ada, boris, draft in
            let essay = draft + "/q/essay"
            let seen = try DeskBrowser.hidden(in: try await ada.page(essay))
            _ = try await boris.send(essay, form.merging(["text": "First"]) { $1 })
            let conflict = try await ada.post(essay, seen.merging(form) { $1 }.merging(["text": "Ada's"]) { $1 })
            let again = try DeskBrowser.form(essay, in: conflict.text)
            _ = try await boris.send(essay, form.merging(["text": "Second"]) { $1 })
            let second = try await ada.post(essay, again.merging(["pick.text": "mine"]) { $1 })
            #expect(second.status == .conflict && second.text.contains("Second"))
            #expect(try await saved(fixture).question("essay")?.text == "Second")
            let last = try DeskBrowser.form(essay, in: second.text).merging(["pick.text": "mine"]) { $1 }
            _ = try DeskBrowser.location(try await ada.post(essay, last))
            #expect(try await saved(fixture).question("essay")?.text == "Ada's")
        }
    }

    @Test(
        "what was typed into a question or a section that is deleted meanwhile is kept, if its author says so",
        arguments: DeskPlace.allCases)
    func deleted(_ place: DeskPlace) async throws {
        try await authors(place) { fixture, ada, boris, draft in
            let essay = draft + "/q/essay"
            for side in ["theirs", "mine"] {
                let seen = try DeskBrowser.hidden(in: try await ada.page(essay))
                _ = try DeskBrowser.location(try await boris.send(draft, ["do": "delete:essay"]))
                let typed = seen.merging(form) { $1 }.merging(["text": "Still wanted?"]) { $1 }
                let conflict = try await ada.post(essay, typed)
                #expect(conflict.status == .conflict && conflict.text.contains("It was deleted."))
                #expect(conflict.text.contains("Still wanted?"))
                let again = try DeskBrowser.form(essay, in: conflict.text)
                _ = try DeskBrowser.location(
                    try await ada.post(essay, again.merging(["pick.wholequestion": side]) { $1 }))
                let document = try await saved(fixture)
                #expect((document.question("essay") == nil) == (side == "theirs"))
                if side == "theirs" {
                    _ = try DeskBrowser.location(try await boris.send(draft, to: draft + "/undo", [:]))
                } else {
                    #expect(document.question("essay")?.text == "Still wanted?")
                    #expect(document.questions.map(\.id) == ["q1", "essay", "why/not"], "in its place")
                }
            }
            _ = try DeskBrowser.location(try await boris.send(draft, ["do": "addsection", "title": "Part"]))
            let part = draft + "/s/s1"
            let seen = try DeskBrowser.hidden(in: try await ada.page(part))
            _ = try DeskBrowser.location(try await boris.send(part, ["do": "remove"]))
            let conflict = try await ada.post(part, seen.merging(["title": "Part", "text": "A passage"]) { $1 })
            #expect(conflict.status == .conflict)
            let again = try DeskBrowser.form(part, in: conflict.text).merging(["pick.wholesection": "mine"]) { $1 }
            _ = try DeskBrowser.location(try await ada.post(part, again))
            #expect(try await saved(fixture).section("s1")?.members["text"]?.text == "A passage")
        }
    }

    @Test(
        "settings and sections meet field by field, too, in both languages",
        arguments: DeskPlace.allCases)
    func settings(_ place: DeskPlace) async throws {
        try await authors(place) { fixture, ada, boris, draft in
            let path = draft + "/settings"
            let seen = try DeskBrowser.hidden(in: try await ada.page(path))
            let fields = ["title": "Экзамен", "late": "accept", "subject": "", "tags": "", "level": ""]
            _ = try await boris.send(path, fields.merging(["attempts": "2", "late": "mark"]) { $1 })
            let mine = seen.merging(fields) { $1 }.merging(["description": "D", "late": "refuse"]) { $1 }
            let conflict = try await ada.post(path, mine)
            #expect(conflict.status == .conflict && conflict.text.contains("is accepted and marked as late"))
            #expect(conflict.text.contains("is refused") && !conflict.text.contains("pick.attempts"))
            let russian = try await ada.post(path, mine, [.acceptLanguage: "ru"])
            #expect(russian.text.contains("одновременно изменили 1 поле") && russian.text.contains("Правка: Boris"))
            let again = try DeskBrowser.form(path, in: conflict.text).merging(["pick.late": "mine"]) { $1 }
            #expect(try DeskBrowser.location(try await ada.post(path, again)).hasPrefix(path + "?said=merged"))
            let document = try await saved(fixture)
            #expect(document.members["description"]?.text == "D")
            let availability = document.members["availability"]?.members ?? [:]
            #expect(availability.number("attempts") == "2" && availability["late"]?.text == "refuse")
        }
    }
}

import Disk
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Model
import NIOCore
import ServedApplication
import Simulation
import Testing

@testable import Host

private struct CurrentVersion: Decodable {
    var type: String
    var current: Publication?
}

private struct ChangePage: Decodable {
    struct Change: Decodable {
        var sequence: Int
        var kind: String
        var questionnaire: Publication
    }
    var register: String
    var last: Int
    var changes: [Change]
    var hasMore: Bool
}

@Suite("What devices change")
struct WriteTests {
    private func version(_ title: String) -> String {
        questionnaireJSON(id: "whatever", title: title, members: ", \"x-mine\": 1.50")
    }

    @Test(
        "a questionnaire is created once, however often it is sent, and gets an id of the server's",
        arguments: Way.allCases, DataPlace.allCases)
    func create(_ way: Way, _ place: DataPlace) async throws {
        let host = try HostFixture(place)
        let (local, change) = (TestID.random(), TestID.random())
        try await host.serve(way) { client in
            let first = try await client.create(local, version("Spring"), change: change)
            #expect(first.status == .created)
            let receipt = try first.receipt()
            #expect(receipt.test == change && receipt.action == .create && receipt.status == .sent)
            let published = try #require(receipt.published)
            #expect(published.id == "spring-1" && published.localId == local.description && published.sequence == 1)
            #expect(first.headers[.location] == "/v1/questionnaires/spring-1")

            let again = try await client.create(local, version("Spring"), change: change)
            #expect(again.status == .ok)
            #expect(again.bytes == first.bytes)

            // It is found under both ids, and unknown members survive to the letter.
            for id in ["spring-1", local.description] {
                let document = try await client.get("/v1/questionnaires/\(id)")
                #expect(document.headers[.eTag] == published.etag)
                #expect(document.text.contains("\"x-mine\": 1.50"))
                #expect(try Questionnaire(json: document.bytes).id == "spring-1")
            }
            let other = try await client.create(local, version("Summer"), change: change)
            #expect(other.status == .conflict)
            // Another change that would make the same thing again finds it made.
            #expect(try await client.create(local, version("Summer")).status == .preconditionFailed)
        }
        #expect(try await host.published() == ["spring-1.json"])
    }

    @Test(
        "a change of the key alone leaves the version; a change of a word beside it makes another one",
        arguments: DataPlace.allCases)
    func keyAlone(_ place: DataPlace) async throws {
        let host = try HostFixture(place)
        @Sendable func document(_ title: String, right: String) -> String {
            #"{"id": "keyed", "title": "\#(title)", "questions": [{"id": "q", "text": "?", "options": ["a", "b"]}], "#
                + #""answerKey": {"q": "\#(right)"}}"#
        }
        // Written by hand: in another form than the change is sent in.
        try host.publish(
            "keyed.json",
            #"{"answerKey": {"q": "a"}, "title":"Keyed",  "id":"keyed", "updatedAt": "2026-01-01T00:00:00Z",\#n"#
                + #" "questions":[{"text":"?","id":"q","options":["a","b"]}] }"#)
        try await host.serve { client in
            let former = try await client.get("/v1/questionnaires/keyed")
            var tag = try #require(former.headers[.eTag])
            for (title, right, isSame) in [("Keyed", "b", true), ("Keyed", "b", true), ("Other", "a", false)] {
                let reply = try await client.put(
                    "/v1/questionnaires/keyed", Array(document(title, right: right).utf8),
                    try changeFields(.random(), ifMatch: tag))
                #expect(reply.status == .ok, "\(reply.text)")
                let now = try await client.get("/v1/questionnaires/keyed")
                #expect((now.headers[.eTag] == tag) == isSame && (now.bytes == former.bytes) == isSame)
                let file = try await host.file("keyed.json")
                #expect(try AnswerKey(json: file) == AnswerKey(json: Array(document(title, right: right).utf8)))
                tag = try #require(now.headers[.eTag])
            }
        }
    }

    @Test("the reply that was lost, and the receipt with it, leave one questionnaire and no conflict")
    func lostReceipt() async throws {
        let host = try HostFixture()
        try host.publish("colours.json", coloursJSON)
        let (local, change, edit) = (TestID.random(), TestID.random(), TestID.random())
        try await host.serve { client in
            let made = try await client.create(local, version("Spring"), change: change).receipt()
            let before = try await client.get("/v1/questionnaires/colours").headers[.eTag]
            let fields = try changeFields(edit, ifMatch: before)
            let body = Array(version("Colours again").utf8)
            #expect(try await client.put("/v1/questionnaires/colours", body, fields).status == .ok)
            // Killed between the questionnaire and its receipt.
            for id in [change, edit] { try host.remove(host.data.appending("receipts/\(id).receipt.json")) }
            host.clock.advance(by: .seconds(5))
            let again = try await client.create(local, version("Spring"), change: change)
            #expect(try again.receipt().published == made.published)
            #expect(try await client.put("/v1/questionnaires/colours", body, fields).status == .ok)
        }
        #expect(try await host.published() == ["colours.json", "spring-2.json"])
    }

    @Test(
        "an edit needs the version that it is based on, keeps the key, and keeps what it replaced",
        arguments: DataPlace.allCases)
    func edit(_ place: DataPlace) async throws {
        let host = try HostFixture(place)
        try host.publish("colours.json", coloursJSON)
        try await host.serve { client in
            let tag = try #require(try await client.get("/v1/questionnaires/colours").headers[.eTag])
            let text = coloursPublished.replacing("Four questions.", with: "Five questions.")
            let without = try await client.put(
                "/v1/questionnaires/colours", Array(text.utf8), try changeFields(.random()))
            #expect(without.status == .preconditionRequired)
            let edited = try await client.put(
                "/v1/questionnaires/colours", Array(text.utf8), try changeFields(.random(), ifMatch: tag))
            #expect(edited.status == .ok)
            let published = try #require(try edited.receipt().published)
            #expect(published.etag != tag && published.sequence == 2)
            #expect(edited.headers[.eTag] == published.etag)
            let document = try await client.get("/v1/questionnaires/colours")
            #expect(document.text.contains("Five questions.") && !document.text.contains("answerKey"))

            let late = try await client.put(
                "/v1/questionnaires/colours", Array(text.utf8), try changeFields(.random(), ifMatch: tag))
            #expect(late.status == .ok, "the same content is the same version")
            let other = try await client.put(
                "/v1/questionnaires/colours", Array(version("Other").utf8), try changeFields(.random(), ifMatch: tag))
            #expect(other.status == .preconditionFailed)
            let current: CurrentVersion = try other.decoded()
            #expect(current.type == "urn:quire:problem:version-mismatch")
            #expect(current.current?.etag == published.etag && current.current?.updatedAt != nil)
        }
        let file = String(decoding: try await host.file("colours.json"), as: UTF8.self)
        #expect(file.contains("\"answerKey\": {\"sky\": \"Blue\"") && file.contains("multiAnswerKey"))
        // A bucket's log has all versions.
        if place == .bucket { return }
        let former = try host.names(host.data.appending("former"))
        #expect(former.count == 1)
        #expect(
            try host.bytes(host.data.appending("former").appending(former.first ?? "")) == Array(coloursJSON.utf8))
    }

    @Test("a deletion leaves a tombstone, is done once, and a later edit learns of it", arguments: DataPlace.allCases)
    func delete(_ place: DataPlace) async throws {
        let host = try HostFixture(place)
        try host.publish("colours.json", coloursJSON)
        let change = TestID.random()
        try await host.serve { client in
            let tag = try #require(try await client.get("/v1/questionnaires/colours").headers[.eTag])
            let early = try await client.delete(
                "/v1/questionnaires/colours", try changeFields(.random(), ifMatch: "\"old\""))
            #expect(early.status == .preconditionFailed)
            for _ in 0..<2 {
                let gone = try await client.delete("/v1/questionnaires/colours", try changeFields(change, ifMatch: tag))
                #expect(gone.status == .ok)
                #expect(try gone.receipt().published?.deleted == true)
            }
            #expect(try await client.get("/v1/questionnaires/colours").status == .notFound)
            // Another client wanted the same.
            let second = try await client.delete(
                "/v1/questionnaires/colours", try changeFields(.random(), ifMatch: tag))
            #expect(second.status == .ok)
            let edit = try await client.put(
                "/v1/questionnaires/colours", Array(version("Late").utf8), try changeFields(.random(), ifMatch: tag))
            #expect(edit.status == .preconditionFailed)
            let problem: CurrentVersion = try edit.decoded()
            #expect(problem.type == "urn:quire:problem:deleted" && problem.current?.deleted == true)
            // Unless its policy is to win: then the questionnaire exists again, under its id.
            let back = try await client.put(
                "/v1/questionnaires/colours", Array(version("Back").utf8),
                try changeFields(.random(), ifMatch: tag, policy: .client))
            #expect(try back.receipt().published?.id == "colours" && back.receipt().outcome == .replaced)
            let never = try await client.delete("/v1/questionnaires/never", try changeFields(.random(), ifMatch: "*"))
            #expect(never.status == .notFound)
        }
        #expect(try await host.published() == ["colours.json"])
    }

    @Test("each rule for conflicts does what it says, once", arguments: ConflictPolicy.allCases, DataPlace.allCases)
    func policies(_ policy: ConflictPolicy, _ place: DataPlace) async throws {
        let host = try HostFixture(place)
        try host.publish("colours.json", coloursJSON)
        let change = TestID.random()
        try await host.serve { client in
            let fields = try changeFields(change, ifMatch: "\"\(String(repeating: "0", count: 64))\"", policy: policy)
            var replies: [TestResponse] = []
            for _ in 0..<2 {
                replies.append(
                    try await client.put("/v1/questionnaires/colours", Array(version("Mine").utf8), fields))
            }
            let now = try Questionnaire(json: try await client.get("/v1/questionnaires/colours").bytes).title
            switch policy {
            case .ask:
                #expect(replies.allSatisfy { $0.status == .preconditionFailed })
                #expect(now == "Цвета")
            case .client:
                #expect(try replies.map { try $0.receipt().outcome } == [.replaced, .replaced])
                #expect(now == "Mine")
            case .server:
                #expect(try replies.map { try $0.receipt().outcome } == [.dropped, .dropped])
                #expect(now == "Цвета")
            case .duplicate:
                #expect(try replies.map { try $0.receipt().published?.id } == ["mine-2", "mine-2"])
                #expect(now == "Цвета")
            }
        }
        #expect(try await host.published().count == (policy == .duplicate ? 2 : 1))
    }

    @Test("what has changed since a number is listed once each, whatever changed it, with tombstones")
    func changesSince() async throws {
        let host = try HostFixture()
        try host.publish("colours.json", coloursJSON)
        try host.publish("a.json", questionnaireJSON(id: "a"))
        try await host.serve { client in
            let all: ChangePage = try await client.get("/v1/changes").decoded()
            #expect(all.last == 2 && all.changes.map(\.kind) == ["created", "created"])
            let made = try await client.create(.random(), version("New")).receipt()
            try host.publish("a.json", questionnaireJSON(id: "a", title: "By hand"), isFresh: true)
            try host.remove(host.questionnaires.appending("colours.json"))
            let later: ChangePage = try await client.get("/v1/changes?since=2").decoded()
            #expect(later.changes.map(\.sequence) == [3, 4, 5])
            #expect(Set(later.changes.map(\.questionnaire.id)) == [made.published?.id, "a", "colours"])
            #expect(later.changes.first { $0.questionnaire.id == "colours" }?.kind == "deleted")
            let page: ChangePage = try await client.get("/v1/changes?since=2&limit=1").decoded()
            #expect(page.hasMore && page.changes.count == 1)
            let none: ChangePage = try await client.get("/v1/changes?since=5&register=\(all.register)").decoded()
            #expect(none.changes.isEmpty && none.last == 5)
            #expect(try await client.get("/v1/changes?since=9").status == .gone)
            #expect(try await client.get("/v1/changes?since=x").status == .badRequest)
        }
        // The numbers survive a restart.
        try await host.serve { client in
            let none: ChangePage = try await client.get("/v1/changes?since=5").decoded()
            #expect(none.changes.isEmpty && none.last == 5)
        }
    }

    @Test("a test that names the device's own id of a questionnaire is rated by its key", arguments: DataPlace.allCases)
    func ratedByLocalID(_ place: DataPlace) async throws {
        let host = try HostFixture(place)
        let local = TestID.random()
        let json = """
            {"id": "x", "title": "Sky", "answerKey": {"q": "Blue"},
             "questions": [{"id": "q", "text": "?", "options": ["Blue", "Green"]}]}
            """
        try await host.serve { client in
            #expect(try await client.create(local, json).status == .created)
            let answers = [Answer(questionId: "q", value: .one("Blue"))]
            // As the device has it: it may be taken before anyone else has heard of it.
            let test = try TestFile(questionnaire: local.description, version: json, answers: answers)
            let receipt = try await client.deliver(test).receipt()
            #expect(receipt.evaluation?.score == 1)
            let published = try await client.get("/v1/questionnaires/\(local)").text
            let later = try TestFile(questionnaire: local.description, version: published, answers: answers)
            #expect(try await client.deliver(later).receipt().evaluation?.score == 1)
        }
    }

    @Test(
        "a key that cannot be met is refused with its place; one of a question that is gone goes with it",
        arguments: DataPlace.allCases)
    func keys(_ place: DataPlace) async throws {
        let host = try HostFixture(place)
        let local = TestID.random()
        @Sendable func json(_ members: String, _ questions: String) -> String {
            #"{"id": "x", "title": "Sky"\#(members), "questions": [\#(questions)]}"#
        }
        let first = #"{"id": "q", "text": "?", "options": ["Blue", "Green"]}"#
        let second = #"{"id": "r", "text": "?", "kind": "number"}"#
        try await host.serve { client in
            let bad = json(#", "answerKey": {"q": "Bleu"}"#, first)
            let refused = try await client.create(local, bad).problem()
            #expect(refused.type == "urn:quire:problem:invalid-questionnaire" && refused.field == "answerKey.q")
            let good = json(#", "answerKey": {"q": "Blue", "r": 3}"#, first + "," + second)
            #expect(try await client.create(local, good).status == .created)
            // The device edits what it was sent, without the key.
            func edit(_ json: String) async throws -> TestResponse {
                try await client.put(
                    "/v1/questionnaires/\(local)", Array(json.utf8), try changeFields(.random(), ifMatch: "*"))
            }
            let reworded = try await edit(json("", first.replacing("Blue", with: "Azure") + "," + second))
            #expect(reworded.status == .unprocessableContent)
            #expect(try reworded.problem().field == "answerKey.q")
            #expect(try await edit(json("", first)).status == .ok)
            let answers = [Answer(questionId: "q", value: .one("Blue"))]
            let published = try await client.get("/v1/questionnaires/\(local)").text
            let test = try TestFile(questionnaire: local.description, version: published, answers: answers)
            let receipt = try await client.deliver(test).receipt()
            #expect(receipt.evaluation?.score == 1 && receipt.evaluation?.maximum == 1)
        }
    }

    @Test("favourites are set and unset once, for the token's owner", arguments: DataPlace.allCases)
    func favorites(_ place: DataPlace) async throws {
        let host = try HostFixture(place)
        let (set, unset) = (TestID.random(), TestID.random())
        try await host.serve(.socket) { client in
            let id = "a%2Fb"
            for _ in 0..<2 {
                let receipt = try await client.put("/v1/favorites/\(id)", [], try changeFields(set)).receipt()
                #expect(receipt.action == .favorite && receipt.published?.id == "a/b")
            }
            #expect(try await client.get("/v1/favorites").text.contains("\"a/b\""))
            for _ in 0..<2 {
                #expect(try await client.delete("/v1/favorites/\(id)", try changeFields(unset)).status == .ok)
            }
            // A repetition of the first, that comes late, changes nothing.
            #expect(try await client.put("/v1/favorites/\(id)", [], try changeFields(set)).status == .ok)
            #expect(try await !client.get("/v1/favorites").text.contains("\"a/b\""))
            #expect(try await client.delete("/v1/favorites/\(id)", try changeFields(set)).status == .conflict)
        }
    }

    @Test("receipts of tests and of changes are in one answer", arguments: DataPlace.allCases)
    func batch(_ place: DataPlace) async throws {
        let host = try HostFixture(place)
        let change = TestID.random()
        let test = try TestFile()
        try await host.serve { client in
            _ = try await client.create(.random(), version("New"), change: change)
            _ = try await client.deliver(test)
            let uri = "/v1/receipts?ids=\(change),\(test.id),\(TestID.random())"
            struct List: Decodable { var receipts: [Receipt] }
            let list = try DocumentCoding.decode(List.self, from: try await client.get(uri).bytes)
            #expect(list.receipts.map(\.test) == [change, test.id])
            #expect(try await client.get("/v1/receipts").status == .badRequest)
        }
    }

    @Test(
        "what is no questionnaire, or says nothing of its base, is refused and changes nothing",
        arguments: DataPlace.allCases)
    func refused(_ place: DataPlace) async throws {
        let host = try HostFixture(place)
        try await host.serve { client in
            let local = TestID.random()
            #expect(try await client.create(local, "{\"id\": \"x\"}").status == .unprocessableContent)
            #expect(try await client.create(local, "{\"id\": \"x\", \"id\": 1}").status == .unprocessableContent)
            let named = try await client.put(
                "/v1/questionnaires/spring", Array(version("A").utf8), try changeFields(.random(), creating: true))
            #expect(named.status == .unprocessableContent)
            let without = try await client.put(
                "/v1/questionnaires/\(local)", Array(version("A").utf8), [.ifNoneMatch: "*"])
            #expect(without.status == .badRequest)
            var wrong = try changeFields(.random(), creating: true)
            wrong[try #require(HTTPField.Name("Quire-Conflict"))] = "maybe"
            let unknown = try await client.put("/v1/questionnaires/\(local)", Array(version("A").utf8), wrong)
            #expect(unknown.status == .badRequest)
        }
        #expect(try await host.published().isEmpty)
    }

    @Test("who asks too often hears 429 and when to go on")
    func rateLimit() async throws {
        let host = try HostFixture()
        var configuration = host.configuration()
        configuration.requestsPerMinute = 3
        let reference = ReferenceHost(configuration, clock: host.clock, logger: HostFixture.silence)
        let opened = try reference.open()
        try await reference.application(opened.responder).test(.router) { client in
            for _ in 0..<3 { #expect(try await client.get("/v1/").status == .ok) }
            let refused = try await client.get("/v1/")
            #expect(refused.status == .tooManyRequests)
            #expect(refused.headers[.retryAfter] == "20")
            host.clock.advance(by: .seconds(20))
            #expect(try await client.get("/v1/").status == .ok)
            #expect(try await client.get("/v1/").status == .tooManyRequests)
        }
        withExtendedLifetime(opened.lock) {}
    }
}

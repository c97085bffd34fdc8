import Disk
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Model
import Testing

@testable import Host

@Suite("An id that is that of something else")
struct ForeignIDTests {
    private let host: HostFixture

    init() throws {
        host = try HostFixture()
        for id in ["a", "b"] { try host.publish("\(id).json", questionnaireJSON(id: id)) }
    }

    private func isRefused(_ response: TestResponse) -> Bool {
        response.status == .conflict && response.text.contains("urn:quire:problem:different-content")
    }

    private func attaching(_ id: TestID, _ content: [UInt8], test: TestID = .random()) -> TestRecord {
        TestRecord(
            id: test, questionnaire: QuestionnaireReference(id: "a", title: "A", digest: Digest(sha256Of: "a".utf8)),
            dateStarted: host.clock.now, answers: [],
            attachments: [
                Model.Attachment(
                    id: id, questionId: "q1", name: "1.png", mediaType: "image/png", sizeBytes: Int64(content.count),
                    digest: Digest(sha256Of: content))
            ], deviceId: "d", sequence: 1)
    }

    @Test("a test's rating stays, whatever change or attachment comes under its id")
    func ofTest() async throws {
        let test = try TestFile()
        try await host.serve { client in
            #expect(try await client.deliver(test).status == .created)
            let rated = try host.archive().ratings.rate(
                test.id, TeacherRating(verdict: .score(3, maximum: 5), ratedBy: "T"))
            let fields = try changeFields(test.id, ifMatch: "*")
            #expect(isRefused(try await client.put("/v1/favorites/a", [], fields)))
            #expect(isRefused(try await client.delete("/v1/questionnaires/a", fields)))
            #expect(isRefused(try await client.create(.random(), questionnaireJSON(id: "x"), change: test.id)))
            let content: [UInt8] = [1, 2, 3]
            let naming = attaching(test.id, content)
            #expect(try await client.put("/v1/tests/\(naming.id)", DocumentCoding.encode(naming)).status == .created)
            #expect(isRefused(try await client.put("/v1/tests/\(naming.id)/media/\(test.id)", content)))
            #expect(try await client.get("/v1/tests/\(test.id)").receipt() == rated)
            #expect(try await !client.get("/v1/favorites").text.contains("\"a\""))
            #expect(try await client.get("/v1/questionnaires/a").status == .ok)
        }
        #expect(try host.names(host.questionnaires) == ["a.json", "b.json"])
    }

    @Test("a change's receipt stays when a test comes under its id, and the test is not stored")
    func ofChange() async throws {
        let test = try TestFile()
        try await host.serve { client in
            let favorite = try await client.put("/v1/favorites/a", [], try changeFields(test.id))
            #expect(favorite.status == .ok)
            for _ in 0..<2 { #expect(isRefused(try await client.deliver(test))) }
            let again = try await client.put("/v1/favorites/a", [], try changeFields(test.id))
            #expect(again.status == .ok && again.bytes == favorite.bytes)
        }
        #expect(try host.names(host.data.appending("tests")).isEmpty)
    }

    @Test("two tests that name one attachment id with other bytes do not take each other's receipt")
    func ofAttachment() async throws {
        let id = TestID.random()
        let (first, second): ([UInt8], [UInt8]) = ([1, 2, 3], [4, 5, 6])
        let tests = [attaching(id, first), attaching(id, second)]
        try await host.serve { client in
            for test in tests {
                #expect(try await client.put("/v1/tests/\(test.id)", DocumentCoding.encode(test)).status == .created)
            }
            let stored = try await client.put("/v1/tests/\(tests[0].id)/media/\(id)", first)
            #expect(stored.status == .created)
            #expect(isRefused(try await client.put("/v1/tests/\(tests[1].id)/media/\(id)", second)))
            #expect(isRefused(try await client.put("/v1/favorites/a", [], try changeFields(id))))
            let again = try await client.put("/v1/tests/\(tests[0].id)/media/\(id)", first)
            #expect(again.status == .ok && again.bytes == stored.bytes)
        }
    }

    @Test("one change's id for two questionnaires is refused for the second, by whichever id they are named")
    func twoQuestionnaires() async throws {
        let (change, local) = (TestID.random(), TestID.random())
        try await host.serve { client in
            #expect(
                try await client.delete("/v1/questionnaires/a", try changeFields(change, ifMatch: "*")).status == .ok)
            for id in ["b", "never"] {
                let reply = try await client.delete(
                    "/v1/questionnaires/\(id)", try changeFields(change, ifMatch: "*"))
                #expect(isRefused(reply))
            }
            #expect(try await client.get("/v1/questionnaires/b").status == .ok)
            let made = try await client.create(local, questionnaireJSON(id: "x", title: "Made")).receipt()
            let id = try #require(made.published?.id)
            let gone = TestID.random()
            // The device may have learned the host's id between two attempts.
            let replies = [
                try await client.delete("/v1/questionnaires/\(local)", try changeFields(gone, ifMatch: "*")),
                try await client.delete("/v1/questionnaires/\(local)", try changeFields(gone, ifMatch: "*")),
                try await client.delete("/v1/questionnaires/\(id)", try changeFields(gone, ifMatch: "*")),
            ]
            #expect(replies.allSatisfy { $0.status == .ok && $0.bytes == replies[0].bytes })
        }
    }

    @Test("a favourite that is sent again is known, though its questionnaire was deleted meanwhile")
    func favoriteOfDeleted() async throws {
        let (change, local) = (TestID.random(), TestID.random())
        try await host.serve { client in
            #expect(try await client.create(local, questionnaireJSON(id: "x", title: "Made")).status == .created)
            let first = try await client.put("/v1/favorites/\(local)", [], try changeFields(change))
            #expect(first.status == .ok)
            let gone = try await client.delete("/v1/questionnaires/\(local)", try changeFields(.random(), ifMatch: "*"))
            #expect(gone.status == .ok)
            let again = try await client.put("/v1/favorites/\(local)", [], try changeFields(change))
            #expect(again.status == .ok && again.bytes == first.bytes)
            #expect(isRefused(try await client.put("/v1/favorites/b", [], try changeFields(change))))
        }
    }

    @Test("a questionnaire that comes back under the host's id keeps the id that its device gave it")
    func comesBack() async throws {
        let local = TestID.random()
        try await host.serve { client in
            let made = try await client.create(local, questionnaireJSON(id: "x", title: "Made")).receipt()
            let published = try #require(made.published)
            let tag = try #require(published.etag)
            let place = "/v1/questionnaires/\(published.id)"
            #expect(try await client.delete(place, try changeFields(.random(), ifMatch: tag)).status == .ok)
            let back = try await client.put(
                place, Array(questionnaireJSON(id: "x", title: "Back").utf8),
                try changeFields(.random(), ifMatch: tag, policy: .client))
            #expect(try back.receipt().published?.localId == local.description)
            let document = try await client.get("/v1/questionnaires/\(local)")
            #expect(document.status == .ok && document.text.contains("Back"))
        }
    }
}

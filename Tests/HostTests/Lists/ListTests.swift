import Foundation
import HTTPTypes
import HummingbirdTesting
import Model
import ServedApplication
import Testing

@testable import Host

@Suite("Lists are paged and validated")
struct ListTests {
    private func fixture(count: Int) throws -> HostFixture {
        let fixture = try HostFixture()
        for number in 0..<count { try fixture.publish("\(number).json", questionnaireJSON(id: "вопрос \(number)")) }
        return fixture
    }

    /// Follows the cursors to the end.
    private func pages(
        _ client: any TestClientProtocol, limit: Int
    ) async throws -> [ListDocument] {
        var pages: [ListDocument] = []
        var next: String?
        repeat {
            let cursor = next.map { "&cursor=\($0)" } ?? ""
            let page: ListDocument = try await client.get("/v1/questionnaires?limit=\(limit)\(cursor)").decoded()
            pages.append(page)
            next = page.next
        } while next != nil
        return pages
    }

    @Test("a list has the words of a formatted description, the document its source")
    func formattedDescription() async throws {
        let fixture = try HostFixture()
        try fixture.publish(
            "a.json",
            #"{"id": "a", "title": "A", "textFormat": "markdown", "description": "For *you*.", "questions": []}"#)
        try await fixture.serve { client in
            let page: ListDocument = try await client.get("/v1/questionnaires").decoded()
            #expect(page.questionnaires.map(\.description) == ["For you."])
            let document = try await client.get("/v1/questionnaires/a")
            #expect(document.text.contains("For *you*."))
        }
    }

    @Test(
        "the pages together are the whole list, sorted by the bytes of the ids, each item once",
        arguments: [
            1, 2, 4, 5, 1000,
        ])
    func paging(_ limit: Int) async throws {
        let fixture = try fixture(count: 5)
        try await fixture.serve { client in
            let pages = try await pages(client, limit: limit)
            #expect(pages.flatMap(\.questionnaires).map(\.id) == (0..<5).map { "вопрос \($0)" })
            #expect(pages.count == (5 + limit - 1) / limit)
            #expect(pages.dropLast().allSatisfy { $0.questionnaires.count == limit })
        }
    }

    @Test("an item has what a client needs to decide whether to fetch", arguments: Way.allCases)
    func item(_ way: Way) async throws {
        let fixture = try HostFixture()
        try fixture.publish("colours.json", coloursJSON)
        let list: ListDocument = try await fixture.serve(way) { try await $0.get("/v1/questionnaires").decoded() }
        let item = try #require(list.questionnaires.first)
        #expect(list.next == nil)
        #expect(item.id == "colours")
        #expect(item.title == "Цвета")
        #expect(item.description == "Four questions.")
        #expect(item.locale == "ru")
        #expect(item.updatedAt == "2026-03-20T18:30:00.000Z")
        #expect(item.questionCount == 5)
        #expect(item.sizeBytes == coloursPublished.utf8.count)
        #expect(item.digest == "\(Digest(sha256Of: coloursPublished.utf8))")
        #expect(item.url == "questionnaires/colours")
        #expect(item.media == ["questionnaires/media/sky.png"])
    }

    @Test("a 304 for the first page says that nothing at all has changed, on whatever page", arguments: Way.allCases)
    func eTag(_ way: Way) async throws {
        let fixture = try fixture(count: 5)
        try await fixture.serve(way) { client in
            let first = try await client.get("/v1/questionnaires?limit=2")
            let tag = try #require(first.headers[.eTag])
            let other = try await client.get("/v1/questionnaires?limit=3")
            #expect(other.headers[.eTag] != tag)
            let same = try await client.get("/v1/questionnaires?limit=2", [.ifNoneMatch: tag])
            #expect(same.status == .notModified)
            #expect(same.headers[.eTag] == tag)
            try fixture.publish("4.json", questionnaireJSON(id: "вопрос 4", title: "New"))
            let changed = try await client.get("/v1/questionnaires?limit=2", [.ifNoneMatch: tag])
            #expect(changed.status == .ok)
            let (before, after): (ListDocument, ListDocument) = (try first.decoded(), try changed.decoded())
            #expect(
                after.questionnaires.map(\.digest) == before.questionnaires.map(\.digest), "it is on another page")
            let last = try #require(changed.headers[.eTag])
            try fixture.remove(fixture.questionnaires.appending("3.json"))
            #expect(try await client.get("/v1/questionnaires?limit=2", [.ifNoneMatch: last]).status == .ok)
        }
    }

    @Test("a page begins after its cursor, though the questionnaire that it stands for is gone")
    func removedUnderCursor() async throws {
        let fixture = try fixture(count: 5)
        try await fixture.serve { client in
            let first: ListDocument = try await client.get("/v1/questionnaires?limit=2").decoded()
            try fixture.remove(fixture.questionnaires.appending("1.json"))
            let cursor = try #require(first.next)
            let second: ListDocument = try await client.get("/v1/questionnaires?limit=2&cursor=\(cursor)").decoded()
            #expect(second.questionnaires.map(\.id) == ["вопрос 2", "вопрос 3"])
        }
    }

    @Test(
        "a limit or cursor that is none is refused",
        arguments: [
            "limit=0", "limit=-1", "limit=1001", "limit=x", "limit=", "cursor=", "cursor=%25%25", "cursor=a",
            "limit=%zz",
            "cursor=_w",
        ])
    func badParameters(_ query: String) async throws {
        let fixture = try fixture(count: 1)
        try await fixture.serve { client in
            for list in ["questionnaires", "tests"] {
                let response = try await client.get("/v1/\(list)?\(query)")
                #expect(response.status == .badRequest)
                _ = try response.problem()
            }
        }
    }

    @Test("an empty folder is an empty list")
    func empty() async throws {
        let fixture = try HostFixture()
        let response = try await fixture.serve { try await $0.get("/v1/questionnaires") }
        let page: ListDocument = try response.decoded()
        #expect(page.questionnaires.isEmpty && page.next == nil && response.text.contains("\"last\":0"))
    }

    private struct Tests: Decodable {
        var tests: [TestSummary]
        var next: String?
    }

    private struct Receipts: Decodable {
        var receipts: [Receipt]
    }

    @Test("tests are listed by status and questionnaire, page by page", arguments: Way.allCases)
    func tests(_ way: Way) async throws {
        let fixture = try HostFixture()
        try fixture.publish("colours.json", coloursJSON)
        try await fixture.serve(way) { client in
            var ids: [TestID] = []
            for questionnaire in ["colours", "ёж", "colours", "ёж", "ёж"] {
                let test = try TestFile(questionnaire: questionnaire)
                _ = try await client.deliver(test)
                ids.append(test.id)
            }
            let all: Tests = try await client.get("/v1/tests").decoded()
            #expect(all.tests.map(\.id.description) == ids.map(\.description).sorted())
            let rated: Tests = try await client.get("/v1/tests?status=rated").decoded()
            #expect(Set(rated.tests.map(\.id)) == [ids[0], ids[2]])
            #expect(rated.tests.allSatisfy { $0.questionnaire.title == "Цвета" && $0.receivedAt != nil })
            let named: Tests = try await client.get("/v1/tests?questionnaire=%D1%91%D0%B6&status=sent").decoded()
            #expect(Set(named.tests.map(\.id)) == [ids[1], ids[3], ids[4]])
            var paged: [TestID] = []
            var cursor: String? = ""
            while let next = cursor {
                let parameter = next.isEmpty ? "" : "&cursor=\(next)"
                let page: Tests = try await client.get("/v1/tests?limit=2\(parameter)").decoded()
                paged += page.tests.map(\.id)
                cursor = page.next
            }
            #expect(paged == all.tests.map(\.id))
            #expect(try await client.get("/v1/tests?status=done").status == .badRequest)
        }
    }

    @Test("receipts are asked for by their ids, and the unknown ones are not in the answer", arguments: Way.allCases)
    func receipts(_ way: Way) async throws {
        let fixture = try HostFixture()
        try await fixture.serve(way) { client in
            let (first, second) = (try TestFile(), try TestFile())
            let receipt = try await client.deliver(first)
            _ = try await client.deliver(second)
            let response = try await client.get("/v1/tests?ids=\(first.id),\(TestID.random()),\(second.id)")
            let found: Receipts = try response.decoded()
            #expect(found.receipts.map(\.test) == [first.id, second.id])
            #expect(response.bytes.firstRange(of: receipt.bytes.dropLast()) != nil, "byte for byte")
            #expect(response.headers[.cacheControl] == "private, no-cache")
            let tag = try #require(response.headers[.eTag])
            let same = try await client.get(
                "/v1/tests?ids=\(first.id),\(TestID.random()),\(second.id)", [.ifNoneMatch: tag])
            #expect(same.status == .notModified)
            #expect(try await client.get("/v1/tests?ids=").text == "{\"receipts\":[]}\n")
            #expect(try await client.get("/v1/tests?ids=x").status == .badRequest)
            let many = (0..<201).map { _ in TestID.random().description }
            #expect(try await client.get("/v1/tests?ids=" + many.joined(separator: ",")).status == .badRequest)
            #expect(try await client.get("/v1/tests?ids=" + many.dropLast().joined(separator: ",")).status == .ok)
        }
    }

    @Test("a receipt has validators; an unknown test is 404")
    func receipt() async throws {
        let fixture = try HostFixture()
        try await fixture.serve { client in
            let test = try TestFile()
            let sent = try await client.deliver(test)
            let response = try await client.get("/v1/tests/\(test.id)")
            #expect(response.bytes == sent.bytes)
            let tag = try #require(response.headers[.eTag])
            #expect(try await client.get("/v1/tests/\(test.id)", [.ifNoneMatch: tag]).status == .notModified)
            for id in ["\(TestID.random())", "x", "%2e%2e"] {
                #expect(try await client.get("/v1/tests/\(id)").status == .notFound)
            }
        }
    }

    @Test("the digests of media stand in the list; a file that is replaced under its name changes the list's ETag")
    func mediaDigests() async throws {
        struct List: Decodable {
            struct Item: Decodable {
                var media: [String]
                var mediaDigests: [String: String]?
            }
            var questionnaires: [Item]
        }
        let fixture = try HostFixture()
        try fixture.publish("colours.json", coloursJSON)
        try fixture.makeFolder(fixture.questionnaires.appending("media"))
        let reference = "questionnaires/media/sky.png"
        try await fixture.serve { client in
            let without = try await client.get("/v1/questionnaires")
            #expect(try without.decoded(List.self).questionnaires.first?.mediaDigests == nil)
            var tags = [without.headers[.eTag]]
            for text in ["one", "three"] {
                try fixture.publish("media/sky.png", text)
                let response = try await client.get(
                    "/v1/questionnaires", [.ifNoneMatch: tags.last.flatMap { $0 } ?? ""])
                #expect(response.status == .ok)
                #expect(
                    try response.decoded(List.self).questionnaires.first?.mediaDigests
                        == [reference: "\(Digest(sha256Of: text.utf8))"])
                tags.append(response.headers[.eTag])
            }
            #expect(Set(tags).count == 3)
            let again = try await client.get("/v1/questionnaires", [.ifNoneMatch: tags.last.flatMap { $0 } ?? ""])
            #expect(again.status == .notModified)
        }
    }
}

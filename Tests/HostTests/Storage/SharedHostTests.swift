import Disk
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import InMemory
import Model
import ObjectStores
import Testing

@testable import Host

/// Hosts that keep nothing of their own: what one of them has acknowledged, each of them knows.
@Suite("Hosts that share a bucket")
struct SharedHostTests {
    private let fixture: HostFixture
    private let store = MemoryObjectStore()

    init() throws {
        fixture = try HostFixture()
        try fixture.publish("colours.json", coloursJSON)
    }

    /// Runs a host on the bucket, and the body with a client of it.
    private func host<Value: Sendable>(
        publishes: Bool = true, _ body: @Sendable (any TestClientProtocol) async throws -> Value
    ) async throws -> Value {
        try await fixture.serve(fixture.configuration(on: store, publishes: publishes), .memory, body)
    }

    /// Runs two hosts: one that publishes the folder, and one that has none.
    private func hosts(
        _ body: @escaping @Sendable (any TestClientProtocol, any TestClientProtocol) async throws -> Void
    ) async throws {
        try await fixture.serve(
            fixture.configuration(on: store), and: fixture.configuration(on: store, publishes: false), body)
    }

    /// What a teacher's command works with.
    private func archive() throws -> TestArchive {
        try ReferenceHost.openArchive(
            fixture.configuration(on: store), clock: fixture.clock, logger: HostFixture.silence)
    }

    /// Until what another host published is shown.
    private func wait(
        _ client: any TestClientProtocol, _ uri: String, _ isThere: (TestResponse) -> Bool
    ) async throws -> TestResponse {
        while true {
            let response = try await client.get(uri)
            if isThere(response) { return response }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private static func name(_ test: TestFile) throws -> ObjectName {
        try #require(ObjectName("tests/\(test.id).test.json"))
    }

    private static func right() throws -> TestFile {
        try TestFile(answers: [Answer(questionId: "sky", value: .one("Blue"))])
    }

    @Test(
        "what one publishes the other sends, with the same numbers, and the key stays with them",
        .timeLimit(.minutes(30)))
    func publishes() async throws {
        try fixture.makeFolder(fixture.questionnaires.appending("media"))
        try fixture.publish("media/sky.png", "not quite a picture")
        try await hosts { one, other in
            let sent = try await one.get("/v1/questionnaires/colours")
            #expect(sent.text == coloursPublished)
            #expect(try await other.get("/v1/questionnaires/colours").bytes == sent.bytes)
            #expect(try await other.get("/v1/questionnaires/media/sky.png").text == "not quite a picture")
            let changes = try await one.get("/v1/changes?since=0")
            #expect(try await other.get("/v1/changes?since=0").bytes == changes.bytes)
            #expect(changes.text.contains(#""last":2"#), "\(changes.text)")
        }
    }

    @Test("a test that one has taken is known to the other, with the same receipt, and its id is not free")
    func tests() async throws {
        try await hosts { one, other in
            let test = try Self.right()
            let first = try await one.deliver(test)
            #expect(first.status == .created)
            let again = try await other.deliver(test)
            #expect(again.status == .ok && again.bytes == first.bytes)
            #expect(try await other.get("/v1/tests/\(test.id)").bytes == first.bytes)
            #expect(try await other.deliver(TestFile(id: test.id, note: "other")).status == .conflict)
            #expect(try await other.get("/v1/tests").text.contains(test.id.description))
        }
    }

    @Test("a test that arrives at both at once is stored once, and both answer with the same receipt")
    func races() async throws {
        try await hosts { one, other in
            for _ in 0..<20 {
                let test = try Self.right()
                async let first = one.deliver(test)
                async let second = other.deliver(test)
                let replies = try await [first, second]
                #expect(replies[0].bytes == replies[1].bytes)
                #expect(replies.allSatisfy { $0.status == .created || $0.status == .ok })
            }
            let ids = try await offload { try archive().received.ids() }
            #expect(ids.count == 20)
        }
    }

    @Test("marks that several give at once are all in the receipt, and each host shows it")
    func marks() async throws {
        try await hosts { one, other in
            let test = try Self.right()
            _ = try await one.deliver(test)
            let questions = ["sky", "warm", "name", "count", "essay"]
            _ = try await atOnce(questions.count) { place in
                let rating = TeacherRating(
                    verdict: .points(question: questions[place], 1, maximum: 1), ratedBy: "teacher \(place)")
                return try archive().ratings.rate(test.id, rating)
            }
            let receipts = try await [one, other].map { $0 }.concurrently { try await $0.get("/v1/tests/\(test.id)") }
            #expect(receipts[0].bytes == receipts[1].bytes)
            let receipt = try DocumentCoding.decode(Receipt.self, from: receipts[0].bytes)
            #expect(receipt.status == .rated)
            #expect(receipt.evaluation?.score == 5)
            let former = try await offload { try archive().received.history(of: test.id) }
            #expect(former.count == questions.count)
            #expect(former.map(\.number) == Array(1...questions.count))
        }
    }

    @Test("a test whose host was killed before the receipt gets one from the next host that starts, or that is asked")
    func killed() async throws {
        let (left, asked) = (try Self.right(), try Self.right())
        try await host { _ in }
        _ = try await store.putIfAbsent(Self.name(left), left.bytes)
        try await host(publishes: false) { host in
            _ = try await store.putIfAbsent(Self.name(asked), asked.bytes)
            for test in [left, asked] {
                let reply = try await host.get("/v1/tests/\(test.id)")
                let receipt = try DocumentCoding.decode(Receipt.self, from: reply.bytes)
                #expect(receipt.digest == test.digest && receipt.status != nil)
            }
        }
    }

    @Test(
        "edits of the published folder are followed, and what is removed from it while a host runs is removed",
        .timeLimit(.minutes(30)))
    func edits() async throws {
        try fixture.publish("other.json", questionnaireJSON(id: "other"))
        try await hosts { one, other in
            try fixture.publish("colours.json", coloursJSON.replacing("Four questions", with: "Twenty questions"))
            try fixture.remove(fixture.questionnaires.appending("other.json"))
            for host in [one, other] {
                // Only the host with the folder looks at it.
                _ = try await wait(one, "/v1/questionnaires/colours") { $0.text.contains("Twenty questions") }
                _ = try await wait(host, "/v1/questionnaires/colours") { $0.text.contains("Twenty questions") }
                _ = try await wait(host, "/v1/questionnaires/other") { $0.status != .ok }
            }
            // A test that was taken with the former version is rated by it.
            let test = try Self.right()
            let reply = try await other.deliver(test)
            let receipt = try await offload { try #require(try archive().received.storedReceipt(of: test.id)) }
            #expect(reply.status == .created)
            #expect(receipt.receipt.evaluation?.questions.first?.correct == true)
        }
    }

    @Test("a host that starts with an older folder does not restore what was replaced", .timeLimit(.minutes(30)))
    func older() async throws {
        try await host { one in
            try fixture.publish("colours.json", coloursJSON.replacing("Four questions", with: "Twenty questions"))
            _ = try await wait(one, "/v1/questionnaires/colours") { $0.text.contains("Twenty questions") }
        }
        try fixture.publish("colours.json", coloursJSON)
        try await hosts { one, other in
            for host in [one, other] {
                let sent = try await host.get("/v1/questionnaires/colours")
                #expect(sent.text.contains("Twenty questions"))
            }
        }
    }

    @Test("a file with the id of another host's questionnaire keeps the host from starting, with one sentence")
    func refused() async throws {
        try await host { _ in }
        try fixture.publish("wrong.json", coloursJSON)
        try fixture.remove(fixture.questionnaires.appending("colours.json"))
        let error = await #expect(throws: HostError.self) { try await host { _ in } }
        #expect(error?.description.contains("has the id “colours” of colours.json") == true)
    }

    @Test("a place where devices exchange is not taken for a host's")
    func exchange() async throws {
        let marker = try #require(ObjectName(ExchangeLayout.marker.string))
        _ = try await store.putIfAbsent(marker, Array("{}".utf8))
        await #expect(throws: HostError.exchangePlace(store.place)) { try await host { _ in } }
    }

    @Test("a command names a bucket that no host has used")
    func unused() async throws {
        await #expect(throws: HostError.noData(fixture.data)) { try await offload { _ = try archive() } }
    }
}

extension Array where Element: Sendable {
    /// The results in the order of the elements.
    fileprivate func concurrently<Result: Sendable>(
        _ work: @escaping @Sendable (Element) async throws -> Result
    ) async throws -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await work(element)) }
        return results
    }
}

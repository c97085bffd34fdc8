import Disk
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import InMemory
import Model
import ObjectStores
import Testing

@testable import Host

/// Questionnaires that devices make, edit and delete at hosts that share a bucket.
@Suite("What devices change, at hosts that share a bucket")
struct SharedChangeTests {
    private let fixture: HostFixture
    private let store: MemoryObjectStore

    init() throws {
        fixture = try HostFixture(.bucket)
        store = try #require(fixture.store)
        try fixture.publish("colours.json", coloursJSON)
    }

    /// Runs a host, perhaps on a store that fails, and the body with a client of it.
    private func host<Value: Sendable>(
        _ other: (any ObjectStore)? = nil, publishes: Bool = false,
        _ body: @Sendable (any TestClientProtocol) async throws -> Value
    ) async throws -> Value {
        try await fixture.serve(fixture.configuration(on: other ?? store, publishes: publishes), .memory, body)
    }

    /// Runs two hosts, of which the first one publishes the folder.
    private func hosts(
        _ body: @escaping @Sendable (any TestClientProtocol, any TestClientProtocol) async throws -> Void
    ) async throws {
        try await fixture.serve(
            fixture.configuration(on: store), and: fixture.configuration(on: store, publishes: false), body)
    }

    private func version(_ title: String) -> String { questionnaireJSON(id: "whatever", title: title) }

    private func edit(
        _ client: any TestClientProtocol, _ title: String, change: TestID = .random(), ifMatch tag: String,
        policy: ConflictPolicy? = nil
    ) async throws -> TestResponse {
        try await client.put(
            "/v1/questionnaires/colours", Array(version(title).utf8),
            try changeFields(change, ifMatch: tag, policy: policy))
    }

    private func tag(_ client: any TestClientProtocol) async throws -> String {
        try #require(try await client.get("/v1/questionnaires/colours").headers[.eTag])
    }

    /// Until a host shows what another one has published.
    private func wait(
        _ client: any TestClientProtocol, _ uri: String, _ isThere: (TestResponse) -> Bool
    ) async throws {
        while try await !isThere(client.get(uri)) { try await Task.sleep(for: .milliseconds(20)) }
    }

    @Test(
        "a device's questionnaire that reaches both hosts at once is made once, and both give the same receipt",
        .timeLimit(.minutes(30)))
    func sameCreation() async throws {
        try await hosts { one, other in
            for round in 0..<10 {
                let (local, change) = (TestID.random(), TestID.random())
                let json = version("Spring \(round)")
                async let first = one.create(local, json, change: change)
                async let second = other.create(local, json, change: change)
                let replies = try await [first, second]
                #expect(replies.allSatisfy { [.created, .ok].contains($0.status) }, "\(replies.map(\.text))")
                #expect(replies[0].bytes == replies[1].bytes)
                let id = try #require(try replies[0].receipt().published?.id)
                for host in [one, other] {
                    for name in [id, local.description] {
                        try await wait(host, "/v1/questionnaires/\(name)") { $0.status == .ok }
                    }
                }
            }
            #expect(try await fixture.published().count == 11)
        }
    }

    @Test("different questionnaires that are made at both hosts at once get ids of their own")
    func differentCreations() async throws {
        try await hosts { one, other in
            for _ in 0..<5 {
                let replies = try await withThrowingTaskGroup(of: TestResponse.self) { group in
                    for place in 0..<6 {
                        group.addTask {
                            try await (place % 2 == 0 ? one : other).create(.random(), version("Spring"))
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(replies.allSatisfy { $0.status == .created }, "\(replies.map(\.text))")
                let published = try replies.compactMap { try $0.receipt().published }
                #expect(Set(published.map(\.id)).count == 6 && Set(published.map(\.sequence)).count == 6)
            }
        }
    }

    @Test(
        "of two edits of one version that reach two hosts at once one is carried out, and the other learns of it",
        .timeLimit(.minutes(30)))
    func edits() async throws {
        try await hosts { one, other in
            for round in 0..<10 {
                let base = try await tag(round % 2 == 0 ? one : other)
                async let first = edit(one, "One \(round)", ifMatch: base)
                async let second = edit(other, "Other \(round)", ifMatch: base)
                let replies = try await [first, second]
                let won = try #require(replies.first { $0.status == .ok })
                let lost = try #require(replies.first { $0.status == .preconditionFailed })
                let published = try #require(try won.receipt().published)
                #expect(lost.headers[.eTag] == published.etag)
                #expect(try await fixture.file("colours.json").starts(with: Array("{\n  \"id\": \"colours\"".utf8)))
                for host in [one, other] {
                    try await wait(host, "/v1/questionnaires/colours") { $0.headers[.eTag] == published.etag }
                }
            }
        }
    }

    @Test("a deletion and an edit at once: the later one learns of the earlier one", .timeLimit(.minutes(30)))
    func deletion() async throws {
        try await hosts { one, other in
            let base = try await tag(one)
            async let first = one.delete("/v1/questionnaires/colours", try changeFields(.random(), ifMatch: base))
            async let second = edit(other, "Other", ifMatch: base)
            let replies = try await [first, second]
            #expect(replies.count { $0.status == .ok } == 1)
            #expect(replies.count { $0.status == .preconditionFailed } == 1)
            let isGone = replies[0].status == .ok
            for host in [one, other] {
                try await wait(host, "/v1/questionnaires/colours") {
                    isGone ? $0.status == .notFound : $0.text.contains("Other")
                }
            }
        }
    }

    /// A store at which the receipts of changes cannot be written: as if its host were killed before.
    private func withoutReceipts() -> WatchedStore {
        WatchedStore(store) { (call) throws(ObjectStoreError) in
            if case .put(let name) = call, name.hasPrefix("receipts/") {
                throw ObjectStoreError(.interrupted, "killed")
            }
        }
    }

    @Test("a change whose host was killed before the receipt is known to each host, whatever came after it")
    func killed() async throws {
        let (local, made, edited) = (TestID.random(), TestID.random(), TestID.random())
        try await host(publishes: true) { other in
            let base = try await tag(other)
            try await host(withoutReceipts()) { dying in
                let replies = [
                    try await dying.create(local, version("Spring"), change: made),
                    try await edit(dying, "Mine", change: edited, ifMatch: base),
                ]
                #expect(replies.allSatisfy { $0.status.code >= 500 })
            }
            // Another device edits both meanwhile.
            #expect(try await edit(other, "Theirs", ifMatch: "*").status == .ok)
            let theirs = try await other.put(
                "/v1/questionnaires/\(local)", Array(version("Summer").utf8), try changeFields(.random(), ifMatch: "*"))
            #expect(theirs.status == .ok)
            for _ in 0..<2 {
                let creation = try await other.create(local, version("Spring"), change: made)
                #expect([.created, .ok].contains(creation.status), "\(creation.text)")
                #expect(try creation.receipt().published?.sequence == 2)
                let again = try await edit(other, "Mine", change: edited, ifMatch: base)
                #expect(again.status == .ok, "\(again.text)")
                #expect(try again.receipt().published?.sequence == 3)
            }
            #expect(try await other.get("/v1/questionnaires/\(local)").text.contains("Summer"))
            #expect(try await other.get("/v1/questionnaires/colours").text.contains("Theirs"))
            // Other content under the same id is still refused.
            #expect(try await edit(other, "Else", change: edited, ifMatch: "*").status == .conflict)
        }
    }

    @Test("what one host acknowledged, the next one that is asked for changes knows")
    func changes() async throws {
        try await hosts { one, other in
            for round in 0..<5 {
                let reply = try await edit(round % 2 == 0 ? one : other, "Title \(round)", ifMatch: "*")
                let sequence = try #require(try reply.receipt().published?.sequence)
                for host in [one, other] {
                    let page = try await host.get("/v1/changes?since=\(sequence)")
                    #expect(page.status == .ok && page.text.contains("\"last\":\(sequence)"), "\(page.text)")
                }
            }
            #expect(try await one.get("/v1/changes?since=99").status == .gone)
        }
    }

    @Test("the key stays with an edit, and a test of the device's own document is rated by it, at each host")
    func ratings() async throws {
        let local = TestID.random()
        let json = """
            {"id": "x", "title": "Sky", "answerKey": {"q": "Blue"},
             "questions": [{"id": "q", "text": "?", "options": ["Blue", "Green"]}]}
            """
        try await hosts { one, other in
            #expect(try await one.create(local, json).status == .created)
            let answers = [Answer(questionId: "q", value: .one("Blue"))]
            let own = try TestFile(questionnaire: local.description, version: json, answers: answers)
            #expect(try await other.deliver(own).receipt().evaluation?.score == 1)
            // Another device made the same of it, in another form.
            let form = json.replacing("{\"id\": \"x\", ", with: "{\"id\": \"x\",  ")
            let same = try await other.put(
                "/v1/questionnaires/\(local)", Array(form.utf8), try changeFields(.random(), ifMatch: "*"))
            #expect(same.status == .ok)
            let second = try TestFile(questionnaire: local.description, version: form, answers: answers)
            #expect(try await one.deliver(second).receipt().evaluation?.score == 1)
            #expect(try await !one.get("/v1/questionnaires/\(local)").text.contains("answerKey"))
        }
        // And of the data in a folder.
        var folder = fixture.configuration()
        (folder.bucket, folder.data) = (nil, fixture.root.appending("copy"))
        _ = try await HostCopy(
            from: fixture.configuration(), to: folder, clock: fixture.clock, logger: HostFixture.silence
        ).run()
        folder.questionnaires = nil
        try await fixture.serve(folder) { client in
            let late = try TestFile(
                questionnaire: local.description, version: json,
                answers: [Answer(questionId: "q", value: .one("Blue"))])
            #expect(try await client.deliver(late).receipt().evaluation?.score == 1)
        }
    }

    @Test("an edit stays when a host starts with the folder as it was")
    func restart() async throws {
        try await hosts { one, _ in
            let reply = try await edit(one, "Mine", ifMatch: "*")
            #expect(reply.status == .ok)
        }
        try await hosts { one, other in
            for host in [one, other] {
                let shown = try await host.get("/v1/questionnaires/colours")
                #expect(shown.text.contains("Mine"))
            }
        }
    }

    private static let picture: [UInt8] = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 41) }
    private static let path = ContentPath(Digest(sha256Of: picture), mediaType: "image/png")

    private func showing() -> String {
        #"{"id": "x", "title": "Shown", "questions": [{"id": "q", "text": "?", "#
            + #""media": [{"path": "\#(Self.path)", "type": "image/png"}]}]}"#
    }

    @Test(
        "a file of a questionnaire goes up in parts, each to another host, and both serve it", .timeLimit(.minutes(30)))
    func files() async throws {
        let (id, target) = (TestID.random(), "/v1/questionnaires/\(Self.path)")
        var fields = try changeFields(id)
        (fields[.contentType], fields[.uploadComplete], fields[.uploadLength]) = (nil, "?0", "5000")
        let begun = fields
        @Sendable func append(
            _ client: any TestClientProtocol, _ range: Range<Int>, isComplete: Bool
        ) async throws -> TestResponse {
            try await client.executeRequest(
                uri: "/v1/uploads/\(id)", method: .patch,
                headers: [
                    .contentType: "application/partial-upload", .uploadOffset: String(range.lowerBound),
                    .uploadComplete: isComplete ? "?1" : "?0",
                ], body: .init(bytes: Self.picture[range]))
        }
        try await hosts { one, other in
            #expect(try await one.put(target, [], begun).text.contains("not-named"))
            #expect(try await one.create(.random(), showing()).status == .created)
            #expect(try await other.get(target).status == .notFound)
            let first = try await other.put(target, [], begun)
            #expect(first.status == .created && first.headers[.uploadOffset] == "0", "\(first.text)")
            #expect(try await append(one, 0..<2000, isComplete: false).status == .noContent)
            let done = try await append(other, 2000..<5000, isComplete: true)
            #expect(done.status == .created, "\(done.text)")
            let receipt = try done.receipt()
            #expect(receipt.action == .attach && receipt.digest == Self.path.digest)
            for host in [one, other] {
                // The reply was lost: the receipt is given again.
                let again = try await host.put(target, [], begun)
                #expect(again.status == .ok && again.bytes == done.bytes)
            }
            #expect(try await other.get(target).bytes == Self.picture)
            try await wait(one, target) { $0.bytes == Self.picture && $0.headers[.contentType] == "image/png" }
            #expect(try await store.list(prefix: "uploads/", after: nil, limit: 9).isEmpty)
            #expect(try await store.list(prefix: "media/", after: nil, limit: 9).isEmpty)
        }
    }

    @Test("other bytes than a file's name says are not kept, and a longer one than hosts carry is refused")
    func wrongFiles() async throws {
        let target = "/v1/questionnaires/\(Self.path)"
        try await hosts { one, other in
            _ = try await one.create(.random(), showing())
            var fields = try changeFields(.random())
            fields[.contentType] = nil
            let reply = try await other.put(target, Self.picture.map { $0 ^ 1 }, fields)
            #expect(reply.status == .badRequest && reply.text.contains("digest-mismatch"), "\(reply.text)")
            #expect(try await one.get(target).status == .notFound)
            (fields[.uploadComplete], fields[.uploadLength]) = ("?0", String((64 << 20) + 1))
            #expect(try await other.put(target, [], fields).status == .contentTooLarge)
            var complete = try changeFields(.random())
            complete[.contentType] = nil
            #expect(try await other.put(target, Self.picture, complete).status == .created)
            #expect(try await other.get(target).bytes == Self.picture)
        }
    }
}

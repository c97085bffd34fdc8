import Disk
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import InMemory
import Model
import NIOCore
import ObjectStores
import Testing

@testable import Host

/// Files of tests that reach one bucket through several hosts.
@Suite("Files that belong to tests, at hosts that share a bucket")
struct SharedUploadTests {
    private let fixture: HostFixture
    private let store: MemoryObjectStore
    private let content = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 37) }
    private let attachment: Model.Attachment
    private let test: TestRecord

    init() throws {
        fixture = try HostFixture()
        store = MemoryObjectStore(clock: fixture.clock)
        try fixture.publish(
            "f.json", #"{"id": "f", "title": "F", "questions": [{"id": "photo", "text": "?", "kind": "file"}]}"#)
        attachment = Model.Attachment(
            id: .random(), questionId: "photo", name: "1.png", mediaType: "image/png",
            sizeBytes: Int64(content.count), digest: Digest(sha256Of: content))
        test = TestRecord(
            id: .random(),
            questionnaire: QuestionnaireReference(id: "f", title: "F", digest: Digest(sha256Of: "f".utf8)),
            dateStarted: fixture.clock.now, answers: [], attachments: [attachment], deviceId: "d", sequence: 1)
    }

    private var target: String { "/v1/tests/\(test.id)/media/\(attachment.id)" }
    private var place: String { "/v1/uploads/\(attachment.id)" }

    private func host<Value: Sendable>(
        _ body: @Sendable (any TestClientProtocol) async throws -> Value
    ) async throws -> Value { try await fixture.serve(fixture.configuration(on: store), .memory, body) }

    /// Runs two hosts, with the test delivered and its upload started.
    private func hosts(
        _ body: @escaping @Sendable (any TestClientProtocol, any TestClientProtocol) async throws -> Void
    ) async throws {
        try await host { one in
            try await host { other in
                let delivered = try await one.put("/v1/tests/\(test.id)", DocumentCoding.encode(test))
                #expect(delivered.status == .created, "\(delivered.text)")
                let started = try await one.put(target, [], [.uploadComplete: "?0", .uploadLength: "5000"])
                #expect(started.status == .created && started.headers[.uploadOffset] == "0", "\(started.text)")
                try await body(one, other)
            }
        }
    }

    private func append(
        _ client: any TestClientProtocol, _ bytes: [UInt8], at offset: Int, isComplete: Bool, _ more: HTTPFields = [:]
    ) async throws -> TestResponse {
        var fields = more
        fields[.contentType] = "application/partial-upload"
        fields[.uploadOffset] = String(offset)
        fields[.uploadComplete] = isComplete ? "?1" : "?0"
        return try await client.executeRequest(
            uri: place, method: .patch, headers: fields, body: ByteBuffer(bytes: bytes))
    }

    private func offset(_ client: any TestClientProtocol) async throws -> String? {
        try await client.head(place).headers[.uploadOffset]
    }

    private func names(_ prefix: String) async throws -> [String] {
        try await store.list(prefix: prefix, after: nil, limit: 1000).map(\.name.text)
    }

    @Test("it goes up in parts, each to another host, and each shows it afterwards with the same receipt")
    func parts() async throws {
        try await hosts { one, other in
            #expect(try await one.get(target).text.contains("not-arrived"))
            #expect(try await append(one, Array(content[..<2000]), at: 0, isComplete: false).status == .noContent)
            #expect(try await offset(other) == "2000")
            let elsewhere = try await append(other, Array(content[1000...]), at: 1000, isComplete: true)
            #expect(elsewhere.status == .conflict && elsewhere.text.contains("\"expected-offset\":2000"))
            #expect(
                try await append(other, Array(content[2000..<3500]), at: 2000, isComplete: false).status == .noContent)
            let done = try await append(one, Array(content[3500...]), at: 3500, isComplete: true)
            #expect(done.status == .created, "\(done.text)")
            let receipt: Receipt = try done.decoded()
            #expect(receipt.test == attachment.id && receipt.action == .attach)
            // The reply was lost: the receipt is given again, by any host, and nothing is sent.
            for host in [one, other] {
                let again = try await host.put(target, [], [.uploadComplete: "?0", .uploadLength: "5000"])
                #expect(again.status == .ok && again.bytes == done.bytes)
                let whole = try await host.get(target)
                #expect(whole.bytes == content && whole.headers[.contentType] == "image/png")
                let part = try await host.get(target, [.range: "bytes=4990-"])
                #expect(part.status == .partialContent && part.bytes == Array(content[4990...]))
                #expect(try await host.get("/v1/tests/\(test.id)/media").text.contains("\"arrived\""))
                #expect(try await host.get("/v1/tests").text.contains("\"missing\":0"))
            }
            #expect(try await names("media/") == ["media/\(attachment.digest.hex)"])
            #expect(try await names("uploads/") == [])
        }
    }

    @Test("other bytes than the test names are not kept, and the upload restarts at every host")
    func damaged() async throws {
        try await hosts { one, other in
            _ = try await append(one, Array(content[..<2000]), at: 0, isComplete: false)
            let wrong = content[2000...].map { $0 ^ 1 }
            let reply = try await append(other, wrong, at: 2000, isComplete: true)
            #expect(reply.status == .badRequest && reply.text.contains("digest-mismatch"), "\(reply.text)")
            #expect(try await names("media/") == [])
            for host in [one, other] { #expect(try await offset(host) == "0") }
            #expect(try await one.put(target, content).status == .created)
        }
    }

    @Test("what its request announces otherwise is not kept, and the upload stands where it stood")
    func contentDigest() async throws {
        try await hosts { one, other in
            _ = try await append(one, Array(content[..<2000]), at: 0, isComplete: false)
            var wrong = HTTPFields()
            wrong.contentDigest = DigestField.format(Digest(sha256Of: []))
            let reply = try await append(other, Array(content[2000..<3000]), at: 2000, isComplete: false, wrong)
            #expect(reply.status == .badRequest && reply.text.contains("digest-mismatch"))
            #expect(try await offset(one) == "2000")
        }
    }

    @Test("connections that send the same file to two hosts at once make one of it", arguments: 0..<10)
    func race(_ round: Int) async throws {
        try await hosts { one, other in
            async let first = append(one, content, at: 0, isComplete: true)
            async let second = append(other, Array(content[..<(round * 500)]), at: 0, isComplete: false)
            let replies = try await [first, second]
            let statuses = replies.map(\.status.code)
            #expect(statuses.allSatisfy { [201, 204, 400, 404, 409].contains($0) }, "\(replies.map(\.text))")
            // A client that was overtaken asks how far it is, and goes on.
            var last = try await other.put(target, [], [.uploadComplete: "?0", .uploadLength: "5000"])
            if last.status != .ok {
                let offset = try #require(last.headers[.uploadOffset].flatMap { Int($0) })
                last = try await append(other, Array(content[offset...]), at: offset, isComplete: true)
            }
            let receipt: Receipt = try last.decoded()
            #expect(receipt.digest == attachment.digest)
            #expect(try await one.get(target).bytes == content)
        }
    }

    @Test("a host that was killed after the last piece leaves it to the next one that is asked")
    func killed() async throws {
        try await hosts { one, other in
            _ = try await append(one, content, at: 0, isComplete: false)
            #expect(try await offset(other) == "5000")
            let done = try await append(other, [], at: 5000, isComplete: true)
            #expect(done.status == .created, "\(done.text)")
            #expect(try await one.get(target).bytes == content)
        }
    }

    @Test("an upload that is cancelled at one host is unknown to the other")
    func cancelled() async throws {
        try await hosts { one, other in
            _ = try await append(one, Array(content[..<2000]), at: 0, isComplete: false)
            let reply = try await other.executeRequest(uri: place, method: .delete, headers: [:], body: nil)
            #expect(reply.status == .noContent)
            #expect(try await one.head(place).status == .notFound)
            #expect(try await names("uploads/") == [])
        }
    }

    @Test("what was not continued for thirty days is removed when a host starts, and nothing else is")
    func abandoned() async throws {
        try await hosts { one, _ in
            _ = try await append(one, Array(content[..<2000]), at: 0, isComplete: false)
        }
        fixture.clock.advance(by: .seconds(UploadStore.longestPauseSeconds - 60))
        let kept = try await host { try await offset($0) }
        #expect(kept == "2000")
        fixture.clock.advance(by: .seconds(120))
        let gone = try await host { try await $0.head(place).status }
        #expect(gone == .notFound)
        #expect(try await names("uploads/") == [])
        #expect(try await names("tests/").count == 1)
    }

    @Test("what goes on after thirty days stays where it was when a host starts", arguments: [false, true])
    func continued(byPUT: Bool) async throws {
        try await hosts { one, other in
            _ = try await append(one, Array(content[..<2000]), at: 0, isComplete: false)
            fixture.clock.advance(by: .seconds(UploadStore.longestPauseSeconds + 60))
            let known = byPUT ? 2000 : 2500
            if byPUT {
                let again = try await other.put(target, [], [.uploadComplete: "?0", .uploadLength: "5000"])
                #expect(again.status == .created && again.headers[.uploadOffset] == "2000")
            } else {
                // Nothing of it is in the bucket before a whole piece has come, or the connection ends.
                let files = UploadBucket(HostBucket(store), clock: fixture.clock, maximumBytes: 1 << 20)
                var rest = [Array(content[2000..<2500])]
                let part = UploadStore.Part(offset: 2000, length: 500, isComplete: false, digest: nil)
                let received = try await files.receive(attachment.id, part) {
                    // While the connection waits for more.
                    try await host { _ in }
                    return rest.popLast()
                }
                #expect(received.offset == 2500)
            }
            try await host { third in
                #expect(try await offset(third) == "\(known)")
                let done = try await append(third, Array(content[known...]), at: known, isComplete: true)
                #expect(done.status == .created, "\(done.text)")
                #expect(try await one.get(target).bytes == content)
                #expect(try await names("uploads/") == [])
            }
        }
    }

    /// A store that does something before the record's version of a number is made, once.
    private func store(
        atRecord number: Int, _ body: @escaping @Sendable () async throws -> Void = {}
    ) -> WatchedStore {
        let rest = Counter(1)
        return WatchedStore(store) { (call) async throws(ObjectStoreError) in
            guard case .put(let name) = call, name.hasSuffix("record/000000000\(number)"), rest.next() >= 0 else {
                return
            }
            do { try await body() } catch { throw ObjectStoreError(.unusable, "\(error)") }
        }
    }

    @Test("of a host that removes an upload and a connection that continues it in the same moment one wins, whole")
    func removedOrContinued() async throws {
        try await hosts { one, other in
            _ = try await append(one, Array(content[..<2000]), at: 0, isComplete: false)
            fixture.clock.advance(by: .seconds(UploadStore.longestPauseSeconds + 60))
            let starting = UploadBucket(
                HostBucket(
                    store(atRecord: 2) {
                        _ = try await append(other, Array(content[2000..<3000]), at: 2000, isComplete: false)
                    }), clock: fixture.clock, maximumBytes: 1 << 20)
            try await offload { try starting.recover { _ in false } }
            #expect(try await offset(one) == "3000")
            fixture.clock.advance(by: .seconds(UploadStore.longestPauseSeconds + 60))
            let removed = UploadBucket(HostBucket(store), clock: fixture.clock, maximumBytes: 1 << 20)
            try await offload { try removed.recover { _ in false } }
            #expect(try await names("uploads/") == [])
        }
    }

    @Test("pieces that a host left which was killed after the receipt go with the next request for it")
    func leftPieces() async throws {
        try await hosts { one, other in
            _ = try await append(one, Array(content[..<2000]), at: 0, isComplete: false)
            let left = try await names("uploads/")
            #expect(left.count == 2)
            _ = try await append(one, Array(content[2000...]), at: 2000, isComplete: true)
            for name in left { _ = try await store.putIfAbsent(try #require(ObjectName(name)), [1]) }
            let again = try await other.put(target, [], [.uploadComplete: "?0", .uploadLength: "5000"])
            #expect(again.status == .ok)
            #expect(try await names("uploads/") == [])
        }
    }
}
